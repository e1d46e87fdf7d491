"""Regular expressions that are compiled when they are first used."""

import re
from functools import cached_property
from typing import Any, cast


def late_pattern(pattern: str, flags: re.RegexFlag | int = 0) -> re.Pattern[str]:
    """Return an expression that behaves like ``re.compile(pattern, flags)``.

    For those of many words, of which most runs use none: compiling one takes a millisecond or more.
    """
    return cast("re.Pattern[str]", _LatePattern(pattern, flags))


class _LatePattern:
    def __init__(self, text: str, flags: int) -> None:
        self._text = text
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text, self._flags)

    def __getattr__(self, name: str) -> Any:
        """Return a method of the compiled expression, and keep it: further calls do not come here."""
        value = getattr(self._compiled, name)
        setattr(self, name, value)
        return value
