"""Briefing of all tasks of a suite, with skills read from disk."""

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.conditions import NO_PROMPT
from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.selection import draw_sample
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Context, Task, Turn
from pytest_mcpbench.files.confinement import Confinement

# Skill: a document that describes to an agent how to do something.

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<head>.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(?P<key>name|description):[ \t]*(?P<value>.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Skill:
    """One document."""

    name: str
    text: str
    description: str = ""

    @classmethod
    def from_document(cls, document: str, name: str) -> "Skill":
        """Parse a Markdown document; ``name`` is used if its front matter has none."""
        document = document.removeprefix("\ufeff").replace("\r\n", "\n")
        head = _FRONT_MATTER.match(document)
        if head is None:
            return cls(name, document.strip())
        fields = {field["key"]: field["value"].strip().strip("\"'") for field in _FIELD.finditer(head["head"])}
        return cls(fields.get("name") or name, document[head.end() :].strip(), fields.get("description", ""))

    @property
    def prompt_text(self) -> str:
        """Text that the agent reads."""
        parts = [f"# Skill: {self.name}", self.description, self.text]
        return "\n\n".join(part for part in parts if part)


# Instructions, skills, context and hints that an agent receives for a task under the conditions of a suite.

ANSWER_FORMAT = "End your last message with the final answer alone between tags: <answer>…</answer>"
"""Instruction for tasks with a reference answer, after MCP-RADAR (appendix A.2)."""


@dataclass(frozen=True)
class BriefingMaterial:
    """Sources of a briefing other than the task and its suite."""

    skills: Mapping[str, Skill] = field(default_factory=dict)
    """Skills by the path that the suite or the task specifies."""
    paragraphs: Sequence[str] = ()
    """Paragraphs from which context distractors are drawn."""


def brief_task(task: Task, suite: SuiteManifest, material: BriefingMaterial) -> Task:
    """Return the task with the instructions, skills, context and hints for its agent."""
    update: dict[str, Any] = {"system": _system_prompt(task, suite, material.skills)}
    if suite.context == "necessary" and task.context.unnecessary:
        update["context"] = task.context.model_copy(update={"unnecessary": ()})
    if suite.context != "necessary" and suite.context_distractors:
        update["context"] = _with_distractors(task, suite, material.paragraphs)
    if suite.hint == "tools" and task.expected.calls:
        update |= {"turns": _with_hints(task), "tags": {**task.tags, "hint": suite.hint}}
    is_unchanged = len(update) == 1 and update["system"] == task.system
    return task if is_unchanged else task.model_copy(update=update)


def skill_paths(task: Task, suite: SuiteManifest) -> tuple[str, ...]:
    """Return the paths of the skills for the task's agent: the suite's, then the task's own."""
    return tuple(dict.fromkeys((*suite.skills, *task.skills)))


def _system_prompt(task: Task, suite: SuiteManifest, skills: Mapping[str, Skill]) -> str | None:
    """Return the system prompt followed by the skills; ``""`` for none, ``None`` for the agent's default."""
    skill_texts = [skills[path].prompt_text for path in skill_paths(task, suite)]
    instructions = "" if suite.prompt == NO_PROMPT else task.system or suite.instructions
    further = [*skill_texts, *_answer_format(task, instructions)]
    return "\n\n".join(part for part in (instructions, *further) if part) if further else instructions


def _answer_format(task: Task, instructions: str | None) -> tuple[str, ...]:
    """Return the sentence that asks for the answer in tags, unless the instructions or the request do so already."""
    is_requested = "<answer>" in f"{instructions}{task.prompt}"
    return () if task.expected.answer is None or is_requested else (ANSWER_FORMAT,)


def _with_distractors(task: Task, suite: SuiteManifest, paragraphs: Sequence[str]) -> Context:
    own = task.context.unnecessary
    foreign = [paragraph for paragraph in paragraphs if paragraph not in own]
    more = draw_sample(foreign, suite.context_distractors, seed=suite.seed, key=task.id)
    return task.context.model_copy(update={"unnecessary": (*own, *more)})


def _with_hints(task: Task) -> tuple[Turn, ...]:
    """Return the turns; each turn with reference calls gets a hint with their number."""
    last = len(task.turns) - 1
    numbers = [0] * len(task.turns)
    for group in task.expected.calls:
        numbers[min(group.turn, last)] += len(group.calls)
    return tuple(
        turn.model_copy(update={"user": f"{turn.user} {_hint(number)}"}) if number else turn
        for turn, number in zip(task.turns, numbers, strict=True)
    )


def _hint(number: int) -> str:
    return f"(Hint: this takes at least {number} tool {'call' if number == 1 else 'calls'}.)"


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
    from pytest_mcpbench.suite_files.briefing import paragraph_pool

    if suite.context_pool is None:
        return paragraph_pool.read_pool()
    path = Path(suite.directory) / suite.context_pool
    confinement.check(path, SourceLocation(suite.directory), "context_pool")
    return paragraph_pool.read_pool(path)
