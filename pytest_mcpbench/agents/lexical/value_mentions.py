"""Mentions in a request that may be values of arguments: quoted text, paths, addresses, dates, numbers, names.

Each finder is a pattern with a kind. The most certain finders run first, and later ones do not see the text that is
already used: a digit in a path is not a number, and a comma inside quotation marks does not end a phrase.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from pytest_mcpbench.text.vocabulary import month_names, numbers_of, weekday_names
from pytest_mcpbench.text.words import stem, words

Kind = Literal[
    "quoted",
    "email",
    "url",
    "path",
    "date",
    "time",
    "coordinates",
    "duration",
    "expression",
    "id",
    "number",
    "code",
    "identifier",
    "labelled",
    "named",
    "name",
    "phrase",
    "pair",
]


@dataclass(frozen=True)
class Mention:
    """Part of the request that may be a value."""

    kind: Kind
    text: str
    """The value as written, without quotation marks and closing punctuation."""
    start: int
    end: int
    before: tuple[str, ...] = ()
    """Stems of the preceding words of its clause, nearest last; stop words such as ``to`` and ``from`` included."""
    after: tuple[str, ...] = ()
    """Stems of the following words of its clause, nearest first."""
    is_quoted: bool = False


_NOT_IN_WORD = r"(?<![A-Za-z0-9_])"
_MONTH = rf"(?:{'|'.join(sorted(month_names('en'), key=len, reverse=True))})"
_WEEKDAY = rf"(?:{'|'.join(weekday_names('en'))})"
_NUMBER_WORD = rf"(?:{'|'.join(numbers_of('numbers', 'en'))})"
_PREPOSITION = r"to|from|for|in|at|of|near|about|on|with|by|into|between|and|as|regarding|where|that|so|but|using|via"
_OPERATOR = r"(?:\*\*|//|[-+*/^=])"
_OPERAND = r"(?:\(*-?(?:(?:a?sin|a?cos|a?tan|log|ln|exp|sqrt|abs)\(|pi\b|\d+(?:\.\d+)?[a-z]?\b|[a-z]\b)\)*)"
"""A number, a letter, both (``3x``) or the name of a function, with surrounding parentheses."""
_ABBREVIATION = r"(?:Inc|Ltd|Co|Corp|St|Dr|Mr|Mrs|Ms|Jr|Sr|[A-Z])\."
_NAME_WORD = rf"(?:{_ABBREVIATION}|[A-ZÀ-ÖØ-ÞА-Я][\w'’&-]*)"

_QUOTED = re.compile(
    r"(?<!\w)'(?P<a>[^']*(?:'(?=\w)[^']*)*)'(?!\w)|\"(?P<b>[^\"]*)\"|“(?P<c>[^”]*)”|‘(?P<d>[^’]*)’|`(?P<e>[^`]+)`"
    r"|「(?P<f>[^」]*)」|《(?P<g>[^》]*)》|«(?P<h>[^»]*)»|『(?P<i>[^』]*)』"
)

_FINDERS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("url", re.compile(r"\b(?:https?|ftp|file|wss?)://[^\s<>\"'，。）)]+|\bwww\.[^\s<>\"'，。]+")),
    ("email", re.compile(rf"{_NOT_IN_WORD}[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)),
    (
        "coordinates",
        re.compile(r"[-+]?\d{1,3}\.\d+\s*°?\s*[NS]?\s*[,，]\s*[-+]?\d{1,3}\.\d+\s*°?\s*[EW]?"),
    ),
    (
        "date",
        re.compile(
            rf"\b\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b"
            rf"|\b\d{{4}}/\d\d?/\d\d?\b|\b\d\d?/\d\d?/\d{{4}}\b|\d{{4}}年\d\d?月\d\d?[日号]"
            rf"|\b(?:{_WEEKDAY},?\s+)?{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?\b"
            rf"|\b(?:{_WEEKDAY},?\s+)?\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\.?(?:,?\s+\d{{4}})?\b"
            rf"|\b(?:the\s+)?day\s+after\s+tomorrow\b|\btoday\b|\btomorrow\b|\btonight\b|\byesterday\b"
            rf"|\bin\s+(?:\d+|an?|{_NUMBER_WORD})\s+(?:day|week|month)s?\b"
            rf"|\b(?:next|this|last|coming)\s+(?:{_WEEKDAY}|week|month)\b|\b{_WEEKDAY}\b"
            rf"|今天|明天|后天|昨天",
            re.IGNORECASE,
        ),
    ),
    (
        "time",
        re.compile(
            r"\b\d{1,2}:\d\d(?::\d\d)?\s*(?:[ap]\.?m\b\.?)?|\b\d{1,2}\s*[ap]\.?m\b\.?|\bnoon\b|\bmidnight\b",
            re.IGNORECASE,
        ),
    ),
    (
        "duration",
        re.compile(rf"\b(?:\d+(?:\.\d+)?|an?|half\s+an|{_NUMBER_WORD})[\s-]+(?:hour|minute|min|hr)s?\b", re.IGNORECASE),
    ),
    (
        "path",
        re.compile(
            r"(?:[A-Za-z]:\\[^\s'\"，。]+|(?<![\w/.~])(?:~|\.{1,2})?/[\w.@%+~*-]+(?:/[\w.@%+~*-]*)*"
            r"|(?<![\w/.])[\w@%+~-][\w.@%+~-]*(?:/[\w.@%+~*-]+)+/?"
            r"|(?<![\w/.@])(?!\d+\.\d+\b)[\w*][\w-]*(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,5}\b(?!\())",
            re.ASCII,
        ),
    ),
    (
        "expression",
        re.compile(
            rf"{_NOT_IN_WORD}-?{_OPERAND}(?:[ \t]*(?:{_OPERATOR}[ \t]*)?{_OPERAND})*[ \t]*{_OPERATOR}[ \t]*"
            rf"{_OPERAND}(?:[ \t]*{_OPERATOR}[ \t]*{_OPERAND}|{_OPERAND})*"
        ),
    ),
    (
        "id",
        re.compile(
            rf"{_NOT_IN_WORD}(?:[0-9a-f]{{8}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{12}}"
            r"|(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*|0\d{2,}|\d{5,})(?![A-Za-z0-9_.]\d)"
            r"(?![A-Za-z0-9_])",
            re.ASCII,
        ),
    ),
    (
        "number",
        re.compile(
            rf"(?<![\w.])[-+]?\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|(?<![A-Za-z0-9_.])[-+]?\d+(?:\.\d+)?(?![A-Za-z_]\w)"
            rf"|\b{_NUMBER_WORD}\b",
            re.IGNORECASE | re.ASCII,
        ),
    ),
    ("identifier", re.compile(rf"{_NOT_IN_WORD}[A-Za-z]\w*_\w+", re.ASCII)),
    ("code", re.compile(r"(?<![A-Za-z])[A-Z]{2,5}(?:\.[A-Z])?(?![A-Za-z])", re.ASCII)),
    (
        "named",
        re.compile(
            r"\b(?:named|called|titled|entitled|labell?ed)\s+(?:as\s+)?(?P<value>[^\s,.;:?!\0][^,.;:?!\n\0]*?)"
            rf"(?=\s+(?:{_PREPOSITION}|if|then|which|please)\b|\s*[,.;:?!\n\0]|\s*$)",
            re.IGNORECASE,
        ),
    ),
    (
        "name",
        re.compile(rf"{_NAME_WORD}(?:\s+(?:(?:of|the|de|la|le|del|van|von|and(?=\s+(?:Sons|Co)))\s+)?{_NAME_WORD})*"),
    ),
    (
        "phrase",
        re.compile(
            rf"\b(?:{_PREPOSITION}|search|find)\s+(?:the\s+|an?\s+)?(?P<value>[^\s,.;:?!\0][^,.;:?!\n\0]*?)"
            rf"(?=\s+(?:{_PREPOSITION}|if|then|which|please)\b|\s*[,.;:?!\n\0]|\s*$)",
            re.IGNORECASE,
        ),
    ),
)
_KINDS_IN_QUOTES = ("url", "email", "coordinates", "path", "date", "time", "expression")
"""Kinds that a complete quoted text may be."""
_SENTENCE_START = re.compile(r"(?:^|[.!?。！？\n]\s*|[;；]\s*)$")
_CLAUSE_END = re.compile(r"[.;!?\n。；！？](?:\s|$)|[。；！？]")
_JOINED = re.compile(r"\s*(?:,|，|、|and|or|&|和|与)\s*(?:and\s+)?", re.IGNORECASE)
_PAIR = re.compile(
    r"\b(?:from|replac(?:e|ing))\s+(?P<old>[^'\"\n]+?)\s+(?:to|with|by)\s+(?P<new>[^'\"\n]+?)(?=[,;?!]|\.?\s*$|\.\s)",
    re.IGNORECASE,
)
_CONTEXT_WORDS = 6
"""Number of words before and after a mention that are stored."""
_LONGEST_PIECE = 2_000
"""Characters that are searched at once: the time of some finders grows with the square of it."""


def find_mentions(text: str, labels: Iterable[str] = ()) -> tuple[Mention, ...]:
    """Return all mentions in order; ``labels`` are stems that label a value when a colon follows them."""
    known = frozenset(labels)
    # A very long text is read in pieces of whole lines or words.
    pieces = []
    start = 0
    while len(text) - start > _LONGEST_PIECE:
        limit = start + _LONGEST_PIECE
        end = max(text.rfind("\n", start, limit), text.rfind(" ", start, limit)) + 1 or limit
        pieces.append((start, text[start:end]))
        start = end
    pieces.append((start, text[start:]))
    return tuple(
        replace(mention, start=mention.start + offset, end=mention.end + offset)
        for offset, piece in pieces
        for mention in _mentions_in_piece(piece, known)
    )


def _mentions_in_piece(text: str, labels: frozenset[str]) -> tuple[Mention, ...]:
    free = list(text)
    spans = [span for span in _find_spans(text, free, labels) if span[3]]
    spans.sort(key=lambda span: span[1])
    mentions: list[Mention] = []
    for kind, start, end, value in spans:
        left = max((span[2] for span in spans if span[2] <= start and span[0] != "phrase"), default=0)
        right = min((span[1] for span in spans if span[1] >= end and span[0] != "phrase"), default=len(text))
        before, after = _clause_before(text[left:start]), _clause_after(text[end:right])
        if mentions and mentions[-1].kind == kind and _JOINED.fullmatch(text[left:start]):
            before = (*mentions[-1].before, *before)
        is_quoted = kind == "quoted"
        if kind in ("quoted", "labelled"):
            kind = next(
                (inner for inner, pattern in _FINDERS if inner in _KINDS_IN_QUOTES and pattern.fullmatch(value)), kind
            )
        mention = Mention(
            kind,
            value,
            start,
            end,
            before=before[-_CONTEXT_WORDS:],
            after=after[:_CONTEXT_WORDS],
            is_quoted=is_quoted,
        )
        mentions.append(mention)
    # Both sides of `from A to B` and `replace A with B` that are not quoted.
    for match in _PAIR.finditer(text):
        before = _clause_before(text[: match.start()])[-2:]
        mentions.append(Mention("pair", match["old"], *match.span("old"), before=(*before, "from")))
        new = _strip_full_stop(match["new"])
        mentions.append(Mention("pair", new, *match.span("new"), before=(*before, "to")))
    return tuple(mentions)


def mask_mentions(text: str, mentions: Iterable[Mention]) -> str:
    """Return the text with spaces in place of mentions, so that all positions remain valid."""
    masked = list(text)
    for mention in mentions:
        masked[mention.start : mention.end] = " " * (mention.end - mention.start)
    return "".join(masked)


def _find_spans(text: str, free: list[str], labels: frozenset[str]) -> Iterator[tuple[Kind, int, int, str]]:
    for start, end, value in (*_find_labelled(text, labels),):
        if all(letter != "\0" for letter in free[start:end]):
            free[start:end] = "\0" * (end - start)
            yield "labelled", start, end, value
    for match in _QUOTED.finditer("".join(free)):
        value = next(group for group in match.groups() if group is not None)
        free[match.start() : match.end()] = "\0" * (match.end() - match.start())
        yield "quoted", match.start(), match.end(), value
    for kind, pattern in _FINDERS:
        for start, end, value in _matches(kind, pattern, text, "".join(free)):
            free[start:end] = "\0" * (end - start)
            yield kind, start, end, value


def _matches(kind: Kind, pattern: re.Pattern[str], text: str, free: str) -> Iterator[tuple[int, int, str]]:
    for match in pattern.finditer(free):
        group = "value" if "value" in pattern.groupindex else 0
        value = match[group].rstrip(" .,;:!?" if kind != "name" else " ,;:!?")
        start = match.start(group)
        if kind == "name" and _SENTENCE_START.search(text[:start]):
            # The first word of a sentence is capitalized without being a name.
            first, space, value = value.partition(" ")
            start += len(first) + len(space)
        if kind == "expression":
            # Unbalanced parentheses at the ends belong to the surrounding text.
            while value.startswith("(") and value.count("(") > value.count(")"):
                start, value = start + 1, value[1:]
            while value.endswith(")") and value.count(")") > value.count("("):
                value = value[:-1]
        if "\0" not in value:
            yield start, start + len(value), value


def _find_labelled(text: str, labels: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the values after ``label:``: long texts up to the next label, others up to the end of their clause."""
    heads = [
        match
        for match in re.finditer(r"\b([A-Za-z][A-Za-z_ -]{0,24}?)\s*[:：](?!//)\s*", text)
        if (set(map(stem, words(match[1])[-2:])) & labels)
    ]
    for head, following in zip(heads, [*heads[1:], None], strict=False):
        end = following.start() if following else len(text)
        value = text[head.end() : end]
        if not value.strip() or value[0] in "'\"“‘`「":
            continue
        if not LONG_TEXTS & set(map(stem, words(head[1]))):
            value = re.split(r"[,;，；\n]\s*|\.(?:\s|$)|\s+and\s+(?=\w+\s*$)", value, maxsplit=1)[0]
        elif following:
            value = re.sub(r"[\s,;]*(?:\band\b)?[\s,;]*$", "", value)
        value = value.strip()
        yield head.end(), head.end() + len(value), _strip_full_stop(value)


