"""Names of tools that every provider takes, for those that some would refuse."""

import re
from collections.abc import Iterable

_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST = 64


class ToolNames:
    """A two-way map between the names that agents see and letters, digits, ``_`` and ``-``, at most 64 of them."""

    def __init__(self, names: Iterable[str]) -> None:
        self._sent: dict[str, str] = {}
        self._meant: dict[str, str] = {}
        ordered = sorted(dict.fromkeys(names), key=lambda name: self._plain(name) != name)
        for name in ordered:
            self._add(name)

    def sent(self, name: str) -> str:
        """The name as the provider sees it."""
        return self._sent.get(name) or self._plain(name)

    def meant(self, name: str) -> str:
        """The name that the provider's name stands for."""
        return self._meant.get(name, name)

    def _add(self, name: str) -> None:
        plain, number = self._plain(name), 1
        while plain in self._meant:
            number += 1
            suffix = f"_{number}"
            plain = self._plain(name)[: _LONGEST - len(suffix)] + suffix
        self._sent[name], self._meant[plain] = plain, name

    @staticmethod
    def _plain(name: str) -> str:
        return _FORBIDDEN.sub("_", name)[:_LONGEST] or "unknown"
