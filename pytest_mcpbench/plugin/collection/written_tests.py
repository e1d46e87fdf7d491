"""Users' own tests: their parametrization by tasks or servers, their marker, and what a failing comparison shows."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.variant import NO_SWEEP
from pytest_mcpbench.loaders.manifest import MCP_JSON_FILES, enclosing_directories, mcp_json_files
from pytest_mcpbench.options.settings import SETTINGS
from pytest_mcpbench.plugin.collection import jobs, suite_paths
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.file_names import TASK_FILE_ENDINGS
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.collection.suites import collect_suite, collect_variant
from pytest_mcpbench.reporting.texts import failures
from pytest_mcpbench.suite_files.configured_servers import server_ids
from pytest_mcpbench.suite_files.discovery import find_suite, part_of, without_part
from pytest_mcpbench.text.suggestions import did_you_mean

_USABLE_WITHOUT_TASK = frozenset({"mcp_sandbox", "mcp_task", "mcp_session", "mcp_item", "mcp_job"})


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Parametrize ``mcp_job`` with a job per task, and ``mcp_server`` with the servers."""
    marker = read_marker(metafunc)
    if "mcp_job" in metafunc.fixturenames and (marker.suite is not None or _needs_task(metafunc)):
        test_jobs = _jobs(metafunc, marker)
        marked = [pytest.param(job, marks=jobs.marks_of(job)) for job in test_jobs]
        metafunc.parametrize("mcp_job", marked, ids=[job.id for job in test_jobs], indirect=True)
    if "mcp_server" in metafunc.fixturenames:
        servers = _servers(metafunc, marker)
        metafunc.parametrize("mcp_server", list(servers.values()), ids=list(servers), indirect=True)


def _needs_task(metafunc: pytest.Metafunc) -> bool:
    """Return whether a test itself uses a fixture of a task, or an autouse fixture one that only a task can give."""
    # pytest has no public way to find out which fixtures a fixture uses.
    info: Any = metafunc.definition._fixtureinfo

    def used_by(names: set[str]) -> set[str]:
        """Return the fixtures and all that they use."""
        found: set[str] = set()
        left = list(names)
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                definitions = info.name2fixturedefs.get(name, ())
                left += [used for definition in definitions for used in definition.argnames]
        return found

    named = {name for mark in metafunc.definition.iter_markers("usefixtures") for name in mark.args}
    own = {*info.argnames, *named}
    return "mcp_job" in used_by(own) or any(
        name.startswith("mcp_") and name not in _USABLE_WITHOUT_TASK and "mcp_job" in used_by({name})
        for name in used_by(set(info.initialnames) - own)
    )


def _jobs(metafunc: pytest.Metafunc, marker: "Marker") -> list[Job]:
    if marker.suite is None:
        raise marker_error(
            metafunc,
            'the test uses a fixture of a task: specify the suite with @pytest.mark.mcpbench(suite="name or path")',
        )
    with _errors_with_place(metafunc):
        path, part = _suite_path(metafunc, marker.suite), part_of(str(marker.suite))
        suite, records = collect_suite(path, metafunc.config, part=part)
        settings = metafunc.config.stash[SETTINGS]
        variants = [(each, *collect_variant(path, metafunc.config, each, part=part)) for each in settings.variants]
    every = variants or [(NO_SWEEP, suite, records)]
    test_jobs = list(jobs.jobs_of_variants(every, settings, models=marker.models, trials=marker.trials))
    if not test_jobs:
        raise marker_error(metafunc, f"the suite {suite.name!r} has no task")
    return test_jobs


def _servers(metafunc: pytest.Metafunc, marker: "Marker") -> dict[str, ServerRef]:
    """Return the servers of the marker's suite or, without one, of task files and ``mcp.json`` near the test, by id."""
    with _errors_with_place(metafunc):
        sources = _server_sources(metafunc, marker)
        catalogue = catalogue_of(metafunc.config)
        servers = server_ids([(path, ref) for path in sources for ref in catalogue.servers_of(path).values()])
    selected = {label: ref for label, ref in servers.items() if marker.server in (None, ref.name, label)}
    if not selected:
        files = ", ".join(path.name for path in sources)
        known = ", ".join(dict.fromkeys(server.name for server in servers.values())) or "none"
        called = f" called {marker.server!r}" if marker.server else ""
        raise marker_error(metafunc, f"there is no server{called} in {files}; there are: {known}")
    return selected


def _server_sources(metafunc: pytest.Metafunc, marker: "Marker") -> list[Path]:
    """Return the files that define the servers: those in the nearest directory between the test and the root."""
    if marker.suite is not None:
        return [_suite_path(metafunc, marker.suite)]
    directories = enclosing_directories(Path(metafunc.definition.path).parent, metafunc.config.rootpath)
    for directory in directories:
        task_files = sorted(path for path in directory.iterdir() if path.name.endswith(TASK_FILE_ENDINGS[:2]))
        found = [*task_files, *mcp_json_files(directory)]
        if found:
            return found
    searched = ", ".join(suite_paths.node_id(directory, metafunc.config) for directory in directories)
    raise marker_error(
        metafunc,
        f"the test uses mcp_tools, and no *.mcpbench.yaml and no {', '.join(MCP_JSON_FILES)} is in {searched}: "
        'write one, or name a suite with @pytest.mark.mcpbench(suite="name or path")',
    )


