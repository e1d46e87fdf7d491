"""Loading of a suite or task file with the records of its files, under the conditions of the command line."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import McpBenchError, Place, TaskError
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.plugin.collection import contents, public_data
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.item_state import SUITES
from pytest_mcpbench.plugin.options.settings import SETTINGS
from pytest_mcpbench.runtime.briefing import files
from pytest_mcpbench.runtime.suites import server_names


def load(path: Path, config: pytest.Config) -> tuple[SuiteManifest, list[LoadedTask]]:
    """The suite that a suite.toml or a stand-alone task file describes, with the records of its files.

    Both are as they are under the conditions that the command line asks for.
    """
    catalogue = catalogue_of(config)
    settings = config.stash[SETTINGS]
    suite = catalogue.manifest(path).under(settings.conditions)
    found = _records(suite, config)
    records = list(_unique(found) if settings.data is None else public_data.first_of_each(found))
    if suite.recorded:
        suite, records = public_data.on_recorded_servers(suite, records)
    config.stash.setdefault(SUITES, {})[suite.name] = suite
    contents.remember(config, suite, records)
    return suite, [server_names.checked(record, suite) for record in files.brief(suite, records)]


def _records(suite: SuiteManifest, config: pytest.Config) -> Iterator[LoadedTask]:
    catalogue = catalogue_of(config)
    for file in suite.files:
        try:
            yield from catalogue.records(suite, file)
        except McpBenchError as error:
            place = Place(file.path)
            wrapped = error if isinstance(error, TaskError) else TaskError(str(error), place)
            yield LoadedTask(place, id=Path(file.path).stem, error=wrapped)


def _unique(records: Iterable[LoadedTask]) -> Iterator[LoadedTask]:
    """The records, with an id that an earlier file has already used turned into an error that names both places."""
    first: dict[str, LoadedTask] = {}
    for record in records:
        earlier = first.setdefault(record.id, record)
        if earlier is record:
            yield record
            continue
        problem = TaskError(f"the id {record.id!r} is already used at {earlier.place}", record.place, field="id")
        copy = LoadedTask(record.place, id=f"{record.id}.{len(first)}", error=record.error or problem)
        first[copy.id] = copy
        yield copy
