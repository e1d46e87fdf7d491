"""Briefing of all tasks of a suite, with skills read from disk."""

import functools
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.runtime.briefing.skill import Skill
from pytest_mcpbench.runtime.briefing.task_briefing import BriefingMaterial, brief_task, skill_paths
from pytest_mcpbench.runtime.confinement import Confinement

_FILE_IN_DIRECTORY = "SKILL.md"
_SHIPPED = Path(__file__).with_name("skills")
SHIPPED_SKILLS = ("lark", "rednote")
"""Names of the skills of the package, for servers of MCP-Persona."""


def brief_tasks(suite: SuiteManifest, records: Iterable[LoadedTask], confinement: Confinement) -> list[LoadedTask]:
    """Return the records under the conditions of the suite.

    A task with a missing skill, or with documents or files from elsewhere, becomes an error.
    """
    paragraphs = _paragraphs(suite, confinement) if suite.context_distractors else ()
    read_cached = functools.cache(functools.partial(read_skill, directory=Path(suite.directory)))
    checked: set[Path] = set()

    def check_once(path: Path, place: SourceLocation, field: str) -> None:
        # By path alone: most tasks of a suite share a directory of files, which takes long to walk.
        if path not in checked:
            confinement.check(path, place, field)
            checked.add(path)

    check = functools.partial(_check_paths, suite=suite, check=check_once)
    records = [_checked(record, check) for record in records]
    return [
        record if record.task is None else _brief_record(record, record.task, suite, paragraphs, read_cached)
        for record in records
    ]


def read_skill(path: str, directory: Path) -> Skill:
    """Return the skill at a path relative to ``directory`` (in a directory, its ``SKILL.md``), or one of the package.

    Raises:
        OSError: the file cannot be read.
        UnicodeDecodeError: the file is not UTF-8.
    """
    file = directory / path
    if not file.exists() and path in SHIPPED_SKILLS:
        file = _SHIPPED / path
    if file.is_dir():
        return Skill.from_document((file / _FILE_IN_DIRECTORY).read_text(encoding="utf-8"), file.name)
    name = file.parent.name if file.name == _FILE_IN_DIRECTORY else file.stem
    return Skill.from_document(file.read_text(encoding="utf-8"), name)


def unreadable_reason(error: OSError | UnicodeDecodeError) -> str:
    """Return why a document cannot be read."""
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is not UTF-8"


def _brief_record(
    record: LoadedTask,
    task: Task,
    suite: SuiteManifest,
    paragraphs: tuple[str, ...],
    read_cached: Callable[[str], Skill],
) -> LoadedTask:
    skills = {}
    for path in skill_paths(task, suite):
        try:
            skills[path] = read_cached(path)
        except (OSError, UnicodeDecodeError) as error:
            return replace(record, task=None, error=_unreadable_skill(path, record.place, suite, error))
    return replace(record, task=brief_task(task, suite, BriefingMaterial(skills, paragraphs)))


def _checked(record: LoadedTask, check: Callable[[LoadedTask, Task], None]) -> LoadedTask:
    """Return the record, as an error if its task reads what it may not."""
    if record.task is None:
        return record
    try:
        check(record, record.task)
    except TaskError as error:
        return replace(record, task=None, error=error)
    return record


def _check_paths(
    record: LoadedTask, task: Task, *, suite: SuiteManifest, check: Callable[[Path, SourceLocation, str], None]
) -> None:
    """Check the paths of the documents and files of a task. Raises TaskError for the first one that is outside."""
    directory = Path(suite.directory)
    for path in skill_paths(task, suite):
        if path not in SHIPPED_SKILLS or (directory / path).exists():
            check(directory / path, record.place, "skills")
    if task.context.files is not None:
        check(directory / task.context.files, record.place, "context.files")


def _unreadable_skill(
    path: str, place: SourceLocation, suite: SuiteManifest, error: OSError | UnicodeDecodeError
) -> TaskError:
    problem = f"{path} cannot be read: {unreadable_reason(error)}."
    remedy = f"Paths are relative to {suite.directory}; skills of the package: {', '.join(SHIPPED_SKILLS)}."
    return TaskError(problem, place, "skills", remedy)


def _paragraphs(suite: SuiteManifest, confinement: Confinement) -> tuple[str, ...]:
    from pytest_mcpbench.runtime.briefing import paragraph_pool

    if suite.context_pool is None:
        return paragraph_pool.read_pool()
    path = Path(suite.directory) / suite.context_pool
    confinement.check(path, SourceLocation(suite.directory), "context_pool")
    return paragraph_pool.read_pool(path)
