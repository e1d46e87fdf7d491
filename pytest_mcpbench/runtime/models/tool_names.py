"""Names of tools that every provider takes, for those that some would refuse."""

import re
from collections.abc import Iterable

_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST = 64


class ToolNames:
    """A two-way map between the names that agents see and letters, digits, ``_`` and ``-``, at most 64 of them."""

    def __init__(self, names: Iterable[str]) -> None:
        self._provider_names: dict[str, str] = {}
        self._agent_names: dict[str, str] = {}
        ordered = sorted(dict.fromkeys(names), key=lambda name: self._sanitize(name) != name)
        for name in ordered:
            self._add(name)

    def to_provider(self, name: str) -> str:
        """The name as the provider sees it."""
        return self._provider_names.get(name) or self._sanitize(name)

    def from_provider(self, name: str) -> str:
        """The name that the provider's name stands for."""
        return self._agent_names.get(name, name)

    def _add(self, name: str) -> None:
        provider_name, number = self._sanitize(name), 1
        while provider_name in self._agent_names:
            number += 1
            suffix = f"_{number}"
            provider_name = self._sanitize(name)[: _LONGEST - len(suffix)] + suffix
        self._provider_names[name], self._agent_names[provider_name] = provider_name, name

    @staticmethod
    def _sanitize(name: str) -> str:
        return _FORBIDDEN.sub("_", name)[:_LONGEST] or "unknown"
