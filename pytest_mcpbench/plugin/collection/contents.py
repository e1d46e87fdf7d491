"""Contents of the suites of a run, by which ``mcpbench merge`` knows equal suites and missing tasks."""

from typing import Any

import pytest

from pytest_mcpbench.core.suite import SuiteId, distinct_names, suite_hash
from pytest_mcpbench.suite_files.loading import LoadedSuite

_CONTENTS = pytest.StashKey[dict[SuiteId, LoadedSuite]]()


def remember(config: pytest.Config, suite_id: SuiteId, loaded: LoadedSuite) -> None:
    """Keep the records of a suite, whichever of its tasks are selected."""
    config.stash.setdefault(_CONTENTS, {})[suite_id] = loaded


def facts(config: pytest.Config) -> dict[str, Any]:
    """Return the file, the hash and the task ids of each suite or of its sample, by the name that reports show."""
    suites = config.stash.get(_CONTENTS, {})
    names = distinct_names(suites)
    return {
        names[suite_id]: {
            "file": suite_id[1],
            "hash": suite_hash(loaded.manifest, (each.task for each in loaded.records if each.task is not None)),
            "tasks": [record.id for record in loaded.drawn],
            **({"suite_tasks": len(loaded.records)} if loaded.manifest.sample else {}),
        }
        for suite_id, loaded in suites.items()
    }
