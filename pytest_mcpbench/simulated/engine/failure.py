"""The one error that a simulated service answers with."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class ToolFailure(Exception):  # noqa: N818 (what a tool reports is data for the agent, no error of the program)
    """A request that the real service refuses, with its message; the simulation gives it the server's usual form.

    ``verbatim`` is for the answers of a real server that leave that form; ``facts`` are what such a form holds besides
    the message.
    """

    def __init__(self, message: str, *, verbatim: bool = False, **facts: Any) -> None:
        super().__init__(message)
        self.verbatim = verbatim
        self.facts = facts
        self.tool = ""
        """The tool that was called, once :meth:`Simulation.call` knows of the failure."""


class MissingScope(ToolFailure):
    """A request for which the account's token has no permission; its facts are ``needed`` and ``provided``."""

    def __init__(self, needed: str, provided: Sequence[str]) -> None:
        super().__init__(f"missing scope: {needed}", needed=needed, provided=list(provided))


class MissingEntity(ToolFailure):
    """A request about an entity that does not exist."""


@contextmanager
def explained(problem: str, missing: str | None = None, *, verbatim: bool = False) -> Iterator[None]:
    """Put ``problem`` in front of a failure's message; ``missing`` replaces that of an unknown entity."""
    try:
        yield
    except ToolFailure as failure:
        if missing is not None and isinstance(failure, MissingEntity):
            raise ToolFailure(missing) from failure
        raise ToolFailure(f"{problem}: {failure}", verbatim=verbatim) from failure
