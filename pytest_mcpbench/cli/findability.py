"""``mcpbench findability``: measure whether searches for the requests of tasks find the tools that the tasks need."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import anyio

from pytest_mcpbench.agents.dispatchers import LEXICAL, Dispatchers
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.audit.findability import (
    GATE_RANK,
    MOST_FOREIGN,
    RANKS,
    MeasuredServer,
    foreign_tools,
    measure_server,
)
from pytest_mcpbench.cli.arguments import count, share
from pytest_mcpbench.cli.models import served_aliases
from pytest_mcpbench.cli.output import known_secrets, write_text
from pytest_mcpbench.cli.server_names import add_server_arguments, import_from_working_directory, selected_servers
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.reporting.forms.display_text import terminal_safe
from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer
from pytest_mcpbench.text.words import shortened_list

_FOREIGN = (0, 50, MOST_FOREIGN)


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
    parser.add_argument(
        "--at", type=int, choices=RANKS, default=GATE_RANK, help="number of results for --least (default: 5)"
    )
    parser.add_argument("--json", action="store_true", help="write JSON")


def run(options: argparse.Namespace) -> int:
    import_from_working_directory()
    servers = selected_servers(options)
    searches = tuple(dict.fromkeys(options.search or LEXICAL))
    foreign = tuple(sorted(set(options.foreign or _FOREIGN)))
    with served_aliases(",".join(name for name in searches if name not in LEXICAL)) as aliases:
        known_secrets().add_models(searches, aliases)
        measured: list[MeasuredServer] = anyio.run(_measure, servers, searches, foreign, options.seed, aliases)
    if options.json:
        write_text([json.dumps(_as_json(measured, options.seed), indent=2, ensure_ascii=False), "\n"], None)
    else:
        write_text((terminal_safe(f"{line}\n") for line in _table_lines(measured, searches, foreign)), None)
    if options.least is None:
        return 0
    if not any(server.needed_tools for server in measured):
        names = ", ".join(server.name for server in measured)
        if any(server.awaits_tasks for server in measured):
            print(f"--least: nothing is measured yet, because {names} has no tasks but proposals.")
            return 0
        raise UsageError(f"--least: no task expects a call of a tool of {names}, so that nothing is measured.")
    exit_code = 0
    for server in measured:
        for problem in server.shortfalls(foreign[-1], options.least, options.at):
            print(terminal_safe(problem), file=sys.stderr)
            exit_code = 1
    return exit_code


async def _measure(
    servers: Sequence[ConfiguredServer],
    searches: Sequence[str],
    foreign: Sequence[int],
    seed: int,
    aliases: Mapping[str, Any],
) -> list[MeasuredServer]:
    async with Models(aliases) as models, ServerPool(root=Path.cwd(), models=models) as pool:
        dispatchers = Dispatchers(models)
        for name in searches:
            dispatchers.get(name)  # an unknown one is refused before a server is started
        measured = []
        for server in servers:
            definition = known_secrets().remove_from_definition(await pool.definition(server.ref))
            others = await foreign_tools(server.ref, foreign[-1], seed, pool)
            measured.append(
                await measure_server(
                    server, definition, others, dispatchers=dispatchers, searches=searches, foreign=foreign
                )
            )
        return measured


# Output.


def _table_lines(measured: Sequence[MeasuredServer], searches: Sequence[str], foreign: Sequence[int]) -> Iterator[str]:
    yield f"recall@{'/'.join(map(str, RANKS))} of each tool for the requests of its tasks, beside N foreign tools"
    for server in measured:
        needed = server.needed_tools
        rows = [(tool.name, str(len(tool.requests)), tool.recall) for tool in needed]
        if needed:
            means = {
                key: tuple(fmean(values) for values in zip(*(tool.recall[key] for tool in needed), strict=True))
                for key in needed[0].recall
            }
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
            yield f"  not measured, in no task: {shortened_list(without)}"


def _as_json(measured: Sequence[MeasuredServer], seed: int) -> dict[str, Any]:
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
