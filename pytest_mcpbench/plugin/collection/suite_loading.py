"""Loading of a suite for collection: with the names of all hooks, under the conditions of the command line."""

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.variant import Variant
from pytest_mcpbench.plugin.collection import contents, suite_paths
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.item_state import SUITES, WHOLE_SUITES
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
from pytest_mcpbench.plugin.options.settings import SETTINGS
from pytest_mcpbench.runtime.suites.loading import LoadedSuite, load_suite


def load_variant(
    path: Path, config: pytest.Config, variant: Variant, *, is_whole: bool = False
) -> tuple[SuiteManifest, list[LoadedTask]]:
    """Return a suite under the conditions of a variant, with its records in the same order as in :func:`load`."""
    conditions = {**config.stash[SETTINGS].conditions, **variant.conditions}
    loaded = load_suite(path, conditions, catalogue_of(config).names)
    return _with_sample(loaded, path, config, is_whole=is_whole).manifest, list(loaded.attempts)


def load(path: Path, config: pytest.Config, *, is_whole: bool = False) -> tuple[SuiteManifest, list[LoadedTask]]:
    """Return the suite of a suite.toml or of a stand-alone task file, with its records as attempts see them.

    Args:
        path: The file.
        config: The run's configuration.
        is_whole: True if all of its tasks are asked for, whatever the command line says.
    """
    read = load_suite(path, config.stash[SETTINGS].conditions, catalogue_of(config).names)
    loaded = _with_sample(read, path, config, is_whole=is_whole)
    known_secrets(config).add_suite(loaded.manifest)
    suite_id = loaded.manifest.name, suite_paths.node_id(path, config)
    config.stash.setdefault(SUITES, {})[suite_id] = loaded.manifest
    contents.remember(config, suite_id, loaded)
    return loaded.manifest, list(loaded.attempts)


def _with_sample(loaded: LoadedSuite, path: Path, config: pytest.Config, *, is_whole: bool) -> LoadedSuite:
    """Return the suite; without its sample if the command line asks for all tasks, for single ones or for a sample."""
    whole = config.stash.get(WHOLE_SUITES, frozenset())
    if loaded.manifest.sample is None or not (is_whole or config.stash[SETTINGS].sample or path.resolve() in whole):
        return loaded
    return replace(loaded, manifest=loaded.manifest.model_copy(update={"sample": None}))
