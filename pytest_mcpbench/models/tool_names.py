"""Mapping of tool names to names that every provider accepts."""

import re
from collections.abc import Iterable

_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST = 64


class ToolNames:
    """Two-way mapping between the agents' names of tools and names of at most 64 letters, digits, ``_`` and ``-``."""

    def __init__(self, names: Iterable[str]) -> None:
        self._provider_names: dict[str, str] = {}
        self._agent_names: dict[str, str] = {}
        # Valid names first: they keep their spelling, and a sanitized name that collides gets the suffix.
        ordered = sorted(dict.fromkeys(names), key=lambda name: self._sanitize(name) != name)
        for name in ordered:
            provider_name, number = self._sanitize(name), 1
            while provider_name in self._agent_names:
                number += 1
                suffix = f"_{number}"
                provider_name = self._sanitize(name)[: _LONGEST - len(suffix)] + suffix
            self._provider_names[name], self._agent_names[provider_name] = provider_name, name

    def to_provider(self, name: str) -> str:
        """Return the name that is sent to the provider."""
        return self._provider_names.get(name) or self._sanitize(name)

    def from_provider(self, name: str) -> str:
        """Return the agents' name for a name in a response; an unknown name is returned unchanged."""
        return self._agent_names.get(name, name)

    @staticmethod
    def _sanitize(name: str) -> str:
        return _FORBIDDEN.sub("_", name)[:_LONGEST] or "unknown"
