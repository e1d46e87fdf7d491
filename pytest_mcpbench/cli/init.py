"""``mcpbench init``: write proposals of tasks, the lock, a snapshot test and a workflow for a server."""

import argparse
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import anyio

from pytest_mcpbench.cli.first_server import FirstServer, first_server
from pytest_mcpbench.cli.output import known_secrets
from pytest_mcpbench.cli.proposal_playing import look_at
from pytest_mcpbench.cli.server_names import import_from_working_directory
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.lock import LOCK_ENDING, lock_text, make_lock
from pytest_mcpbench.generation.first_suite import project_files
from pytest_mcpbench.generation.first_suite.proposing import Proposal
from pytest_mcpbench.generation.first_suite.task_file import task_file
from pytest_mcpbench.runtime.suites.server_ids import server_ids


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
