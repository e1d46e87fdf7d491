"""How long one caller waits for a reply, and what the provider has answered instead of one."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from pytest_mcpbench.runtime.models.provider_error import ProviderError

_WAY_BACK_SECONDS = 0.25
_WAY_BACK_SHARE = 0.1
"""The error must reach the caller before it stops waiting: so much earlier the last repeat is given up."""


class Patience:
    """Of one caller, who waits until a time of the machine's monotonic clock; ``None``: without end."""

    def __init__(self, ends: float | None) -> None:
        self._ends = math.inf if ends is None else ends - _way_back(ends - time.monotonic())
        self.last_error: ProviderError | None = None
        """Because of which the request is repeated."""

    @property
    def left(self) -> float:
        """Seconds."""
        return max(0.0, self._ends - time.monotonic())

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


def _way_back(seconds: float) -> float:
    return max(0.0, min(_WAY_BACK_SECONDS, seconds * _WAY_BACK_SHARE))
