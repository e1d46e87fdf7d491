"""Decision whether an answer states a claim."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from pytest_mcpbench.judges.keyfacts.comparison import competes, problems
from pytest_mcpbench.judges.keyfacts.lexicon import excludes, stem
from pytest_mcpbench.judges.keyfacts.markers import discredit, is_correction, is_second_thought, retraction
from pytest_mcpbench.judges.keyfacts.pairing import Passage, item_matches, pairings
from pytest_mcpbench.judges.keyfacts.problem import Problem
from pytest_mcpbench.judges.keyfacts.reading import Item, Reading, Sentence, obstacle, read
from pytest_mcpbench.text.numbers import Number

# Passages of an answer that have an item for each item of a claim.

_FEWEST_CLAUSES = 8
"""Length up to which passages are searched for a short claim."""

_LONGEST_REMARK = 3
"""Words of a clause that may be a remark: ``reportedly``, ``last I heard``."""

_LABELS = frozenset(map(stem, ["answer", "final", "summary", "conclusion", "done"]))
"""Words before a colon that only announce the statement."""

_Clause = tuple[int, int]
"""Places of a sentence in the text and of a clause in the sentence."""

_SENTENCE_LENGTH = 100_000
"""Distance between the places of two sentences in a passage: more than any sentence is long."""


def passage_of(sentences: Sequence[Sentence]) -> Passage:
    """Return complete sentences as one passage."""
    return _passage(sentences, _clauses(sentences))


def covering_passages(claim: Passage, answer: Reading) -> Iterator[Passage]:
    """Yield the shortest runs of clauses that have an item for each item of the claim.

    A line below a heading is also read together with the heading alone.
    """
    yield from _covering_runs(claim, answer.sentences)
    yield from _covering_lines(claim, answer.sentences)


def _clauses(sentences: Sequence[Sentence]) -> list[_Clause]:
    return [(at, clause) for at, sentence in enumerate(sentences) for clause in range(sentence.clauses)]


def _covering_runs(claim: Passage, sentences: Sequence[Sentence]) -> Iterator[Passage]:
    clauses = _clauses(sentences)
    matched = [_matched(claim, sentences[at], clause) for at, clause in clauses]
    last_start = -1
    for end in range(len(clauses)):
        start = _start_of_cover(matched, end, claim)
        # A run with the start of the one before it contains that one.
        if start is not None and start > last_start:
            last_start = start
            run = clauses[start : end + 1]
            # The rest of a sentence may have what is no item: "…, which it is not".
            touched = range(run[0][0], run[-1][0] + 1)
            complete = [(at, clause) for at in touched for clause in range(sentences[at].clauses)]
            # Of several lines none may be cut: the start of one says what its end is about.
            is_cut = len(complete) > len(run) and (len(touched) > 1 or _has_remark(sentences[run[0][0]], run))
            yield replace(_passage(sentences, run), is_cut=is_cut)
            if len(complete) > len(run):
                yield _passage(sentences, complete)


def _has_remark(sentence: Sentence, run: Sequence[_Clause]) -> bool:
    """Return whether the sentence has a short clause outside of the run, which may be a remark about the statement."""
    outside = {*range(sentence.clauses)} - {clause for _, clause in run}
    items = [item for item in sentence.items if item.key not in _LABELS]
    words = [[item for item in items if item.clause == clause] for clause in outside]
    return any(0 < len(items) <= _LONGEST_REMARK and all(item.kind == "word" for item in items) for items in words)


def _start_of_cover(matched: Sequence[frozenset[int]], end: int, claim: Passage) -> int | None:
    """Return the start of the shortest run of clauses that ends there and covers the claim."""
    covered: frozenset[int] = frozenset()
    longest = max(_FEWEST_CLAUSES, claim.clauses + 2)
    for start in range(end, max(-1, end - longest), -1):
        covered |= matched[start]
        if len(covered) == len(claim.items):
            return start
    return None


def _covering_lines(claim: Passage, sentences: Sequence[Sentence]) -> Iterator[Passage]:
    heading: int | None = None
    in_heading: frozenset[int] = frozenset()
    for at, sentence in enumerate(sentences):
        if sentence.is_heading:
            heading, in_heading = at, _matched_by(claim, sentence.items)
        elif heading is not None and heading < at - 1:
            matched = in_heading | _matched_by(claim, sentence.items)
            if len(matched) == len(claim.items):
                places = ((place, clause) for place in (heading, at) for clause in range(sentences[place].clauses))
                yield _passage(sentences, [*places])


def _matched(claim: Passage, sentence: Sentence, clause: int) -> frozenset[int]:
    """Return the places of the claim's items that the clause has."""
    return _matched_by(claim, [item for item in sentence.items if item.clause == clause])


def _matched_by(claim: Passage, items: Sequence[Item]) -> frozenset[int]:
    return frozenset(at for at, item in enumerate(claim.items) if any(item_matches(item, other) for other in items))


def _passage(sentences: Sequence[Sentence], clauses: Sequence[_Clause]) -> Passage:
    chosen: dict[int, list[int]] = {}
    for at, clause in clauses:
        chosen.setdefault(at, []).append(clause)
    return Passage(
        items=tuple(_placed(item, at) for at in chosen for item in sentences[at].items if item.clause in chosen[at]),
        markers=sum((_markers(sentences[at], max(chosen[at])) for at in chosen), Counter[str]()),
        negated=tuple(key for at in chosen for key in sentences[at].negated),
        clauses=len(clauses),
        sentences=frozenset(chosen),
    )


def _markers(sentence: Sentence, last: int) -> Counter[str]:
    """Count the markers up to a clause: the clauses before it in its sentence may govern it."""
    counts = sentence.counts(last)
    counts["doubt"] += sentence.is_question
    return counts


