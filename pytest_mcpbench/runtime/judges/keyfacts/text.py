"""Text made plain before facts are looked for: one kind of dash, quotation mark and space, no Markdown."""

import re
import unicodedata

_SIGNS = str.maketrans("‐‑‒–—―−“”„«»‘’‚ʼ′", "-------\"\"\"\"\"'''''")
_MARKDOWN = re.compile(r"\*\*|__|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|^#+\s|`", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+(?:[.,]\d+)*")
_IDEOGRAPHS = re.compile(r"[぀-ヿ㐀-鿿가-힯]+")
_ENDINGS = ("ing", "ies", "ed", "es", "s", "ly")

_COMMON_WORDS = """
    a about above after again all also am an and any are as at be because been before being below between both but
    by can could did do does doing down during each either for from further had has have having he her here hers him
    his how i if in into is it its itself just made make many me more most much my no nor not of off on once only or
    other our out over own per same she should so some such than that the their them then there these they this
    those through to too under until up upon very was we were what when where which while who whom whose why will
    with within would you your according named called located found based
"""
STOPWORDS = frozenset(_COMMON_WORDS.split())


def plain(text: str) -> str:
    """The text after NFKC, with ASCII dashes and quotation marks and without Markdown's signs."""
    return _MARKDOWN.sub("", unicodedata.normalize("NFKC", text).translate(_SIGNS))


def words(text: str) -> list[str]:
    """The words of a plain text, casefolded; ideographs in pairs, because their words have no spaces between them."""
    found: list[str] = []
    for match in _WORD.finditer(text):
        found += _pairs(match.group()) if _IDEOGRAPHS.match(match.group()) else [match.group().casefold()]
    return found


def content_words(text: str) -> set[str]:
    """Words that carry meaning, without their endings."""
    return {_stem(word) for word in words(text) if word not in STOPWORDS and (len(word) > 1 or not word.isascii())}


def sentences(text: str) -> list[str]:
    """Sentences and lines of a text."""
    return [part.strip() for part in re.split(r"(?<=[.!?。！？;])\s+|\n+", text) if part.strip()]


def _pairs(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(max(1, len(text) - 1))]


def _stem(word: str) -> str:
    ending = next((end for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= 3), "")
    return word[: len(word) - len(ending)] if ending else word
