"""What the fixtures of one item find out and its report needs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_mcpbench.core.evidence import AttemptEvidence
    from pytest_mcpbench.core.score import Scorecard
    from pytest_mcpbench.core.suite import SuiteManifest
    from pytest_mcpbench.core.suite_names import SuiteId
    from pytest_mcpbench.plugin.collection.jobs import Job


@dataclass
class RunState:
    """Grows while the item is set up; begun anew when the item is run again."""

    job: "Job"
    started_at: str = ""
    seconds: float = 0.0
    evidence: "AttemptEvidence | None" = None
    scorecard: "Scorecard | None" = None


RUN_STATE = pytest.StashKey[RunState]()

SUITES = pytest.StashKey[dict["SuiteId", "SuiteManifest"]]()
"""The suites of which tasks were collected, under the conditions of this run, by name and file."""
