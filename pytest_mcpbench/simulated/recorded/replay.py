"""Replay of the responses recorded in a task file (FinMCP-Bench 3.2: teacher-forced replay)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

NOT_RECORDED = {
    "placeholder": True,
    "message": "No answer to this call was recorded; go on as if it had succeeded.",
}
"""The response to a call for which the task has no recorded one."""


@dataclass(frozen=True)
class Answer:
    """The recorded response to a reference call."""

    tool: str
    arguments: Mapping[str, Any]
    text: str


@dataclass
class Replay:
    """The responses of one task; each is returned to its own call or else once to another call of the same tool."""

    answers: Sequence[Answer]
    _used: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, seed: Any) -> "Replay":
        """Build the replay from ``{"answers": [{"tool", "arguments", "result"}]}``, or an empty one without a seed."""
        recorded = seed.get("answers", ()) if isinstance(seed, Mapping) else ()
        return cls(tuple(Answer(each["tool"], each["arguments"], each["result"]) for each in recorded))

    def answer(self, tool: str, arguments: Mapping[str, Any]) -> str | None:
        """Return the response to a call, or ``None`` if there is none.

        An unused response to the same call comes first, then a used one, then the tool's next unused response; so a
        repeated call gets the same response again.
        """
        of_tool = [index for index, each in enumerate(self.answers) if each.tool == tool]
        same = [index for index in of_tool if self.answers[index].arguments == arguments]
        candidates = (*self._skip_used(same), *same, *self._skip_used(of_tool))
        match = next(iter(candidates), None)
        if match is None:
            return None
        self._used.add(match)
        return self.answers[match].text

    def _skip_used(self, indices: list[int]) -> list[int]:
        return [index for index in indices if index not in self._used]


def placeholder_text() -> str:
    """Return the text of :data:`NOT_RECORDED`."""
    return json.dumps(NOT_RECORDED)
