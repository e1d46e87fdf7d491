"""Order of the items of a claim in a passage, where values could have been exchanged."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from pytest_mcpbench.runtime.judges.keyfacts.lexicon import excludes
from pytest_mcpbench.runtime.judges.keyfacts.numbers import Number
from pytest_mcpbench.runtime.judges.keyfacts.pairing import Pairing
from pytest_mcpbench.runtime.judges.keyfacts.parts import DAYS_AND_MONTHS, is_rotation, values_move_along
from pytest_mcpbench.runtime.judges.keyfacts.problem import Problem

_Groups = Sequence[Sequence[Pairing]]


def order_problems(pairs: Sequence[Pairing]) -> tuple[Problem, ...]:
    """Return a problem if values that could be exchanged are not certain to have kept their places.

    Their places are certain if all items follow each other as in the claim, if one part of the claim has moved to the
    front, if each has a preposition of its own, if each follows a name of its own, or if each clause of the claim has
    a part of its own in the passage.
    """
    groups = [group for group in _exchangeable(pairs) if not _have_own_roles(group)]
    if not groups or is_rotation(pairs, groups) or values_move_along(pairs, pairs) or _keeps_clauses(pairs):
        return ()
    texts = ", ".join(repr(pair.claimed.text) for pair in groups[0])
    return (Problem("unsure", f"{texts} may belong to other words than in the claim"),)


def _exchangeable(pairs: Sequence[Pairing]) -> _Groups:
    """Return the values of one kind, and the opposites, of which there are several: one could be taken for another."""
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


def _have_own_roles(group: Sequence[Pairing]) -> bool:
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
    """Return the pairings behind the name with which the claim begins: all of its clauses are about it."""
    ordered = sorted(pairs, key=lambda pair: pair.claimed.start)
    while ordered and ordered[0].claimed.start < 20 and ordered[0].claimed.kind == "name" and not _kind(ordered[0]):
        ordered.pop(0)
    return ordered
