"""What each suite of the run holds, for those who join its records with others: a hash, and the ids of its tasks."""

from collections.abc import Iterable
from typing import Any

import pytest

from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.suite import SuiteManifest

_CONTENTS = pytest.StashKey[dict[str, tuple[SuiteManifest, tuple[LoadedTask, ...]]]]()


def remember(config: pytest.Config, suite: SuiteManifest, records: Iterable[LoadedTask]) -> None:
    """Keep what was read of a suite, whichever of its tasks are selected."""
    config.stash.setdefault(_CONTENTS, {})[suite.name] = suite, tuple(records)


def facts(config: pytest.Config) -> dict[str, Any]:
    """Suite -> ``hash`` and ``tasks``, its ids in order."""
    from pytest_mcpbench.core.suite_hash import suite_hash

    return {
        name: {
            "hash": suite_hash(suite, (record.task for record in records if record.task is not None)),
            "tasks": [record.id for record in records],
        }
        for name, (suite, records) in config.stash.get(_CONTENTS, {}).items()
    }
