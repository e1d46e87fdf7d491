"""Reading of a text as sentences of items: values, words with content, and markers."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from pytest_mcpbench.judges.keyfacts.lexicon import stem, words_without_content
from pytest_mcpbench.judges.keyfacts.markers import GOVERNING, is_question, marked
from pytest_mcpbench.text import moments
from pytest_mcpbench.text import numbers as numerals
from pytest_mcpbench.text.moments import Date, Time
from pytest_mcpbench.text.normal_forms import normal_form
from pytest_mcpbench.text.numbers import Number, with_commas

# Text normalised before it is read: one kind of dash, quotation mark and space, no Markdown.

_SIGNS = str.maketrans("‐‑‒–—―−“”„«»‘’‚ʼ′", "-------\"\"\"\"\"'''''")
_MARKDOWN = re.compile(r"\*\*|__|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|^#+\s|`", re.MULTILINE)


def plain(text: str) -> str:
    """Return the text after NFKC, with ASCII dashes, quotation marks and commas in numbers, without Markdown."""
    return _MARKDOWN.sub("", normal_form("NFKC", with_commas(text)).translate(_SIGNS))


# Division of a text into sentences and lines, and the lengths up to which the rules read them.

LONGEST_SENTENCE = 4000
LONGEST_WORD = 1000
"""Characters of a sentence, and of a word or number without spaces, that the rules read.

They take quadratic time for one sentence. Texts that are longer come from models that repeat themselves.
"""

MOST_DIGITS = 300

_END = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[\"'(]?[A-ZÀ-Ý\d一-鿿])|(?<=[。！？；;])\s*|\n+")
_BULLET = re.compile(r"^[^\S\n]*(?:[-*•]|\d{1,2}[.)])\s+", re.MULTILINE)
_HEADING = re.compile(r"^#+(.*)$", re.MULTILINE)
_LONG_WORD = re.compile(rf"[!-~]{{{LONGEST_WORD + 1}}}")
_LONG_NUMBER = re.compile(rf"\d{{{MOST_DIGITS}}}")


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text without Markdown; a heading ends with a colon."""
    lines = plain(_HEADING.sub(_heading, text)).replace("|", ", ")
    parts = _END.split(_BULLET.sub("", lines))
    return [part.strip() for part in parts if part and part.strip(" ,-:.")]


def obstacle(text: str) -> str | None:
    """Return the reason for which the rules do not read a text, if there is one."""
    if _LONG_NUMBER.search(text):
        return f"has a number of {MOST_DIGITS} digits or more"
    if _LONG_WORD.search(text):
        return f"has a word of more than {LONGEST_WORD} characters"
    if any(len(sentence) > LONGEST_SENTENCE for sentence in sentences(text)):
        return f"has a sentence of more than {LONGEST_SENTENCE} characters"
    return None


def _heading(match: re.Match[str]) -> str:
    return f"{match[1].strip().removesuffix(':').rstrip()}:"


Kind = Literal["number", "date", "time", "code", "name", "word", "ideograph"]

_CLAUSE_END = re.compile(
    r"[,;:()=|，；：、（）]|\s-+\s"
    r"|(?<![\w-])(?:and|but|while|whereas|which|who|because|so|as well as|und|aber|weil|et|mais)(?![\w-])",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"(?<![\w.])v?\d+(?:\.\d+){2,}(?![\w]|\.\d)"
    r"|(?<=[Vv]ersion )\d+\.\d+(?![\w]|\.\d)|(?<=[Rr]elease )\d+\.\d+(?![\w]|\.\d)"
    r"|https?://[^\s)>\]\"']+"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++"
    r"|(?<![\w/.-])(?:(?:[^\W_]|-)*+[./_])+(?:[^\WA-Za-z_]|-)*+[A-Za-z_][\w-]*+(?!/)"
    r"|(?<![\w-])(?=[A-Za-z])(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])[A-Za-z]\w*(?:[-.]\w+)*(?![\w-])"
    r"|(?<![A-Za-z0-9_])(?=[A-Za-z_]*\d)(?=[\d_]*[A-Za-z])[A-Za-z0-9_]{5,}(?![A-Za-z0-9_])"
    r"|(?<=[a-z&] )[B-HJ-Z](?![\w'-])|(?<=[a-z] )A(?![\w'-])"
)
_EXPRESSION = re.compile(
    r"(?:\d[\w.()]*+|(?<![A-Za-z])[A-Za-z]|\))(?:\s?[+*^·×]\s?[\w.()]*|(?<=\w)/(?=[A-Za-z(])[\w.()]+)+(?<![.])"
)
"""Arithmetic around a number, which is then no value of its own: ``8/3 + C``, ``7+``, ``2^10``."""

