"""``mcpbench findability``: measure whether searches for the requests of tasks find the tools that the tasks need."""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import anyio

from pytest_mcpbench.agents.dispatchers import LEXICAL, Dispatcher, Dispatchers
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.cli.arguments import count, share
from pytest_mcpbench.cli.models import served_aliases
from pytest_mcpbench.cli.output import known_secrets, write_text
from pytest_mcpbench.cli.server_names import add_server_arguments, import_from_working_directory, selected_servers
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.reporting.forms.display_text import terminal_safe
from pytest_mcpbench.simulated.catalogue import SERVERS
from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer
from pytest_mcpbench.suite_files.loading import load_suite
from pytest_mcpbench.suite_files.server_paths import absolute

RANKS = (1, 5, 10)
"""Numbers of results at which recall is measured."""
_FOREIGN = (0, 50, 300)
_ROUNDING = 1e-9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_server_arguments(parser)
    parser.add_argument(
        "--search",
        action="append",
        metavar="NAME",
        help="way of searching: bm25, regex or an embedding model; repeatable (default: bm25 and regex)",
    )
    parser.add_argument(
        "--foreign",
        action="append",
        type=count,
        metavar="N",
        help="number of tools of simulated servers to search in, too; repeatable (default: 0, 50 and 300)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed that draws foreign tools (default: 0)")
    parser.add_argument(
        "--least",
        type=share,
        metavar="SHARE",
        help="exit code 1 if a tool has a lower recall under every way of searching, beside the most foreign tools",
    )
    parser.add_argument("--at", type=int, choices=RANKS, default=5, help="number of results for --least (default: 5)")
    parser.add_argument("--json", action="store_true", help="write JSON")


def run(options: argparse.Namespace) -> int:
    import_from_working_directory()
    servers = selected_servers(options)
    searches = tuple(dict.fromkeys(options.search or LEXICAL))
    foreign = tuple(sorted(set(options.foreign or _FOREIGN)))
    with served_aliases(",".join(name for name in searches if name not in LEXICAL)) as aliases:
        known_secrets().add_models(searches, aliases)
        measured: list[_Server] = anyio.run(_measure, servers, searches, foreign, options.seed, aliases)
    if options.json:
        write_text([json.dumps(_as_json(measured, options.seed), indent=2, ensure_ascii=False), "\n"], None)
    else:
        write_text((terminal_safe(f"{line}\n") for line in _table_lines(measured, searches, foreign)), None)
    if options.least is None:
        return 0
    return _check_gate(measured, foreign[-1], options.least, options.at)


Condition = tuple[str, int]
"""Way of searching, and number of foreign tools."""


@dataclass(frozen=True)
class _Tool:
    """One tool with the requests that need it."""

    name: str
    requests: tuple[str, ...]
    recall: Mapping[Condition, tuple[float, ...]]
    """Mean over the requests at each of ``RANKS``; empty for a tool without requests."""


@dataclass(frozen=True)
class _Server:
    name: str
    tools: tuple[_Tool, ...]

    @property
    def needed_tools(self) -> list[_Tool]:
        """Return the tools that at least one task needs."""
        return [tool for tool in self.tools if tool.requests]


# Measurement.


async def _measure(
    servers: Sequence[ConfiguredServer],
    searches: Sequence[str],
    foreign: Sequence[int],
    seed: int,
    aliases: Mapping[str, Any],
) -> list[_Server]:
    async with Models(aliases) as models, ServerPool(root=Path.cwd(), models=models) as pool:
        dispatchers = Dispatchers(models)
        for name in searches:
            dispatchers.get(name)  # an unknown one is refused before a server is started
        measured = []
        for server in servers:
            definition = known_secrets().remove_from_definition(await pool.definition(server.ref))
            own = [tool.spec(server.name) for tool in definition.tools]
            others = await _foreign_tools(server.ref, foreign[-1], seed, pool)
            requests = _requests(server, {tool.tool for tool in own})
            scored = {
                (search, size): await _recalls(dispatchers.get(search), own, others[:size], requests)
                for search in searches
                for size in foreign
            }
            tools = (
                _Tool(tool.tool, requests[tool.tool], {key: found[tool.tool] for key, found in scored.items()})
                if requests[tool.tool]
                else _Tool(tool.tool, (), {})
                for tool in own
            )
            measured.append(_Server(server.name, tuple(tools)))
        return measured


async def _foreign_tools(own: ServerRef, size: int, seed: int, pool: ServerPool) -> list[ToolSpec]:
    """Return tools of simulated servers in an order drawn with a seed, so that fewer tools are the first of more."""
    if not size:
        return []
    # Some servers have two names.
    names = {factory: name for name, factory in SERVERS.items() if factory != own.factory}
    tools = []
    for factory, name in names.items():
        definition = await pool.definition(ServerRef(name=name, transport="in_process", factory=factory))
        specs = (tool.spec(name) for tool in definition.tools)
        tools += [spec.model_copy(update={"name": f"{name}_{spec.tool}"}) for spec in specs]
    if len(tools) < size:
        raise UsageError(f"--foreign: the simulated servers have {len(tools)} tools; name at most so many, not {size}.")
    return random.Random(seed).sample(tools, size)


