"""Exceptions for errors that a simulated service reports to the agent."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class ToolFailure(Exception):  # noqa: N818 (the failure is data for the agent, not an error of the program)
    """A request that the real service rejects, with its error message.

    The simulation puts the message into the server's usual error format, except when ``verbatim`` is true because the
    real server does not use that format for this error. ``facts`` are additional values that the format contains.
    """

    def __init__(self, message: str, *, verbatim: bool = False, **facts: Any) -> None:
        super().__init__(message)
        self.verbatim = verbatim
        self.facts = facts
        self.tool = ""
        """Name of the called tool, set by :meth:`Simulation.call`."""


class MissingScope(ToolFailure):
    """A request for which the account's token lacks a permission; its facts are ``needed`` and ``provided``."""

    def __init__(self, needed: str, provided: Sequence[str]) -> None:
        super().__init__(f"missing scope: {needed}", needed=needed, provided=list(provided))


class MissingEntity(ToolFailure):
    """A request about an entity that does not exist."""


@contextmanager
def prefix_failures(problem: str, missing: str | None = None, *, verbatim: bool = False) -> Iterator[None]:
    """Prefix the message of a failure in the block with ``problem``.

    ``missing``, if set, replaces the message of a :class:`MissingEntity`.
    """
    try:
        yield
    except ToolFailure as failure:
        if missing is not None and isinstance(failure, MissingEntity):
            raise ToolFailure(missing) from failure
        raise ToolFailure(f"{problem}: {failure}", verbatim=verbatim) from failure
