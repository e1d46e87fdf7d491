"""Tokenization and BM25 ranking of short texts."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from pytest_mcpbench.text.normal_forms import normal_form

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


# BM25 over documents of weighted fields (Robertson and Zaragoza 2009, sections 3.4 and 3.6.4).
#
# A library would bring matrices for thousands of documents; a task has at most a few hundred tools, and a field's
# weight (a word in a tool's name says more than one in its description) is not what they offer.

_SATURATION = 1.2
_LENGTH = 0.75

Field = tuple[Iterable[str], float]
"""Terms, and how much one occurrence of a term counts."""


class Index:
    """Documents that queries are compared with; immutable."""

    def __init__(self, documents: Sequence[Sequence[Field]]) -> None:
        self._weights = [_weights(fields) for fields in documents]
        lengths = [sum(weights.values()) for weights in self._weights]
        mean = sum(lengths) / len(lengths) if lengths else 0.0
        self._norms = [_SATURATION * (1 - _LENGTH + _LENGTH * length / mean) if mean else 1.0 for length in lengths]
        self._rarity = self._rarities()

    def scores(self, query: Mapping[str, float]) -> list[float]:
        """Return each document's score for terms with weights; 0 if no term of the query occurs."""
        return [self._score(weights, norm, query) for weights, norm in zip(self._weights, self._norms, strict=True)]

    def rarity(self, term: str) -> float:
        """Return the logarithm of a term's inverse document frequency; 0 if no document contains it."""
        return self._rarity.get(term, 0.0)

    def _score(self, weights: Mapping[str, float], norm: float, query: Mapping[str, float]) -> float:
        return sum(
            weight * self._rarity[term] * weights[term] * (_SATURATION + 1) / (weights[term] + norm)
            for term, weight in query.items()
            if term in weights
        )

    def _rarities(self) -> dict[str, float]:
        found_in = Counter(term for weights in self._weights for term in weights)
        documents = len(self._weights)
        return {term: math.log(1 + (documents - count + 0.5) / (count + 0.5)) for term, count in found_in.items()}


def _weights(fields: Sequence[Field]) -> dict[str, float]:
    """Return term -> weighted number of occurrences."""
    weights: dict[str, float] = {}
    for terms, weight in fields:
        for term in terms:
            weights[term] = weights.get(term, 0.0) + weight
    return weights
