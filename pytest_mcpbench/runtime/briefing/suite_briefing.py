"""The records of a suite, each task with what its agent is told; reads the skills from disk."""

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

_IN_A_DIRECTORY = "SKILL.md"


def brief_tasks(suite: SuiteManifest, records: Iterable[LoadedTask]) -> list[LoadedTask]:
    """The records under the conditions of the suite; one that names a skill that is not there is an error."""
    records = list(records)
    tasks = [record.task for record in records if record.task is not None]
    statements = _statements(tasks) if suite.context_distractors else ()
    read = functools.cache(functools.partial(read_skill, directory=Path(suite.directory)))
    return [
        record if record.task is None else _brief_record(record, record.task, suite, statements, read)
        for record in records
    ]


def read_skill(path: str, directory: Path) -> Skill:
    """The document at the path, from ``directory``; of a directory its ``SKILL.md``. Raises :class:`OSError`."""
    file = directory / path
    if file.is_dir():
        return Skill.from_document((file / _IN_A_DIRECTORY).read_text(encoding="utf-8"), file.name)
    name = file.parent.name if file.name == _IN_A_DIRECTORY else file.stem
    return Skill.from_document(file.read_text(encoding="utf-8"), name)


def unreadable_reason(error: OSError | UnicodeDecodeError) -> str:
    """What keeps a document from being read, in words."""
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is not UTF-8"


def _brief_record(
    record: LoadedTask, task: Task, suite: SuiteManifest, statements: tuple[str, ...], read: Callable[[str], Skill]
) -> LoadedTask:
    skills = {}
    for path in skill_paths(task, suite):
        try:
            skills[path] = read(path)
        except (OSError, UnicodeDecodeError) as error:
            return replace(record, task=None, error=_unreadable_skill(path, record.place, suite, error))
    return replace(record, task=brief_task(task, suite, BriefingMaterial(skills, statements)))


def _unreadable_skill(
    path: str, place: SourceLocation, suite: SuiteManifest, error: OSError | UnicodeDecodeError
) -> TaskError:
    problem = f"{path} cannot be read: {unreadable_reason(error)}."
    return TaskError(problem, place, "skills", f"Paths are relative to {suite.directory}.")


def _statements(tasks: Iterable[Task]) -> tuple[str, ...]:
    """What the tasks themselves call unnecessary, then paragraphs about this and that; each once."""
    from pytest_mcpbench.runtime.briefing.paragraphs import PARAGRAPHS

    unnecessary = (statement for task in tasks for statement in task.context.unnecessary)
    return tuple(dict.fromkeys((*unnecessary, *PARAGRAPHS)))
