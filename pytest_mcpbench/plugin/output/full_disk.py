"""End of a run whose evidence or records cannot be written any more."""

from typing import Any

import pytest

_ATTRIBUTE = "mcpbench_unstored"


def fail_unstored(report: pytest.TestReport, problem: str) -> None:
    """Turn the report of an attempt that cannot be stored into a failure which ends the run."""
    report.outcome, report.longrepr = "failed", problem
    setattr(report, _ATTRIBUTE, problem)


def stop_if_unstored(config: pytest.Config, report: pytest.TestReport) -> None:
    """End the run in order if the attempt of the report cannot be stored, in the process that has all reports."""
    problem: str | None = getattr(report, _ATTRIBUTE, None)
    # pytest-xdist's own session checks its attribute, pytest's session the one of that name.
    session: Any = config.pluginmanager.get_plugin("dsession") or config.pluginmanager.get_plugin("session")
    if problem is not None and session is not None and not hasattr(config, "workerinput"):
        session.shouldstop = problem
