"""Deadline of a caller that waits for a reply, and the last error of the provider."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from pytest_mcpbench.runtime.models.provider_error import ProviderError

_LONGEST_MARGIN_SECONDS = 0.25
"""Longest time by which a repeated request ends before the caller stops waiting."""
_MARGIN_SHARE = 0.1
"""Share of the remaining time that is reserved so that the error still reaches the caller."""


class Deadline:
    """Point on the machine's monotonic clock until which a caller waits; ``None`` means forever."""

    def __init__(self, time_limit: float | None) -> None:
        self._time = math.inf if time_limit is None else time_limit - _reporting_margin(time_limit - time.monotonic())
        self.last_error: ProviderError | None = None
        """Error because of which the request is repeated."""

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline; 0 after it."""
        return max(0.0, self._time - time.monotonic())

    @contextmanager
    def limit_retry(self) -> Iterator[None]:
        """Cancel a repeated request at the deadline; a first request is not limited.

        Raises:
            ProviderError: the error because of which the request was repeated. It explains the failure better than a
                time-out, which the caller would otherwise report.
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
