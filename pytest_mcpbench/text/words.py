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
    # Full-width forms become plain, Latin letters lose their accents.
    folded = normal_form("NFKC", _CAMEL.sub(" ", text)).lower()
    if not folded.isascii():
        folded = "".join(map(_without_accent, folded))
    return [match[0] for match in _RUN.finditer(folded)]


def terms(text: str) -> list[str]:
    """Return stems of the words that mean something, in order, with repetitions."""
    return [term for word in words(text) for term in _terms_of(word)]


def stem(word: str) -> str:
    """Return the word without the endings of plurals, participles and nouns made from verbs."""
    if len(word) > _SHORTEST_STEM and not word.endswith(("ss", "us", "is")):
        if word.endswith("ies"):
            word = word[:-3] + "y"
        elif word.endswith(("ches", "shes", "sses", "xes", "zes")):
            word = word[:-2]
        else:
            word = word.removesuffix("s")
    for suffix in ("ations", "ation", "ings", "ing", "ed", "ion"):
        rest = word.removesuffix(suffix)
        if rest != word and len(rest) >= _SHORTEST_STEM and _VOWEL.search(rest):
            word = rest + ("at" if suffix.startswith("ation") else "")
            # `stopp`, of `stopped`, becomes `stop`.
            if len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
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


@lru_cache(maxsize=2**15)
def _without_accent(letter: str) -> str:
    base = normal_form("NFKD", letter)[0]
    return base if base.isascii() else letter
