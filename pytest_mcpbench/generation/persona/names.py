"""Names of ids in tasks: ``$slack/general`` stands for the id of that channel.

Where a letter or dot follows, braces mark the end of the name: ``members.${me/lark_user}.member_id``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Any

from pytest_mcpbench.text.suggestions import hint

_NAME = r"[a-z][\w.-]*/[\w.:-]*\w(?:#\w+)?"
_REFERENCE = re.compile(rf"\$(?:{_NAME}|\{{{_NAME}\}})")


class UnknownNameError(ValueError):
    """Error for a name that stands for nothing, or for several things."""


@dataclass(frozen=True)
class Names:
    """Ids by their names."""

    ids: Mapping[str, Any]
    texts: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    """Name of a chat, page or post -> id of each of its parts -> text of the part, which ``#word`` names by a word."""
    zone: tzinfo = UTC
    """Zone of times such as ``$time/2026-03-05T14:00``, which stand for Unix timestamps."""

    def resolve(self, value: Any) -> Any:
        """Replace the names in a value; a text that is nothing else becomes the id in its own type.

        Raises :class:`UnknownNameError`.
        """
        if isinstance(value, Mapping):
            return {str(self.resolve(key)): self.resolve(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.resolve(each) for each in value]
        if not isinstance(value, str):
            return value
        if _REFERENCE.fullmatch(value):
            return self._id(value)
        return _REFERENCE.sub(lambda match: str(self._id(match[0])), value)

    def _id(self, reference: str) -> Any:
        name = reference.strip("${}")
        if name in self.ids:
            return self.ids[name]
        if name.startswith("time/"):
            # As text, or as a number if ``#number`` follows it.
            written, _, kind = name.removeprefix("time/").partition("#")
            try:
                seconds = int(datetime.fromisoformat(written).replace(tzinfo=self.zone).timestamp())
            except ValueError as error:
                raise UnknownNameError(f"${name} is not a time such as $time/2026-03-05T14:00.") from error
            return seconds if kind == "number" else str(seconds)
        whole, _, word = name.partition("#")
        parts = [each for each, text in self.texts.get(whole, {}).items() if word and word in text]
        if len(parts) == 1:
            return parts[0]
        if parts:
            raise UnknownNameError(f"{len(parts)} parts of {whole} contain {word!r}; choose a word that only one has.")
        owner = name.partition("/")[0]
        known = [each for each in self.ids if each.startswith(f"{owner}/")]
        raise UnknownNameError(f"nothing is called {reference}. {hint(name, known)}")
