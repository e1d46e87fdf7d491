"""Loading of a suite for collection: with the names of all hooks, under the conditions of the command line."""

from pathlib import Path

import pytest

from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.variant import Variant
from pytest_mcpbench.plugin.collection import contents, suite_paths
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.item_state import SUITES
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
from pytest_mcpbench.plugin.options.settings import SETTINGS
from pytest_mcpbench.runtime.suites.loading import load_suite


def load_variant(path: Path, config: pytest.Config, variant: Variant) -> tuple[SuiteManifest, list[LoadedTask]]:
    """Return a suite under the conditions of a variant, with its records in the same order as in :func:`load`."""
    conditions = {**config.stash[SETTINGS].conditions, **variant.conditions}
    loaded = load_suite(path, conditions, catalogue_of(config).names)
    return loaded.manifest, list(loaded.attempts)


def load(path: Path, config: pytest.Config) -> tuple[SuiteManifest, list[LoadedTask]]:
    """Return the suite of a suite.toml or of a stand-alone task file, with its records as attempts see them."""
    loaded = load_suite(path, config.stash[SETTINGS].conditions, catalogue_of(config).names)
    known_secrets(config).add_suite(loaded.manifest)
    suite_id = loaded.manifest.name, suite_paths.node_id(path, config)
    config.stash.setdefault(SUITES, {})[suite_id] = loaded.manifest
    contents.remember(config, suite_id, loaded)
    return loaded.manifest, list(loaded.attempts)
