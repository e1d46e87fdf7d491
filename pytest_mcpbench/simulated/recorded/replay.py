"""The answers that a task file recorded, given out again (FinMCP-Bench 3.2: teacher-forced replay)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

NOT_RECORDED = {
    "placeholder": True,
    "message": "No answer to this call was recorded; go on as if it had succeeded.",
}
"""What a call gets to which the task has no answer."""


@dataclass(frozen=True)
class Answer:
    """What a reference call gave back when it was recorded."""

    tool: str
    arguments: Mapping[str, Any]
    text: str


@dataclass
class Replay:
    """The answers of one task; each is given once, to the call that it belongs to or else to another of its tool."""

    answers: Sequence[Answer]
    _given: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, seed: Any) -> "Replay":
        """From ``{"answers": [{"tool", "arguments", "result"}]}``; without any where there is no seed."""
        listed = seed.get("answers", ()) if isinstance(seed, Mapping) else ()
        return cls(tuple(Answer(each["tool"], each["arguments"], each["result"]) for each in listed))

    def answer(self, tool: str, arguments: Mapping[str, Any]) -> str | None:
        """The answer to the same call; else the next one of the tool that was not given yet; else ``None``.

        The same call made again gets the same answer again.
        """
        of_tool = [index for index, each in enumerate(self.answers) if each.tool == tool]
        same = [index for index in of_tool if self.answers[index].arguments == arguments]
        fitting = (*self._unused(same), *same, *self._unused(of_tool))
        chosen = next(iter(fitting), None)
        if chosen is None:
            return None
        self._given.add(chosen)
        return self.answers[chosen].text

    def _unused(self, indices: list[int]) -> list[int]:
        return [index for index in indices if index not in self._given]


def not_recorded() -> str:
    """The text of :data:`NOT_RECORDED`."""
    return json.dumps(NOT_RECORDED)