def _placed(item: Item, sentence: int) -> Item:
    offset = _SENTENCE_LENGTH * sentence
    return replace(item, start=item.start + offset, end=item.end + offset, clause=item.clause + offset)


_PRONOUN = re.compile(r"\b(?:it|they|he|she|this|that|these|those|edit|update)\b", re.IGNORECASE)

Label = Literal["fulfilled", "partially_fulfilled", "not_fulfilled"]


@dataclass(frozen=True)
class ClaimDecision:
    """A label with its reason; without a label the rules cannot decide."""

    label: Label | None
    reason: str


_MOST_PASSAGES = 200
"""Passages with all items of a claim that are compared with it."""


def decide(claim: str, answer: str) -> ClaimDecision:
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
        return ClaimDecision(None, "the claim has no facts and no words with content")
    withdrawn = retraction(stated.text)
    if withdrawn and withdrawn not in claimed.text:
        return ClaimDecision("not_fulfilled", f"the answer withdraws or refuses: {withdrawn!r}")
    whole = passage_of(claimed.sentences)
    passages = [*islice(covering_passages(whole, stated), _MOST_PASSAGES + 1)]
    if len(passages) > _MOST_PASSAGES:
        return ClaimDecision(None, f"more than {_MOST_PASSAGES} passages of the answer have all words of the claim")
    rated = [(passage, _rated(whole, passage)) for passage in passages]
    support = next((passage for passage, found in rated if not found), None)
    if support is not None:
        return _unless_contradicted(whole, stated, support, claimed.text)
    if rated:
        return _by_problems([found for _, found in rated])
    return _by_missing_items(whole, stated)


def unread_text(**texts: str) -> ClaimDecision | None:
    """Return the decision that the rules cannot read one of the texts, which are given by name; else ``None``."""
    found = ((name, obstacle(text)) for name, text in texts.items())
    return next((ClaimDecision(None, f"the {name} {reason}") for name, reason in found if reason), None)


def _rated(claim: Passage, passage: Passage) -> list[Problem]:
    """Return the problems of a passage; if it has several sentences, none of them is certain."""
    found = list(problems(claim, passage))
    if len(passage.sentences) == 1:
        return found
    return [replace(problem, weight="unsure") for problem in found]


def _unless_contradicted(claim: Passage, answer: Reading, support: Passage, claimed_text: str) -> ClaimDecision:
    discredited = discredit(answer.text, claimed_text)
    if discredited:
        return ClaimDecision(None, f"the answer discredits what it states: {discredited!r}")
    for at, sentence in enumerate(answer.sentences):
        if at in support.sentences:
            if _is_corrected(claim, answer.sentences[at]):
                return ClaimDecision(None, f"the sentence corrects itself: {sentence.text[:80]!r}")
            continue
        if _is_opposite_of_pronoun(claim, sentence):
            return ClaimDecision(None, f"another sentence says the opposite: {sentence.text[:80]!r}")
        other = passage_of(answer.sentences[at : at + 1])
        follows = at > max(support.sentences) and is_second_thought(sentence.text[:40])
        if _contradicts(claim, other, in_any_words=follows):
            return ClaimDecision(None, f"another sentence contradicts it: {sentence.text[:80]!r}")
    return ClaimDecision("fulfilled", "a passage of the answer states all of it")


def _is_opposite_of_pronoun(claim: Passage, sentence: Sentence) -> bool:
    """Return whether a sentence asserts the opposite of a word of the claim about ``it`` or ``them``."""
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


def _by_problems(found: Sequence[Sequence[Problem]]) -> ClaimDecision:
    best = min(found, key=len)
    if all(any(problem.weight == "refutes" for problem in one) for one in found):
        return ClaimDecision("not_fulfilled", next(problem.reason for problem in best if problem.weight == "refutes"))
    return ClaimDecision(None, best[0].reason)


def _by_missing_items(claim: Passage, answer: Reading) -> ClaimDecision:
    missing = [item for item in claim.items if not any(item_matches(item, other) for other in answer.items)]
    values = [item for item in missing if item.is_value or item.kind == "code"]
    listed = ", ".join(repr(item.text) for item in missing)
    if values:
        return _by_missing_values(claim, answer, missing, values)
    # An answer may leave out what it is about, so a name alone may be missing.
    most = 2 / 3 if not any(item.kind == "name" for item in missing) else 1 / 3
    if len(missing) > most * len(claim.items):
        return ClaimDecision("not_fulfilled", f"most of the claim is not in the answer: {listed}")
    if missing:
        return ClaimDecision(None, f"some words of the claim are not in the answer: {listed}")
    return ClaimDecision(None, "the words of the claim are scattered over the answer")


def _by_missing_values(
    claim: Passage, answer: Reading, missing: Sequence[Item], values: Sequence[Item]
) -> ClaimDecision:
    listed = ", ".join(repr(item.text) for item in values)
    if all(any(_is_close(item, other) for other in answer.items) for item in values):
        if all(any(_is_equal(item, other) for other in answer.items) for item in values):
            return ClaimDecision(None, f"{listed} has a unit in the claim or in the answer only")
        return ClaimDecision(
            None, f"the answer has a number close to {listed}, within the tolerance but no rounding of it"
        )
    rest = replace(claim, items=tuple(item for item in claim.items if item not in missing))
    has_value = any(item.is_value for item in rest.items)
    if has_value and 2 * len(rest.items) >= len(claim.items) and _is_stated(rest, answer, without=values):
        return ClaimDecision("partially_fulfilled", f"a part of it is stated; not in the answer: {listed}")
    return ClaimDecision("not_fulfilled", f"not in the answer: {listed}")


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
