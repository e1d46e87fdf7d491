"""Writing of the reviewed tasks: edits take the place of their lines, rejected tasks move to a file of their own."""

import codecs
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.files.atomic_file import replace_file
from pytest_mcpbench.files.line_file import LineFile
from pytest_mcpbench.generation.review.recording import Review
from pytest_mcpbench.generation.review.reviewed_suite import ReviewedTask

REJECTED_FILE = "rejected.jsonl"


@dataclass(frozen=True)
class AppliedReview:
    """Tasks of a suite after a review was applied, by verdict."""

    accepted: tuple[ReviewedTask, ...]
    rejected: tuple[ReviewedTask, ...]
    undecided: tuple[ReviewedTask, ...]
    """Tasks that are open or disputed; they stay in their files as they are."""


def apply_review(review: Review) -> AppliedReview:
    """Write the accepted edits into the task files and move the rejected tasks to ``rejected.jsonl``.

    Raises:
        UsageError: a line of the decisions is damaged, or a task to change is not in a native JSONL file.
        StorageError: a rejected task cannot be stored; the task files are as before.
    """
    read = review.file.read()
    if read.damaged:
        raise UsageError(f"mend or remove the damaged lines first: {'; '.join(read.damaged)}")
    tasks = review.suite.tasks(read.decisions, review.reviewers)
    accepted, rejected = (
        tuple(task for task in tasks if task.verdict == verdict) for verdict in ("accepted", "rejected")
    )
    edited = [task for task in accepted if task.is_edited]
    for task in (*edited, *rejected):
        if task.original.line is None:
            raise UsageError(
                f"{task.original.file}: the task {task.original.task.id!r} is not a line of a native JSONL file; "
                "change the file itself."
            )
    _store_rejected(review.suite.directory / REJECTED_FILE, rejected)
    ids = {task.original.task.id for task in rejected}
    for file in review.suite.effects:
        # Rejected tasks are tasks of the suite no more.
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True) if file.is_file() else []
        kept = [line for line in lines if not line.strip() or json.loads(line)["id"] not in ids]
        if kept != lines:
            replace_file(file, "".join(kept).encode())
    for file in dict.fromkeys(task.original.file for task in (*edited, *rejected)):
        _rewrite(file, edited, rejected)
    undecided = tuple(task for task in tasks if task.verdict in ("open", "disputed"))
    return AppliedReview(accepted, rejected, undecided)


def _store_rejected(path: Path, rejected: Sequence[ReviewedTask]) -> None:
    """Append the rejected tasks with the reasons, before they leave their files."""
    file = LineFile(path)
    try:
        for task in rejected:
            content = {
                "task": task.version.row,
                "original": task.original.row,
                "file": task.original.file.name,
                "reasons": {each.label: each.reason for each in task.fresh},
                "time": datetime.now(UTC).isoformat("T", "seconds"),
            }
            file.append(json.dumps(content, ensure_ascii=False).encode("utf-8", "replace"))
    finally:
        file.close()


def _rewrite(path: Path, edited: Sequence[ReviewedTask], rejected: Sequence[ReviewedTask]) -> None:
    """Replace the lines of edited tasks and leave out those of rejected ones; every other line keeps its bytes."""
    lines = path.read_bytes().removeprefix(codecs.BOM_UTF8).split(b"\n")
    here = [[task for task in tasks if task.original.file == path] for tasks in (edited, rejected)]
    for task in (*here[0], *here[1]):
        # Another program may have changed the file since its tasks were read.
        line = task.original.line or 0
        if line > len(lines) or json.loads(lines[line - 1]) != task.original.row:
            raise UsageError(f"{task.original.file}:{line}: the line has changed meanwhile; apply the review again.")
    for task in here[0]:
        if task.original.line is not None:
            row = {**(task.version.row or {}), "id": task.version.task.id}
            lines[task.original.line - 1] = json.dumps(row, ensure_ascii=False).encode()
    gone = {task.original.line for task in here[1]}
    replace_file(path, b"\n".join(line for number, line in enumerate(lines, 1) if number not in gone))
