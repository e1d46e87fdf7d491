"""Tests that people write themselves: run once for each task of a suite, or for each server."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.plugin import jobs, suites
from pytest_mcpbench.plugin.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection import load
from pytest_mcpbench.plugin.jobs import Job
from pytest_mcpbench.plugin.options import SETTINGS, TASK_FILE_ENDINGS


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Give ``mcp_job`` a job for each task, and ``mcp_server`` each server."""
    if "mcp_job" in metafunc.fixturenames:
        made = list(_jobs(metafunc))
        metafunc.parametrize("mcp_job", made, ids=[job.id for job in made], indirect=True)
    if "mcp_server" in metafunc.fixturenames:
        servers = list(_servers(metafunc))
        metafunc.parametrize("mcp_server", servers, ids=[server.name for server in servers], indirect=True)


def _jobs(metafunc: pytest.Metafunc) -> Iterator[Job]:
    arguments = _arguments(metafunc)
    if not arguments.get("suite"):
        raise pytest.UsageError(
            f"{metafunc.definition.nodeid} uses a fixture of a task: say of which suite with "
            '@pytest.mark.mcpbench(suite="name or path")'
        )
    suite, records = load(_suite_path(metafunc, arguments["suite"]), metafunc.config)
    model = arguments.get("model")
    models = (model,) if isinstance(model, str) else tuple(model or ())
    yield from jobs.of_records(
        suite, records, metafunc.config.stash[SETTINGS], models=models, trials=arguments.get("trials")
    )


def _servers(metafunc: pytest.Metafunc) -> Iterator[ServerRef]:
    """Servers of the marked suite or, where no suite is named, of the task files and ``mcp.json`` beside the test."""
    wanted = _arguments(metafunc).get("server")
    for path in _server_sources(metafunc):
        servers = catalogue_of(metafunc.config).servers_of(path)
        yield from (server for name, server in servers.items() if wanted in (None, name))


def _server_sources(metafunc: pytest.Metafunc) -> list[Path]:
    named = _arguments(metafunc).get("suite")
    if named:
        return [_suite_path(metafunc, named)]
    for directory in (Path(metafunc.definition.path).parent, metafunc.config.rootpath):
        found = sorted(_existing(directory))
        if found:
            return found
    raise pytest.UsageError(
        f"{metafunc.definition.nodeid} uses mcp_tools: put a *.mcpbench.yaml or an mcp.json beside the test, "
        'or name a suite with @pytest.mark.mcpbench(suite="name or path")'
    )


def _existing(directory: Path) -> Iterable[Path]:
    yield from (path for path in directory.iterdir() if path.name.endswith(TASK_FILE_ENDINGS[:2]))
    yield from (path for path in (directory / "mcp.json", directory / ".mcp.json") if path.is_file())


def _suite_path(metafunc: pytest.Metafunc, name: str) -> Path:
    beside = Path(metafunc.definition.path).parent / name
    if beside.is_file():
        return beside
    return suites.find(name, metafunc.config)


def _arguments(metafunc: pytest.Metafunc) -> dict[str, Any]:
    marker = metafunc.definition.get_closest_marker("mcpbench")
    if marker is None:
        return {}
    if marker.args:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: mcpbench takes keywords only, such as suite=…")
    return dict(marker.kwargs)
