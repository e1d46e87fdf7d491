"""Segmentation of a request into the actions that it asks for."""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.text_search.tokens import stem, words
from pytest_mcpbench.runtime.agents.lexical.synonyms import is_verb
from pytest_mcpbench.runtime.agents.lexical.value_mentions import Mention

_HARD_BOUNDARY = re.compile(
    r"(?<=[.!?])(?<!^\d\.)\s+|\n+|[;；。！？]\s*"
    r"|(?P<next>(?:(?<!\s)\s++)?(?:[,，]\s*+)?\b(?:and\s+then|then|after\s+that|afterwards|and\s+finally|and\s+also)\s*,?\s+"
    r"|(?:[，,]\s*+|(?<!\s)\s++)?(?:然后|接着|随后|之后再|并且|同时|另外|最后|再))",
    re.IGNORECASE | re.MULTILINE,
)
"""Boundary of segments, whatever follows."""
_SOFT_BOUNDARY = re.compile(
    r"(?:(?<!\s)\s++)?(?:,\s*+(?:and\s+)?|\band\s+)(?=(?:please\s+)?(?P<word>[a-z]+)\b)", re.IGNORECASE
)
"""Boundary if the next word is a verb in the name of a tool, or a synonym of one."""
_MARKER = re.compile(
    r"^\s*(?:\(?\d{1,2}[.)、]|[-*•])\s+|^\s*(?:first|second|third|lastly|finally|首先|先)\b[,，]?\s*", re.IGNORECASE
)
_QUESTION = re.compile(r"^\W*(?:what|which|who|where|when|how|is|are|do|does|can|could|would|will)\b", re.IGNORECASE)
_POLITE = re.compile(
    r"^\W*(?:(?:please|can|could|would|will|you|i|we|also|kindly|let|me|us|want|need|like|to|d|ll|and|then)\W+)*",
    re.IGNORECASE,
)
_NOT_LATIN = re.compile(r"[^\W\d_a-zA-ZÀ-ɏ]")


@dataclass(frozen=True)
class Segment:
    """Part of the request that asks for one action."""

    start: int
    end: int


def split_request(text: str, mentions: Sequence[Mention], verbs: Container[str]) -> tuple[Segment, ...]:
    """Return the segments in order; no mention is split, and a clause without an action joins the previous segment.

    ``verbs`` are stems of words in tools' names. A clause asks for an action if it is a question or starts with a verb;
    in scripts without spaces every clause does.
    """
    segments: list[Segment] = []
    has_request = True
    for clause in _clauses(text, mentions, verbs):
        is_request = clause.is_next or _is_request(text[clause.start : clause.end], verbs)
        if segments and not (has_request and is_request):
            segments[-1] = Segment(segments[-1].start, clause.end)
        else:
            segments.append(Segment(clause.start, clause.end))
            has_request = False
        has_request = has_request or is_request
    return tuple(segments)


@dataclass(frozen=True)
class _Clause(Segment):
    """Text between two separators."""

    is_next: bool = False
    """Whether "then" precedes the clause, so that it asks for an action whatever its words are."""


@dataclass(frozen=True)
class _Separator(Segment):
    """Separator between two clauses."""

    is_next: bool = False


def _clauses(text: str, mentions: Sequence[Mention], verbs: Container[str]) -> Iterator[_Clause]:
    start, is_next = 0, False
    for separator in (*_separators(text, mentions, verbs), _Separator(len(text), len(text))):
        if text[start : separator.start].strip():
            marker = _MARKER.match(text[start : separator.start])
            yield _Clause(start + (marker.end() if marker else 0), separator.start, is_next)
        start, is_next = separator.end, separator.is_next


def _separators(text: str, mentions: Sequence[Mention], verbs: Container[str]) -> list[_Separator]:
    """Return the separators between clauses in order; none overlaps another or a mention."""
    separators = [_Separator(*match.span(), match["next"] is not None) for match in _HARD_BOUNDARY.finditer(text)]
    separators += [
        _Separator(*match.span()) for match in _SOFT_BOUNDARY.finditer(text) if _is_verb(match["word"], verbs)
    ]
    unsplittable = [mention for mention in mentions if mention.kind not in ("phrase", "pair", "named")]
    protected = {position for mention in unsplittable for position in range(mention.start, mention.end)}
    disjoint: list[_Separator] = []
    for separator in sorted(separators, key=lambda separator: (separator.start, not separator.is_next)):
        is_inside = not protected.isdisjoint(range(separator.start, separator.end))
        if not is_inside and (not disjoint or separator.start >= disjoint[-1].end):
            disjoint.append(separator)
    return disjoint


def _is_request(clause: str, verbs: Container[str]) -> bool:
    if _NOT_LATIN.search(clause) or _QUESTION.match(clause):
        return True
    first = words(_POLITE.sub("", clause))[:1]
    return bool(first) and _is_verb(first[0], verbs)


def _is_verb(word: str, verbs: Container[str]) -> bool:
    """Return whether a word can be an imperative: in its base form (unlike ``directories``) and a known verb."""
    word = word.lower()
    is_base_form = not word.endswith(("ing", "ed")) and (not word.endswith("s") or word.endswith("ss"))
    return is_base_form and (stem(word) in verbs or is_verb(stem(word)))
