"""Tasks under review: each in its present version, with the decisions about it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_mcpbench.core.errors import SourceLocation, TaskError, UsageError
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.review import Decision, ReviewState, latest_decisions, verdict_of
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.generation.review.task_rows import Row, TaskEdit, edit_of
from pytest_mcpbench.loaders import native
from pytest_mcpbench.suite_files.loading import load_task_file, load_tasks, read_suite

_NATIVE = "native"


@dataclass(frozen=True)
class TaskVersion:
    """A task as its file has it, or as a reviewer has edited it."""

    task: Task
    suite: SuiteManifest
    file: Path
    row: Row | None = None
    """The row of a native JSONL file; ``None``: tasks of this file cannot be edited here."""
    line: int | None = None
    """Line of the row, from 1."""

    @property
    def hash(self) -> str:
        """Return the hash of the version, which does not depend on its file."""
        return self.task.hash

    @property
    def edit(self) -> TaskEdit | None:
        """Return what can be edited; ``None`` if the row cannot be written as its task reads it."""
        if self.row is None:
            return None
        edit = edit_of(self.row)
        calls, turns = len(self.task.expected.flat_calls), len(self.task.turns)
        return edit if (len(edit.arguments), len(edit.requests)) == (calls, turns) else None


@dataclass(frozen=True)
class ReviewedTask:
    """A task in its present version with the latest decision of each reviewer."""

    version: TaskVersion
    """With the last edit, if there is one."""
    original: TaskVersion
    """As the file has it."""
    shown: Task
    """The present version with the effects that the suite has recorded."""
    decisions: tuple[Decision, ...]
    reviewers: int

    @property
    def is_edited(self) -> bool:
        """Return whether the present version is not that of the file."""
        return self.version.hash != self.original.hash

    @property
    def fresh(self) -> tuple[Decision, ...]:
        """Return the decisions about the present version."""
        return tuple(each for each in self.decisions if each.hash == self.version.hash)

    @property
    def verdict(self) -> ReviewState:
        """Return the verdict on the present version."""
        return verdict_of(self.fresh, self.reviewers)


@dataclass(frozen=True)
class ReviewedSuite:
    """The tasks of a directory, a suite or a task file, before any decision."""

    name: str
    directory: Path
    """Directory of the tasks."""
    versions: Mapping[str, TaskVersion]
    shown: Mapping[str, Task]
    problems: tuple[str, ...] = field(default=())
    """Errors of records that are not tasks."""
    effects: tuple[Path, ...] = ()
    """Files with recorded effects."""

    def tasks(self, decisions: Iterable[Decision], reviewers: int) -> list[ReviewedTask]:
        """Return the tasks in the order of the files."""
        of_task: dict[str, list[Decision]] = {}
        for decision in decisions:
            of_task.setdefault(decision.task, []).append(decision)
        tasks = []
        for name, original in self.versions.items():
            version, own = original, of_task.get(name, [])
            for decision in own:
                if decision.row is not None and decision.replaces == version.hash:
                    version = _edited_version(version, decision)
            shown = self.shown[original.task.id]
            if version is not original:
                effects = version.task.expected.effects or shown.expected.effects
                expected = version.task.expected.model_copy(update={"effects": effects})
                shown = version.task.model_copy(update={"expected": expected})
            tasks.append(ReviewedTask(version, original, shown, latest_decisions(own), reviewers))
        return tasks

    def unknown(self, decisions: Iterable[Decision]) -> list[str]:
        """Return the ids in decisions that no task has."""
        return sorted({decision.task for decision in decisions} - self.versions.keys())


def read_reviewed_suite(name: str, paths: Sequence[Path]) -> ReviewedSuite:
    """Return the tasks of suites or task files, which lie in one directory.

    Raises:
        TaskError: a complete file cannot be read.
        UsageError: there is no task, or two tasks have one id.
    """
    versions: dict[str, TaskVersion] = {}
    shown: dict[str, Task] = {}
    problems: list[str] = []
    effects: list[Path] = []
    for path in paths:
        suite = read_suite(path)
        effects += [Path(suite.directory) / suite.effects.file] if suite.effects is not None else []
        loaded = load_tasks(suite)
        for error in loaded.file_errors:
            raise error
        shown |= {record.task.id: record.task for record in loaded.records if record.task is not None}
        problems += [str(record.error) for record in loaded.records if record.error is not None]
        for version in _versions(suite):
            if version.task.id in versions:
                raise UsageError(f"{version.file}: another task is called {version.task.id!r}; name one file.")
            versions[version.task.id] = version
    if not versions:
        raise UsageError(f"{name}: there is no task to review. {' '.join(problems)}".rstrip())
    title = suite.name if len(paths) == 1 else paths[0].parent.name
    return ReviewedSuite(title, paths[0].parent, versions, shown, tuple(problems), tuple(effects))


def parse_row(row: Row, task_id: str, file: Path) -> Task:
    """Return the task of an edited row, which keeps its id.

    Raises:
        TaskError: the loader refuses it.
    """
    content = json.dumps({**row, "id": task_id}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    records = list(native.load(content, LoadOptions("edit.jsonl", {}, None)))
    if len(records) != 1 or records[0].task is None:
        error = records[0].error if records else None
        raise error or TaskError("the edited task is empty.", SourceLocation(str(file)))
    return records[0].task


def _edited_version(version: TaskVersion, decision: Decision) -> TaskVersion:
    """Return the version of an edit; the one before where its line was changed by hand and does not fit its hash."""
    try:
        task = parse_row(decision.row or {}, version.task.id, version.file)
    except TaskError:
        return version
    return replace(version, task=task, row=decision.row) if task.hash == decision.hash else version


def _versions(suite: SuiteManifest) -> Iterator[TaskVersion]:
    for file in suite.files:
        path = Path(suite.directory) / file.path
        records = [*load_task_file(suite, file)]
        rows = _rows(path, records) if file.loader == _NATIVE and file.sha256 is None else {}
        for record in records:
            if record.task is not None:
                line, row = rows.get(record.id, (None, None))
                yield TaskVersion(record.task, suite, path, row, line)


def _rows(path: Path, records: Sequence[LoadedTask]) -> dict[str, tuple[int, Row]]:
    """Return line and row of each task of a JSONL file; none if the file has another layout, such as an array."""
    if path.suffix != ".jsonl":
        return {}
    text = path.read_text(encoding="utf-8-sig", errors="surrogateescape")
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) != len(records):
        return {}
    rows: dict[str, tuple[int, Row]] = {}
    for record, (number, line) in zip(records, lines, strict=True):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            rows[record.id] = number, row
    return rows
