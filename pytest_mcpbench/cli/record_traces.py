"""``mcpbench record-traces``: record calls of a real server, for ``mcpbench fidelity``."""

import argparse
import os
from pathlib import Path

import anyio

from pytest_mcpbench.attempt.fidelity import record_results, traces_from_records
from pytest_mcpbench.cli.arguments import RUN_HELP, run_directory
from pytest_mcpbench.cli.output import known_secrets, write_text
from pytest_mcpbench.cli.server_names import SERVER_HELP, server_by_name
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.loaders.mcp_json import read_mcp_json
from pytest_mcpbench.loaders.traces import read_traces
from pytest_mcpbench.runs.records import read_records


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source",
        type=run_directory,
        metavar="CALLS.jsonl|DIR",
        help="traces that still lack the answers, or " + RUN_HELP,
    )
    parser.add_argument(
        "--server", required=True, metavar="NAME", help="the real server, as in --mcp-json, or: " + SERVER_HELP
    )
    parser.add_argument("--mcp-json", type=Path, metavar="FILE", help="file with the server's command and environment")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to this file instead of to standard output")


def run(options: argparse.Namespace) -> int:
    server: ServerRef | None = None
    if options.mcp_json:
        text = options.mcp_json.read_text(encoding="utf-8-sig")
        servers = read_mcp_json(text, str(options.mcp_json), os.environ).servers
        if options.server not in servers:
            there_are = ", ".join(servers) or "none"
            raise UsageError(f"{options.mcp_json} has no server {options.server!r}; there are: {there_are}.")
        server = servers[options.server].model_copy(update={"state": "per_task"})
    elif not options.source.is_dir():
        server = server_by_name(options.server)
    known_secrets().add_servers(filter(None, [server]))
    if server and not options.source.is_dir():
        text = options.source.read_text(encoding="utf-8")
        traces = anyio.run(record_results, read_traces(text, str(options.source), require_results=False), server)
    else:
        traces = traces_from_records([record for _, record in read_records(options.source)], options.server)
    if not traces:
        raise UsageError(f"no attempt in {options.source} called a server {options.server!r}.")
    write_text((trace.model_dump_json(exclude_defaults=True) + "\n" for trace in traces), options.out)
    return 0
