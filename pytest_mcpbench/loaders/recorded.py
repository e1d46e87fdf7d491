"""What task files record of servers that nobody can start: their tools, and what these answered."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.loaders.recorded_schema import json_type

FACTORY = "pytest_mcpbench.simulated.recorded.server:server"
"""The server that offers recorded tools and gives recorded answers."""

NAMELESS = "recorded"
"""The server of calls for which a file names none."""

Tools = Mapping[str, tuple[ToolSpec, ...]]
"""Server -> tools."""


def recorded_servers(tasks: Iterable[Task], suite: SuiteManifest, known: Tools) -> dict[str, ServerRef]:
    """A replaying server for each one that the tasks name and the suite lacks.

    Args:
        tasks: Their reference calls and lists of tools say which tools a server has.
        suite: Says whether names of tools begin with the server's.
        known: Tools with their own schemas; those of other tools are unions of the arguments of the reference calls.
    """
    tools = _Tools(is_prefixed=suite.tool_names == "prefixed")
    for task in tasks:
        tools.learn(task)
    return {
        name: ServerRef(
            name=name,
            transport="in_process",
            factory=FACTORY,
            settings={"tools": [_described(tool) for tool in (*known.get(name, ()), *tools.others(name, known))]},
        )
        for name in (*known, *(name for name in tools.servers if name not in known))
        if name not in suite.servers
    }


def with_answers(task: Task, suite: SuiteManifest) -> Task:
    """The task with the recorded results of its reference calls as the seeds of the servers that replay them."""
    answers: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for call in task.expected.flat_calls:
        server = _server_of(call, task)
        if call.result is not None and _is_replayed(server, suite):
            answers[server].append({"tool": call.tool, "arguments": call.arguments, "result": call.result})
    if not answers:
        return task
    seeds = {server: {"answers": given} for server, given in answers.items()}
    context = task.context.model_copy(update={"seeds": {**seeds, **task.context.seeds}})
    return task.model_copy(update={"context": context})


@dataclass
class _Tools:
    """The tools that tasks name, by server, with the kinds of values that their arguments had."""

    is_prefixed: bool
    servers: dict[str, dict[str, dict[str, set[str]]]] = field(default_factory=dict)

    def learn(self, task: Task) -> None:
        for server in task.servers:
            self.servers.setdefault(server, {})
        called = {name for call in task.expected.flat_calls for name in self._learn_call(call, task)}
        for name in task.tools if task.tools != "all" else ():
            if name not in called:
                server, tool = self._parts(name, task)
                self._arguments(server, tool)
        for checkpoint in task.expected.exec:
            if checkpoint.tool is not None and checkpoint.contexts:
                self._arguments(checkpoint.contexts[0][0], checkpoint.tool)

    def others(self, server: str, known: Tools) -> Iterator[ToolSpec]:
        """The tools of a server whose schemas nobody knows."""
        schemas = {tool.tool for tool in known.get(server, ())}
        for name, arguments in self.servers.get(server, {}).items():
            if name not in schemas:
                properties = {key: _one_type(kinds) for key, kinds in arguments.items()}
                schema = {"type": "object", "properties": properties}
                yield ToolSpec(name=name, server=server, tool=name, input_schema=schema)

    def _learn_call(self, call: ExpectedCall, task: Task) -> tuple[str, str]:
        """Take note of a reference call; the names by which the task may list its tool."""
        server = _server_of(call, task)
        arguments = self._arguments(server, call.tool)
        for key, value in call.arguments.items():
            arguments.setdefault(key, set()).add(json_type(value))
        for similar in call.similar_tools:
            self._arguments(similar.server or server, similar.tool)
        return call.tool, f"{server}_{call.tool}"

    def _arguments(self, server: str, tool: str) -> dict[str, set[str]]:
        return self.servers.setdefault(server, {}).setdefault(tool, {})

    def _parts(self, name: str, task: Task) -> tuple[str, str]:
        """Server and own name of a listed tool."""
        server, _, tool = name.partition("_")
        if self.is_prefixed and tool:
            return server, tool
        return _only_server(task), name


def _server_of(call: ExpectedCall, task: Task) -> str:
    return call.server or _only_server(task)


def _only_server(task: Task) -> str:
    return task.servers[0] if len(task.servers) == 1 else NAMELESS


def _is_replayed(server: str, suite: SuiteManifest) -> bool:
    return server in suite.servers and suite.servers[server].factory == FACTORY


def _one_type(kinds: set[str]) -> dict[str, str]:
    return {"type": next(iter(kinds))} if len(kinds) == 1 else {}


def _described(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.tool, "description": tool.description, "inputSchema": tool.input_schema}
