"""``mcpbench init``: write proposals of tasks, the lock and a workflow for a server."""

import argparse
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import yaml

from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.sandbox import seed_directory
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.cli.models import served_aliases
from pytest_mcpbench.cli.output import known_secrets
from pytest_mcpbench.cli.server_names import import_from_working_directory, server_by_name
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.core.loading import LoadOptions
from pytest_mcpbench.core.placeholders import payload
from pytest_mcpbench.core.sandbox import Sandbox, with_directory
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.task import Context
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.lock import LOCK_ENDING, lock_text, make_lock
from pytest_mcpbench.generation.first_suite import project_files
from pytest_mcpbench.generation.first_suite.project_files import entry, task_file, with_additions
from pytest_mcpbench.generation.first_suite.proposing import (
    ExploredConnection,
    Permissions,
    Played,
    Proposal,
    propose_tasks,
)
from pytest_mcpbench.generation.first_suite.suggestions import ModelSuggestions
from pytest_mcpbench.generation.pipeline.questions import Questions
from pytest_mcpbench.generation.pipeline.reply_cache import ReplyCache
from pytest_mcpbench.generation.reported_errors import problem_of
from pytest_mcpbench.loaders.manifest import UNNAMED, mcp_json_files
from pytest_mcpbench.loaders.native import load
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.suite_files.configured_servers import server_ids
from pytest_mcpbench.suite_files.locks import LocalPaths
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
        remedy = 'name the server, such as `mcpbench init "python server.py"`'
        found = [str(Path.home() / name) for name in _CLIENT_FILES if (Path.home() / name).is_file()]
        if found:
            remedy += f", or --mcp-json with one of: {', '.join(found)}"
        raise UsageError(f"there is no mcp.json in the working directory; {remedy}.")
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


# Proposals of tasks, played by ``oracle`` as the task file will define them.

_FILE = "proposals.yaml"
_AT_ONCE = 4
"""Proposals that are played at the same time."""


async def look_at(
    ref: ServerRef, permissions: Permissions, model: str | None, aliases: Mapping[str, Any]
) -> tuple[ServerDefinition, list[Proposal]]:
    """Return the definition of a server, and a proposal for each tool; a model proposes where no values are known."""
    async with Models(aliases) as models, ServerPool(root=Path.cwd(), models=models) as pool:
        definition = await pool.definition(ref)
        _require_tools(definition, permissions)
        suite = SuiteManifest(
            name="proposals",
            directory=str(Path.cwd()),
            files=(TaskFileRef(path=_FILE, loader="native"),),
            servers={ref.name: ref},
        )
        player = Player(suite, pool)

        @asynccontextmanager
        async def open_session(context: Context) -> AsyncIterator[ExploredConnection]:
            with TemporaryDirectory(prefix="mcpbench-") as scratch:
                directory = Path(scratch).resolve()
                seed_directory(context, Path.cwd(), directory)
                async with pool.session(ref, directory) as connection:
                    yield _PortableConnection(connection, Sandbox(directory))

        # Calls of a server that all attempts share would see each other's changes.
        limiter = anyio.CapacityLimiter(1 if ref.is_shared else _AT_ONCE)

        async def play(proposal: Proposal) -> Played:
            async with limiter:
                # The reference passes if its calls have results, too.
                try:
                    (loaded,) = load(task_file({}, [proposal], None).encode(), LoadOptions(_FILE, {}, None))
                    if loaded.task is None:
                        raise loaded.error or AssertionError("a record without a task has an error")
                    task = loaded.task
                    played = await player.play(task, OracleAgent())
                    if played.error is not None:
                        return Played(str(played.error))
                    if not player.score(task, played.evidence).passed:
                        return Played("the reference does not pass")
                except McpBenchError as error:
                    return Played(str(error))
                results = [call.result for call in played.evidence.calls if call.result]
                problem = next((problem for result in results if (problem := problem_of(result)) is not None), None)
                return Played(problem, tuple(map(payload, results)))

        with TemporaryDirectory(prefix="mcpbench-") as scratch:
            suggest = None
            if model is not None:
                replies = ReplyCache(Path(scratch) / "replies.jsonl", known_secrets())
                suggest = ModelSuggestions(Questions(models.get(model), replies), definition)
            return definition, await propose_tasks(definition, permissions, open_session, play, suggest)


@dataclass(frozen=True)
class _PortableConnection:
    """Connection whose calls and results have ``{sandbox}`` for the directory of the server."""

    connection: ExploredConnection
    sandbox: Sandbox

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        filled = with_directory(arguments, lambda: self.sandbox.path)
        return self.sandbox.portable(await self.connection.call(tool, filled))

    async def resources(self) -> frozenset[str]:
        return await self.connection.resources()

    async def read_text(self, uri: str) -> str | None:
        return await self.connection.read_text(uri)


