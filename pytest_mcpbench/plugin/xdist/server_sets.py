"""Which items of a run need the same expensive servers: processes that a worker starts once for all its tasks."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.file_names import SUITE_ENDING, TASK_FILE_ENDINGS
from pytest_mcpbench.runtime.suites.loading import read_suite


def is_task(node_id: str) -> bool:
    """Whether the item is of a task file; also of one that lies elsewhere, whose items have ids without a file."""
    file = node_id.partition("::")[0]
    return not file or file.endswith((*TASK_FILE_ENDINGS, SUITE_ENDING))


def of(config: pytest.Config, node_ids: Sequence[str]) -> list[str | None]:
    """For each item a name for the set of its servers; ``None`` where it needs none that is worth keeping together.

    A server of each attempt's own costs the same in any worker. So a file of which not even two servers are shared
    processes is not read.
    """
    files = dict.fromkeys(node_id.partition("::")[0] for node_id in node_ids if is_task(node_id))
    sets = {file: _of_file(config, file) for file in files}
    return [_set_of(node_id, sets) for node_id in node_ids]


def _set_of(node_id: str, sets: dict[str, dict[str, str]]) -> str | None:
    file, _, name = node_id.partition("::")
    return sets.get(file, {}).get(name.partition("[")[0])


def _of_file(config: pytest.Config, file: str) -> dict[str, str]:
    """Task -> its set; nothing where the file cannot be read, which the workers report."""
    path = _path(config, file)
    if path is None:
        return {}
    try:
        suite = read_suite(path, catalogue_of(config).names)
        return dict(_of_tasks(config, path)) if len([*filter(_is_expensive, suite.servers.values())]) > 1 else {}
    except (McpBenchError, OSError):
        return {}


def _of_tasks(config: pytest.Config, path: Path) -> Iterator[tuple[str, str]]:
    from pytest_mcpbench.plugin.collection.suite_loading import load

    suite, records = load(path, config)
    for record in records:
        if record.task is not None:
            names = _names(suite, record.task.servers)
            yield record.id, f"{path}: {', '.join(names)}"


def _names(suite: SuiteManifest, named: Sequence[str]) -> list[str]:
    """The task's expensive servers: all of the suite's where it names none."""
    wanted = suite.servers if suite.exposure == "all" or not named else named
    return [name for name in wanted if name in suite.servers and _is_expensive(suite.servers[name])]


def _is_expensive(server: ServerRef) -> bool:
    return server.transport == "stdio" and server.is_shared


def _path(config: pytest.Config, file: str) -> Path | None:
    if file:
        return config.rootpath / file
    elsewhere = [path for path in map(Path, config.args) if not path.is_relative_to(config.rootpath)]
    return elsewhere[0] if len(elsewhere) == 1 else None
