"""Comparison of a claim with one passage of an answer."""

from collections.abc import Iterator, Sequence

from pytest_mcpbench.runtime.judges.keyfacts.bindings import binding_problems
from pytest_mcpbench.runtime.judges.keyfacts.lexicon import stem
from pytest_mcpbench.runtime.judges.keyfacts.numbers import Number
from pytest_mcpbench.runtime.judges.keyfacts.order import order_problems
from pytest_mcpbench.runtime.judges.keyfacts.pairing import Pairing, Passage, pairings, words_match
from pytest_mcpbench.runtime.judges.keyfacts.parts import DAYS_AND_MONTHS, part_problems, subject_problems
from pytest_mcpbench.runtime.judges.keyfacts.polarity import is_fall, polarity_problems
from pytest_mcpbench.runtime.judges.keyfacts.problem import Problem
from pytest_mcpbench.runtime.judges.keyfacts.reading import Item

_HARMLESS_WORDS = "today noon fine page number sum own owns run runs yet author ab s'élève"
_HARMLESS = frozenset({*map(stem, _HARMLESS_WORDS.split()), *"举行安排位人"})
"""Further words that do not change a statement."""

_SHARES = frozenset({"once", "twice", "half", "quarter", "third of", "two thirds", "three quarters"})
"""Numbers that restrict a statement wherever they are."""

_LIMITS = frozenset({"until", "before", "after"})


def problems(claim: Passage, passage: Passage) -> Iterator[Problem]:
    """Yield the reasons for which a passage with all items of the claim does not state it."""
    pairs = pairings(claim, passage)
    if passage.is_cut:
        yield Problem("unsure", "words beside the statement may be about it")
    if sum(pair.claimed.is_value for pair in pairs) < sum(item.is_value for item in claim.items):
        yield Problem("unsure", "the answer has one of two equal values only")
    yield from content_problems(claim, passage)
    yield from subject_problems(pairs, claim, passage)
    yield from order_problems(pairs)
    yield from _additions(pairs, _further(pairs, passage), claim, passage)


def content_problems(claim: Passage, passage: Passage) -> Iterator[Problem]:
    """Yield what contradicts the claim in a passage: opposites, negations and exchanged names or numbers."""
    pairs = pairings(claim, passage)
    yield from polarity_problems(pairs, claim, passage)
    yield from part_problems(pairs)
    yield from binding_problems(pairs)


def _further(pairs: Sequence[Pairing], passage: Passage) -> list[Item]:
    """Return the items of a passage that correspond to none of the claim, without the fall of a negative number."""
    stated = [pair.stated for pair in pairs]
    has_other_sign = any(pair.is_opposite and pair.claimed.is_value for pair in pairs)
    further = [item for item in passage.items if item not in stated]
    return [item for item in further if not (has_other_sign and is_fall(item))]


def _additions(
    pairs: Sequence[Pairing], further: Sequence[Item], claim: Passage, passage: Passage
) -> Iterator[Problem]:
    for item in further:
        if competes(item, claim):
            yield Problem("unsure", f"the answer has a further {item.kind}, {item.text!r}")
    words = [item for item in further if not item.is_value]
    added = [item for item in words if not _is_harmless(item, passage) and not _is_repeated(item, claim)]
    if added:
        yield Problem("unsure", f"the answer adds {added[0].text!r} to the statement")
    owners = [pair for pair in pairs if pair.stated.is_possessive and not pair.claimed.is_possessive]
    if any(0 <= item.start - owner.stated.end <= 1 for owner in owners for item in words):
        yield Problem("unsure", f"the answer is about something that belongs to {owners[0].claimed.text!r}")


def _is_harmless(item: Item, passage: Passage) -> bool:
    """Return whether a further word changes nothing, such as a weekday beside its date."""
    if item.key in DAYS_AND_MONTHS:
        return any(other.kind == "date" and -1 <= other.start - item.end <= 2 for other in passage.items)
    return item.key in _HARMLESS


def _is_repeated(item: Item, claim: Passage) -> bool:
    return item.kind == "word" and any(words_match(other, item) for other in claim.items)


def competes(item: Item, claim: Passage) -> bool:
    """Return whether a further value could be meant in place of one in the claim."""
    if isinstance(item.value, Number):
        if item.value.is_ordinal or item.value.value == 0 or item.role in _LIMITS or item.key in _SHARES:
            return True
        return item.key != "one" and any(
            isinstance(other.value, Number) and other.value.dimension == item.value.dimension for other in claim.items
        )
    return item.is_value and (item.role in _LIMITS or any(other.kind == item.kind for other in claim.items))
