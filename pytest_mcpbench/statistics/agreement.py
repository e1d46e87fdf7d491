"""Agreement between raters, such as a judge and people, or the members of a panel."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class LabelAgreement:
    """One label against all others."""

    first: int
    """Number of items to which the first rater (people) gave the label."""
    second: int
    """Number of items to which the second rater (the judge) gave it."""
    both: int
    agreement: float
    """Share of the items on which the two agree whether the label applies."""
    kappa: float | None


@dataclass(frozen=True)
class Agreement:
    """Two raters' labels of the same items."""

    n: int
    agreement: float
    """Share of the items with the same label."""
    kappa: float | None
    """Cohen's kappa; ``None`` where chance alone would give full agreement (both raters gave one label only)."""
    labels: Mapping[str, LabelAgreement]
    confusion: Mapping[tuple[str, str], int]
    """(first rater's label, second rater's label) -> items; pairs that never occur are left out."""


def agreement(pairs: Iterable[tuple[str, str]]) -> Agreement:
    """Return the agreement of (first, second) labels, one pair an item. Cohen 1960, doi:10.1177/001316446002000104."""
    kept = list(pairs)
    if not kept:
        raise ValueError("there is no item that both have labelled")
    labels = sorted({label for pair in kept for label in pair})
    return Agreement(
        n=len(kept),
        agreement=_observed_share(kept),
        kappa=_kappa(kept),
        labels={label: _label_agreement(label, kept) for label in labels},
        confusion=dict(sorted(Counter(kept).items())),
    )


def weighted_kappa(pairs: Iterable[tuple[int, int]]) -> float | None:
    """Return kappa of (first, second) scores with quadratic weights; ``None`` without items or without any variation.

    A disagreement weighs as the square of the distance of the scores. Cohen 1968, doi:10.1037/h0026256.
    """
    kept = list(pairs)
    first, second = Counter(one for one, _ in kept), Counter(other for _, other in kept)
    observed = len(kept) * sum((one - other) ** 2 for one, other in kept)
    by_chance = sum(first[one] * second[other] * (one - other) ** 2 for one in first for other in second)
    return 1 - observed / by_chance if by_chance else None


@dataclass(frozen=True)
class PanelAgreement:
    """Labels of several raters for the same items, some of which may be missing."""

    items: int
    """Number of items with labels from two raters or more; the others say nothing about agreement."""
    unanimous: int
    """Number of these items whose labels are all equal."""
    alpha: float | None
    """Krippendorff's alpha; ``None`` if all labels of these items are equal, or there are none."""


def panel_agreement(items: Iterable[Sequence[str]]) -> PanelAgreement:
    """Return the agreement of the labels that each item has.

    Alpha for nominal data: Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C. For two raters
    and no missing label it approaches Scott's pi.
    """
    counted = [Counter(labels) for labels in items if len(labels) > 1]
    # 1 - (observed disagreement / disagreement by chance) of items with two labels or more.
    totals = sum(counted, Counter[str]())
    n = totals.total()
    by_chance = n * n - sum(count * count for count in totals.values())
    if not by_chance:
        alpha = None
    else:
        # The ordered pairs of different labels of each item.
        observed = sum(
            (counts.total() ** 2 - sum(count * count for count in counts.values())) / (counts.total() - 1)
            for counts in counted
        )
        alpha = 1 - (n - 1) * observed / by_chance
    return PanelAgreement(
        items=len(counted),
        unanimous=sum(len(counts) == 1 for counts in counted),
        alpha=alpha,
    )


def _label_agreement(label: str, pairs: list[tuple[str, str]]) -> LabelAgreement:
    against_rest = [(str(first == label), str(second == label)) for first, second in pairs]
    return LabelAgreement(
        first=sum(first == label for first, _ in pairs),
        second=sum(second == label for _, second in pairs),
        both=sum(first == second == label for first, second in pairs),
        agreement=_observed_share(against_rest),
        kappa=_kappa(against_rest),
    )


def _observed_share(pairs: list[tuple[str, str]]) -> float:
    return sum(first == second for first, second in pairs) / len(pairs)


def _kappa(pairs: list[tuple[str, str]]) -> float | None:
    """Return (observed - chance) / (1 - chance), computed in integers until the last division."""
    n = len(pairs)
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    by_chance = sum(first[label] * second[label] for label in first)
    agreed = sum(one == other for one, other in pairs)
    return (n * agreed - by_chance) / (n * n - by_chance) if by_chance != n * n else None
