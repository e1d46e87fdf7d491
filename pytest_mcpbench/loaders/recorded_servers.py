"""Definitions of servers that replay the tools and results recorded in task files."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.loaders.tool_schemas import json_type

FACTORY = "pytest_mcpbench.simulated.recorded.server:server"
"""Factory of the server that offers recorded tools and replays recorded results."""

NAMELESS = "recorded"
"""Server of calls whose file does not specify one."""

Tools = Mapping[str, tuple[ToolSpec, ...]]
"""Tools by server."""


def recorded_servers(tasks: Iterable[Task], suite: SuiteManifest, known: Tools) -> dict[str, ServerRef]:
    """Return a replaying server for each server that tasks refer to and the suite does not define.

    Args:
        tasks: Tasks whose reference calls and tool lists determine the tools of each server.
        suite: Suite that determines whether tool names are prefixed with the server's name.
        known: Tools with recorded schemas; the schema of any other tool is the union of its reference arguments.
    """
    tools = _ToolCollector(is_prefixed=suite.tool_names == "prefixed")
    for task in tasks:
        tools.add_task(task)
    return {
        name: ServerRef(
            name=name,
            transport="in_process",
            factory=FACTORY,
            settings={
                "tools": [
                    {"name": tool.tool, "description": tool.description, "inputSchema": tool.input_schema}
                    for tool in (*known.get(name, ()), *tools.specs_without_schema(name, known))
                ]
            },
        )
        for name in (*known, *(name for name in tools.servers if name not in known))
        if name not in suite.servers
    }


def undescribed_tools(servers: Mapping[str, ServerRef], suite: SuiteManifest) -> frozenset[str]:
    """Return the names, as tasks list them, of the tools of replaying servers that have no description."""
    undescribed: set[str] = set()
    for name, server in servers.items():
        definitions = server.settings["tools"]
        for tool in definitions if isinstance(definitions, list) else ():
            if isinstance(tool, dict) and not str(tool.get("description") or "").strip():
                undescribed.add(f"{name}_{tool['name']}" if suite.tool_names == "prefixed" else str(tool["name"]))
    return frozenset(undescribed)


def is_replayed(server: str, suite: SuiteManifest) -> bool:
    """Return whether a server of the suite replays recorded results."""
    return server in suite.servers and suite.servers[server].factory == FACTORY


def needs_no_replay(task: Task, suite: SuiteManifest) -> bool:
    """Return whether every reference call goes to a real server, although other servers of the suite are replayed.

    Such a task runs without the tools of the replayed servers, which are distractors and have no effect.
    """
    servers = {call.server for call in task.expected.flat_calls}
    return bool(servers) and all(name in suite.servers and not is_replayed(name, suite) for name in servers)


def with_recorded_answers(task: Task, suite: SuiteManifest) -> Task:
    """Return the task with the recorded results of its reference calls as seeds of the replaying servers."""
    answers: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for call in task.expected.flat_calls:
        server = _server_of(call, task)
        if call.result is not None and is_replayed(server, suite):
            answers[server].append({"tool": call.tool, "arguments": call.arguments, "result": call.result})
    if not answers:
        return task
    seeds = {server: {"answers": results} for server, results in answers.items()}
    context = task.context.model_copy(update={"seeds": {**seeds, **task.context.seeds}})
    return task.model_copy(update={"context": context})


@dataclass
class _ToolCollector:
    """Collector of the tools that tasks refer to, by server, with the JSON types of their arguments."""

    is_prefixed: bool
    servers: dict[str, dict[str, dict[str, set[str]]]] = field(default_factory=dict)

    def add_task(self, task: Task) -> None:
        for server in task.servers:
            self.servers.setdefault(server, {})
        called_names: set[str] = set()
        for call in task.expected.flat_calls:
            server = _server_of(call, task)
            arguments = self._arguments(server, call.tool)
            for key, value in call.arguments.items():
                arguments.setdefault(key, set()).add(json_type(value))
            for similar in call.similar_tools:
                self._arguments(similar.server or server, similar.tool)
            # The names under which the task may list the tool.
            called_names |= {call.tool, f"{server}_{call.tool}"}
        for name in task.tools if task.tools != "all" else ():
            if name not in called_names:
                server, _, tool = name.partition("_")
                if not self.is_prefixed or not tool:
                    server, tool = _only_server(task), name
                self._arguments(server, tool)
        for checkpoint in task.expected.exec:
            if checkpoint.tool is not None and checkpoint.contexts:
                self._arguments(checkpoint.contexts[0][0], checkpoint.tool)

    def specs_without_schema(self, server: str, known: Tools) -> Iterator[ToolSpec]:
        """Yield the tools of a server that have no recorded schema."""
        schemas = {tool.tool for tool in known.get(server, ())}
        for name, arguments in self.servers.get(server, {}).items():
            if name not in schemas:
                properties = {
                    key: {"type": next(iter(types))} if len(types) == 1 else {} for key, types in arguments.items()
                }
                schema = {"type": "object", "properties": properties}
                yield ToolSpec(name=name, server=server, tool=name, input_schema=schema)

    def _arguments(self, server: str, tool: str) -> dict[str, set[str]]:
        return self.servers.setdefault(server, {}).setdefault(tool, {})


def _server_of(call: ExpectedCall, task: Task) -> str:
    return call.server or _only_server(task)


def _only_server(task: Task) -> str:
    return task.servers[0] if len(task.servers) == 1 else NAMELESS
