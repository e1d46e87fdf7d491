"""Words and values that an answer may take from its task without a doubt about what it says."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pytest_mcpbench.judges.keyfacts.reading import IDEOGRAPH, Token
from pytest_mcpbench.judges.keyfacts.vocabulary import COURTESY, DOUBTFUL, RELATIONS, meaning, stem
from pytest_mcpbench.text.moments import Date, Time, dates, times
from pytest_mcpbench.text.numbers import Number, numbers

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|[^\W\d]")
_YEAR = re.compile(r"(?<!\d)20\d\d(?!\d)")
_LONGEST = 100_000
"""Characters of the texts of a task that are read."""


@dataclass(frozen=True)
class Known:
    """The request of a task, the results of the attempt's calls and the statements of the reference."""

    request: str = ""
    texts: tuple[str, ...] = ()

    def has(self, token: Token) -> bool:
        """Return whether the token stands in the request, a result or the reference; words that doubt never do."""
        if token.kind == "word":
            written = stem(token.text)
            return token.key != "not" and written not in DOUBTFUL and (written in COURTESY or token.key in self._words)
        if isinstance(token.value, Number):
            return token.value.value in self._numbers
        if isinstance(token.value, Date | Time):
            return any(token.value.is_met_by(other) for other in self._moments if type(other) is type(token.value))  # type: ignore[arg-type]
        return token.kind == "weekday" or (token.kind == "code" and token.key in self._codes)

    def has_word(self, word: str) -> bool:
        """Return whether a word stands in the request, a result or the reference."""
        return meaning(stem(word.casefold())) in self._words

    def has_request_word(self, token: Token) -> bool:
        """Return whether the token is a word of the request that says nothing about how it relates to others."""
        if token.kind != "word" or token.key.startswith(("person", "not", "was")):
            return False
        return stem(token.text) not in DOUBTFUL | RELATIONS and token.key in _words_of(self.request)

    @cached_property
    def years(self) -> tuple[int, ...]:
        """Return the years that the texts name."""
        return tuple(sorted({int(year) for year in _YEAR.findall(self._all)}))

    @cached_property
    def _all(self) -> str:
        return "\n".join((self.request, *self.texts))[:_LONGEST]

    @cached_property
    def _words(self) -> frozenset[str]:
        return _words_of(self._all)

    @cached_property
    def _numbers(self) -> frozenset[float]:
        return frozenset(number.value for line in self._all.splitlines() for number in numbers(line[:1000]))

    @cached_property
    def _moments(self) -> tuple[Date | Time, ...]:
        return (*dates(self._all), *times(self._all))

    @cached_property
    def _codes(self) -> str:
        """Return the texts, casefolded, and once more without the signs that group the digits of phone numbers."""
        folded = self._all.casefold()
        return folded + re.sub(r"[^\w\n]", "", folded)


NOTHING_KNOWN = Known()


@lru_cache(maxsize=64)
def _words_of(text: str) -> frozenset[str]:
    folded = text.casefold()
    return frozenset(meaning(stem(word)) for word in _WORD.findall(folded)) | frozenset(IDEOGRAPH.findall(folded))