def _suite_path(metafunc: pytest.Metafunc, name: str | Path) -> Path:
    nearby = Path(metafunc.definition.path).parent / without_part(str(name))
    if nearby.is_file():
        return nearby
    return find_suite(str(name), metafunc.config.invocation_params.dir, metafunc.config.rootpath)


@contextmanager
def _errors_with_place(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Turn errors of the suite into errors of collection with the place of the test."""
    try:
        yield
    except McpBenchError as error:
        raise marker_error(metafunc, str(error)) from None


# The marker ``mcpbench`` of a test.

_NAME = "mcpbench"


@dataclass(frozen=True)
class Marker:
    """Arguments of a test's marker; the defaults for a test without marker."""

    suite: Path | str | None = None
    models: tuple[str, ...] = ()
    """Models to run instead of those of the command line."""
    trials: int | None = None
    server: str | None = None


def read_marker(metafunc: pytest.Metafunc) -> Marker:
    """Return the closest marker of the test: its own, that of its class or of its module."""
    mark = metafunc.definition.get_closest_marker(_NAME)
    if mark is None:
        return Marker()
    if mark.args:
        raise marker_error(metafunc, f"the marker takes keywords only: mcpbench(suite={mark.args[0]!r})")
    for name, value in mark.kwargs.items():
        if name not in _ARGUMENTS:
            question = did_you_mean(name, _ARGUMENTS)
            problem = f"the marker mcpbench has no {name!r}; it has: {', '.join(_ARGUMENTS)}."
            raise marker_error(metafunc, f"{problem} {question}" if question else problem)
        is_valid, expected = _ARGUMENTS[name]
        if value is not None and not is_valid(value):
            raise marker_error(metafunc, f"mcpbench({name}={value!r}): {name} is {expected}")
    model = mark.kwargs.get("model")
    return Marker(
        suite=mark.kwargs.get("suite"),
        models=(model,) if isinstance(model, str) else tuple(model or ()),
        trials=mark.kwargs.get("trials"),
        server=mark.kwargs.get("server"),
    )


def require_fixture(metafunc: pytest.Metafunc) -> None:
    """Raise an error for a test whose marker has no effect, because it uses no fixture: it would run once and pass."""
    own = [mark for mark in metafunc.definition.own_markers if mark.name == _NAME]
    if any(mark.args or mark.kwargs for mark in own):
        read_marker(metafunc)
        raise marker_error(
            metafunc,
            "the test is marked mcpbench(…) and uses no fixture of a task: use mcp_run, mcp_scorecard or mcp_task, "
            "or mcp_tools to look at servers",
        )


def marker_error(metafunc: pytest.Metafunc, problem: str) -> pytest.Collector.CollectError:
    """Return an error with the file and line of the test, which pytest shows without a traceback."""
    path, line, name = metafunc.definition.reportinfo()
    directory = metafunc.config.invocation_params.dir
    relative = os.path.relpath(path, directory) if Path(path).is_relative_to(directory) else os.fspath(path)
    return pytest.Collector.CollectError(f"{relative}:{(line or 0) + 1}: {name}: {problem}")


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_names(value: object) -> bool:
    return _is_name(value) or (isinstance(value, list | tuple) and bool(value) and all(map(_is_name, value)))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


_ARGUMENTS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "suite": (
        lambda value: _is_name(value) or isinstance(value, Path),
        "the name of a suite, or the path of a suite.toml or task file",
    ),
    "model": (_are_names, "the name of a model, or a list of names"),
    "trials": (_is_count, "a whole number from 1"),
    "server": (_is_name, "the name of a server"),
}
"""Argument -> predicate for its values, and their description for error messages."""


def explain_comparison(operator: str, left: Any, right: Any, *, verbosity: int) -> list[str] | None:
    """Return the lines below ``assert mcp_scorecard["ast"] >= 0.9``; ``None`` if two scores are compared."""
    if isinstance(left, Score) and isinstance(right, Score):
        return None
    score = left if isinstance(left, Score) else right
    numbers = [failures.value(side) if isinstance(side, Score) else str(side) for side in (left, right)]
    reasons = failures.flat_reasons(score)
    shown = reasons if verbosity > 0 else reasons[: failures.REASONS_SHOWN]
    more = len(reasons) - len(shown)
    unscored = [score.unscored] if score.unscored else []
    return [
        f"{numbers[0]} {operator} {numbers[1]}",
        *unscored,
        *shown,
        *([f"… and {more} more reasons; use -v"] if more else []),
    ]
