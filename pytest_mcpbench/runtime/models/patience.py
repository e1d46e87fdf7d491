"""How long one caller waits for a reply, and what the provider has answered instead of one."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from pytest_mcpbench.runtime.models.provider_error import ProviderError

_WAY_BACK_SECONDS = 0.25
_WAY_BACK_SHARE = 0.1
"""The error must reach the caller before it stops waiting: so much earlier the last repeat is given up."""


class Patience:
    """Of one caller, from now on; ``None``: without end."""

    def __init__(self, seconds: float | None) -> None:
        waits = math.inf if seconds is None else seconds - min(_WAY_BACK_SECONDS, seconds * _WAY_BACK_SHARE)
        self._ends = anyio.current_time() + waits
        self.last_error: ProviderError | None = None
        """Because of which the request is repeated."""

    @property
    def left(self) -> float:
        """Seconds."""
        return max(0.0, self._ends - anyio.current_time())

    @contextmanager
    def of_repeats(self) -> Iterator[None]:
        """Give up a request, where it is a repeated one, when the patience is at its end.

        Raises:
            ProviderError: the error because of which it was repeated; no other can follow in time.
        """
        if self.last_error is None:
            yield
            return
        with anyio.move_on_after(self.left):
            yield
            return
        raise self.last_error
