"""Storing of what reviewers decide: every decision is checked against the tasks before it becomes a line."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field, ValidationError

from pytest_mcpbench.core.errors import TaskError, UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.review import Decision, Kind
from pytest_mcpbench.generation.review.decision_file import DecisionFile, read_decisions
from pytest_mcpbench.generation.review.reviewed_suite import ReviewedSuite, ReviewedTask, parse_row
from pytest_mcpbench.generation.review.task_rows import TaskEdit, edited_row
from pytest_mcpbench.loaders.field_errors import FieldError


class NewDecision(FrozenModel):
    """Decision as the page sends it."""

    task: str
    hash: str
    """Hash of the version that the reviewer has seen."""
    decision: Kind
    scores: dict[str, int] = Field(default_factory=dict)
    reason: str = ""
    edit: TaskEdit | None = None


class UnknownTaskError(UsageError):
    """Error of a decision about a task that the suite does not have."""


class ChangedTaskError(UsageError):
    """Error of a decision about a version that is not the present one."""


@dataclass(frozen=True)
class Review:
    """The tasks of a suite with the file of their decisions."""

    suite: ReviewedSuite
    file: DecisionFile
    reviewers: int = 1

    def tasks(self) -> list[ReviewedTask]:
        """Return the tasks with the decisions of now."""
        return self.suite.tasks(self.file.read().decisions, self.reviewers)

    def task(self, task_id: str) -> ReviewedTask:
        """Return one task with the decisions of now.

        Raises:
            UnknownTaskError: there is no such task.
        """
        found = next((task for task in self.tasks() if task.version.task.id == task_id), None)
        if found is None:
            raise UnknownTaskError(f"there is no task {task_id!r}")
        return found

    def store(self, new: NewDecision, reviewer: str) -> Decision:
        """Append a decision about the present version of a task.

        Raises:
            UnknownTaskError: there is no such task.
            ChangedTaskError: the task has another version now.
            UsageError: the decision contradicts itself or lacks scores, or the loader refuses the edited task.
            StorageError: the line cannot be written.
        """
        task = self.task(new.task)
        if task.version.hash != new.hash:
            raise ChangedTaskError("the task has changed since you opened it; load the page again")
        decision = _decision(task, new, reviewer)
        if decision.accepts and not decision.scores and self.reviewers > 1:
            raise UsageError(f"with {self.reviewers} reviewers an acceptance has scores")
        self.file.append(decision)
        return decision

    def add(self, path: Path) -> int:
        """Append the decisions of a file that the page has downloaded, and return their number: all or none.

        Raises:
            UsageError: a line is damaged, or is about a task or version that the suite does not have.
        """
        read = read_decisions(path)
        versions = {task.version.task.id: task.version.hash for task in self.tasks()}
        problems = [*read.damaged]
        for decision in read.decisions:
            if decision.task not in versions:
                problems.append(f"there is no task {decision.task!r}")
            elif versions[decision.task] != decision.hash:
                problems.append(f"the task {decision.task!r} has changed since {decision.reviewer} read it")
        if problems:
            raise UsageError(f"{path}: nothing is added: " + "; ".join(problems))
        for decision in read.decisions:
            self.file.append(decision)
        return len(read.decisions)


def _decision(task: ReviewedTask, new: NewDecision, reviewer: str) -> Decision:
    fields = {
        **new.model_dump(exclude={"edit"}),
        "reviewer": reviewer,
        "time": datetime.now(UTC).isoformat("T", "seconds"),
    }
    if new.decision == "edit":
        edit = new.edit
        if edit is None or task.version.edit is None or task.version.row is None:
            raise UsageError("tasks of this file cannot be edited here; change the file itself")
        try:
            row = edited_row(task.version.row, edit)
            edited = parse_row(row, task.version.task.id, task.version.file)
        except FieldError as error:
            raise UsageError(f"{error.field}: {error.problem}") from None
        except TaskError as error:
            raise UsageError(f"the loader refuses the edited task: {error}") from None
        if edited.hash == task.version.hash:
            raise UsageError("nothing is changed; accept or reject the task instead")
        fields |= {"replaces": task.version.hash, "hash": edited.hash, "row": row}
    try:
        return Decision.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        message = first["msg"].removeprefix("Value error, ")
        raise UsageError(f"{place}: {message}" if place else message) from None


def problems_of(damaged: Sequence[str], unknown: Sequence[str]) -> list[str]:
    """Return sentences about lines that cannot be read and about tasks that are not in the suite."""
    about = f"decisions about tasks that are not in the suite: {', '.join(unknown)}"
    return [*damaged, *([about] if unknown else [])]