LONG_TEXTS = frozenset(map(stem, ("content", "text", "body", "message", "description", "notes", "code", "comment")))
"""Stems of labels for text that may consist of sentences."""


def _strip_full_stop(value: str) -> str:
    """Remove the full stop of the surrounding sentence; a value that is itself a sentence keeps its own."""
    is_sentence = value[:1].isupper() and len(value.split()) > 2
    return value if is_sentence or not value.endswith(".") else value[:-1]


def _clause_before(text: str) -> tuple[str, ...]:
    return tuple(map(stem, words(_CLAUSE_END.split(text)[-1])))


def _clause_after(text: str) -> tuple[str, ...]:
    return tuple(map(stem, words(re.split(r"[,，]", _CLAUSE_END.split(text)[0])[0])))


@dataclass(frozen=True)
class RequestSegment:
    """Segment of a request with its mentions."""

    text: str
    mentions: tuple[Mention, ...]
    now: datetime | None = None
    stems: frozenset[str] = field(default_factory=frozenset)
    """Stems of all words outside exact mentions."""

    @classmethod
    def create(cls, text: str, mentions: Sequence[Mention], now: datetime | None = None) -> "RequestSegment":
        """Return the request with the stems of its text."""
        exact = [mention for mention in mentions if mention.kind not in ("phrase", "name", "named", "pair")]
        return cls(text, tuple(mentions), now, frozenset(map(stem, words(mask_mentions(text, exact)))))
