"""``mcpbench init``: write proposals of tasks, the lock, a snapshot test and a workflow for a server."""

import argparse
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.cli.output import known_secrets
from pytest_mcpbench.cli.server_names import import_from_working_directory, server_by_name
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.core.loading import LoadOptions
from pytest_mcpbench.core.placeholders import payload
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.lock import LOCK_ENDING, lock_text, make_lock
from pytest_mcpbench.definitions.proposals import ProposedCall
from pytest_mcpbench.generation.first_suite import project_files
from pytest_mcpbench.generation.first_suite.proposing import Proposal, Trial, propose_tasks
from pytest_mcpbench.generation.first_suite.task_file import task_file
from pytest_mcpbench.loaders.manifest import UNNAMED, mcp_json_files
from pytest_mcpbench.loaders.native import load
from pytest_mcpbench.suite_files.configured_servers import server_ids
from pytest_mcpbench.suite_files.server_paths import absolute, locate, servers_of_mcp_json
from pytest_mcpbench.text.suggestions import hint

# Server that ``mcpbench init`` looks at, and the way in which the new task file refers to it.

_CLIENT_FILES = (
    ".config/Claude/claude_desktop_config.json",
    "Library/Application Support/Claude/claude_desktop_config.json",
    "AppData/Roaming/Claude/claude_desktop_config.json",
    ".cursor/mcp.json",
    ".config/Code/User/mcp.json",
    "Library/Application Support/Code/User/mcp.json",
    "AppData/Roaming/Code/User/mcp.json",
)
"""Files of clients below the home directory."""


@dataclass(frozen=True)
class FirstServer:
    """A server that is to be tested."""

    ref: ServerRef
    """Its relative paths start from an absolute directory."""
    head: dict[str, Any] = field(default_factory=dict)
    """Fields of the task file that define it; empty if an ``mcp.json`` of the project does."""
    is_foreign: bool = False
    """True if the project needs a copy of its definition in an ``mcp.json`` of its own."""


def first_server(options: argparse.Namespace, root: Path) -> FirstServer:
    """Return the server that the options name, or the only one of the project's ``mcp.json``."""
    own = mcp_json_files(root)
    if options.mcp_json is not None:
        ref = _named(options.server, servers_of_mcp_json(options.mcp_json, root), options.mcp_json)
        return FirstServer(ref, is_foreign=options.mcp_json.resolve() not in {file.resolve() for file in own})
    configured = servers_of_mcp_json(own[0], root) if own else {}
    if own and (options.server is None or options.server in configured):
        return FirstServer(_named(options.server, configured, own[0]))
    if options.server is None:
        raise UsageError(_no_server())
    ref = server_by_name(options.server).model_copy(update={"name": UNNAMED})
    return FirstServer(absolute(locate(ref, root, root), root), {"server": options.server})


def _named(name: str | None, servers: dict[str, ServerRef], file: Path) -> ServerRef:
    if name is None and len(servers) == 1:
        return next(iter(servers.values()))
    if name is None:
        raise UsageError(f"{file} has {len(servers)} servers; name one of: {', '.join(sorted(servers))}.")
    if name not in servers:
        raise UsageError(f"{file} has no server {name!r}. {hint(name, servers)}")
    return servers[name]


def _no_server() -> str:
    found = [str(Path.home() / name) for name in _CLIENT_FILES if (Path.home() / name).is_file()]
    example = 'name the server, such as `mcpbench init "python server.py"`'
    if not found:
        return f"there is no mcp.json in the working directory; {example}."
    return f"there is no mcp.json in the working directory; {example}, or --mcp-json with one of: {', '.join(found)}."


# Proposals of tasks, played by ``oracle`` as the task file will define them.

_FILE = "proposals.yaml"


async def look_at(ref: ServerRef, allowed: Collection[str]) -> tuple[ServerDefinition, list[Proposal]]:
    """Return the definition of a server, and a proposal for each tool.

    Args:
        ref: The server.
        allowed: Tools that may be called although they do not promise to be read-only.
    """
    async with ServerPool(root=Path.cwd()) as pool:
        definition = await pool.definition(ref)
        for name in allowed:
            if definition.tool(name) is None:
                known = [tool.name for tool in definition.tools]
                raise UsageError(f"--call: the server has no tool {name!r}. {hint(name, known)}")

        async def play(call: ProposedCall) -> Trial:
            return await _play(call, ref, pool)

        return definition, await propose_tasks(definition, play, allowed)


