"""Sets of expensive servers that tasks need: processes that a worker starts once for all its tasks."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.file_names import is_task_id
from pytest_mcpbench.runtime.suites.loading import read_suite


def server_sets(config: pytest.Config, node_ids: Sequence[str]) -> list[str | None]:
    """Return a key for the set of servers of each item, ``None`` for an item that needs no expensive server.

    A server with one process per attempt costs the same in every worker. So only a file with at least two servers
    whose processes are shared is read: with one, all its tasks need the same.
    """
    files = dict.fromkeys(node_id.partition("::")[0] for node_id in node_ids if is_task_id(node_id))
    sets = {file: _sets_of_file(config, file) for file in files}
    return [_set_of_item(node_id, sets) for node_id in node_ids]


def _set_of_item(node_id: str, sets: dict[str, dict[str, str]]) -> str | None:
    file, _, name = node_id.partition("::")
    return sets.get(file, {}).get(name.partition("[")[0])


def _sets_of_file(config: pytest.Config, file: str) -> dict[str, str]:
    """Return the sets by task; none if the file cannot be read, which the workers report."""
    path = _path(config, file)
    if path is None:
        return {}
    try:
        suite = read_suite(path, catalogue_of(config).names)
        expensive = [server for server in suite.servers.values() if _is_expensive(server)]
        return dict(_sets_of_tasks(config, path)) if len(expensive) > 1 else {}
    except (McpBenchError, OSError):
        return {}


def _sets_of_tasks(config: pytest.Config, path: Path) -> Iterator[tuple[str, str]]:
    from pytest_mcpbench.plugin.collection.suite_loading import load

    suite, records = load(path, config)
    for record in records:
        if record.task is not None:
            names = _expensive_servers(suite, record.task.servers)
            yield record.id, f"{path}: {', '.join(names)}"


def _expensive_servers(suite: SuiteManifest, task_servers: Sequence[str]) -> list[str]:
    """Return the task's expensive servers; a task that lists none can use all servers of the suite."""
    names = suite.servers if suite.exposure == "all" or not task_servers else task_servers
    return [name for name in names if name in suite.servers and _is_expensive(suite.servers[name])]


def _is_expensive(server: ServerRef) -> bool:
    return server.transport == "stdio" and server.is_shared


def _path(config: pytest.Config, file: str) -> Path | None:
    """Return the path of a file of a node id; an id without a file is that of the only argument outside the rootdir."""
    if file:
        return config.rootpath / file
    outside = [path for path in map(Path, config.args) if not path.is_relative_to(config.rootpath)]
    return outside[0] if len(outside) == 1 else None
