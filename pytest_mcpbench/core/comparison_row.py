"""One row of the side-by-side view of expected and actual calls."""

from dataclasses import dataclass
from typing import Literal

RowVerdict = Literal["same", "different", "missing", "extra"]


@dataclass(frozen=True)
class ComparisonRow:
    """A reference call paired with an actual call; either may be absent, which is an empty text."""

    expected: str
    actual: str
    verdict: RowVerdict
    reason: tuple[str, ...] = ()
    """The differences, one sentence each."""
    call_index: int | None = None
    """Position of the actual call among all calls of the attempt, from 0."""
