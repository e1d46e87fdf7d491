"""The one error that a simulated service answers with."""

from collections.abc import Iterator
from contextlib import contextmanager


class ToolFailure(Exception):  # noqa: N818 (what a tool reports is data for the agent, no error of the program)
    """A request that the real service refuses, with its message; the simulation gives it the server's usual form.

    ``verbatim`` is for the answers of a real server that leave that form.
    """

    def __init__(self, message: str, *, verbatim: bool = False) -> None:
        super().__init__(message)
        self.verbatim = verbatim


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
