"""Passages of an answer that have an item for each item of a claim."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_mcpbench.runtime.judges.keyfacts.lexicon import stem
from pytest_mcpbench.runtime.judges.keyfacts.pairing import Passage, item_matches
from pytest_mcpbench.runtime.judges.keyfacts.reading import Item, Reading, Sentence

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
    """Return whether a clause of a sentence outside of a run is a few words, which may be about the statement."""
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
