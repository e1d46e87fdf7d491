"""Regular expressions that models, suites and servers write, which must not run without end."""

import re
import time
from collections.abc import Sequence
from typing import Any

MATCH_SECONDS = 1.0
"""Time that the searches of one pattern may take in all."""


class PatternTimeoutError(ValueError):
    """A pattern whose search takes too long: it tries exponentially many ways to match."""


_UNUSABLE = (OverflowError, RecursionError, MemoryError)
"""Errors of compilers of regular expressions beside their own: ``a{99999999999}``, thousands of open brackets."""


def pattern_fault(pattern: str) -> str | None:
    """Return why a text is not a regular expression of :mod:`re`; ``None`` if it is one."""
    try:
        re.compile(pattern)
    except (re.error, *_UNUSABLE) as error:
        return _fault(pattern, error)
    return None


def _fault(pattern: str, error: Exception) -> str:
    shown = repr(pattern if len(pattern) <= _LONGEST_SHOWN else f"{pattern[:_LONGEST_SHOWN]}…")
    reason = "its brackets are nested too deeply" if isinstance(error, RecursionError) else f"{error}"
    return f"{shown} is not a regular expression: {reason}"


_LONGEST_SHOWN = 200


class BoundedPattern:
    """Regular expression with a budget of time for all of its searches.

    Its syntax is that of :mod:`re`; the module ``regex`` understands it and can stop a search.

    Raises:
        ValueError: the pattern is not a regular expression.
    """

    def __init__(self, pattern: str, *, ignores_case: bool = False, seconds: float = MATCH_SECONDS) -> None:
        # Imported here: 20 ms that most runs need not pay.
        import regex  # type: ignore[import-untyped]  # it ships no types

        try:
            self._expression: Any = regex.compile(pattern, regex.IGNORECASE if ignores_case else 0)
        except (regex.error, *_UNUSABLE) as error:
            raise ValueError(_fault(pattern, error)) from None
        self.pattern = pattern
        self._invalid: type[Exception] = regex.error
        self._seconds = seconds

    @property
    def seconds_left(self) -> float:
        """Return the rest of the budget."""
        return self._seconds

    def is_found(self, text: str) -> bool:
        """Return whether the text contains a match.

        Raises:
            PatternTimeoutError: the budget is spent.
        """
        return self._run(lambda seconds: self._expression.search(text, timeout=seconds)) is not None

    def first(self, text: str) -> Sequence[str | None] | None:
        """Return the first match and its groups; ``None`` without a match. Raises PatternTimeoutError."""
        match = self._run(lambda seconds: self._expression.search(text, timeout=seconds))
        return None if match is None else (match[0], *match.groups())

    def each(self, text: str) -> list[Any]:
        """Return the matches as :func:`re.findall` does. Raises PatternTimeoutError."""
        return list(self._run(lambda seconds: self._expression.findall(text, timeout=seconds)))

    def matches_all_of(self, text: str) -> bool:
        """Return whether the complete text is a match. Raises PatternTimeoutError."""
        return self._run(lambda seconds: self._expression.fullmatch(text, timeout=seconds)) is not None

    def found(self, text: str) -> list[str]:
        """Return the texts of all matches that are not empty. Raises PatternTimeoutError."""

        def find(seconds: float) -> list[str]:
            return [match[0] for match in self._expression.finditer(text, timeout=seconds) if match[0]]

        result: list[str] = self._run(find)
        return result

    def replaced(self, template: str, text: str, *, count: int = 0) -> str:
        """Return the text with its matches replaced; a count of 0 means all.

        Raises:
            PatternTimeoutError: the budget is spent.
            ValueError: the template refers to a group that the pattern does not have.
        """
        try:
            result: str = self._run(lambda seconds: self._expression.sub(template, text, count=count, timeout=seconds))
        except (IndexError, self._invalid) as error:
            raise ValueError(f"{template!r} cannot replace {self.pattern!r}: {error}") from None
        return result

    def _run(self, search: Any) -> Any:
        if self._seconds <= 0:
            raise PatternTimeoutError(f"the pattern {self.pattern!r} takes too long to search")
        started = time.monotonic()
        try:
            return search(self._seconds)
        except TimeoutError:
            raise PatternTimeoutError(f"the pattern {self.pattern!r} takes too long to search") from None
        finally:
            self._seconds -= time.monotonic() - started
