"""Public files of a benchmark (``--mcpbench-data``): their tasks once each, on servers that replay recorded results."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mcpbench.core.floors import floors_of
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.suite import SuiteManifest

if TYPE_CHECKING:
    from pytest_mcpbench.core.tool import ToolSpec


UNDESCRIBED = "undescribed"
"""Tag of tasks whose replayed tools have no description."""


def first_of_each(records: Iterable[LoadedTask]) -> Iterator[LoadedTask]:
    """Yield the records without repetitions: public sets repeat tasks in demonstrations and in joint files.

    A record repeats an earlier one if it has the same id, or the same content in another file. For each repeated id the
    record that is kept has a warning; repeated contents are counted in one warning for each file.
    """
    kept: dict[str, LoadedTask] = {}
    seen: dict[str, LoadedTask] = {}
    repeated: Counter[tuple[str, str]] = Counter()
    for record in records:
        first = kept.get(record.id)
        if first is not None:
            kept[record.id] = replace(first, warnings=(*first.warnings, f"{record.id} is also at {record.place}"))
            continue
        same = seen.setdefault(_content(record), record)
        if same.place.file == record.place.file:
            kept[record.id] = record
        else:
            repeated[same.id, record.place.file] += 1
    yield from _with_counts(kept, repeated)


def _with_counts(kept: Mapping[str, LoadedTask], repeated: Counter[tuple[str, str]]) -> Iterator[LoadedTask]:
    """Yield the records; the first that a file repeats has a warning with the number of the file's repetitions."""
    totals: Counter[str] = Counter()
    first: dict[str, str] = {}
    for (record_id, file), count in repeated.items():
        totals[file] += count
        first.setdefault(file, record_id)
    for record in kept.values():
        counts = (
            f"{totals[file]} records of {file} repeat tasks of other files and were left out"
            for file, record_id in first.items()
            if record_id == record.id
        )
        yield replace(record, warnings=(*record.warnings, *counts))


def _content(record: LoadedTask) -> str:
    """Return a digest of what a task asks and expects; of a broken record, its place."""
    if record.task is None:
        return str(record.place)
    turns = [turn.model_dump(mode="json") for turn in record.task.turns]
    parts = [turns, record.task.system, record.task.expected.model_dump(mode="json")]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def on_recorded_servers(suite: SuiteManifest, records: list[LoadedTask]) -> tuple[SuiteManifest, list[LoadedTask]]:
    """Add a replaying server for each server that tasks name and the suite lacks, and recorded answers to the tasks."""
    from pytest_mcpbench.loaders import recorded_servers

    suite = _without_unset_servers(suite)
    tasks = [record.task for record in records if record.task is not None]
    replaying = recorded_servers.recorded_servers(tasks, suite, _known_tools(suite))
    suite = suite.model_copy(update={"servers": {**suite.servers, **replaying}})
    undescribed = recorded_servers.undescribed_tools(replaying, suite)
    return suite, [_without_unfair_floor(_with_answers(record, suite), suite, undescribed) for record in records]


def _without_unset_servers(suite: SuiteManifest) -> SuiteManifest:
    """Return the suite without the servers whose variables are not set, so that they are replayed, with a warning."""
    problems = {name: server.problem.partition(";")[0] for name, server in suite.servers.items() if server.problem}
    if not problems:
        return suite
    reasons = ", ".join(f"{name} ({problem})" for name, problem in problems.items())
    servers = {name: server for name, server in suite.servers.items() if name not in problems}
    warning = f"replayed, because they cannot be started: {reasons}"
    return suite.model_copy(update={"servers": servers, "warnings": (*suite.warnings, warning)})


def _with_answers(record: LoadedTask, suite: SuiteManifest) -> LoadedTask:
    from pytest_mcpbench.loaders.recorded_servers import with_recorded_answers

    return record if record.task is None else replace(record, task=with_recorded_answers(record.task, suite))


def _without_unfair_floor(record: LoadedTask, suite: SuiteManifest, undescribed: frozenset[str]) -> LoadedTask:
    """Return a task that enables tools without a description marked, and with floors that leave it without a verdict.

    Its ``coverage`` decides nothing, and ``tools_described`` has no value: the attempt is unscored.
    """
    from pytest_mcpbench.loaders.recorded_servers import needs_no_replay

    task = record.task
    if task is None or not task.expected.claims or task.tools == "all" or undescribed.isdisjoint(task.tools):
        return record
    if needs_no_replay(task, suite):
        return record
    floors = {**floors_of(task, suite), "coverage": 0.0, "tools_described": 1.0}
    tags = {**task.tags, UNDESCRIBED: UNDESCRIBED}
    return replace(record, task=task.model_copy(update={"tags": tags, "floors": floors}))


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
