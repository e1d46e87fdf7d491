"""Parts that names and words play in a sentence: who acts, on whom, in which place."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pytest_mcpbench.judges.keyfacts.lexicon import stem
from pytest_mcpbench.judges.keyfacts.pairing import Pairing, Passage, Side, is_of_kind, opposite_words
from pytest_mcpbench.judges.keyfacts.polarity import is_converse
from pytest_mcpbench.judges.keyfacts.problem import Problem, Weight
from pytest_mcpbench.judges.keyfacts.reading import Item
from pytest_mcpbench.text.moments import Date, Time

_NAMES_OF_DAYS_AND_MONTHS = """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december
"""
DAYS_AND_MONTHS = frozenset(map(stem, _NAMES_OF_DAYS_AND_MONTHS.split()))
_BOUNDING = frozenset({"to", "from", "until", "before", "after", "since"})
"""Prepositions that make a number the start or the end of something: ``rose to 12 %``."""

_PLACES = frozenset({"in", "on", "at", "for", "with", "under", "per"})
_ADJUNCTS = frozenset({"in", "at", "per", "on", "am", "im", "via", "as"})


def part_problems(pairs: Sequence[Pairing]) -> Iterator[Problem]:
    """Yield the names and words that play another part in the passage than in the claim."""
    if not is_converse(pairs):
        yield from _roles(pairs)
    yield from _order(pairs)


def _roles(pairs: Sequence[Pairing]) -> Iterator[Problem]:
    entities = len(name_runs([pair for pair in pairs if pair.claimed.kind in ("name", "code")]))
    for pair in pairs:
        one, other = pair.claimed.role, pair.stated.role
        if one == other:
            continue
        if pair.claimed.kind == "number":
            if _BOUNDING & {one, other}:
                yield replace(_other_role(pair), weight="unsure")
            continue
        if {one, other} == {"by", ""} and not pair.claimed.is_value:
            yield from _agents(pair, pairs)
        elif not ({one, other} <= {"with", ""} or (one == "to" and not other and entities < 2)):
            yield _other_role(pair)


def _agents(pair: Pairing, pairs: Sequence[Pairing]) -> Iterator[Problem]:
    if not _is_agent_first(pair, pairs):
        is_clear = [other.claimed.key for other in pairs].count(pair.claimed.key) == 1
        weight: Weight = "refutes" if is_clear else "unsure"
        yield Problem(weight, f"{pair.claimed.text!r} acts in one of claim and answer and is acted upon in the other")


def _other_role(pair: Pairing) -> Problem:
    one, other = pair.claimed.role, pair.stated.role
    weight: Weight = "refutes" if one and other else "unsure"
    places = f"{one or 'nothing'!r} in the claim, {other or 'nothing'!r} in the answer"
    return Problem(weight, f"{pair.claimed.text!r} follows {places}")


def _is_agent_first(agent: Pairing, pairs: Sequence[Pairing]) -> bool:
    """Check that the one who acts comes first in the active sentence."""
    passive: Side = "claimed" if agent.claimed.role == "by" else "stated"
    active: Side = "stated" if passive == "claimed" else "claimed"
    others = [pair for pair in pairs if pair is not agent and not isinstance(pair.claimed.value, Date | Time)]
    if not others or agent.claimed.kind == "date":
        return True
    patient = min(others, key=lambda pair: pair.on(passive).start)
    return agent.on(active).start < patient.on(active).start


def _order(pairs: Sequence[Pairing]) -> Iterator[Problem]:
    """Names, codes and ideographs must follow each other as in the claim."""
    is_passive = any({pair.claimed.role, pair.stated.role} == {"by", ""} for pair in pairs)
    if is_passive or opposite_words(pairs):
        return
    for kinds in (("name", "code"), ("ideograph",)):
        chosen = [pair for pair in pairs if is_of_kind(pair, kinds) and pair.claimed.key not in DAYS_AND_MONTHS]
        runs = name_runs(chosen)
        if not all(is_in_order([pair for pair in run if pair.claimed.kind == "name"]) for run in runs):
            yield Problem("refutes", "the words of a name are in another order than in the claim")
            continue
        if not all(_is_adjacent(run) for run in runs if kinds != ("ideograph",)):
            yield Problem("unsure", "the words of a name are apart")
        if kinds == ("ideograph",):
            if not is_in_order(sorted(chosen, key=lambda pair: pair.claimed.start)):
                yield Problem("unsure", "the characters are in another order than in the claim")
            continue
        if is_in_order([run[0] for run in runs]) or _is_coordinated(runs) or values_move_along(pairs, chosen):
            continue
        if not _have_slots(runs, pairs):
            yield Problem("unsure", "names are in another order than in the claim")


def subject_problems(pairs: Sequence[Pairing], claim: Passage, passage: Passage) -> Iterator[Problem]:
    """Yield a problem if the words around a full verb are in another order than in the claim."""
    free = ("copula", "perfect")
    if any(claim.markers[name] or passage.markers[name] for name in free) or values_move_along(pairs, pairs):
        return
    if claim.markers["permission"] or claim.markers["obligation"]:
        return
    words = [pair for pair in pairs if not pair.claimed.is_value]
    stated = [pair.stated for pair in words]
    core = [
        pair for pair in words if pair.claimed.role == pair.stated.role == "" and not is_in_place(pair.stated, stated)
    ]
    if len(core) > 2 and not is_in_order(sorted(core, key=lambda pair: pair.claimed.start)):
        yield Problem("unsure", "the words are in another order than in the claim")


def is_in_order(pairs: Sequence[Pairing]) -> bool:
    """Return whether the items of the passage follow each other as the pairings do."""
    places = [pair.stated.start for pair in pairs]
    return places == sorted(places)


def is_rotation(pairs: Sequence[Pairing], groups: Sequence[Sequence[Pairing]] = ()) -> bool:
    """Return whether all items are in order, or in order but for one part that has moved to the front.

    A part that has moved holds all values of a group or none, so that it cannot change places with another.
    """
    ordered = sorted(pairs, key=lambda pair: pair.claimed.start)
    breaks = [at for at, (one, other) in enumerate(pairwise(ordered), 1) if other.stated.start < one.stated.start]
    if not breaks:
        return True
    if len(breaks) > 1:
        return False
    stayed, moved = ordered[: breaks[0]], ordered[breaks[0] :]
    is_at_front = max(pair.stated.start for pair in moved) < min(pair.stated.start for pair in stayed)
    return is_at_front and all(sum(pair in moved for pair in group) in (0, len(group)) for group in groups)


def name_runs(chosen: Sequence[Pairing]) -> list[list[Pairing]]:
    """Group pairings of adjacent words of the claim, the parts of one name."""
    runs: list[list[Pairing]] = []
    for pair in sorted(chosen, key=lambda pair: pair.claimed.start):
        if runs and pair.claimed.start - runs[-1][-1].claimed.end <= 1:
            runs[-1].append(pair)
        else:
            runs.append([pair])
    return runs


def _is_adjacent(run: Sequence[Pairing]) -> bool:
    names = [pair.stated for pair in run if pair.claimed.kind == pair.stated.kind == "name"]
    return all(other.start - one.end <= 4 for one, other in pairwise(names))


def _is_coordinated(runs: Sequence[Sequence[Pairing]]) -> bool:
    """Check for names that only ``and`` separates in the claim."""
    gaps = pairwise(runs)
    return all(
        one[-1].claimed.end + 6 >= other[0].claimed.start and other[0].claimed.before in ("and", "und", "et")
        for one, other in gaps
    )


def _have_slots(runs: Sequence[Sequence[Pairing]], pairs: Sequence[Pairing]) -> bool:
    """Check that each name has its own kind of place in the sentence, the same in claim and answer."""
    claimed = [_slot(run, pairs, "claimed") for run in runs]
    stated = [_slot(run, pairs, "stated") for run in runs]
    return claimed == stated and len(set(claimed)) == len(claimed)


def _slot(run: Sequence[Pairing], pairs: Sequence[Pairing], side: Side) -> tuple[str, bool, bool]:
    first, last = run[0].on(side), run[-1].on(side)
    others = [pair.on(side) for pair in pairs if pair not in run and pair.claimed.kind == "word"]
    is_attribute = first.has_article and any(0 <= other.start - last.end <= 1 for other in others)
    has_noun = any(0 <= first.start - other.end <= 1 for other in others)
    return (first.before if first.before in _PLACES else "", is_attribute, has_noun)


def values_move_along(pairs: Sequence[Pairing], names: Sequence[Pairing]) -> bool:
    """Return whether each value follows the same name in claim and answer."""
    values = [pair for pair in pairs if pair.claimed.is_value]
    names = [name for name in names if is_of_kind(name, ("name",))]
    if len(values) < 2 or len(name_runs(names)) < 2:
        return False
    owners = [(_owner(value, names, "claimed"), _owner(value, names, "stated")) for value in values]
    return all(one is other for one, other in owners) and len({id(one) for one, _ in owners}) == len(owners)


def _owner(value: Pairing, names: Sequence[Pairing], side: Side) -> Pairing | None:
    place = value.on(side).start
    before = [name for name in names if name.on(side).start < place]
    return max(before, key=lambda name: name.on(side).start, default=None)


def is_in_place(item: Item, others: Sequence[Item]) -> bool:
    """Return whether a word is the first or the second of a phrase like ``at sea level``."""
    if item.before in _ADJUNCTS:
        return True
    return any(0 <= item.start - other.end <= 1 and other.before in _ADJUNCTS for other in others)