def _require_tools(definition: ServerDefinition, permissions: Permissions) -> None:
    """Raise UsageError for a name or pattern that is that of no tool."""
    known = [tool.name for tool in definition.tools]
    for option, names in (("--call", permissions.named), ("--example", permissions.examples)):
        for name in names:
            if not any(fnmatchcase(tool, name) for tool in known):
                raise UsageError(f"{option}: the server has no tool {name!r}. {hint(name, known)}")


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
        help="also try this tool, which may change something; a pattern such as 'create_*' names several (repeatable)",
    )
    parser.add_argument(
        "--example",
        action="append",
        default=[],
        type=_example,
        metavar="TOOL={…}",
        help="arguments of a tool as JSON; those that are left out are looked for (repeatable)",
    )
    parser.add_argument(
        "--model",
        metavar="NAME",
        help="model that proposes arguments for tools that may be called and that no known values fit",
    )
    parser.add_argument(
        "--ci", choices=(*project_files.CI_SYSTEMS, "none"), help="default: github, or gitlab if it is used"
    )


def _example(text: str) -> tuple[str, dict[str, Any]]:
    tool, _, arguments = text.partition("=")
    try:
        values = json.loads(arguments)
    except ValueError:
        values = None
    if not tool or not isinstance(values, dict):
        raise argparse.ArgumentTypeError(f"""{text!r} is not TOOL='{{"parameter": "value"}}', with a JSON object""")
    return tool, values


def run(options: argparse.Namespace) -> int:
    import_from_working_directory()
    root = Path.cwd()
    server = first_server(options, root)
    known_secrets().add_servers([server.ref])
    permissions = Permissions(options.call, dict(options.example))
    with served_aliases(options.model or "") as aliases:
        known_secrets().add_models([options.model] if options.model else [], aliases)
        definition, proposals = anyio.run(look_at, server.ref, permissions, options.model, aliases)
    directory: Path
    if options.directory is not None:
        directory = root / options.directory
    else:
        directory = root / "tests" if (root / "tests").is_dir() else root
    files = {
        **dict(_test_files(server, definition, proposals, directory)),
        **dict(_project_files(server, options.ci, root)),
    }
    tasks = next(iter(files))
    if tasks.exists() and (permissions.named or permissions.examples):
        named = [each for each in proposals if permissions.names(each.tool) or each.tool.name in permissions.examples]
        _add(named, tasks, server, root)
    else:
        # An existing file is never changed.
        for file, text in files.items():
            shown = _shown(file, root)
            if file.exists():
                print(f"{shown}: exists, left as it is")
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(known_secrets().remove(text), encoding="utf-8", errors="backslashreplace", newline="\n")
            print(shown)
    _explain(proposals, server)
    return 0


def _add(proposals: list[Proposal], file: Path, server: FirstServer, root: Path) -> None:
    """Add the proposals that pass to a task file that exists, and say in it why others do not.

    What its author has written is not changed.
    """
    before = file.read_text(encoding="utf-8")
    text, added = with_additions(before, proposals, None if server.head else server.ref.name)
    shown = _shown(file, root)
    old, new = yaml.safe_load(before).get("tasks") or [], yaml.safe_load(text).get("tasks") or []
    if len(new) != len(old) + len(added) or not all(task in new for task in old):
        entries = "\n".join(entry(each, None if server.head else server.ref.name) for each in proposals)
        raise UsageError(
            f"{shown}: `tasks:` is not its last part as `mcpbench init` wrote it; add yourself:\n{entries}"
        )
    file.write_text(known_secrets().remove(text), encoding="utf-8", errors="backslashreplace", newline="\n")
    refused = [each.tool.name for each in proposals if each.problem is not None]
    print(f"{shown}: added {', '.join(added) or 'nothing'}")
    if refused:
        print(f"Tried in vain: {', '.join(refused)}. The comments in the file say why.")


def _test_files(
    server: FirstServer, definition: ServerDefinition, proposals: list[Proposal], directory: Path
) -> Iterator[tuple[Path, str]]:
    (label,) = server_ids([(directory, server.ref)])
    stem = re.sub(r"\W+", "_", label.removesuffix(".py")).strip("_") or "server"
    tasks = task_file(server.head, proposals, None if server.head else server.ref.name)
    yield directory / f"{stem}.mcpbench.yaml", tasks
    named = {"server": label, "file": f"{stem}.mcpbench.yaml"}
    yield (
        directory / LOCK_ENDING,
        lock_text(make_lock(LocalPaths(directory).without(definition)).model_copy(update=named)),
    )


def _project_files(server: FirstServer, ci: str | None, root: Path) -> Iterator[tuple[Path, str]]:
    if server.is_foreign:
        yield root / "mcp.json", project_files.mcp_json(server.ref)
    chosen = ci or ("gitlab" if (root / ".gitlab-ci.yml").exists() else "github")
    if chosen in project_files.CI_SYSTEMS:
        yield from ((root / path, text) for path, text in project_files.ci_files(chosen).items())


def _shown(file: Path, root: Path) -> Path:
    return file.relative_to(root) if file.is_relative_to(root) else file


def _explain(proposals: list[Proposal], server: FirstServer) -> None:
    running = sum(proposal.problem is None for proposal in proposals)
    print(f"{running} of {len(proposals)} proposals pass with `pytest --model=oracle`; the others are comments.")
    variables = project_files.variables(server.ref) if server.is_foreign else []
    if variables:
        print(f"mcp.json takes these from the environment: {', '.join(variables)}")
    untried = [proposal.tool.name for proposal in proposals if "--call" in (proposal.problem or "")]
    if untried:
        print(f"Not called, because they may change something: {', '.join(untried)}.")
        print("`--call TOOL` tries one of them, `--call '*'` all.")
    print("Next: write the requests in the words of your users, delete the lines `proposal:`, and run `pytest`.")
