"""Counts of called, expected and matching tools, from which precision, recall and F1 follow (FinMCP-Bench 3.2)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class ToolCounts:
    """``hits`` of the ``called`` tools were ``expected``; sums of several are pooled counts."""

    hits: float
    called: float
    expected: float

    @classmethod
    def of(cls, called: Counter[str], expected: Counter[str]) -> "ToolCounts":
        """Return counts of two multisets: hits = sum over tools of min(called, expected)."""
        return cls((called & expected).total(), called.total(), expected.total())

    @classmethod
    def pool(cls, counts: Iterable[Mapping[str, float]]) -> "ToolCounts":
        """Return the sum of :attr:`Score.counts` of many tasks; of none, all 0."""
        names = ("hits", "called", "expected")
        # A metric of the same name may count something else, in records of another version of it.
        kept = [count for count in counts if count.keys() >= {*names}]
        return cls(*(sum(count[name] for count in kept) for name in names))

    @property
    def precision(self) -> float:
        """Return the share of the calls that were expected; nothing called is right only if nothing was expected."""
        return self._share(self.called)

    @property
    def recall(self) -> float:
        """Return the share of the expected calls that were made; nothing expected is met only if nothing was called."""
        return self._share(self.expected)

    @property
    def f1(self) -> float:
        """Return harmonic mean of precision and recall: 2 hits / (called + expected)."""
        both = self.called + self.expected
        return 2 * self.hits / both if both else 1.0

    def as_mapping(self) -> dict[str, float]:
        return {"hits": self.hits, "called": self.called, "expected": self.expected}

    def _share(self, whole: float) -> float:
        if self.called == 0 and self.expected == 0:
            return 1.0
        return self.hits / whole if whole else 0.0
