"""Budget of requests or tokens of a minute, without I/O: the caller supplies the time."""

from collections import deque
from dataclasses import dataclass, field

_WINDOW_SECONDS = 60.0


@dataclass
class MinuteBudget:
    """Amount that may be used within any 60 seconds; one use may exceed it, and later ones wait for that."""

    amount: int
    _uses: deque[tuple[float, float]] = field(default_factory=deque)
    """Time and amount of each use in the last minute."""
    _used: float = 0.0

    def use(self, amount: float, now: float) -> None:
        """Count a use."""
        self._uses.append((now, amount))
        self._used += amount

    def wait_seconds(self, now: float, expected: float = 0.0) -> float:
        """Return the time until the next use fits in; ``expected`` is its amount with that of uses under way."""
        self._forget(now)
        excess = self._used + expected - self.amount
        for time, amount in self._uses:
            if excess <= 0:
                break
            excess -= amount
            wait = time + _WINDOW_SECONDS - now
            if excess <= 0:
                return max(0.0, wait)
        # More than the amount of a minute by itself: it fits in as soon as nothing else is in the window.
        return max(0.0, self._uses[-1][0] + _WINDOW_SECONDS - now) if excess > 0 and self._uses else 0.0

    def is_exceeded_by(self, amount: float) -> bool:
        """Return whether another amount would exceed the budget."""
        return self._used + amount > self.amount

    def _forget(self, now: float) -> None:
        while self._uses and self._uses[0][0] <= now - _WINDOW_SECONDS:
            self._used -= self._uses.popleft()[1]
