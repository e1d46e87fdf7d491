"""Table of the runs that were joined into one report."""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.display_text import one_line
from pytest_mcpbench.reporting.joined_runs import joined_runs
from pytest_mcpbench.reporting.run_end import end_of_run
from pytest_mcpbench.reporting.table import Table, filled_table

_HEADINGS = ("run", "started", "attempts", "version", "Python", "platform", "isolation", "end")


def run_table(report: Report) -> Table:
    """Return when and where each run was made, and how it ended before all of its attempts had run."""
    rows = [_row(run) for run in joined_runs(report)]
    return filled_table("Runs", _HEADINGS, rows, len(_HEADINGS))


def _row(run: Mapping[str, Any]) -> tuple[str, ...]:
    attempts = int(run.get("attempts", 0))
    names = ("version", "python", "platform", "isolation")
    facts = (one_line(str(run.get(name) or ""), 40) for name in names)
    started = str(run.get("started_at") or "")[:19].replace("T", " ")
    return one_line(str(run.get("directory")), 300), started, f"{attempts:,}", *facts, end_of_run(run, attempts)
