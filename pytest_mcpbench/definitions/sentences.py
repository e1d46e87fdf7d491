"""Sentences of a description, in English and in languages that end them without a space."""

import re
from dataclasses import dataclass

_END = re.compile(r"""(?<![.!?])[.!?]++["')\]]*+(?=\s)|[。！？]|\n""")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|max|min|resp|z\. ?B|[A-Z])\.$")
"""Words before a full stop that rarely ends a sentence."""
_LONGEST_ABBREVIATION = 8


@dataclass(frozen=True)
class Sentence:
    """One sentence, or one line such as an item of a list."""

    text: str
    start: int
    end: int
    """Position behind the last character, in the text that the sentence is from."""


def sentences_of(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text in order, without the space around them."""
    found, start = [], 0
    for match in _END.finditer(text):
        if match.group().startswith(".") and _ends_in_abbreviation(text, start, match.start() + 1):
            continue
        found.append(_stripped(text, start, match.end()))
        start = match.end()
    found.append(_stripped(text, start, len(text)))
    return tuple(sentence for sentence in found if sentence.text)


def _ends_in_abbreviation(text: str, start: int, end: int) -> bool:
    # Only the last letters are searched: a list of initials would else be read again for each of them.
    return _ABBREVIATION.search(text, max(start, end - _LONGEST_ABBREVIATION), end) is not None


def without_sentence(text: str, sentence: Sentence) -> str:
    """Return a text without one of its sentences; of the space on both sides, the greater separation stays."""
    before, after = text[: sentence.start], text[sentence.end :]
    gaps = before[len(before.rstrip()) :], after[: len(after) - len(after.lstrip())]
    gap = max(gaps, key=lambda gap: (gap.count("\n"), len(gap)))
    return f"{before.rstrip()}{gap}{after.lstrip()}".strip()


def _stripped(text: str, start: int, end: int) -> Sentence:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    stripped = part.strip()
    return Sentence(stripped, start + left, start + left + len(stripped))
