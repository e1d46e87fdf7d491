"""Checks of the words of a request: it names no tool or parameter, and does not recite arguments."""

import re
from collections.abc import Iterable

from pytest_mcpbench.core.task import Task
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.generation.pipeline.candidates import Drop
from pytest_mcpbench.generation.pipeline.paths import scalars

_SHORTEST = 3
"""Words of the shortest request."""


def wording_fault(task: Task, tools: Iterable[ToolDefinition]) -> Drop | None:
    """Return what is wrong with the words of a task's requests; ``None`` if nothing is."""
    request = "\n".join(turn.user for turn in task.turns)
    if len(request.split()) < _SHORTEST:
        return Drop("the request is too short", request)
    plain = _without(request, _stated_texts(task))
    for tool in tools:
        for name in (tool.name, *tool.properties):
            if _is_identifier(name) and _has_word(name, plain):
                return Drop("the request names a tool or a parameter", name)
        if re.search(rf"(?i)\bthe\s+[`'\"]?{re.escape(tool.name)}[`'\"]?\s+tool\b", plain):
            return Drop("the request names a tool or a parameter", tool.name)
        for name in tool.properties:
            if re.search(rf"(?i)(?<![\w-]){re.escape(name)}\s*[=:]\s*\S", request):
                return Drop("the request recites an argument", name)
    return None


def _is_identifier(name: str) -> bool:
    """Return whether a name cannot be a word of the language: it has a sign or a capital inside."""
    return re.search(r"[_./]|[a-z][A-Z]|\w-\w", name) is not None


def _has_word(name: str, text: str) -> bool:
    return re.search(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _without(text: str, values: Iterable[str]) -> str:
    """Return a text without the values that it states, which may contain anything."""
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, " … ") if value else text
    return text


def _stated_texts(task: Task) -> set[str]:
    """Return the texts among the arguments of the reference calls."""
    calls = [call for group in task.expected.calls for call in group.calls]
    return {value for call in calls for _, value in scalars(call.arguments) if isinstance(value, str)}
