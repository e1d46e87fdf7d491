"""Decision whether an answer states a claim."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from pytest_mcpbench.runtime.judges.keyfacts.comparison import competes, problems
from pytest_mcpbench.runtime.judges.keyfacts.lexicon import excludes
from pytest_mcpbench.runtime.judges.keyfacts.markers import discredit, is_correction, is_second_thought, retraction
from pytest_mcpbench.runtime.judges.keyfacts.numbers import Number
from pytest_mcpbench.runtime.judges.keyfacts.pairing import Passage, item_matches, pairings
from pytest_mcpbench.runtime.judges.keyfacts.passages import covering_passages, passage_of
from pytest_mcpbench.runtime.judges.keyfacts.problem import Problem
from pytest_mcpbench.runtime.judges.keyfacts.reading import Item, Reading, Sentence, read
from pytest_mcpbench.runtime.judges.keyfacts.sentences import obstacle

_PRONOUN = re.compile(r"\b(?:it|they|he|she|this|that|these|those|edit|update)\b", re.IGNORECASE)

Label = Literal["fulfilled", "partially_fulfilled", "not_fulfilled"]


@dataclass(frozen=True)
class Decision:
    """A label with its reason; without a label the rules cannot decide."""

    label: Label | None
    reason: str


_MOST_PASSAGES = 200
"""Passages with all items of a claim that are compared with it."""


def decide(claim: str, answer: str) -> Decision:
    """Decide whether an answer states a claim.

    ``fulfilled``: a passage of the answer has all facts and words of the claim, and nothing in it is negated, doubted,
    exchanged, restricted or added. ``not_fulfilled``: a value of the claim is missing, or the passage contradicts it.
    ``partially_fulfilled``: some values of the claim are stated in this manner, and nothing is in the place of the
    others. No label: anything else.
    """
    unread = unread_text(claim=claim, answer=answer)
    if unread is not None:
        return unread
    claimed, stated = read(claim), read(answer)
    if not claimed.items:
        return Decision(None, "the claim has no facts and no words with content")
    withdrawn = retraction(stated.text)
    if withdrawn and withdrawn not in claimed.text:
        return Decision("not_fulfilled", f"the answer withdraws or refuses: {withdrawn!r}")
    whole = passage_of(claimed.sentences)
    passages = [*islice(covering_passages(whole, stated), _MOST_PASSAGES + 1)]
    if len(passages) > _MOST_PASSAGES:
        return Decision(None, f"more than {_MOST_PASSAGES} passages of the answer have all words of the claim")
    rated = [(passage, _rated(whole, passage)) for passage in passages]
    support = next((passage for passage, found in rated if not found), None)
    if support is not None:
        return _unless_contradicted(whole, stated, support, claimed.text)
    if rated:
        return _by_problems([found for _, found in rated])
    return _by_missing_items(whole, stated)


def unread_text(**texts: str) -> Decision | None:
    """Return the decision about texts by their names if the rules do not read one of them."""
    found = ((name, obstacle(text)) for name, text in texts.items())
    return next((Decision(None, f"the {name} {reason}") for name, reason in found if reason), None)


def _rated(claim: Passage, passage: Passage) -> list[Problem]:
    """Return the problems of a passage; over several sentences none is certain to be about the claim."""
    found = list(problems(claim, passage))
    if len(passage.sentences) == 1:
        return found
    return [replace(problem, weight="unsure") for problem in found]


def _unless_contradicted(claim: Passage, answer: Reading, support: Passage, claimed_text: str) -> Decision:
    discredited = discredit(answer.text, claimed_text)
    if discredited:
        return Decision(None, f"the answer discredits what it states: {discredited!r}")
    for at, sentence in enumerate(answer.sentences):
        if at in support.sentences:
            if _is_corrected(claim, answer.sentences[at]):
                return Decision(None, f"the sentence corrects itself: {sentence.text[:80]!r}")
            continue
        if _is_opposite_of_pronoun(claim, sentence):
            return Decision(None, f"another sentence says the opposite: {sentence.text[:80]!r}")
        other = passage_of(answer.sentences[at : at + 1])
        follows = at > max(support.sentences) and is_second_thought(sentence.text[:40])
        if _contradicts(claim, other, in_any_words=follows):
            return Decision(None, f"another sentence contradicts it: {sentence.text[:80]!r}")
    return Decision("fulfilled", "a passage of the answer states all of it")


def _is_opposite_of_pronoun(claim: Passage, sentence: Sentence) -> bool:
    """Return whether a sentence says of ``it`` or ``them`` the opposite of a word of the claim."""
    words = [item.key for item in claim.items if not item.is_value]
    has_opposite = any(excludes(word, item.key) for item in sentence.items if not item.is_value for word in words)
    return has_opposite and _PRONOUN.search(sentence.text) is not None


def _is_corrected(claim: Passage, sentence: Sentence) -> bool:
    """Return whether a sentence has words of correction and a further value of the same kind."""
    if not is_correction(sentence.text):
        return False
    passage = passage_of([sentence])
    used = [pair.stated for pair in pairings(claim, passage)]
    return any(competes(item, claim) for item in passage.items if item not in used)


def _contradicts(claim: Passage, other: Passage, *, in_any_words: bool) -> bool:
    """Return whether another sentence puts a different value, or a denial, in the place of the claim."""
    pairs = pairings(claim, other)
    paired = {id(pair.claimed) for pair in pairs}
    unpaired = [item for item in claim.items if id(item) not in paired]
    words = [item for item in claim.items if not item.is_value]
    if not in_any_words and (len(words) < 2 or any(not item.is_value for item in unpaired)):
        return False
    if unpaired:
        if any(pair.is_opposite for pair in pairs):
            # Another subject: women where the claim is about men.
            return False
        used = {id(pair.stated) for pair in pairs}
        return any(competes(item, claim) for item in other.items if id(item) not in used)
    return any(problem.weight == "refutes" for problem in problems(claim, other))


def _by_problems(found: Sequence[Sequence[Problem]]) -> Decision:
    best = min(found, key=len)
    if all(any(problem.weight == "refutes" for problem in one) for one in found):
        return Decision("not_fulfilled", next(problem.reason for problem in best if problem.weight == "refutes"))
    return Decision(None, best[0].reason)


def _by_missing_items(claim: Passage, answer: Reading) -> Decision:
    missing = [item for item in claim.items if not any(item_matches(item, other) for other in answer.items)]
    values = [item for item in missing if item.is_value or item.kind == "code"]
    listed = ", ".join(repr(item.text) for item in missing)
    if values:
        return _by_missing_values(claim, answer, missing, values)
    # An answer may leave out what it is about, so a name alone may be missing.
    most = 2 / 3 if not any(item.kind == "name" for item in missing) else 1 / 3
    if len(missing) > most * len(claim.items):
        return Decision("not_fulfilled", f"most of the claim is not in the answer: {listed}")
    if missing:
        return Decision(None, f"some words of the claim are not in the answer: {listed}")
    return Decision(None, "the words of the claim are scattered over the answer")


def _by_missing_values(claim: Passage, answer: Reading, missing: Sequence[Item], values: Sequence[Item]) -> Decision:
    listed = ", ".join(repr(item.text) for item in values)
    if all(any(_is_close(item, other) for other in answer.items) for item in values):
        if all(any(_is_equal(item, other) for other in answer.items) for item in values):
            return Decision(None, f"{listed} has a unit in the claim or in the answer only")
        return Decision(None, f"the answer has a number close to {listed}, within the tolerance but no rounding of it")
    rest = replace(claim, items=tuple(item for item in claim.items if item not in missing))
    has_value = any(item.is_value for item in rest.items)
    if has_value and 2 * len(rest.items) >= len(claim.items) and _is_stated(rest, answer, without=values):
        return Decision("partially_fulfilled", f"a part of it is stated; not in the answer: {listed}")
    return Decision("not_fulfilled", f"not in the answer: {listed}")


def _is_close(claimed: Item, stated: Item) -> bool:
    if not isinstance(claimed.value, Number) or not isinstance(stated.value, Number):
        return False
    return claimed.value.agreement(stated.value) == "close"


def _is_equal(claimed: Item, stated: Item) -> bool:
    if not isinstance(claimed.value, Number) or not isinstance(stated.value, Number):
        return False
    return claimed.value.value == stated.value.value


def _is_stated(claim: Passage, answer: Reading, *, without: Sequence[Item]) -> bool:
    """Return whether a part of a claim is stated, in sentences that have nothing in the place of the other values."""
    kinds = {item.kind for item in without}
    for passage in islice(covering_passages(claim, answer), _MOST_PASSAGES):
        sentences = passage_of([answer.sentences[at] for at in sorted(passage.sentences)])
        used = [item for pair in pairings(claim, sentences) for item in (pair.stated,)]
        is_replaced = any(item.kind in kinds for item in sentences.items if item not in used)
        if not is_replaced and not [*problems(claim, passage)]:
            return True
    return False