_NO_CODE = re.compile(
    r"[kcm]?m2$|\d+(?:\.\d+)?[A-Za-z]{1,3}$|\d+(?:st|nd|rd|th|[kKmMbB]|mn|bn|h\d\d)$|i\.e|e\.g|a\.m|p\.m"
)
_NUMBERED = re.compile(r"(?<![\w.,-])\d+[A-Za-z]{1,3}(?![\w-])")
"""Digits with letters behind them, which are a code unless they are a number with a unit: a seat, a flat, a size."""
_NAME_BEHIND = re.compile(r" [A-ZÀ-Ý]")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_IDEOGRAPH = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
_EMPTY_IDEOGRAPHS = frozenset("的了在是为由和与及于也这那该就把被给您你我他她它们已经共有个张请会将年月日")
_ROLES = {
    **{
        word: word
        for word in (
            "by",
            "from",
            "to",
            "than",
            "after",
            "before",
            "until",
            "since",
            "against",
            "with",
            "of",
            "because",
            "although",
            "when",
        )
    },
    **{"into": "to", "till": "until", "von": "from", "nach": "to", "bis": "until", "als": "than", "vor": "before"},
    **{"de": "from", "avant": "before", "après": "after", "jusqu'au": "until"},
}
_ROLES_OF_NUMBERS = frozenset({"of", "by", "from", "to", "until", "before", "after", "since"})
_ARTICLES = frozenset(
    [
        "the",
        "a",
        "an",
        "his",
        "her",
        "its",
        "their",
        "this",
        "that",
        "my",
        "our",
        "your",
        "der",
        "die",
        "das",
        "dem",
        "den",
        "le",
        "la",
        "les",
        "out",
    ]
)
_NEUTRAL = frozenset(["in", "on", "at", "day", "date"])
_APPROXIMATE = frozenset(
    [
        "about",
        "approximately",
        "around",
        "roughly",
        "circa",
        "ca",
        "approx",
        "some",
        "etwa",
        "rund",
        "ungefähr",
        "environ",
    ]
)


@dataclass(frozen=True)
class Item:
    """One value or word of a text."""

    kind: Kind
    key: str
    """The stem of a word, or the text of a value."""
    text: str
    """As it is written."""
    clause: int
    start: int
    end: int
    role: str = ""
    """Preposition or conjunction before it that decides about its part: ``by``, ``from``, ``to``, ``than`` …"""
    before: str = ""
    """The word before it, without articles."""
    has_article: bool = False
    value: Number | Date | Time | None = None
    is_possessive: bool = False

    @property
    def is_value(self) -> bool:
        """Return whether the item is a number, a date or a time."""
        return self.value is not None

    @property
    def is_approximate(self) -> bool:
        """Return whether ``about`` or a similar word is before it."""
        return self.before in _APPROXIMATE


@dataclass(frozen=True)
class Sentence:
    """One sentence or line with its items."""

    text: str
    items: tuple[Item, ...]
    clauses: int
    markers: tuple[tuple[str, int], ...]
    """Names of markers with the clause in which they are."""
    negated: tuple[str, ...] = ()
    """Keys of the items behind negations."""
    is_question: bool = False
    is_heading: bool = False

    def counts(self, last: int) -> Counter[str]:
        """Count the markers of the clauses up to one, and those that govern the sentence from any place."""
        return Counter(name for name, clause in self.markers if clause <= last or name in GOVERNING)


@dataclass(frozen=True)
class Reading:
    """A text, read once."""

    text: str
    """Plain, casefolded, with single spaces."""
    sentences: tuple[Sentence, ...] = field(default_factory=tuple)

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(item for sentence in self.sentences for item in sentence.items)


@lru_cache(maxsize=128)
def read(text: str) -> Reading:
    """Read a text. Cached, because many claims are compared with one answer."""
    return Reading(" ".join(plain(text).casefold().split()), tuple(map(_sentence, sentences(text))))


