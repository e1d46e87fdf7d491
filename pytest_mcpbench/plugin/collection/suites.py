"""Suites as the collection loads them: with the names of all hooks, under the conditions of the command line."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.suite import SuiteManifest, distinct_names, suite_hash
from pytest_mcpbench.core.variant import Variant
from pytest_mcpbench.options.settings import SETTINGS
from pytest_mcpbench.plugin.collection import suite_paths
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.item_state import SAMPLES, SUITE_PARTS, SUITES
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
from pytest_mcpbench.suite_files.discovery import FULL
from pytest_mcpbench.suite_files.loading import LoadedSuite, load_suite
from pytest_mcpbench.suite_files.splits import with_part


def collect_suite(
    path: Path, config: pytest.Config, *, part: str | None = None
) -> tuple[SuiteManifest, list[LoadedTask]]:
    """Return the suite of a suite.toml or of a stand-alone task file, with its records as attempts see them.

    Args:
        path: The file.
        config: The run's configuration.
        part: The part of its tasks that is asked for, whatever the command line says.
    """
    loaded = _load(path, config, {}, part)
    known_secrets(config).add_suite(loaded.manifest)
    suite_id = loaded.manifest.name, suite_paths.node_id(path, config)
    config.stash.setdefault(SUITES, {})[suite_id] = loaded.manifest
    sample = loaded.manifest.sample
    config.stash.setdefault(SAMPLES, {}).setdefault(suite_id, {})[str(sample) if sample else ""] = loaded
    return loaded.manifest, list(loaded.attempts)


def collect_variant(
    path: Path, config: pytest.Config, variant: Variant, *, part: str | None = None
) -> tuple[SuiteManifest, list[LoadedTask]]:
    """Return a suite under the conditions of a variant; its records have the order of :func:`collect_suite`."""
    loaded = _load(path, config, variant.conditions, part)
    return loaded.manifest, list(loaded.attempts)


def contents_of_suites(config: pytest.Config) -> dict[str, Any]:
    """Return the file, the hash and the task ids of each suite or of its samples, by the name that reports show.

    ``mcpbench merge`` knows equal suites and missing tasks by them, whichever tasks are selected.
    """
    suites = config.stash.get(SAMPLES, {})
    names = distinct_names(suites)
    contents = {}
    for suite_id, samples in suites.items():
        loaded = next(iter(samples.values()))
        drawn = {record.id for each in samples.values() for record in each.drawn}
        contents[names[suite_id]] = {
            "file": suite_id[1],
            "hash": suite_hash(loaded.manifest, (each.task for each in loaded.records if each.task is not None)),
            "tasks": [record.id for record in loaded.records if record.id in drawn],
            **({"suite_tasks": len(loaded.records)} if all(samples) else {}),
        }
    return contents


def _load(path: Path, config: pytest.Config, conditions: Mapping[str, Any], part: str | None) -> LoadedSuite:
    """Return a suite with the part that is asked for as its sample; ``--mcpbench-sample`` draws from all tasks."""
    settings = config.stash[SETTINGS]
    loaded = load_suite(path, {**settings.conditions, **conditions}, catalogue_of(config).names)
    part = part or config.stash.get(SUITE_PARTS, {}).get(path.resolve())
    if settings.sample:
        if part not in (None, FULL):
            problem = f"{loaded.manifest.name}:{part} is a split, and --mcpbench-sample draws another sample"
            raise UsageError(f"{problem}: leave one of them out.")
        part = FULL
    return with_part(loaded, part)
