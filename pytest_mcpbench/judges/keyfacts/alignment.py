"""Comparison of the tokens of a reference with those of a passage, and of the values of two texts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal

from pytest_mcpbench.judges.keyfacts.known import Known
from pytest_mcpbench.judges.keyfacts.reading import Token, read
from pytest_mcpbench.judges.keyfacts.vocabulary import DOUBTFUL, are_opposites, is_past, stem
from pytest_mcpbench.text.moments import Date, Time
from pytest_mcpbench.text.numbers import Number

_MOST_ADDED = 4
"""Words of the request by which a statement may be more explicit than the reference."""

_DAYS = frozenset({"today", "tomorrow", "yesterday"})

Weight = Literal["replaced", "denied", "doubt"]


@dataclass(frozen=True)
class Difference:
    """A difference of a passage from the reference.

    ``replaced``: a value or name by another of its kind; ``denied``: by a negation or an opposite; ``doubt``: any
    other, which may or may not change what the passage says.
    """

    weight: Weight
    reason: str


def differences(reference: Sequence[Token], passage: Sequence[Token], known: Known) -> tuple[Difference, ...]:
    """Return the differences of a passage from a reference; none if it says the same of the same thing."""
    reference, passage = _without_weekdays(reference, passage, known)
    # Equal numbers for tokens that are the same; those that only the passage has are negative.
    wanted = [next(i for i, one in enumerate(reference) if is_same(one, token)) for token in reference]
    found = [
        next((wanted[i] for i, one in enumerate(reference) if is_same(one, token)), -1 - at)
        for at, token in enumerate(passage)
    ]
    if wanted == found or _is_moved(reference, wanted, found):
        return ()
    if (
        sum(number < 0 and known.has_request_word(token) for number, token in zip(found, passage, strict=True))
        > _MOST_ADDED
    ):
        return (Difference("doubt", f"it adds more than {_MOST_ADDED} words of the request"),)
    if len(wanted) == len(found):
        unequal = [(one, other) for one, other in zip(reference, passage, strict=True) if not is_same(one, other)]
        if all(is_replaced(one, other) for one, other in unequal):
            return tuple(_replacement(one, other) for one, other in unequal)
    keys = frozenset(token.key for token in reference)
    matcher = SequenceMatcher(None, wanted, found, autojunk=False)
    return tuple(
        difference
        for kind, i, j, k, m in matcher.get_opcodes()
        if kind != "equal"
        for difference in _compare(reference[i:j], passage[k:m], known, keys)
    )


def is_same(token: Token, other: Token) -> bool:
    """Return whether two tokens are one value or mean the same word."""
    if token.kind != other.kind:
        return False
    if isinstance(token.value, Number) and isinstance(other.value, Number):
        return token.value.agreement(other.value) == "same"
    if isinstance(token.value, Date) and isinstance(other.value, Date):
        return token.value.is_met_by(other.value)
    if isinstance(token.value, Time) and isinstance(other.value, Time):
        return token.value.is_met_by(other.value)
    return token.key == other.key and (token.kind != "word" or is_past(token.text) == is_past(other.text))


def _is_moved(reference: Sequence[Token], wanted: list[int], found: list[int]) -> bool:
    """Return whether one part of the reference stands in front of the one before it, and nothing is negated or doubted.

    *Collection Dahl is the most expensive* is *the most expensive is Collection Dahl*; who exchanges two names or
    values around a verb moves more than one part.
    """
    if len(wanted) != len(found) or any(token.key == "not" for token in reference):
        return False
    different = [at for at, (one, other) in enumerate(zip(wanted, found, strict=True)) if one != other]
    start, end = different[0], different[-1] + 1
    if end == start + 2 and any(token.is_name for token in reference[start:end]):
        return False
    if end == start + 2 and found[start:end] == wanted[start:end][::-1] and _is_day_with_time(reference, start):
        return True
    if any(stem(token.text) in DOUBTFUL for token in reference[start:end]):
        return False
    # A single value may change places with all the rest; between two other parts it would belong to another word.
    is_one_value = sum(token.kind != "word" for token in reference) <= 1 and end - start == len(reference)
    inside_names = {at for at in range(1, len(reference)) if reference[at - 1].is_name and reference[at].is_name}
    return any(
        found[start:end] == wanted[at:end] + wanted[start:at]
        and (is_one_value or (_has_word(reference[start:at]) and _has_word(reference[at:end])))
        and inside_names.isdisjoint((start, at, end))
        for at in range(start + 1, end)
    )


def _is_day_with_time(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a time and its day stand there, in any order, with no other day or time beside them."""
    kinds = ["day" if each.kind in ("date", "weekday") or each.text in _DAYS else each.kind for each in tokens]
    beside = {*kinds[max(0, at - 1) : at], *kinds[at + 2 : at + 3]}
    return {*kinds[at : at + 2]} == {"day", "time"} and beside.isdisjoint(("day", "time"))


