"""State of an item, filled by its fixtures and read for its report."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mcpbench.core.evidence import AttemptEvidence
    from pytest_mcpbench.core.planning import AttemptDescription
    from pytest_mcpbench.core.score import Scorecard
    from pytest_mcpbench.core.suite import SuiteId, SuiteManifest
    from pytest_mcpbench.plugin.collection.arms import Arms
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.suite_files.loading import LoadedSuite


@dataclass
class ItemState:
    """The parts of an item's record that are known so far; a repeated run of the item gets a new state."""

    job: "Job"
    started_at: str = ""
    seconds: float = 0.0
    evidence: "AttemptEvidence | None" = None
    scorecard: "Scorecard | None" = None
    description: "AttemptDescription | None" = None
    """Description under which the attempt runs; ``None`` if none was started for the item."""
    is_taken_over: bool = False
    """True if an earlier run has made, and paid for, the attempt; false for one of a crashed worker of this run."""
    original_start: str = ""
    """Begin of an attempt that an earlier run or a crashed worker has made."""


ITEM_STATE = pytest.StashKey[ItemState]()

ARMS: "pytest.StashKey[Arms]" = pytest.StashKey()
"""The arms of a comparison; missing in any other run."""

SUITES = pytest.StashKey[dict["SuiteId", "SuiteManifest"]]()
"""The suites of which tasks were collected, under the conditions of this run, by name and file."""

SAMPLES = pytest.StashKey[dict["SuiteId", dict[str, "LoadedSuite"]]]()
"""Each suite of :data:`SUITES` with its records, by its sample in words; users' own tests may name several samples.

Without a sample the words are empty.
"""

SUITE_PARTS = pytest.StashKey[dict["Path", str]]()
"""The part that the command line asks for (``full``, ``hard``, …) by the file of the suite."""

SELECTED = pytest.StashKey[int]()
"""Number of attempts that the run selects, without fresh trials."""
