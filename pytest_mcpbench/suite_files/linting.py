"""Lint of configured servers and of the suites that use them."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from pytest_mcpbench.core.planning import Overrides, planned_floors
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.lint.rules import Finding
from pytest_mcpbench.definitions.lint.server import lint_server
from pytest_mcpbench.definitions.lint.settings import LintSettings, read_lint_settings
from pytest_mcpbench.definitions.lint.suite_rules import CheckedTask, lint_findability, lint_tasks
from pytest_mcpbench.files.project_file import PROJECT_FILE, project_table
from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer
from pytest_mcpbench.suite_files.loading import BUILT_IN_NAMES, KnownNames, load_suite
from pytest_mcpbench.suite_files.server_paths import absolute


def lint_settings(directory: Path) -> LintSettings:
    """Return the settings in ``[tool.mcpbench.lint]`` of the pyproject.toml in a directory."""
    return read_lint_settings(project_table(directory).get("lint", {}), str(directory / PROJECT_FILE))


def lint_servers(
    listed: Iterable[tuple[ConfiguredServer, ServerDefinition]],
    settings: LintSettings,
    names: KnownNames = BUILT_IN_NAMES,
) -> tuple[Finding, ...]:
    """Return the findings about servers, and about the tasks that need no other servers."""
    listed = [(server, replace(definition, name=server.name)) for server, definition in listed]
    of_servers = [
        finding
        for server, definition in listed
        for finding in _with_lines(lint_server(definition, max_tokens=settings.max_tokens), server.ref)
    ]
    files = dict.fromkeys(file for server, _ in listed for file in server.files if not file.name.endswith("mcp.json"))
    definitions = {definition.name: definition for _, definition in listed}
    tasks = [_tasks_of(file, listed, names) for file in files]
    of_suites = [finding for each in tasks for finding in lint_tasks(each, definitions)]
    of_tools = lint_findability((task for each in tasks for task in each), definitions)
    # A suite and the task file beside it can have the same tasks.
    return tuple(dict.fromkeys((*of_servers, *of_suites, *of_tools)))


def _with_lines(findings: Iterable[Finding], ref: ServerRef) -> Iterator[Finding]:
    """Yield the findings with the line that defines their tool, where the server is a program of the project."""
    sources = {file: file.read_text(encoding="utf-8", errors="replace").splitlines() for file in _sources(ref)}
    for finding in findings:
        definition = re.compile(
            rf"(?:\b(?:def|function|const|fn|func)\s+{re.escape(finding.tool or '')}\b)"
            rf"|([\"'`]){re.escape(finding.tool or '')}\1"
        )
        places = (
            (file, number)
            for file, lines in sources.items()
            for number, line in enumerate(lines if finding.tool else (), 1)
            if definition.search(line)
        )
        file, line = next(places, (None, None))
        yield finding if file is None else replace(finding, file=Path(os.path.relpath(file)).as_posix(), line=line)


def _sources(ref: ServerRef) -> list[Path]:
    """Return the program of a server that is written in a script, and the modules beside it."""
    directory = Path(ref.working_directory or "")
    scripts = (directory / word for word in (ref.command or "", *ref.arguments))
    script = next((path for path in scripts if path.suffix in _SCRIPTS and path.is_file()), None)
    if script is None or not script.resolve().is_relative_to(Path.cwd()):
        return []
    beside = sorted(path for path in script.parent.glob(f"*{script.suffix}") if path != script)
    return [script, *beside[:_MOST_MODULES]]


_SCRIPTS = frozenset({".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb"})
_MOST_MODULES = 50


def _tasks_of(
    file: Path, listed: list[tuple[ConfiguredServer, ServerDefinition]], names: KnownNames
) -> list[CheckedTask]:
    suite = load_suite(file, {}, names)
    manifest = suite.manifest
    refs = {name: absolute(ref, Path(manifest.directory)) for name, ref in manifest.servers.items()}
    called = {name: server.name for name, ref in refs.items() for server, _ in listed if server.ref == ref}
    tasks: list[CheckedTask] = []
    for record in suite.attempts:
        if record.task is not None and not record.task.proposal:
            servers = record.task.servers or tuple(manifest.servers)
            checked = CheckedTask(
                task=record.task,
                # A server that was not listed gets a name without a definition.
                servers=tuple(called.get(name, f"{name} (not listed)") for name in servers),
                has_floor=bool(planned_floors(manifest, record.task, Overrides())),
                file=record.place.file,
                line=record.place.line,
            )
            tasks.append(checked)
    return tasks
