"""Rules about the tasks of a suite: what they can show, and what their references say about the tools."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pytest_mcpbench.core.placeholders import PLACEHOLDER
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition, canonical_json
from pytest_mcpbench.definitions.lint.parameters import top_parameters
from pytest_mcpbench.definitions.lint.rules import RULES, Finding
from pytest_mcpbench.definitions.lint.schema_rules import value_problem
from pytest_mcpbench.definitions.lint.words import content_words, words_of
from pytest_mcpbench.text.words import shortened_list, terms

NAMED = "named"
"""Value of the tag ``level`` with which a task says that its request names the tool on purpose."""
_COPIED = 0.9
_FEWEST_WORDS = 5


@dataclass(frozen=True)
class CheckedTask:
    """A task with the servers that it works on, and whether something is expected of it."""

    task: Task
    servers: tuple[str, ...]
    has_floor: bool
    file: str
    line: int | None = None


def lint_tasks(tasks: Iterable[CheckedTask], servers: Mapping[str, ServerDefinition]) -> tuple[Finding, ...]:
    """Return the findings about the tasks of one suite.

    Args:
        tasks: The tasks that can be attempted.
        servers: Definitions by the name of the server in the suite. Tasks that need another server are left out.
    """
    known = [task for task in tasks if task.servers and set(task.servers) <= servers.keys()]
    found: list[Finding] = []
    for checked in known:
        if not checked.has_floor:
            found.append(_finding("nothing-expected", checked, "nothing is expected, so that every attempt passes"))
        found += _unknown_tools(checked, servers)
        for call in checked.task.expected.flat_calls:
            tool = _tool_of(call, checked, servers)
            if tool is not None:
                found += _argument_findings(checked, call, tool)
                found += _leaks(checked, tool)
    seen: dict[str, CheckedTask] = {}
    for checked in known:
        task = checked.task
        content = [[turn.user for turn in task.turns], task.expected.model_dump(mode="json"), task.context.seeds]
        first = seen.setdefault(canonical_json([content, list(checked.servers), task.context.now]), checked)
        if first is not checked:
            found.append(_finding("copied-task", checked, f"it makes the same request as {first.task.id!r}"))
    return (*found, *_uncovered(known, servers))


def lint_findability(tasks: Iterable[CheckedTask], servers: Mapping[str, ServerDefinition]) -> tuple[Finding, ...]:
    """Return a finding for each tool that no search by words finds for a request of its tasks.

    The tasks are those of all suites, because one request in the words of the definition is enough.
    """
    requests: dict[tuple[str, str], set[str]] = {}
    for checked in tasks:
        for call in checked.task.expected.flat_calls if set(checked.servers) <= servers.keys() else ():
            for name in [call.server] if call.server in checked.servers else checked.servers:
                if name is not None:
                    tool = call.tool.removeprefix(f"{name}_") if servers[name].tool(call.tool) is None else call.tool
                    requests.setdefault((name, tool), set()).update(terms(checked.task.request))
    problem = "its description shares no word with the requests of its tasks"
    found: list[Finding] = []
    for definition in servers.values():
        for offered in definition.tools:
            words = requests.get((definition.name, offered.name))
            if words is None:
                continue
            texts = [offered.name, offered.title, offered.description]
            for parameter in top_parameters(offered):
                texts += [parameter.name, str(parameter.schema.get("description", ""))]
            if words.isdisjoint(terms(" ".join(texts))):
                message = f"nobody will find {offered.name!r}: {problem}"
                found.append(Finding(RULES["unfindable-tool"], definition.name, message, offered.name))
    return tuple(found)


def _finding(rule: str, checked: CheckedTask, message: str, tool: str | None = None) -> Finding:
    server = ", ".join(checked.servers)
    return Finding(RULES[rule], server, message, tool, checked.task.id, checked.file, checked.line)


def _unknown_tools(checked: CheckedTask, servers: Mapping[str, ServerDefinition]) -> Iterator[Finding]:
    offered = {tool.name for name in checked.servers for tool in servers[name].tools}
    exposed = {f"{name}_{tool.name}" for name in checked.servers for tool in servers[name].tools}
    expected = checked.task.expected
    for call in expected.flat_calls:
        if _tool_of(call, checked, servers) is None and call.tool not in exposed:
            yield _finding("unknown-tool", checked, f"{call.tool!r} is expected, and no server offers it", call.tool)
    forbidden = () if expected.forbidden_tools == "all" else expected.forbidden_tools
    for name in forbidden:
        if name not in offered and name not in exposed:
            yield _finding("unknown-tool", checked, f"{name!r} is forbidden, and no server offers it", name)


def _tool_of(
    call: ExpectedCall, checked: CheckedTask, servers: Mapping[str, ServerDefinition]
) -> ToolDefinition | None:
    names = [call.server] if call.server in checked.servers else checked.servers
    tools = (servers[name].tool(call.tool) for name in names if name is not None)
    return next((tool for tool in tools if tool is not None), None)


def _argument_findings(checked: CheckedTask, call: ExpectedCall, tool: ToolDefinition) -> Iterator[Finding]:
    schema = tool.input_schema
    parameters = {parameter.name: parameter for parameter in top_parameters(tool)}
    is_open = bool(schema.get("additionalProperties")) or any(word in schema for word in _DECLARING)
    matched = {matcher.at[0] for matcher in call.matchers}
    for name, value in call.arguments.items():
        if name not in parameters:
            if not is_open:
                known = ", ".join(parameters) or "none"
                message = f"{tool.name!r} has no parameter {name!r}; it has: {known}"
                yield _finding("unknown-argument", checked, message, tool.name)
        elif name not in matched and not PLACEHOLDER.search(canonical_json(value)):
            problem = value_problem(value, parameters[name].schema, parameters[name].root)
            if problem is not None:
                yield _finding("invalid-argument", checked, f"{name}: {problem}", tool.name)


_DECLARING = ("allOf", "anyOf", "oneOf", "$ref", "patternProperties")


def _leaks(checked: CheckedTask, tool: ToolDefinition) -> Iterator[Finding]:
    task = checked.task
    if task.tags.get("level") == NAMED:
        return
    request = task.request
    # A request names an identifier as it is, an ordinary word only in quotes or as a tool.
    word = re.escape(tool.name)
    as_a_tool = rf"[`\"']{word}[`\"']|\b{word} tool\b|\btool {word}\b"
    if _is_distinctive(tool.name, request) or re.search(as_a_tool, request):
        remedy = f"say what the user wants, or tag the task with level: {NAMED}"
        yield _finding("leaked-tool", checked, f"the request names {tool.name!r}; {remedy}", tool.name)
    leaked = [parameter.name for parameter in top_parameters(tool) if _is_distinctive(parameter.name, request)]
    if leaked:
        yield _finding("leaked-parameter", checked, f"the request names {', '.join(leaked)}", tool.name)
    wanted = content_words(task.prompt)
    if len(wanted) >= _FEWEST_WORDS and len(wanted & content_words(tool.description)) >= _COPIED * len(wanted):
        message = "the request is made of the words of the description; ask as a user would"
        yield _finding("copied-description", checked, message, tool.name)


def _is_distinctive(name: str, request: str) -> bool:
    """Return whether an identifier of several words (``get_weather``, ``getWeather``) stands in a request."""
    is_identifier = len(words_of(name)) > 1 and re.search(r"[_-]|[a-z][A-Z]", name) is not None
    return is_identifier and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", request) is not None


def _uncovered(tasks: Iterable[CheckedTask], servers: Mapping[str, ServerDefinition]) -> Iterator[Finding]:
    tasks = list(tasks)
    used: Counter[str] = Counter()
    for expected in (checked.task.expected for checked in tasks):
        used.update(call.tool for call in expected.flat_calls)
        used.update(similar.tool for call in expected.flat_calls for similar in call.similar_tools)
        used.update(() if expected.forbidden_tools == "all" else expected.forbidden_tools)
    # A task without reference calls may need any tool of its servers.
    open_servers = {name for checked in tasks if not checked.task.expected.flat_calls for name in checked.servers}
    for name in dict.fromkeys(server for checked in tasks for server in checked.servers):
        tools = servers[name].tools
        without = [tool.name for tool in tools if not used[tool.name] and not used[f"{name}_{tool.name}"]]
        if without and name not in open_servers:
            message = f"{len(without)} of {len(tools)} tools are in no task: {shortened_list(without)}"
            yield Finding(RULES["tool-without-task"], name, message)
