"""Values in reference calls that can be known neither from the request, nor from the context, nor from results."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.core.placeholders import PLACEHOLDER
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.definitions.lint.words import content_words
from pytest_mcpbench.generation.pipeline.paths import scalars
from pytest_mcpbench.generation.spelling import spoken_moment

Dictionaries = Mapping[str, Mapping[str, str]]

_NUMBER_WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def unknown_value(
    task: Task, results: Mapping[str, str], tools: Mapping[str, ToolSpec], dictionaries: Dictionaries
) -> str | None:
    """Return the first argument whose value would have to be guessed, as ``tool.parameter = value``.

    Args:
        task: The task.
        results: Text of each reference call's result, by its id, in the order of the calls.
        tools: Tools by name.
        dictionaries: Codes with the names that people use; a code is known if the request has its name.
    """
    known = _known_text(task)
    for group in task.expected.calls:
        leaves = ((call.tool, path, value) for call in group.calls for path, value in _leaves(call))
        for tool, path, value in leaves:
            if not _is_known(path, value, known, tools.get(tool), dictionaries):
                return f"{tool}.{path} = {json.dumps(value, ensure_ascii=False)}"
        # Calls of one group are made at the same time, so that none sees the result of another.
        known += "\n" + "\n".join(results.get(call.id, "") for call in group.calls)
    return None


def _known_text(task: Task) -> str:
    """Return everything that an agent reads or can ask for; the world of a server is not part of it."""
    context = task.context
    facts = [*context.necessary, *context.necessary.values(), *context.unnecessary, context.now or ""]
    # An agent can ask a user who answers.
    told = [task.user.goal, *(rule.reply for rule in task.user.script)] if task.user is not None else []
    return "\n".join([*(turn.user for turn in task.turns), *told, task.system or "", *facts])


def _leaves(call: ExpectedCall) -> Iterator[tuple[str, Any]]:
    """Yield path and value of each argument that is compared with the reference's."""
    matched = {".".join(map(str, matcher.at)) for matcher in call.matchers}
    for parts, value in scalars(call.arguments):
        path = ".".join(map(str, parts))
        is_result = isinstance(value, str) and PLACEHOLDER.search(value) is not None
        if not is_result and path not in matched and parts[0] not in call.optional:
            yield path, value


def _is_known(path: str, value: Any, known: str, tool: ToolSpec | None, dictionaries: Dictionaries) -> bool:
    schema = tool.properties.get(path, {}) if tool else {}
    if isinstance(schema, dict) and (_has_default(schema, value) or _is_only_choice(schema, value)):
        return True
    if isinstance(value, bool):
        return bool(content_words(path) & content_words(known))
    names = [entry[str(value)] for entry in dictionaries.values() if str(value) in entry]
    moment = spoken_moment(str(value))
    spellings = (str(value), *names, *([moment] if moment else ()))
    return any(_says(known, each) for each in spellings) or _says_number(known, value)


def _has_default(schema: Mapping[str, Any], value: Any) -> bool:
    return "default" in schema and bool(schema["default"] == value)


def _is_only_choice(schema: Mapping[str, Any], value: Any) -> bool:
    return schema.get("const") == value or schema.get("enum") == [value]


def _says(known: str, value: str) -> bool:
    """Return whether a text has a value as words of its own; ``most_recent`` is also said as `most recent`."""
    words = [re.escape(word) for word in re.split(r"[_\s-]+", value.strip())]
    spoken = r"[_\s-]+".join(words)
    return any(words) and re.search(rf"(?i)(?<!\w){spoken}(?!\w)", known) is not None


def _says_number(known: str, value: Any) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    spellings = {str(value), f"{value:g}", f"{value:,}"}
    if value in range(len(_NUMBER_WORDS)):
        spellings.add(_NUMBER_WORDS[int(value)])
    return any(_says(known, each) for each in spellings)