async def _play(call: ProposedCall, ref: ServerRef, pool: ServerPool) -> Trial:
    files = (TaskFileRef(path=_FILE, loader="native"),)
    suite = SuiteManifest(name="proposals", directory=str(Path.cwd()), files=files, servers={ref.name: ref})
    task = _task(call)
    player = Player(suite, pool)
    try:
        played = await player.play(task, OracleAgent())
        if played.error is not None:
            return Trial(str(played.error))
        has_passed = player.score(task, played.evidence).passed
    except McpBenchError as error:
        return Trial(str(error))
    results = [payload(made.result) for made in played.evidence.calls if made.result is not None]
    return Trial(None if has_passed else "the reference does not pass", results)


def _task(call: ProposedCall) -> Task:
    content = task_file({}, [Proposal(call, None)], None).encode()
    (loaded,) = load(content, LoadOptions(_FILE, {}, None))
    if loaded.task is None:
        raise loaded.error or AssertionError("a record without a task has an error")
    return loaded.task


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "server",
        nargs="?",
        metavar="SERVER",
        help="a command, a URL, package.module:attribute, or the name of a server in mcp.json (default: the only one)",
    )
    parser.add_argument(
        "--mcp-json",
        type=Path,
        metavar="FILE",
        help="file of Claude Desktop, VS Code or Cursor with the server",
    )
    parser.add_argument("--directory", type=Path, metavar="DIR", help="directory of the tests (default: tests, or .)")
    parser.add_argument(
        "--call",
        action="append",
        default=[],
        metavar="TOOL",
        help="also try this tool, which does not promise to be read-only (repeatable)",
    )
    parser.add_argument(
        "--ci", choices=(*project_files.CI_SYSTEMS, "none"), help="default: github, or gitlab if it is used"
    )


def run(options: argparse.Namespace) -> int:
    import_from_working_directory()
    root = Path.cwd()
    server = first_server(options, root)
    known_secrets().add_servers([server.ref])
    definition, proposals = anyio.run(look_at, server.ref, options.call)
    directory = _directory(options, root)
    files = {
        **dict(_test_files(server, definition, proposals, directory)),
        **dict(_project_files(server, options.ci, root)),
    }
    _write(files, root)
    _explain(proposals, server, options.call)
    return 0


def _directory(options: argparse.Namespace, root: Path) -> Path:
    if options.directory is not None:
        directory: Path = root / options.directory
        return directory
    return root / "tests" if (root / "tests").is_dir() else root


def _test_files(
    server: FirstServer, definition: ServerDefinition, proposals: list[Proposal], directory: Path
) -> Iterator[tuple[Path, str]]:
    (label,) = server_ids([(directory, server.ref)])
    stem = re.sub(r"\W+", "_", label.removesuffix(".py")).strip("_") or "server"
    tasks = task_file(server.head, proposals, None if server.head else server.ref.name)
    yield directory / f"{stem}.mcpbench.yaml", tasks
    yield directory / LOCK_ENDING, lock_text(make_lock(definition).model_copy(update={"server": label}))
    test = f"test_{stem}_tools"
    yield directory / f"{test}.py", project_files.snapshot_test(label)
    yield directory / "__snapshots__" / test / f"test_tools[{label}].tools.json", project_files.snapshot(definition)


def _project_files(server: FirstServer, ci: str | None, root: Path) -> Iterator[tuple[Path, str]]:
    if server.is_foreign:
        yield root / "mcp.json", project_files.mcp_json(server.ref)
    chosen = ci or ("gitlab" if (root / ".gitlab-ci.yml").exists() else "github")
    if chosen in project_files.CI_SYSTEMS:
        yield from ((root / path, text) for path, text in project_files.ci_files(chosen).items())


def _write(files: dict[Path, str], root: Path) -> None:
    """Write the files that do not exist, without secrets; an existing file is never changed."""
    for file, text in files.items():
        shown = file.relative_to(root) if file.is_relative_to(root) else file
        if file.exists():
            print(f"{shown}: exists, left as it is")
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(known_secrets().remove(text), encoding="utf-8", errors="backslashreplace", newline="\n")
        print(shown)


def _explain(proposals: list[Proposal], server: FirstServer, allowed: Collection[str]) -> None:
    tried = sum(proposal.problem is None for proposal in proposals)
    print(f"{tried} of {len(proposals)} proposals pass with `pytest --model=oracle`; the others are comments.")
    variables = project_files.variables(server.ref) if server.is_foreign else []
    if variables:
        print(f"mcp.json takes these from the environment: {', '.join(variables)}")
    if not allowed and any("read-only" in (proposal.problem or "") for proposal in proposals):
        print("Tools that do not promise to be read-only were not called; --call TOOL tries one.")
    print("Next: write the requests in the words of your users, delete the lines `proposal:`, and run `pytest`.")
