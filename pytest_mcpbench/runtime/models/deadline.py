"""How long one caller waits for a reply, and what the provider has answered instead of one."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from pytest_mcpbench.runtime.models.provider_error import ProviderError

_LONGEST_MARGIN_SECONDS = 0.25
_MARGIN_SHARE = 0.1
"""The error must reach the caller before it stops waiting: so much earlier the last repeat is given up."""


class Deadline:
    """Of one caller, who waits until a time of the machine's monotonic clock; ``None``: without end."""

    def __init__(self, time_limit: float | None) -> None:
        self._time = math.inf if time_limit is None else time_limit - _reporting_margin(time_limit - time.monotonic())
        self.last_error: ProviderError | None = None
        """Because of which the request is repeated."""

    @property
    def seconds_left(self) -> float:
        """Seconds."""
        return max(0.0, self._time - time.monotonic())

    @contextmanager
    def limit_retry(self) -> Iterator[None]:
        """Give up a request, where it is a repeated one, when the patience is at its end.

        Raises:
            ProviderError: the error because of which it was repeated; no other can follow in time.
        """
        if self.last_error is None:
            yield
            return
        with anyio.move_on_after(self.seconds_left):
            yield
            return
        raise self.last_error


def _reporting_margin(seconds: float) -> float:
    return max(0.0, min(_LONGEST_MARGIN_SECONDS, seconds * _MARGIN_SHARE))