def _has_word(tokens: Sequence[Token]) -> bool:
    return any(token.kind == "word" for token in tokens)


def _compare(
    missing: Sequence[Token], added: Sequence[Token], known: Known, keys: frozenset[str]
) -> Iterator[Difference]:
    """Yield the differences of two stretches that are not the same.

    A word of the request may be added, unless it is a name, which is somebody or something else, or one of the ``keys``
    of the reference, which then says something about it twice.
    """
    are_names = bool(missing and added) and all(token.is_name for token in (*missing, *added))
    if (
        are_names
        and not {token.key for token in missing} & {token.key for token in added}
        and all(map(known.has, added))
    ):
        yield Difference("replaced", f"{_listed(added)} stands in the place of {_listed(missing)}")
        return
    is_about_more = False
    if len(missing) != len(added):
        missing = [token for token in missing if not token.key.startswith("person")]
        all_added = added
        added = [token for token in added if token.is_name or token.key in keys or not known.has_request_word(token)]
        is_about_more = len(added) < len(all_added)
    if not missing and {token.text for token in added} == {"can", "not"}:
        added = added[-1:]
    for one, other in zip_longest(missing, added):
        if one is not None and other is not None:
            if is_replaced(one, other):
                yield _replacement(one, other)
            else:
                yield Difference("doubt", f"it has {other.text!r} where the reference has {one.text!r}")
        elif other is not None:
            # Beside a word of the request it may deny that one: *it is not ready, so it has to wait*.
            weight: Weight = "denied" if other.key == "not" and not is_about_more else "doubt"
            yield Difference(weight, f"it adds {other.text!r}")
        elif one is not None:
            weight = "denied" if one.key == "not" else "doubt"
            yield Difference(weight, f"{one.text!r} is missing")


def _replacement(token: Token, other: Token) -> Difference:
    weight: Weight = "denied" if token.kind == "word" else "replaced"
    return Difference(weight, f"{other.text!r} stands in the place of {token.text!r}")


def is_replaced(token: Token, other: Token) -> bool:
    """Return whether a value or word is replaced by a certainly different one of its kind."""
    if token.kind != other.kind:
        return False
    if isinstance(token.value, Number) and isinstance(other.value, Number):
        number, changed = token.value, other.value
        if number.dimension != changed.dimension:
            return number.value == changed.value and "number" not in (number.dimension, changed.dimension)
        # With fewer digits it may be a rounding.
        is_as_precise = changed.grain <= number.grain or abs(changed.size - number.size) > 0.5 * abs(number.size)
        return is_as_precise and number.agreement(changed) != "same" and number.is_ordinal == changed.is_ordinal
    if token.kind == "word":
        return are_opposites(stem(token.text), stem(other.text))
    return token.kind != "question" and not is_same(token, other)


def _without_weekdays(
    reference: Sequence[Token], passage: Sequence[Token], known: Known
) -> tuple[Sequence[Token], Sequence[Token]]:
    """Leave out the weekday of a date, or the date of a weekday, that only one of the two writes."""
    for kind in ("weekday", "date"):
        for one, other in ((reference, passage), (passage, reference)):
            if any(token.kind == kind for token in one) and not any(token.kind == kind for token in other):
                kept = [token for token in one if token.kind != kind or not _is_of_same_day(token, one, known)]
                reference, passage = (kept, passage) if one is reference else (reference, kept)
    return reference, passage


def _is_of_same_day(token: Token, tokens: Sequence[Token], known: Known) -> bool:
    """Return whether the token beside a weekday or date names the same day, in its year or one that the texts name."""
    at = next(index for index, each in enumerate(tokens) if each is token)
    for near in tokens[max(0, at - 1) : at + 2]:
        named, weekday = (near, token) if token.kind == "weekday" else (token, near)
        if isinstance(named.value, Date) and weekday.kind == "weekday":
            years = [named.value.year] if named.value.year else known.years
            return any(_weekday(named.value, year) == weekday.key for year in years)
    return False


def _weekday(day: Date, year: int) -> str:
    try:
        return date(year, day.month, day.day).strftime("%a").casefold()
    except ValueError:
        return ""


def _listed(tokens: Sequence[Token]) -> str:
    return repr(" ".join(token.text for token in tokens))


def values_beyond(text: str, known: str) -> tuple[str, ...]:
    """Return the numbers, dates, times and codes of a text that do not occur in another text."""
    known_values = _values(known)
    return tuple(value.text for value in _values(text) if not any(is_same(other, value) for other in known_values))


def _values(text: str) -> list[Token]:
    kinds = ("number", "date", "time", "code")
    return [token for clause in read(text) for token in clause.tokens if token.kind in kinds]
