"""Public files of a benchmark (``--mcpbench-data``): their tasks once each, on servers that replay recorded results."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.score import floors_of
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.loaders import recorded_servers
from pytest_mcpbench.loaders.catalogue import RECORDED_TOOLS
from pytest_mcpbench.suite_files.references import import_object

UNDESCRIBED = "undescribed"
"""Tag of tasks whose replayed tools have no description."""


def first_of_each(records: Iterable[LoadedTask]) -> Iterator[LoadedTask]:
    """Yield the records without repetitions: public sets repeat tasks in demonstrations and in joint files.

    A record repeats an earlier one if it has the same id, or the same content in another file. For each repeated id the
    record that is kept has a warning; repeated contents are counted in one warning for each file.
    """
    kept: dict[str, LoadedTask] = {}
    seen: dict[str, LoadedTask] = {}
    totals: Counter[str] = Counter()
    first_repeated: dict[str, str] = {}
    for record in records:
        first = kept.get(record.id)
        if first is not None:
            kept[record.id] = replace(first, warnings=(*first.warnings, f"{record.id} is also at {record.place}"))
            continue
        same, file = seen.setdefault(_content(record), record), record.place.file
        if same.place.file == file:
            kept[record.id] = record
        else:
            totals[file] += 1
            first_repeated.setdefault(file, same.id)
    # The first record that a file repeats has the warning with the number of the file's repetitions.
    for record in kept.values():
        counts = (
            f"{totals[file]} records of {file} repeat tasks of other files and were left out"
            for file, record_id in first_repeated.items()
            if record_id == record.id
        )
        yield replace(record, warnings=(*record.warnings, *counts))


def _content(record: LoadedTask) -> str:
    """Return a digest of what a task asks and expects; of a broken line, its place."""
    if record.task is None:
        return str(record.place)
    turns = [turn.model_dump(mode="json") for turn in record.task.turns]
    parts = [turns, record.task.system, record.task.expected.model_dump(mode="json")]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def on_recorded_servers(suite: SuiteManifest, records: list[LoadedTask]) -> tuple[SuiteManifest, list[LoadedTask]]:
    """Add a replaying server for each server that tasks name and the suite lacks, and recorded answers to the tasks.

    Servers whose variables are not set are replayed too, with a warning.
    """
    problems = {name: server.problem.partition(";")[0] for name, server in suite.servers.items() if server.problem}
    if problems:
        reasons = ", ".join(f"{name} ({problem})" for name, problem in problems.items())
        servers = {name: server for name, server in suite.servers.items() if name not in problems}
        warning = f"replayed, because they cannot be started: {reasons}"
        suite = suite.model_copy(update={"servers": servers, "warnings": (*suite.warnings, warning)})
    tasks = [record.task for record in records if record.task is not None]
    replaying = recorded_servers.recorded_servers(tasks, suite, _known_tools(suite))
    suite = suite.model_copy(update={"servers": {**suite.servers, **replaying}})
    undescribed = recorded_servers.undescribed_tools(replaying, suite)
    return suite, [_on_recorded_servers(record, suite, undescribed) for record in records]


def _on_recorded_servers(record: LoadedTask, suite: SuiteManifest, undescribed: frozenset[str]) -> LoadedTask:
    """Return a task with its recorded answer, marked if it enables tools without a description.

    The floors of such a task leave it without a verdict: its ``coverage`` decides nothing, and ``tools_described`` has
    no value.
    """
    if record.task is None:
        return record
    task = recorded_servers.with_recorded_answers(record.task, suite)
    is_fair = not task.expected.claims or task.tools == "all" or undescribed.isdisjoint(task.tools)
    if not is_fair and not recorded_servers.needs_no_replay(task, suite):
        floors = {**floors_of(task, suite), "coverage": 0.0, "tools_described": 1.0}
        tags = {**task.tags, UNDESCRIBED: UNDESCRIBED}
        task = task.model_copy(update={"tags": tags, "floors": floors})
    return replace(record, task=task)


def _known_tools(suite: SuiteManifest) -> Mapping[str, tuple[ToolSpec, ...]]:
    """Return the tools whose schemas are in the files, by server; several lists of one server are joined."""
    found: dict[str, dict[str, ToolSpec]] = {}
    for file in suite.files:
        path = Path(suite.directory) / file.path
        if file.loader not in RECORDED_TOOLS or not path.is_file():
            continue
        listed: Mapping[str, tuple[ToolSpec, ...]] = import_object(RECORDED_TOOLS[file.loader])(
            path.read_bytes(), path.name
        )
        for server, tools in listed.items():
            for tool in tools:
                found.setdefault(server, {}).setdefault(tool.tool, tool)
    return {server: tuple(tools.values()) for server, tools in found.items()}