def _sentence(text: str) -> Sentence:
    unquoted = text.replace('"', " ")
    values, rest = _values(unquoted)
    ends = [match.start() for match in _CLAUSE_END.finditer(rest)]
    markers, rest, negations = _markers(rest, ends)
    words = [*_codes_and_words(rest, text)]
    items = tuple(
        Item(
            kind,
            key,
            unquoted[start:end].strip(),
            _clause_of(start, ends),
            start,
            end,
            *_part(unquoted, start, kind),
            value,
            possessive,
        )
        for kind, key, start, end, value, possessive in sorted([*values, *words], key=lambda each: each[2])
    )
    negated = tuple(next((item.key for item in items if item.start >= end), "") for end in negations)
    return Sentence(text, items, len(ends) + 1, markers, negated, is_question(text), text.endswith(":"))


_Found = tuple[Kind, str, int, int, Number | Date | Time | None, bool]


def _values(text: str) -> tuple[list[_Found], str]:
    """Return dates, times, codes and numbers, and the text with them blanked out."""
    found: list[_Found] = []
    dates = moments.dates(text)
    text = _blanked(text, [(date.start, date.start + len(date.text)) for date in dates])
    times = moments.times(text)
    text = _blanked(text, [(time.start, time.start + len(time.text)) for time in times])
    found += [("date", one.text.casefold(), one.start, one.start + len(one.text), one, False) for one in dates]
    found += [("time", one.text.casefold(), one.start, one.start + len(one.text), one, False) for one in times]
    for codes in (_expressions, _codes):
        matches = [*codes(text)]
        found += [("code", _code_key(match.group()), *match.span(), None, False) for match in matches]
        text = _blanked(text, [match.span() for match in matches])
    numbers = numerals.numbers(text)
    found += [("number", number.text, number.start, number.end, number, False) for number in numbers]
    numbered = [match for match in _NUMBERED.finditer(text) if all(match.start() != each.start for each in numbers)]
    found += [("code", match.group().casefold(), *match.span(), None, False) for match in numbered]
    return found, _blanked(_with_placeholders(text, numbers), [match.span() for match in numbered])


def _codes(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _CODE.finditer(text) if not _NO_CODE.match(match.group()))


def _expressions(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _EXPRESSION.finditer(text) if re.search(r"\d", match.group()))


def _code_key(text: str) -> str:
    return "".join(text.rstrip(".,;:").casefold().split())


def _markers(text: str, ends: list[int]) -> tuple[tuple[tuple[str, int], ...], str, tuple[int, ...]]:
    result = marked(text)
    return tuple((name, _clause_of(start, ends)) for name, start in result.found), result.rest, result.negated_at


def _codes_and_words(rest: str, original: str) -> Iterator[_Found]:
    first = len(original) - len(original.lstrip(" \"'("))
    for match in _WORD.finditer(rest):
        word = match.group()
        if _IDEOGRAPH.match(word):
            yield from (
                ("ideograph", character, match.start() + at, match.start() + at + 1, None, False)
                for at, character in enumerate(word)
                if character not in _EMPTY_IDEOGRAPHS
            )
        elif len(word) > 1 and (word == "May" or word.casefold().removesuffix("'s") not in words_without_content()):
            is_name = word[0].isupper() and (
                match.start() > first or _NAME_BEHIND.match(original, match.end()) is not None
            )
            yield (
                "name" if is_name else "word",
                stem(word.casefold()),
                *match.span(),
                None,
                word.casefold().endswith(("'s", "s'")),
            )


def _clause_of(start: int, ends: list[int]) -> int:
    return bisect_left(ends, start)


def _part(text: str, start: int, kind: Kind) -> tuple[str, str, bool]:
    """Return the role of the item at a place, the word before it, and whether an article is between."""
    before = re.findall(r"[\w']+", text[max(0, start - 40) : start].casefold())
    has_article = bool(before) and before[-1] in _ARTICLES
    while before and before[-1] in _ARTICLES:
        before.pop()
    last = before[-1] if before else ""
    while before and before[-1] in _NEUTRAL:
        before.pop()
    role = _ROLES.get(before[-1], "") if before else ""
    is_known = role in _ROLES_OF_NUMBERS if kind == "number" else role != "of"
    return (role if is_known else ""), last, has_article


def _with_placeholders(text: str, numbers: Sequence[Number]) -> str:
    """Replace numbers by digits: ``9`` for amounts with two decimals, else ``0``."""
    characters = list(text)
    for number in numbers:
        digit = "9" if number.grain == 0.01 else "0"
        characters[number.start : number.end] = digit * (number.end - number.start)
    return "".join(characters)


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    characters = list(text)
    for start, end in spans:
        characters[start:end] = " " * (end - start)
    return "".join(characters)
