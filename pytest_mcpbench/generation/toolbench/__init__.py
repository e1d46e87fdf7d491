"""Generator of the suite ``toolbench``: our own tasks in the format of MCPToolBench++ (arXiv 2508.07575, 2.3 to 2.5).

The requests are handwritten, in the suite's ``source/``; nothing is random. The generator turns them into records with
tools, servers, similar tools and steps (paper, 2.4, and the released files). A record lists the tools that the agent
may use: all tools of the servers that it has in the categories that the request touches.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.directories import output_directory, write_files
from pytest_mcpbench.generation.source.calls import ReferenceCall, Step
from pytest_mcpbench.generation.source.files import SourceEntry, read_entries, read_entry, source_directory
from pytest_mcpbench.generation.toolbench.wordings import wording
from pytest_mcpbench.simulated.browser import playwright, puppeteer
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.simulated.files import server as files
from pytest_mcpbench.simulated.maps import amap, baidu, google
from pytest_mcpbench.simulated.market import finance_agent, yahoo_finance
from pytest_mcpbench.simulated.payments import server as payments
from pytest_mcpbench.simulated.search import google as google_search
from pytest_mcpbench.simulated.search import tavily
from pytest_mcpbench.text.suggestions import hint

# Requests of the suite, parsed from the files in ``source/``: one file per category.


class ToolbenchRequest(SourceEntry):
    """A user's request and the reference calls that fulfil it."""

    language: Literal["en", "es", "fr", "ru", "zh"]
    ask: str
    calls: tuple[Step, ...]
    offered: frozenset[str] = frozenset()
    """Servers of the request's categories that the agent has; of a category without one of them, it has all."""
    named_servers: frozenset[str] = frozenset()
    """Servers that the user asks for by name; tools of other servers are then not accepted in their place."""

    @property
    def numbered_calls(self) -> Iterator[tuple[int, int, ReferenceCall]]:
        """Yield each call with its number and the number of its step, both counted from 1."""
        number = 0
        for position, step in enumerate(self.calls, start=1):
            for call in step:
                number += 1
                yield number, position, call


def requests(category: str) -> tuple[ToolbenchRequest, ...]:
    """Return the requests of a category."""
    return read_entries(source_directory("toolbench") / f"{category}.yaml", ToolbenchRequest)


# Records of MCPToolBench++'s file format, built from requests.

SERVERS: Mapping[str, Mapping[str, Simulation]] = MappingProxyType(
    {
        "browser": {"playwright": playwright.SIMULATION, "puppeteer": puppeteer.SIMULATION},
        "filesystem": {"filesystem": files.SIMULATION},
        "finance": {"finance-agent": finance_agent.SIMULATION, "yahoo-finance": yahoo_finance.SIMULATION},
        "search": {"tavily": tavily.SIMULATION, "google-search": google_search.SIMULATION},
        "map": {"google-maps": google.SIMULATION, "baidu-maps": baidu.SIMULATION, "amap-maps": amap.SIMULATION},
        "pay": {"paypal": payments.SIMULATION},
    }
)
"""Servers of each category, by server name."""
OUTPUT = {"status_code": 200, "result": {}}
"""Placeholder output; every released record has it because the benchmark publishes no reference outputs."""


def file_content(category: str, requests: Iterable[ToolbenchRequest]) -> str:
    """Return the text of one task file: a JSON array with one record per line."""
    lines = [
        json.dumps(record(f"{category}-{number:03d}", category, each), ensure_ascii=False)
        for number, each in enumerate(requests, start=1)
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def record(name: str, category: str, request: ToolbenchRequest) -> dict[str, Any]:
    """Return one record. All keys are those of the released files but ``language``, and ``matchers`` of calls."""
    known = {tool for servers in SERVERS.values() for each in servers.values() for tool in each.table}
    for _, _, call in request.numbered_calls:
        if call.tool not in known:
            raise TaskError(f"no server has a tool {call.tool!r}.", request.place, remedy=hint(call.tool, known))
    servers = _servers_for(request)
    label = [_call(number, step, call, request) for number, step, call in request.numbered_calls]
    return {
        "uuid": name,
        "category": category,
        "call_type": "single" if len(label) == 1 else "multiple",
        "language": request.language,
        "query": request.ask,
        "function_call_label": label,
        "mcp_tools_dict": {name: list(simulation.table) for name, simulation in servers.items()},
        "tools": [
            {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
            for simulation in servers.values()
            for tool in simulation.table.values()
        ],
    }


class _SimilarTools(SourceEntry):
    groups: tuple[frozenset[str], ...]


@cache
def similar_tools() -> tuple[frozenset[str], ...]:
    """Return groups of interchangeable tools: any of a group is correct if the user asks for no particular server."""
    return read_entry(source_directory("toolbench") / "similar_tools.yaml", _SimilarTools).groups


@cache
def server_of(tool: str) -> str:
    """Return the name of the server that has the tool. Tool names are unique across servers."""
    return next(name for servers in SERVERS.values() for name, each in servers.items() if tool in each.table)


def _servers_for(request: ToolbenchRequest) -> dict[str, Simulation]:
    called = {server_of(call.tool) for _, _, call in request.numbered_calls}
    found: dict[str, Simulation] = {}
    for servers in SERVERS.values():
        if called & servers.keys():
            # The servers of a category that the request offers; all of them if it offers none.
            offered = servers.keys() & request.offered
            found |= {name: each for name, each in servers.items() if name in offered or not offered}
    return found


def _call(number: int, step: int, call: ReferenceCall, request: ToolbenchRequest) -> dict[str, Any]:
    equal: set[str] = set()
    # Tools of other servers are equally correct, unless the user names the server.
    if server_of(call.tool) not in request.named_servers:
        offered = _servers_for(request)
        others = {other for group in similar_tools() if call.tool in group for other in group - {call.tool}}
        equal = {other for other in others if server_of(other) in offered}
    similar = [{"name": name, "mcp_server": server_of(name)} for name in sorted(equal)]
    who = {"name": call.tool, "step": f"{step}", "id": f"{number}", "mcp_server": server_of(call.tool)}
    matchers: list[dict[str, Any]] = []
    try:
        arguments = {name: _played(value, (name,), matchers) for name, value in call.arguments.items()}
    except ValueError as error:
        raise TaskError(f"{call.tool}: {error}.", request.place) from error
    more = {"matchers": matchers} if matchers else {}
    return {**who, "similar_tools": similar, "input": arguments, **more, "output": OUTPUT}


def _played(value: Any, at: tuple[str | int, ...], matchers: list[dict[str, Any]]) -> Any:
    """Return a value as the reference plays it, and note what is accepted in place of it."""
    found = wording(value)
    if found is not None:
        matchers.append({"at": [*at], **found.accepted})
        return found.example
    if isinstance(value, Mapping):
        return {name: _played(part, (*at, name), matchers) for name, part in value.items()}
    if isinstance(value, list):
        return [_played(part, (*at, index), matchers) for index, part in enumerate(value)]
    return value


# The files of the suite.

CATEGORIES = ("browser", "filesystem", "finance", "search", "map", "pay", "cross")
"""Names of the files in ``source/``, and of those in ``tasks/``."""


def task_files() -> dict[str, str]:
    """Return the content of every task file, by its path in the suite's directory."""
    return {f"tasks/{name}.json": file_content(name, requests(name)) for name in CATEGORIES}


def write(directory: Path | None = None) -> None:
    """Write the task files of the suite, to :func:`output_directory` by default."""
    write_files(directory or output_directory("toolbench"), task_files())