def _requests(server: ConfiguredServer, tools: set[str]) -> dict[str, tuple[str, ...]]:
    """Return the different requests of the tasks that expect each tool, without proposals."""
    found: dict[str, dict[str, None]] = {tool: {} for tool in tools}
    for file in server.files:
        if file.name.endswith("mcp.json"):
            continue
        suite = load_suite(file, {})
        base = Path(suite.manifest.directory)
        names = {name for name, ref in suite.manifest.servers.items() if absolute(ref, base) == server.ref}
        for record in suite.attempts:
            if record.error is not None:
                raise record.error
            task = record.task
            if task is None or task.proposal or not names & set(task.servers or suite.manifest.servers):
                continue
            for call in task.expected.flat_calls:
                exposed = (call.tool, *(call.tool.removeprefix(f"{name}_") for name in names))
                tool = next((name for name in exposed if name in tools), None)
                if tool is not None and (call.server is None or call.server in names):
                    found[tool][task.request] = None
    return {tool: tuple(requests) for tool, requests in found.items()}


async def _recalls(
    dispatcher: Dispatcher, own: Sequence[ToolSpec], others: Sequence[ToolSpec], requests: Mapping[str, Sequence[str]]
) -> dict[str, tuple[float, ...]]:
    """Return the recall of each tool with requests, among its own server's tools and the others."""
    tools = (*own, *others)
    different = dict.fromkeys(request for each in requests.values() for request in each)
    scores = {request: await dispatcher.scores(request, tools) for request in different}
    place = {tool.tool: index for index, tool in enumerate(own)}
    return {
        name: tuple(fmean(recall_at(rank, place[name], scores[request]) for request in each) for rank in RANKS)
        for name, each in requests.items()
        if each
    }


def recall_at(rank: int, place: int, scores: Sequence[float]) -> float:
    """Return the probability that one tool is among the first results, where equal scores come in any order.

    A score of 0 means that the tool has nothing in common with the request: it is not found.
    """
    own = scores[place]
    if own == 0:
        return 0.0
    better = sum(score > own for score in scores)
    return min(1.0, max(0.0, (rank - better) / scores.count(own)))


# Output.


def _table_lines(measured: Sequence[_Server], searches: Sequence[str], foreign: Sequence[int]) -> Iterator[str]:
    yield f"recall@{'/'.join(map(str, RANKS))} of each tool for the requests of its tasks, beside N foreign tools"
    for server in measured:
        needed = server.needed_tools
        rows = [(tool.name, str(len(tool.requests)), tool.recall) for tool in needed]
        if needed:
            means = {key: _mean(needed, key) for key in needed[0].recall}
            rows.append((f"mean of {len(needed)}", "", means))
        width = max(map(len, ("tool", *(name for name, _, _ in rows))))
        kind = max(map(len, ("search", *searches)))
        yield ""
        yield f"{server.name}: {len(needed)} of {len(server.tools)} tools are needed by tasks"
        if rows:
            heads = "  ".join(f"{f'N={size}':14}" for size in foreign)
            yield f"  {'tool':{width}}  requests  {'search':{kind}}  {heads}".rstrip()
        for name, requests, recall in rows:
            for search in searches:
                cells = "  ".join(" ".join(f"{value:.2f}" for value in recall[search, size]) for size in foreign)
                first = search == searches[0]
                yield f"  {name if first else '':{width}}  {requests if first else '':>8}  {search:{kind}}  {cells}"
        without = [tool.name for tool in server.tools if not tool.requests]
        if without:
            yield f"  not measured, in no task: {', '.join(without)}"


def _mean(tools: Sequence[_Tool], condition: Condition) -> tuple[float, ...]:
    return tuple(fmean(values) for values in zip(*(tool.recall[condition] for tool in tools), strict=True))


def _as_json(measured: Sequence[_Server], seed: int) -> dict[str, Any]:
    return {
        "seed": seed,
        "servers": [
            {
                "server": server.name,
                "tools": [
                    {
                        "tool": tool.name,
                        "requests": len(tool.requests),
                        "recall": [
                            {"search": search, "foreign": size, **dict(zip(map(str, RANKS), values, strict=True))}
                            for (search, size), values in tool.recall.items()
                        ],
                    }
                    for tool in server.tools
                ],
            }
            for server in measured
        ],
    }


def _check_gate(measured: Sequence[_Server], foreign: int, least: float, at: int) -> int:
    """Print the tools below the least recall under every way of searching, and return the exit code."""
    if not any(server.needed_tools for server in measured):
        names = ", ".join(server.name for server in measured)
        raise UsageError(f"--least: no task expects a call of a tool of {names}, so that nothing is measured.")
    exit_code = 0
    for server in measured:
        for tool in server.needed_tools:
            found = {
                search: values[RANKS.index(at)] for (search, size), values in tool.recall.items() if size == foreign
            }
            if max(found.values()) < least - _ROUNDING:
                reached = f"at most {max(found.values()):.2f} under {' and '.join(found)}, below {least:g}"
                problem = f"recall@{at} beside {foreign} foreign tools is {reached}"
                print(terminal_safe(f"{server.name}/{tool.name}: {problem}"), file=sys.stderr)
                exit_code = 1
    return exit_code
