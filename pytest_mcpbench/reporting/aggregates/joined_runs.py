"""Facts of the runs that ``mcpbench merge`` or ``mcpbench report`` has joined."""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.report import Report

JOINED = "merged"
"""Fact with the facts of each run."""


def joined_runs(report: Report) -> tuple[Mapping[str, Any], ...]:
    """Return the facts of each run; none if the report is that of one run."""
    runs = report.facts.get(JOINED)
    return tuple(run for run in runs if isinstance(run, Mapping)) if isinstance(runs, list) else ()
