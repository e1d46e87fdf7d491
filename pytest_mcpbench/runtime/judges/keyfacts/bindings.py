"""Words to which the values of a claim belong."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from pytest_mcpbench.runtime.judges.keyfacts.numbers import Number
from pytest_mcpbench.runtime.judges.keyfacts.pairing import Pairing, Side, is_of_kind
from pytest_mcpbench.runtime.judges.keyfacts.parts import is_in_order, name_runs, values_move_along
from pytest_mcpbench.runtime.judges.keyfacts.problem import Problem, Weight


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
