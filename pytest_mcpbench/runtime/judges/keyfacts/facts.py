"""The key facts of a claim, and which of them an answer states."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pytest_mcpbench.runtime.judges.keyfacts import moments, names
from pytest_mcpbench.runtime.judges.keyfacts import numbers as numerals
from pytest_mcpbench.runtime.judges.keyfacts.moments import Date, Time
from pytest_mcpbench.runtime.judges.keyfacts.names import Phrase
from pytest_mcpbench.runtime.judges.keyfacts.numbers import Number
from pytest_mcpbench.runtime.judges.keyfacts.text import plain, words

Kind = Literal["number", "date", "time", "quotation", "identifier", "name"]


@dataclass(frozen=True)
class Fact:
    """One thing that a claim says and that an answer can be searched for."""

    kind: Kind
    text: str
    content: Number | Date | Time | Phrase

    @property
    def is_decisive(self) -> bool:
        """Whether it is likely the point of the claim, not its subject: a value other than a year or a rank."""
        if isinstance(self.content, Number):
            return not (self.content.is_year or self.content.is_ordinal)
        return self.kind in ("date", "time", "quotation", "identifier")

    def is_stated_in(self, answer: "Answer") -> bool:
        """Whether the answer states it."""
        if isinstance(self.content, Number):
            return answer.has_number(self.content)
        if isinstance(self.content, Date):
            return any(self.content.is_met_by(date) for date in answer.dates)
        if isinstance(self.content, Time):
            return any(self.content.is_met_by(time) for time in answer.times)
        return self.content.is_in(answer.text, answer.words)


@dataclass(frozen=True)
class Answer:
    """An answer, read once."""

    text: str
    """Plain, casefolded, with single spaces."""
    words: frozenset[str]
    numbers: tuple[Number, ...]
    dates: tuple[Date, ...]
    times: tuple[Time, ...]
    speaks_of_a_fall: bool

    def has_number(self, wanted: Number) -> bool:
        """Whether a number meets it; one of the other sign only where the answer or the claim speaks of a fall."""
        if any(wanted.is_met_by(number) for number in self.numbers):
            return True
        may_be_a_fall = self.speaks_of_a_fall or any(number.value < 0 for number in self.numbers)
        return may_be_a_fall and any(wanted.is_met_by(number, ignoring_sign=True) for number in self.numbers)


@lru_cache(maxsize=64)
def read(answer: str) -> Answer:
    """The answer's numbers, dates, times and words. Cached, because many claims are put to one answer."""
    text = plain(answer)
    return Answer(
        text=" ".join(text.casefold().split()),
        words=frozenset(words(text)),
        numbers=numerals.numbers(text),
        dates=moments.dates(text),
        times=moments.times(text),
        speaks_of_a_fall=numerals.means_a_fall(text),
    )


def key_facts(claim: str) -> tuple[Fact, ...]:
    """The facts of a claim, each once, in the order of their kinds."""
    text = plain(claim)
    return tuple({(fact.kind, fact.text.casefold()): fact for fact in _facts(text)}.values())


def _facts(text: str) -> Iterator[Fact]:
    quoted = names.quotations(text)
    yield from _of_kind("quotation", quoted)
    text = names.without_quotations(text)
    found_dates, found_times = moments.dates(text), moments.times(text)
    yield from _of_kind("date", found_dates)
    yield from _of_kind("time", found_times)
    text = _blanked(text, (*found_dates, *found_times))
    found = names.identifiers(text)
    yield from _of_kind("identifier", found)
    text = _blanked(text, found)
    yield from (Fact("number", number.text, number) for number in numerals.numbers(text))
    yield from _of_kind("name", names.names(text))


def _of_kind(kind: Kind, found: Iterable[Date | Time | Phrase]) -> Iterator[Fact]:
    return (Fact(kind, one.text, one) for one in found if one.text)


def _blanked(text: str, found: Iterable[Date | Time | Phrase]) -> str:
    """The text with facts blanked out, so that their digits are not found again as numbers."""
    for one in found:
        end = one.start + len(one.text)
        text = text[: one.start] + " " * len(one.text) + text[end:]
    return text
