"""Comparison of a claim with one passage of an answer."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pytest_mcpbench.judges.keyfacts.lexicon import excludes, stem
from pytest_mcpbench.judges.keyfacts.pairing import Pairing, Passage, Side, is_of_kind, pairings, words_match
from pytest_mcpbench.judges.keyfacts.parts import (
    DAYS_AND_MONTHS,
    is_in_order,
    is_rotation,
    name_runs,
    part_problems,
    subject_problems,
    values_move_along,
)
from pytest_mcpbench.judges.keyfacts.polarity import is_fall, polarity_problems
from pytest_mcpbench.judges.keyfacts.problem import Problem, Weight
from pytest_mcpbench.judges.keyfacts.reading import Item
from pytest_mcpbench.text.numbers import Number


def binding_problems(pairs: Sequence[Pairing]) -> Iterator[Problem]:
    """Yield the values that belong to other words in the passage than in the claim."""
    for numbers in _numbers_by_dimension(pairs):
        yield from _bindings(numbers, pairs)
    yield from _company(pairs)


def _numbers_by_dimension(pairs: Sequence[Pairing]) -> Iterator[list[Pairing]]:
    """Yield the numbers that could be taken for each other."""
    found: defaultdict[str, list[Pairing]] = defaultdict(list)
    for pair in pairs:
        if isinstance(pair.claimed.value, Number):
            found[pair.claimed.value.dimension].append(pair)
    return (numbers for numbers in found.values() if len(numbers) > 1)


def _bindings(numbers: Sequence[Pairing], pairs: Sequence[Pairing]) -> Iterator[Problem]:
    names = [pair for pair in pairs if is_of_kind(pair, ("name",))]
    words = [pair for pair in pairs if not pair.claimed.is_value]
    if any(_have_other_roles(pair) for pair in numbers):
        if not (len(name_runs(names)) > 1 and values_move_along(numbers, names)):
            weight: Weight = "refutes" if all("" not in _roles(pair) for pair in numbers) else "unsure"
            yield Problem(weight, "numbers have other parts in the sentence than in the claim")
        return
    bound = [(_neighbour(pair, words, "claimed"), _neighbour(pair, words, "stated")) for pair in numbers]
    if not (values_move_along(numbers, names) or _have_own_roles(numbers) or _are_kept(bound, numbers)):
        yield Problem("refutes" if _is_exchange(bound) else "unsure", "numbers belong to other words than in the claim")


def _have_own_roles(numbers: Sequence[Pairing]) -> bool:
    return len({pair.claimed.role for pair in numbers}) == len(numbers)


_Bound = Sequence[tuple[Pairing | None, Pairing | None]]


def _are_kept(bound: _Bound, numbers: Sequence[Pairing]) -> bool:
    """Check that each number is next to the same word, or that the numbers are in the same order."""
    has_own_words = len({id(one) for one, _ in bound}) == len(bound)
    if all(one is other for one, other in bound) and has_own_words:
        return True
    return is_in_order(numbers) and not _is_exchange(bound)


def _company(pairs: Sequence[Pairing]) -> Iterator[Problem]:
    """Yield a problem if two values of one kind in two clauses have exchanged the words of their clauses."""
    values = [pair for pair in pairs if pair.claimed.is_value]
    counts = Counter(pair.claimed.key for pair in pairs)
    words = [pair for pair in pairs if not pair.claimed.is_value and counts[pair.claimed.key] == 1]
    moves = {
        (one.claimed.start, other.claimed.start)
        for one in values
        for other in values
        if one.claimed.kind == other.claimed.kind and any(_moves(word, one, other) for word in words)
    }
    if any((other, one) in moves for one, other in moves):
        yield Problem("refutes", "two values have exchanged their clauses")


def _moves(word: Pairing, one: Pairing, other: Pairing) -> bool:
    """Return whether a word is in the clause of one value in the claim, and of the other in the answer."""
    is_with_one = word.claimed.clause == one.claimed.clause != other.claimed.clause
    return is_with_one and word.stated.clause == other.stated.clause != one.stated.clause


def _have_other_roles(pair: Pairing) -> bool:
    return len(_roles(pair)) > 1 and ("of" in _roles(pair) or "" not in _roles(pair))


def _roles(pair: Pairing) -> set[str]:
    return {pair.claimed.role, pair.stated.role}


def _is_exchange(bound: _Bound) -> bool:
    """Check that the words to which two numbers belong have changed places."""
    return any(
        one[0] is other[1] and one[1] is other[0] and one[0] is not one[1] and one[0] is not None
        for at, one in enumerate(bound)
        for other in bound[at + 1 :]
    )


def _neighbour(number: Pairing, words: Sequence[Pairing], side: Side) -> Pairing | None:
    """Return the word to which a number belongs: directly behind or before it, else the next or the last one."""
    item = number.on(side)
    behind = [word for word in words if word.on(side).start >= item.end and word.on(side).clause == item.clause]
    before = [word for word in words if word.on(side).end <= item.start]
    following = min(behind, key=lambda word: word.on(side).start, default=None)
    preceding = max(before, key=lambda word: word.on(side).start, default=None)
    if preceding is not None and item.start - preceding.on(side).end <= 1:
        is_adjacent = following is not None and following.on(side).start - item.end <= 1
        return following if is_adjacent else preceding
    return following or preceding


# Order of the items of a claim in a passage, where values could have been exchanged.

_Groups = Sequence[Sequence[Pairing]]


def order_problems(pairs: Sequence[Pairing]) -> tuple[Problem, ...]:
    """Return a problem if values that could be exchanged are not certain to have kept their places.

    Their places are certain if all items follow each other as in the claim, if one part of the claim has moved to the
    front, if each has a preposition of its own, if each follows a name of its own, or if each clause of the claim has
    a part of its own in the passage.
    """
    groups = [group for group in _exchangeable(pairs) if not _keep_own_roles(group)]
    if not groups or is_rotation(pairs, groups) or values_move_along(pairs, pairs) or _keeps_clauses(pairs):
        return ()
    texts = ", ".join(repr(pair.claimed.text) for pair in groups[0])
    return (Problem("unsure", f"{texts} may belong to other words than in the claim"),)


def _exchangeable(pairs: Sequence[Pairing]) -> _Groups:
    """Return each kind of values, and the opposites, with several members, which could be taken for each other."""
    groups: defaultdict[str, list[Pairing]] = defaultdict(list)
    for pair in pairs:
        if kind := _kind(pair):
            groups[kind].append(pair)
    words = [pair for pair in pairs if not pair.claimed.is_value]
    opposed = [pair for pair in words if any(excludes(pair.claimed.key, other.claimed.key) for other in words)]
    return [group for group in (*groups.values(), opposed) if len(group) > 1]


def _kind(pair: Pairing) -> str:
    value = pair.claimed.value
    if isinstance(value, Number):
        return "ordinal" if value.is_ordinal else "year" if value.is_year else f"number of {value.dimension}"
    if value is not None:
        return pair.claimed.kind
    return "day or month" if pair.claimed.key in DAYS_AND_MONTHS else ""


def _keep_own_roles(group: Sequence[Pairing]) -> bool:
    """Return whether each value has its own preposition in the claim, and the same one in the passage."""
    roles = [pair.claimed.role for pair in group]
    return roles == [pair.stated.role for pair in group] and len({*roles}) == len(roles)


def _keeps_clauses(pairs: Sequence[Pairing]) -> bool:
    """Return whether each clause of the claim has a part of its own in the passage, with its items in their order."""
    counts = Counter(pair.claimed.key for pair in pairs)
    clauses: defaultdict[int, list[Pairing]] = defaultdict(list)
    for pair in _without_subject(pairs):
        if counts[pair.claimed.key] == 1:
            clauses[pair.claimed.clause].append(pair)
    spans = sorted(_span(members) for members in clauses.values())
    is_apart = len(spans) > 1 and all(one[1] < other[0] for one, other in pairwise(spans))
    return is_apart and all(is_rotation(members, _exchangeable(members)) for members in clauses.values())


def _span(pairs: Sequence[Pairing]) -> tuple[int, int]:
    """Return the places of the first and the last item in the passage."""
    places = [pair.stated.start for pair in pairs]
    return min(places), max(places)


def _without_subject(pairs: Sequence[Pairing]) -> list[Pairing]:
    """Return the pairings after the name with which the claim begins, because all clauses are about that name."""
    ordered = sorted(pairs, key=lambda pair: pair.claimed.start)
    while ordered and ordered[0].claimed.start < 20 and ordered[0].claimed.kind == "name" and not _kind(ordered[0]):
        ordered.pop(0)
    return ordered


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
    """Return the items of a passage that match none of the claim, except a word of decrease for a negative number."""
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
    """Return whether a further value could be meant instead of a value of the claim."""
    if isinstance(item.value, Number):
        if item.value.is_ordinal or item.value.value == 0 or item.role in _LIMITS or item.key in _SHARES:
            return True
        return item.key != "one" and any(
            isinstance(other.value, Number) and other.value.dimension == item.value.dimension for other in claim.items
        )
    return item.is_value and (item.role in _LIMITS or any(other.kind == item.kind for other in claim.items))
