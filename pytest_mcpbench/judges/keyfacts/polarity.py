"""Polarity of a claim and a passage: opposites, negation, doubt, bounds, modality."""

from collections.abc import Iterator, Sequence

from pytest_mcpbench.judges.keyfacts.lexicon import is_complement, mean_the_same
from pytest_mcpbench.judges.keyfacts.pairing import Pairing, Passage, opposite_words
from pytest_mcpbench.judges.keyfacts.problem import Problem, Weight
from pytest_mcpbench.judges.keyfacts.reading import Item

_REFUTING = frozenset({"negation", "weak negation", "doubt", "condition", "alternative", "more than", "less than"})
_COMPARED = (
    *("negation", "weak negation", "doubt", "condition", "wish", "alternative", "report", "objection", "former", "kin"),
    *("more than", "less than", "at least", "at most", "almost", "some", "all"),
    *("off", "out", "down", "other", "one of", "again", "per", "total", "usually", "in progress"),
)

_COUNTED = frozenset({"negation", "more than", "less than", "at least", "at most", "almost"})
"""Markers of which claim and answer must have the same number."""


def polarity_problems(pairs: Sequence[Pairing], claim: Passage, passage: Passage) -> Iterator[Problem]:
    """Yield the differences in what is asserted, denied, doubted or restricted."""
    yield from _opposites(pairs, claim, passage)
    yield from _markers(claim, passage, pairs)
    yield from _modals(claim, passage)
    if claim.markers["present"] and not claim.markers["past"] and passage.markers["past"] > passage.markers["present"]:
        yield Problem("unsure", "the answer is about the past")


def is_fall(item: Item) -> bool:
    """Return whether a word means a decrease."""
    return item.kind == "word" and mean_the_same(item.key, "fall")


def _opposites(pairs: Sequence[Pairing], claim: Passage, passage: Passage) -> Iterator[Problem]:
    signs = [pair for pair in pairs if pair.is_opposite and pair.claimed.is_value]
    words = opposite_words(pairs)
    # "fell by 18 %" is "a change of -18 %".
    has_fall = any(is_fall(item) for item in (*claim.items, *passage.items))
    if signs and not has_fall:
        yield Problem("refutes", f"{signs[0].stated.text!r} has another sign than {signs[0].claimed.text!r}")
    if words and not _is_negated_complement(words, claim, passage) and not is_converse(pairs):
        yield Problem("refutes", f"{words[0].stated.text!r} is the opposite of {words[0].claimed.text!r}")


def _is_negated_complement(words: Sequence[Pairing], claim: Passage, passage: Passage) -> bool:
    """Check for ``not open`` in place of ``closed``."""
    difference = abs(claim.markers["negation"] - passage.markers["negation"])
    return len(words) == 1 and difference == 1 and is_complement(words[0].claimed.key, words[0].stated.key)


def is_converse(pairs: Sequence[Pairing]) -> bool:
    """Return whether a passage has ``B is colder than A`` in place of ``A is warmer than B``."""
    than_claimed = {pair.claimed.key for pair in pairs if pair.claimed.role == "than"}
    than_stated = {pair.claimed.key for pair in pairs if pair.stated.role == "than"}
    is_swapped = bool(than_claimed) and bool(than_stated) and not than_claimed & than_stated
    return len(opposite_words(pairs)) == 1 and is_swapped


def _markers(claim: Passage, passage: Passage, pairs: Sequence[Pairing]) -> Iterator[Problem]:
    words = opposite_words(pairs)
    for name in _COMPARED:
        claimed, stated = claim.markers[name], passage.markers[name]
        if name == "negation" and words and _is_negated_complement(words, claim, passage):
            continue
        if (claimed > 0) != (stated > 0) or (name in _COUNTED and claimed != stated):
            weight: Weight = "refutes" if name in _REFUTING and _concerns(name, claim, passage) else "unsure"
            yield Problem(weight, f"{name} is in {'the claim' if claimed > stated else 'the answer'} alone")
    if (claim.markers["only"] > 0) != (passage.markers["only"] > 0):
        yield Problem("unsure", "'only' is in one of claim and answer alone")
    if passage.clauses > 1 and claim.markers["negation"] and not _same_negated(claim, passage):
        yield Problem("unsure", "the answer negates another part")


def _concerns(marker: str, claim: Passage, passage: Passage) -> bool:
    """Return whether a marker of either side is about the claim; a negation may be about another word."""
    if marker != "negation" or claim.markers["negation"] >= passage.markers["negation"]:
        return True
    keys = [item.key for item in claim.items]
    return any(not negated or any(mean_the_same(negated, key) for key in keys) for negated in passage.negated)


def _modals(claim: Passage, passage: Passage) -> Iterator[Problem]:
    if claim.markers["negation"]:
        claimed = claim.markers["permission"] + claim.markers["obligation"] > 0
        stated = passage.markers["permission"] + passage.markers["obligation"] > 0
        if claimed != stated:
            yield Problem("unsure", "only one of claim and answer is about what is allowed")
        return
    for name in ("permission", "obligation"):
        if (claim.markers[name] > 0) != (passage.markers[name] > 0):
            yield Problem("unsure", f"{name} is in one of claim and answer alone")
    if passage.markers["would"] and not claim.markers["would"]:
        yield Problem("unsure", "the answer is hypothetical")
    if passage.markers["will"] and not claim.markers["will"]:
        weight: Weight = "refutes" if claim.markers["perfect"] else "unsure"
        yield Problem(weight, "the answer announces what the claim reports")


def _same_negated(claim: Passage, passage: Passage) -> bool:
    return any(mean_the_same(one, other) for one in claim.negated for other in passage.negated)
