"""Assignment of the items of a passage to the items of a claim."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_mcpbench.judges.keyfacts.lexicon import excludes, mean_the_same
from pytest_mcpbench.judges.keyfacts.reading import Item
from pytest_mcpbench.text.moments import Date, Time
from pytest_mcpbench.text.numbers import Number

Side = Literal["claimed", "stated"]


@dataclass(frozen=True)
class Passage:
    """Contiguous clauses of a text."""

    items: tuple[Item, ...]
    markers: Counter[str]
    negated: tuple[str, ...] = ()
    clauses: int = 1
    sentences: frozenset[int] = frozenset()
    """Places of the sentences to which the clauses belong."""
    is_cut: bool = False
    """Whether words beside the clauses were left out that may be about them."""


@dataclass(frozen=True)
class Pairing:
    """An item of the claim with the item of a passage that corresponds to it."""

    claimed: Item
    stated: Item
    is_opposite: bool = False

    def on(self, side: Side) -> Item:
        """Return the item of the claim or of the passage."""
        return self.claimed if side == "claimed" else self.stated


def item_matches(claimed: Item, stated: Item) -> bool:
    """Return whether two items are the same, synonyms, or opposites."""
    if claimed.value is None or stated.value is None:
        return words_match(claimed, stated) or (claimed.kind == "word" and excludes(claimed.key, stated.key))
    is_approximate = claimed.is_approximate or stated.is_approximate
    return _values_match(claimed.value, stated.value, is_approximate=is_approximate)


def words_match(claimed: Item, stated: Item) -> bool:
    """Return whether two words, names or codes are equal or synonyms."""
    if claimed.is_value or stated.is_value:
        return False
    if claimed.kind == "code" or stated.kind == "code":
        return claimed.key == stated.key
    return mean_the_same(claimed.key, stated.key)


def _values_match(claimed: object, stated: object, *, is_approximate: bool) -> bool:
    if isinstance(claimed, Number) and isinstance(stated, Number):
        return claimed.agreement(stated, is_approximate=is_approximate) in ("same", "other sign")
    if isinstance(claimed, Date) and isinstance(stated, Date):
        return claimed.is_met_by(stated)
    return isinstance(claimed, Time) and isinstance(stated, Time) and claimed.is_met_by(stated)


def pairings(claim: Passage, passage: Passage) -> tuple[Pairing, ...]:
    """Assign to each item of the claim one of the passage: the first that is the same, else the first opposite."""
    unused = list(passage.items)
    found = []
    for claimed in claim.items:
        partner = _partner(claimed, unused)
        if partner is None:
            continue
        unused.remove(partner)
        found.append(Pairing(claimed, partner, is_opposite=_is_opposite(claimed, partner)))
    return tuple(found)


def _partner(claimed: Item, candidates: Sequence[Item]) -> Item | None:
    matching = [item for item in candidates if item_matches(claimed, item)]
    return min(matching, key=lambda item: _distance(claimed, item), default=None)


def _distance(claimed: Item, stated: Item) -> tuple[bool, bool, bool]:
    """Return the order of candidates: equal before opposite, then equal notation before rounded, then equal role."""
    return (_is_opposite(claimed, stated), claimed.key != stated.key, claimed.role != stated.role)


def _is_opposite(claimed: Item, stated: Item) -> bool:
    if isinstance(claimed.value, Number) and isinstance(stated.value, Number):
        return claimed.value.agreement(stated.value) == "other sign"
    return not claimed.is_value and not words_match(claimed, stated)


def is_of_kind(pair: Pairing, kinds: Sequence[str]) -> bool:
    """Return whether one of the two items is of a kind; a name at the beginning of a sentence looks like any word."""
    return pair.claimed.kind in kinds or pair.stated.kind in kinds


def opposite_words(pairs: Sequence[Pairing]) -> list[Pairing]:
    """Return the pairings of words that are opposites."""
    return [pair for pair in pairs if pair.is_opposite and not pair.claimed.is_value]
