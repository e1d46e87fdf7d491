"""Words: a text as words, as stems for a search, and in the form in which two texts are compared."""

import re
from collections.abc import Iterable
from functools import lru_cache

from pytest_mcpbench.text.normal_forms import normal_form

_LISTED = 20
"""Most names that a list on one line shows."""


def shortened_list(names: Iterable[str], most: int = _LISTED) -> str:
    """Return the first names on one line, and the number of the others."""
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more


def casefolded_words(text: str) -> tuple[str, ...]:
    """Return the words of a text, after NFKC and casefold; punctuation and spaces do not count."""
    return tuple(re.findall(r"\w+", normal_form("NFKC", text).casefold()))


def snake_case(name: str) -> str:
    """Return ``SendEmail``, ``sendEmail`` and ``send-email`` as ``send_email``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|-", "_", name).casefold()


# Tokenization into comparable terms: word stems, or bigrams for scripts without spaces.
#
# The stemmer is a handful of English suffixes and not Snowball: tool descriptions and requests share a small vocabulary
# of verbs and plural nouns, for which both give the same classes, while a library would be a dependency and a stemmer
# must be chosen by language, which a request of six words does not tell. Words of other languages are left alone unless
# they end alike, and then both sides are cut alike.

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = re.compile(rf"(?P<cjk>[{_CJK}]+)|(?P<word>[^\W_{_CJK}]+)")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_VOWEL = re.compile(r"[aeiouy]")
_SHORTEST_STEM = 3

_STOP = (
    "a an and any are as at be by can could do does for from has have i if in into is it its just me my no not of "
    "on or our please so some such than that the their them then there these they this those to up us use used "
    "using want was we were what when where which who whose will with would you your "
    "的 了 在 是 我 请 和 与 或 把 给 为 有 个 "
)
STOP_WORDS = frozenset(_STOP.split())
"""Stop words."""


def words(text: str) -> list[str]:
    """Return lower-case words in order; split ``camelCase`` and ``snake_case``, drop accents, keep CJK runs whole."""
    return [match[0] for match in _RUN.finditer(_fold(_CAMEL.sub(" ", text)))]


def terms(text: str) -> list[str]:
    """Return stems of the words that mean something, in order, with repetitions."""
    return [term for word in words(text) for term in _terms_of(word)]


def stem(word: str) -> str:
    """Return the word without the endings of plurals, participles and nouns made from verbs."""
    word = _singular(word)
    for suffix in ("ations", "ation", "ings", "ing", "ed", "ion"):
        rest = word.removesuffix(suffix)
        if rest != word and len(rest) >= _SHORTEST_STEM and _VOWEL.search(rest):
            word = _without_double_letter(rest + ("at" if suffix.startswith("ation") else ""))
            break
    return word.removesuffix("e") if len(word) > _SHORTEST_STEM else word


# The words of tool descriptions come again in each task of a suite.
@lru_cache(maxsize=2**15)
def _terms_of(word: str) -> tuple[str, ...]:
    if word in STOP_WORDS:
        return ()
    if not re.match(f"[{_CJK}]", word):
        return (stem(word),)
    return tuple(word[at : at + 2] for at in range(max(1, len(word) - 1)))


def _fold(text: str) -> str:
    """Return lower case, full-width forms made plain, Latin letters without their accents."""
    text = normal_form("NFKC", text).lower()
    if text.isascii():
        return text
    return "".join(map(_without_accent, text))


@lru_cache(maxsize=2**15)
def _without_accent(letter: str) -> str:
    base = normal_form("NFKD", letter)[0]
    return base if base.isascii() else letter


def _singular(word: str) -> str:
    if len(word) <= _SHORTEST_STEM or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word.removesuffix("s")


def _without_double_letter(word: str) -> str:
    """Return ``stopp`` (of ``stopped``) becomes ``stop``."""
    return word[:-1] if len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "ls" else word
