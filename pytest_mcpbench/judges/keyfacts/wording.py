"""Decision whether a text that an agent wrote says the same as a reference text."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from pytest_mcpbench.judges.keyfacts.comparison import content_problems
from pytest_mcpbench.judges.keyfacts.decision import ClaimDecision, passage_of, unread_text
from pytest_mcpbench.judges.keyfacts.markers import retraction
from pytest_mcpbench.judges.keyfacts.pairing import Passage, item_matches, pairings
from pytest_mcpbench.judges.keyfacts.problem import Problem, Weight
from pytest_mcpbench.judges.keyfacts.reading import Item, Reading, Sentence, read
from pytest_mcpbench.text.normal_forms import normal_form

FEWEST_WORDS = 0.5
"""Share of the reference's words, or synonyms of them, that the text must have."""

_WORD = re.compile(r"(?<!\w)-?\d+(?:[.,:/]\d+)*|[^\W\d]+|\d+|[%€$£+?？]")
"""Words, numbers with their signs and separators, and the marks that change a meaning."""

_DISGUISED = re.compile(
    r"[\u200b\u2060\ufeff\u00ad\u202a-\u202e\u2066-\u2069]"
    r"|\b\w*(?:[a-z][\u0400-\u04ff]|[\u0400-\u04ff][a-z])\w*",
    re.IGNORECASE,
)
"""Invisible characters, and words that mix Latin with Cyrillic letters."""

_HARD = frozenset({"number", "date", "time", "code", "name"})


def decide_wording(reference: str, text: str, request: str = "") -> ClaimDecision:
    """Decide whether a text states every hard fact of a reference and nothing that contradicts or exceeds it.

    Hard facts are numbers, dates, times, names and codes. The text may have further ones if the request has them.
    """
    disguise = _disguise(text)
    if disguise and disguise not in reference:
        return ClaimDecision("not_fulfilled", f"the text has invisible or foreign letters inside words: {disguise!a}")
    if _words(reference) == _words(text):
        return ClaimDecision("fulfilled", "the texts are equal apart from case, spaces and punctuation")
    unread = unread_text(reference=reference, text=text, request=request)
    if unread is not None:
        return unread
    expected, actual = read(reference), read(text)
    withdrawn = retraction(actual.text)
    if withdrawn and withdrawn not in expected.text:
        return ClaimDecision("not_fulfilled", f"the text withdraws or refuses: {withdrawn!r}")
    claim, passage = passage_of(expected.sentences), passage_of(actual.sentences)
    if not any(item.kind in _HARD for item in claim.items):
        return ClaimDecision(None, "the reference has no number, date, time, name or code that could be compared")
    found = [*_problems(claim, passage, read(request).items), *_repetitions(expected, actual)]
    refuting = [problem for problem in found if problem.weight == "refutes"]
    if refuting:
        return ClaimDecision("not_fulfilled", refuting[0].reason)
    if found:
        return ClaimDecision(None, found[0].reason)
    return ClaimDecision("fulfilled", "the text has every hard fact of the reference and no other")


def _problems(claim: Passage, passage: Passage, requested: Sequence[Item]) -> Iterator[Problem]:
    pairs = pairings(claim, passage)
    paired = [pair.claimed for pair in pairs]
    missing = [item for item in claim.items if item not in paired]
    for item in missing:
        if item.kind in _HARD:
            yield Problem(
                "unsure" if item.kind == "name" else "refutes", f"{item.kind} {item.text!r} is not in the text"
            )
    words = [item for item in claim.items if item.kind not in _HARD]
    if words and len([item for item in words if item in paired]) < FEWEST_WORDS * len(words):
        yield Problem("unsure", "the text has too few words of the reference")
    stated = {id(pair.stated) for pair in pairs}
    yield from _additions([item for item in passage.items if id(item) not in stated], claim, requested)
    yield from content_problems(claim, passage)


def _additions(further: Sequence[Item], claim: Passage, requested: Sequence[Item]) -> Iterator[Problem]:
    for item in further:
        is_known = any(item_matches(other, item) for other in (*claim.items, *requested))
        if item.kind in _HARD and not is_known and item.key != "one":
            weight: Weight = "unsure" if item.kind == "name" else "refutes"
            yield Problem(weight, f"the text adds the {item.kind} {item.text!r}")


def _repetitions(expected: Reading, actual: Reading) -> Iterator[Problem]:
    """Yield the sentences with a hard fact that the text repeats more often than the reference."""
    wanted = Counter(_key(sentence) for sentence in expected.sentences)
    for key, count in Counter(_key(sentence) for sentence in actual.sentences if _is_hard(sentence)).items():
        if count > max(1, wanted[key]):
            yield Problem("refutes", f"the text says {' '.join(key)!r} {count} times")


def _is_hard(sentence: Sentence) -> bool:
    return any(item.kind in _HARD for item in sentence.items)


def _key(sentence: Sentence) -> tuple[str, ...]:
    return tuple(_words(sentence.text))


def _words(text: str) -> list[str]:
    return _WORD.findall(normal_form("NFKC", text).casefold())


def _disguise(text: str) -> str:
    """Return the first invisible character or word of letters that look like others; empty if there is none."""
    match = _DISGUISED.search(text)
    return match.group() if match else ""
