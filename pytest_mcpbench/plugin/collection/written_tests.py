"""Parametrization of users' own tests: once for each task of a suite, or for each server."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.variant import NO_SWEEP
from pytest_mcpbench.loaders.manifest import MCP_JSON_FILES, enclosing_directories, mcp_json_files
from pytest_mcpbench.options.settings import SETTINGS
from pytest_mcpbench.plugin.collection import jobs, suite_paths
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.file_names import TASK_FILE_ENDINGS
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.collection.marker import Marker, marker_error, read_marker
from pytest_mcpbench.plugin.collection.suite_loading import load, load_variant
from pytest_mcpbench.suite_files.configured_servers import server_ids
from pytest_mcpbench.suite_files.discovery import find_suite, part_of, without_part

# Tests that use fixtures of a task only because an autouse fixture does.

_USABLE_WITHOUT_TASK = frozenset({"mcp_sandbox", "mcp_task", "mcp_session", "mcp_item", "mcp_job"})


def needs_task(metafunc: pytest.Metafunc) -> bool:
    """Return whether a test itself uses a fixture of a task, or an autouse fixture one that only a task can give."""
    # pytest has no public way to find out which fixtures a fixture uses.
    info = metafunc.definition._fixtureinfo
    own = {*info.argnames, *_named_by_usefixtures(metafunc)}
    of_test = _closure(info, own)
    of_autouse = _closure(info, set(info.initialnames) - own)
    return "mcp_job" in of_test or any(
        name.startswith("mcp_") and name not in _USABLE_WITHOUT_TASK for name in of_autouse if _is_of_task(info, name)
    )


def _named_by_usefixtures(metafunc: pytest.Metafunc) -> set[str]:
    return {name for mark in metafunc.definition.iter_markers("usefixtures") for name in mark.args}


def _closure(info: Any, names: set[str]) -> set[str]:
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


def _is_of_task(info: Any, name: str) -> bool:
    return "mcp_job" in _closure(info, {name})


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Parametrize ``mcp_job`` with a job per task, and ``mcp_server`` with the servers."""
    marker = read_marker(metafunc)
    if "mcp_job" in metafunc.fixturenames and (marker.suite is not None or needs_task(metafunc)):
        test_jobs = _jobs(metafunc, marker)
        marked = [pytest.param(job, marks=jobs.marks_of(job)) for job in test_jobs]
        metafunc.parametrize("mcp_job", marked, ids=[job.id for job in test_jobs], indirect=True)
    if "mcp_server" in metafunc.fixturenames:
        servers = _servers(metafunc, marker)
        metafunc.parametrize("mcp_server", list(servers.values()), ids=list(servers), indirect=True)


def _jobs(metafunc: pytest.Metafunc, marker: Marker) -> list[Job]:
    if marker.suite is None:
        raise marker_error(
            metafunc,
            'the test uses a fixture of a task: specify the suite with @pytest.mark.mcpbench(suite="name or path")',
        )
    with _errors_with_place(metafunc):
        path, part = _suite_path(metafunc, marker.suite), part_of(str(marker.suite))
        suite, records = load(path, metafunc.config, part=part)
        settings = metafunc.config.stash[SETTINGS]
        variants = [(each, *load_variant(path, metafunc.config, each, part=part)) for each in settings.variants]
    every = variants or [(NO_SWEEP, suite, records)]
    test_jobs = list(jobs.jobs_of_variants(every, settings, models=marker.models, trials=marker.trials))
    if not test_jobs:
        raise marker_error(metafunc, f"the suite {suite.name!r} has no task")
    return test_jobs


def _servers(metafunc: pytest.Metafunc, marker: Marker) -> dict[str, ServerRef]:
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


def _server_sources(metafunc: pytest.Metafunc, marker: Marker) -> list[Path]:
    """Return the files that define the servers: those in the nearest directory between the test and the root."""
    if marker.suite is not None:
        return [_suite_path(metafunc, marker.suite)]
    directories = enclosing_directories(Path(metafunc.definition.path).parent, metafunc.config.rootpath)
    for directory in directories:
        found = _files_with_servers(directory)
        if found:
            return found
    searched = ", ".join(suite_paths.node_id(directory, metafunc.config) for directory in directories)
    raise marker_error(
        metafunc,
        f"the test uses mcp_tools, and no *.mcpbench.yaml and no {', '.join(MCP_JSON_FILES)} is in {searched}: "
        'write one, or name a suite with @pytest.mark.mcpbench(suite="name or path")',
    )


def _files_with_servers(directory: Path) -> list[Path]:
    task_files = sorted(path for path in directory.iterdir() if path.name.endswith(TASK_FILE_ENDINGS[:2]))
    return [*task_files, *mcp_json_files(directory)]


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
