"""Tests that people write themselves: run once for each task of a suite, or for each server."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.plugin.collection import jobs
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.file_names import TASK_FILE_ENDINGS
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.collection.marker import Marker, complaint, marker_of
from pytest_mcpbench.plugin.collection.suite_loading import load
from pytest_mcpbench.plugin.options.settings import SETTINGS
from pytest_mcpbench.runtime.suites.discovery import find_suite


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Give ``mcp_job`` a job for each task, and ``mcp_server`` each server."""
    marker = marker_of(metafunc)
    if "mcp_job" in metafunc.fixturenames:
        made = _jobs(metafunc, marker)
        metafunc.parametrize("mcp_job", made, ids=[job.id for job in made], indirect=True)
    if "mcp_server" in metafunc.fixturenames:
        servers = _servers(metafunc, marker)
        metafunc.parametrize("mcp_server", servers, ids=[server.name for server in servers], indirect=True)


def _jobs(metafunc: pytest.Metafunc, marker: Marker) -> list[Job]:
    if marker.suite is None:
        raise complaint(
            metafunc,
            'the test uses a fixture of a task: say of which suite with @pytest.mark.mcpbench(suite="name or path")',
        )
    with _placed(metafunc):
        suite, records = load(_suite_path(metafunc, marker.suite), metafunc.config)
    settings = metafunc.config.stash[SETTINGS]
    made = list(jobs.of_records(suite, records, settings, models=marker.models, trials=marker.trials))
    if not made:
        raise complaint(metafunc, f"the suite {suite.name!r} has no task")
    return made


def _servers(metafunc: pytest.Metafunc, marker: Marker) -> list[ServerRef]:
    """Servers of the marked suite or, where no suite is named, of the task files and ``mcp.json`` beside the test."""
    with _placed(metafunc):
        sources = _server_sources(metafunc, marker)
        servers = [server for path in sources for server in catalogue_of(metafunc.config).servers_of(path).values()]
    wanted = [server for server in servers if marker.server in (None, server.name)]
    if not wanted:
        files = ", ".join(path.name for path in sources)
        there = ", ".join(dict.fromkeys(server.name for server in servers)) or "none"
        called = f" called {marker.server!r}" if marker.server else ""
        raise complaint(metafunc, f"there is no server{called} in {files}; there are: {there}")
    return wanted


def _server_sources(metafunc: pytest.Metafunc, marker: Marker) -> list[Path]:
    if marker.suite is not None:
        return [_suite_path(metafunc, marker.suite)]
    for directory in (Path(metafunc.definition.path).parent, metafunc.config.rootpath):
        found = sorted(_existing(directory))
        if found:
            return found
    raise complaint(
        metafunc,
        "the test uses mcp_tools: put a *.mcpbench.yaml or an mcp.json beside it, "
        'or name a suite with @pytest.mark.mcpbench(suite="name or path")',
    )


def _existing(directory: Path) -> Iterable[Path]:
    yield from (path for path in directory.iterdir() if path.name.endswith(TASK_FILE_ENDINGS[:2]))
    yield from (path for path in (directory / "mcp.json", directory / ".mcp.json") if path.is_file())


def _suite_path(metafunc: pytest.Metafunc, name: str | Path) -> Path:
    beside = Path(metafunc.definition.path).parent / name
    if beside.is_file():
        return beside
    return find_suite(str(name), metafunc.config.invocation_params.dir, metafunc.config.rootpath)


@contextmanager
def _placed(metafunc: pytest.Metafunc) -> Iterator[None]:
    """What is wrong with the suite is told with the place of the test that names it."""
    try:
        yield
    except McpBenchError as error:
        raise complaint(metafunc, str(error)) from None
