"""Reading of a text as clauses of tokens: values and the words that carry its meaning."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pytest_mcpbench.judges.keyfacts.vocabulary import COURTESY, NEUTRAL, meaning, stem
from pytest_mcpbench.text import moments
from pytest_mcpbench.text import numbers as numerals
from pytest_mcpbench.text.moments import Date, Time
from pytest_mcpbench.text.normal_forms import normal_form
from pytest_mcpbench.text.numbers import Number, with_commas
from pytest_mcpbench.text.vocabulary import weekday_names

# Text normalised before it is read.

_SIGNS = str.maketrans("‐‑‒–—―−“”„«»‘’‚ʼ′`", "-------\"\"\"\"\"''''''")
_MARKDOWN = re.compile(r"\*\*|__|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|^#+\s|^>\s", re.MULTILINE)
_SHORT_FORMS = tuple(
    (re.compile(pattern, re.IGNORECASE), full)
    for pattern, full in (
        (r"\bwon't\b", "will not"),
        (r"\b(?:can't|cannot)\b", "can not"),
        (r"\bno longer\b", "not"),
        (r"\b(?:is|are) to(?= [a-z])", "should"),
        (r"n't\b", " not"),
        (r"(?<=\w)'ll\b", " will"),
        (r"(?<=\w)'re\b", " are"),
        (r"(?<=\w)'ve\b", " have"),
        (r"\bI'm\b", "I am"),
        (r"(?<=\w)'d\b", " would"),
        (r"\b(?:going|about) to\b", "will"),
        (r"\b(?:have|has) to\b", "must"),
        (r"\b(?:takes?|taking) place\b", "is"),
        (r"\bin (?:all|total|sum)\b", "total"),
    )
)
_POLITE = re.compile(
    r"(?:^|(?<=[.!,:\n] ))(?:could|can|would|will) you (?:please )?([^.!?\n]*)\?", re.IGNORECASE | re.M
)


def plain(text: str) -> str:
    """Return the text after NFKC, with ASCII dashes and quotation marks, without Markdown and short forms."""
    plain_text = _MARKDOWN.sub("", normal_form("NFKC", with_commas(text)).translate(_SIGNS))
    for pattern, full in _SHORT_FORMS:
        plain_text = pattern.sub(full, plain_text)
    return _POLITE.sub(r"please \1.", plain_text)


# Lengths up to which the rules read: some patterns take quadratic time for one word, number or sentence.

MOST_CHARACTERS = 12_000
LONGEST_SENTENCE = 1000
_LONG_WORD = re.compile(r"[!-~]{200}|\d{40}")
_DISGUISED = re.compile(
    r"[\u200b\u2060\ufeff\u00ad\u202a-\u202e\u2066-\u2069]"
    r"|\b\w*(?:[a-z][\u0400-\u04ff]|[\u0400-\u04ff][a-z])\w*",
    re.IGNORECASE,
)
"""Invisible characters, and words that mix Latin with Cyrillic letters."""


def obstacle(text: str) -> str:
    """Return the reason for which the rules do not read a text; empty if they do."""
    if len(text) > MOST_CHARACTERS:
        return f"has more than {MOST_CHARACTERS:,} characters"
    if _LONG_WORD.search(text):
        return "has a word or number that is too long to be read"
    if _DISGUISED.search(text):
        return "has invisible or foreign letters inside words"
    sentences = [sentence for _, sentence in _lines(text)]
    if any(len(sentence) > LONGEST_SENTENCE for sentence in sentences):
        return f"has a sentence of more than {LONGEST_SENTENCE:,} characters"
    return ""


# Sentences, clauses and tokens.

Kind = Literal["number", "date", "time", "weekday", "code", "word", "question"]

_WEEKDAYS = {
    **weekday_names("en"),
    **{name[:length]: number for name, number in weekday_names("en").items() for length in (3, 4)},
}
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[\"'(@]?[A-ZÀ-Ý\d\u4e00-\u9fff])|(?<=[。！？；;])\s*|\n+")
_BULLET = re.compile(r"^[^\S\n]*(?:[-*•+]|\d{1,2}[.)])\s+", re.MULTILINE)
_CLAUSE_END = re.compile(
    r"[,;:()|，；：、（）]|\s-+\s|(?<![\w-])(?:and|because|so|which|while|whereas)(?![\w-])", re.IGNORECASE
)
_CODE = re.compile(
    r"https?://[^\s)>\]\"']+"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++"
    r"|(?<![\w.])v?\d+(?:\.\d+){2,}(?!\w)"
    r"|(?<![\w/.-])(?:\+\d{1,3}|\(?0\d{1,4}\)?)(?:[ ()/-]{1,2}\d{2,12}){1,5}(?![\w-])"
    r"|(?<![\w-])(?=[\w./-]*[A-Za-z_])(?=[\w./-]*\d)\w[\w-]*(?:[./-]\w+)*(?![\w-])"
    r"|(?<![\w-])\w+_\w+(?![\w-])"
    r"|(?<![\w/])~?(?:/[\w.-]+){2,}|(?<![\w.])\w[\w-]{2,}\.[a-z]{2,5}(?!\w|\.\w)",
    re.ASCII,
)
_DIGITS = re.compile(r"[^\W_]*\d[\w.-]*(?<![.-])")
_PHONE = re.compile(r"\+?[\d()][\d ()/-]{6,}\d")
_UNIT_OR_ORDINAL = re.compile(r"\d+(?:[.,]\d+)*(?:[A-Za-z]{1,3}|m2|km2|/\w+)$|kg/m2$|m2$")
_NAME_BEHIND = re.compile(r" [A-ZÀ-Ý][a-zà-ÿ]")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_SYMBOL = re.compile(r"[\u2600-\u27bf\U0001f300-\U0001faff]")
_FRIENDLY = frozenset("✅✔☺❤☀👍🙂😊😀😃😄🎉🙏👋🍵🎂")
IDEOGRAPH = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
_EMPTY_IDEOGRAPHS = frozenset("的了在是为由和与及于也这那该就把被给您你")


@dataclass(frozen=True)
class Token:
    """A value, or a word that carries meaning."""

    kind: Kind
    key: str
    """What synonyms share, or the text of a value."""
    text: str
    """The word as it is written, casefolded."""
    value: Number | Date | Time | None = None
    is_name: bool = False
    """True for a word with a capital inside a sentence."""


@dataclass(frozen=True)
class Clause:
    """A part of a sentence."""

    tokens: tuple[Token, ...]
    sentence: int
    """Place of the sentence in the text."""
    line: int
    text: str
    """The sentence."""


@lru_cache(maxsize=256)
def read(text: str) -> tuple[Clause, ...]:
    """Read a text without sentences that only greet or thank. Cached: many claims are compared with one answer."""
    clauses: list[Clause] = []
    for at, (line, sentence) in enumerate(_lines(text)):
        found = sorted(_tokens(sentence), key=lambda each: each[0])
        # A sign inside a value, such as the point of a number, ends no clause.
        ends = [
            match.start()
            for match in _CLAUSE_END.finditer(sentence)
            if not any(start < match.start() < end - 1 for start, end, _ in found)
        ]
        parts = [
            tuple(token for start, _, token in found if begin <= start < end)
            for begin, end in zip([0, *ends], [*ends, len(sentence)], strict=True)
        ]
        if sentence.endswith(("?", "？")):
            parts.append((Token("question", "?", "?"),))
        if any(token.kind != "word" or stem(token.text) not in COURTESY for tokens in parts for token in tokens):
            clauses += [Clause(tokens, at, line, sentence) for tokens in parts if tokens]
    return tuple(clauses)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for line, written in enumerate(_BULLET.sub("", plain(text)).split("\n")):
        for part in _SENTENCE_END.split(written):
            if part and part.strip(" ,-:.|"):
                yield line, part.strip()


def _tokens(sentence: str) -> Iterator[tuple[int, int, Token]]:
    """Yield values and words with content, with their spans, in any order."""
    rest = sentence.replace('"', " ")
    for find in (_dates, _times, _codes, _numbers, _other_digits):
        found = [*find(rest)]
        yield from found
        for start, end, _ in found:
            rest = rest[:start] + " " * (end - start) + rest[end:]
    for match in _SYMBOL.finditer(rest):
        if match.group() not in _FRIENDLY:
            yield *match.span(), Token("word", match.group(), match.group())
    for match in _WORD.finditer(rest):
        yield from _words(match, sentence)


def _dates(text: str) -> Iterator[tuple[int, int, Token]]:
    for day in moments.dates(text):
        yield day.start, day.start + len(day.text), Token("date", day.text.casefold(), day.text, day)


def _times(text: str) -> Iterator[tuple[int, int, Token]]:
    for time in moments.times(text):
        yield time.start, time.start + len(time.text), Token("time", time.text.casefold(), time.text, time)


def _codes(text: str) -> Iterator[tuple[int, int, Token]]:
    for match in _CODE.finditer(text):
        if not _UNIT_OR_ORDINAL.match(match.group()):
            key = match.group().rstrip(".,;:").casefold()
            if _PHONE.fullmatch(key):
                # Without the signs that group the parts of the number.
                key = re.sub(r"\D", "", key).removeprefix("00")
            yield *match.span(), Token("code", key, match.group())


def _numbers(text: str) -> Iterator[tuple[int, int, Token]]:
    for number in numerals.numbers(text):
        written = text[number.start : number.end].strip()
        yield number.start, number.end, Token("number", written.casefold(), written, number)


def _other_digits(text: str) -> Iterator[tuple[int, int, Token]]:
    """Yield what no other rule reads, so that no digit is lost: a seat, a size, a part of a formula."""
    for match in _DIGITS.finditer(text):
        yield *match.span(), Token("code", match.group().casefold(), match.group())


def _words(match: re.Match[str], sentence: str) -> Iterator[tuple[int, int, Token]]:
    written = match.group().casefold()
    if IDEOGRAPH.match(written):
        for at, character in enumerate(written, match.start()):
            if character not in _EMPTY_IDEOGRAPHS:
                yield at, at + 1, Token("word", character, character)
    elif written in _WEEKDAYS:
        yield *match.span(), Token("weekday", written[:3], written)
    elif stem(written) not in NEUTRAL:
        is_inside = bool(sentence[: match.start()].strip(" \"'(")) or _NAME_BEHIND.match(sentence, match.end())
        is_name = match.group()[0].isupper() and bool(is_inside)
        yield *match.span(), Token("word", meaning(stem(written)), written, is_name=is_name)
