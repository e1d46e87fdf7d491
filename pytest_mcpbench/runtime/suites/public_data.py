"""Public files of a benchmark (``--mcpbench-data``): their tasks once each, on servers that replay recorded results."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.suite import SuiteManifest

if TYPE_CHECKING:
    from pytest_mcpbench.core.tool import ToolSpec


def first_of_each(records: Iterable[LoadedTask]) -> Iterator[LoadedTask]:
    """Yield the records without those whose id an earlier record has: public sets repeat tasks in demonstrations.

    A record that is kept has a warning for each repetition.
    """
    kept: dict[str, LoadedTask] = {}
    for record in records:
        first = kept.get(record.id)
        if first is None:
            kept[record.id] = record
        else:
            kept[record.id] = replace(first, warnings=(*first.warnings, f"{record.id} is also at {record.place}"))
    yield from kept.values()


def on_recorded_servers(suite: SuiteManifest, records: list[LoadedTask]) -> tuple[SuiteManifest, list[LoadedTask]]:
    """Add a replaying server for each server that tasks name and the suite lacks, and recorded answers to the tasks."""
    from pytest_mcpbench.loaders import recorded_servers

    tasks = [record.task for record in records if record.task is not None]
    replaying = recorded_servers.recorded_servers(tasks, suite, _known_tools(suite))
    suite = suite.model_copy(update={"servers": {**suite.servers, **replaying}})
    return suite, [_with_answers(record, suite) for record in records]


def _with_answers(record: LoadedTask, suite: SuiteManifest) -> LoadedTask:
    from pytest_mcpbench.loaders.recorded_servers import with_recorded_answers

    return record if record.task is None else replace(record, task=with_recorded_answers(record.task, suite))


def _known_tools(suite: SuiteManifest) -> "Mapping[str, tuple[ToolSpec, ...]]":
    """Return the tools whose schemas are in the files, by server; several lists of one server are joined."""
    found: dict[str, dict[str, Any]] = {}
    for file in suite.files:
        for server, tools in _tools_in(Path(suite.directory) / file.path, file.loader).items():
            for tool in tools:
                found.setdefault(server, {}).setdefault(tool.tool, tool)
    return {server: tuple(tools.values()) for server, tools in found.items()}


def _tools_in(path: Path, loader: str) -> "Mapping[str, tuple[ToolSpec, ...]]":
    from pytest_mcpbench.loaders.catalogue import RECORDED_TOOLS
    from pytest_mcpbench.runtime.suites.references import import_object

    if loader not in RECORDED_TOOLS or not path.is_file():
        return {}
    tools: Mapping[str, tuple[ToolSpec, ...]] = import_object(RECORDED_TOOLS[loader])(path.read_bytes(), path.name)
    return tools
