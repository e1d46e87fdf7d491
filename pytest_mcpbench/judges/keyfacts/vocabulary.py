"""Words by what they do in a statement; the lists are data, in ``words.toml``."""

import tomllib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

_SUFFIXES = ("ings", "ing", "ies", "ied", "ed", "es", "s", "e", "y")
_LISTS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return a casefolded word without its possessive ending and its common endings."""
    word = word.removesuffix("'s").removesuffix("'")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= (3 if suffix == "s" else 4) and word.isascii():
            short = word[: -len(suffix)]
            is_doubled = len(short) > 4 and short[-1] == short[-2] and short[-1] not in "aeiouls"
            return short[:-1] if is_doubled else short.rstrip("ye") if len(short) > 4 else short
    return word


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(stem, words))


NEUTRAL = _stems(_LISTS["neutral"].split())
COURTESY = _stems(_LISTS["courtesy"].split())
DOUBTFUL = _stems(_LISTS["doubtful"].split())
RELATIONS = _stems(_LISTS["relations"].split())
NEGATIONS = _stems(_LISTS["negations"].split())
PAST = _stems(_LISTS["past"].split())
_PAST_FORMS = frozenset(_LISTS["past_forms"].split())
EMPTY = frozenset(_LISTS["empty"].split())
OTHERS = frozenset(_LISTS["others"].split())
PERSONS = tuple(_stems(group.split()) for group in _LISTS["pronouns"])
TITLES = _stems(_LISTS["titles"].split())
_SYNONYMS = {stem(word): f"={group.split()[0]}" for group in _LISTS["synonyms"] for word in group.split()}
_OPPOSITES = frozenset(frozenset(map(stem, pair.split())) for pair in _LISTS["opposites"])


def meaning(stemmed: str) -> str:
    """Return what a stem shares with its synonyms, and with all forms of a negation, a person or the past."""
    if stemmed in NEGATIONS:
        return "not"
    if stemmed in PAST:
        return "was"
    for number, group in enumerate(PERSONS, 1):
        if stemmed in group:
            return f"person {number}"
    return _SYNONYMS.get(stemmed, stemmed)


def is_past(word: str) -> bool:
    """Return whether a casefolded word looks like a past form: *arrived*, *sent*."""
    return word in _PAST_FORMS or (word.endswith("ed") and len(word) > 4)


def are_opposites(one: str, other: str) -> bool:
    """Return whether two stems are plainly opposites."""
    return frozenset((one, other)) in _OPPOSITES
