"""Annotations of failing tasks: commands of GitHub Actions, and Code Quality reports of GitLab."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.aggregates.telling_tasks import TellingTask, failing_tasks, one_per_cause
from pytest_mcpbench.reporting.forms.display_text import one_line

MOST_OF_A_STEP = 10
"""Annotations that GitHub shows of one step."""
_IN_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def github_commands(entries: Iterable[Entry], *, directory: str | None = "") -> Iterator[str]:
    """Yield a command for each of the ten most telling tasks that failed.

    Args:
        entries: Attempts of the run.
        directory: Directory of pytest's root, relative to that of the repository; ``None`` if it is outside of it.
    """
    for task in one_per_cause(failing_tasks(entries), MOST_OF_A_STEP):
        entry = task.entry
        if directory is None or not entry.source:
            place = []
        else:
            file = one_line(str(PurePosixPath(directory) / entry.source), 1000).translate(_IN_PROPERTY)
            place = [f"file={file}", f"line={max(1, entry.line)}"]
        title = f"title={_title(task).translate(_IN_PROPERTY)}"
        yield f"::error {','.join([*place, title])}::{_message(task).translate(_IN_MESSAGE)}"


def code_quality(report: Report) -> str:
    """Return the failing tasks as a Code Quality report of GitLab; tasks whose file is unknown are left out."""
    tasks = [task for task in failing_tasks(report.entries) if task.entry.source]
    issues: list[dict[str, object]] = []
    for task in tasks:
        entry = task.entry
        identity = "\0".join((entry.source, task.suite, task.task, task.model))
        issues.append(
            {
                "description": f"{_title(task)}: {_message(task)}",
                "check_name": "mcpbench",
                "fingerprint": hashlib.sha256(identity.encode()).hexdigest(),
                "severity": "critical" if entry.outcome == "error" else "major",
                "location": {"path": entry.source, "lines": {"begin": max(1, entry.line)}},
            }
        )
    return json.dumps(issues, indent=2, ensure_ascii=False) + "\n"


def _title(task: TellingTask) -> str:
    return f"{one_line(task.task, 80)} [{one_line(task.model, 60)}]: {task.result}"


def _message(task: TellingTask) -> str:
    return ": ".join(part for part in (task.tools, task.reason) if part)
