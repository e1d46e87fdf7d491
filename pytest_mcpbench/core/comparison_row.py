"""One line of the side-by-side view of expected and actual calls."""

from dataclasses import dataclass
from typing import Literal

RowVerdict = Literal["same", "different", "missing", "extra"]


@dataclass(frozen=True)
class ComparisonRow:
    """One reference call beside the call that was made for it; one of the two may be absent (empty)."""

    expected: str
    actual: str
    verdict: RowVerdict
    reason: tuple[str, ...] = ()
    """What differs, a sentence a place."""
    call_index: int | None = None
    """Position of the actual call among all calls of the run, from 0."""
