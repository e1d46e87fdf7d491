"""Briefing of all tasks of a suite, with skills read from disk."""

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.conditions import NO_PROMPT
from pytest_mcpbench.core.errors import SourceLocation, TaskError, unreadable_reason
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.selection import draw_sample
from pytest_mcpbench.core.skill import Skill
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task, Turn
from pytest_mcpbench.files.confinement import Confinement
from pytest_mcpbench.suite_files.briefing.paragraph_pool import read_pool
from pytest_mcpbench.text.paths import SANDBOX
from pytest_mcpbench.text.suggestions import did_you_mean


def brief_tasks(suite: SuiteManifest, records: Iterable[LoadedTask], confinement: Confinement) -> list[LoadedTask]:
    """Return the records under the conditions of the suite.

    A task with a missing skill, or with documents or files from elsewhere, becomes an error.
    """
    paragraphs: tuple[str, ...] = ()
    if suite.context_distractors and suite.context_pool is None:
        paragraphs = read_pool()
    elif suite.context_distractors and suite.context_pool is not None:
        path = Path(suite.directory) / suite.context_pool
        confinement.check(path, SourceLocation(suite.directory), "context_pool")
        paragraphs = read_pool(path)
    read_cached = functools.cache(functools.partial(read_skills, directory=Path(suite.directory)))
    checked: set[Path] = set()

    def check_once(path: Path, place: SourceLocation, field: str) -> None:
        # By path alone: most tasks of a suite share a directory of files, which takes long to walk.
        if path not in checked:
            confinement.check(path, place, field)
            checked.add(path)

    briefed = []
    for record in records:
        if record.task is None:
            briefed.append(record)
            continue
        try:
            _check_paths(record, record.task, suite=suite, check=check_once)
        except TaskError as error:
            briefed.append(replace(record, task=None, error=error))
        else:
            briefed.append(_brief_record(record, record.task, suite, paragraphs, read_cached))
    return briefed


def _brief_record(
    record: LoadedTask,
    task: Task,
    suite: SuiteManifest,
    paragraphs: tuple[str, ...],
    read_cached: Callable[[str], tuple[Skill, ...]],
) -> LoadedTask:
    skills: list[Skill] = []
    for path in skill_paths(task, suite):
        try:
            skills += read_cached(path)
        except (OSError, ValueError) as error:
            problem = f"{path} cannot be read: {unreadable_reason(error)}."
            remedy = f"Paths are relative to {suite.directory}; skills of the package: {', '.join(SHIPPED_SKILLS)}."
            return replace(record, task=None, error=TaskError(problem, record.place, "skills", remedy))
    if fault := _fault_of_offer(task, suite, skills, record.place):
        return replace(record, task=None, error=fault)
    return replace(record, task=brief_task(task, suite, BriefingMaterial(skills, paragraphs)))


def _fault_of_offer(
    task: Task, suite: SuiteManifest, skills: Sequence[Skill], place: SourceLocation
) -> TaskError | None:
    """Return why a model could not choose among the skills, or cannot load those that the task is for."""
    if not offers_skills(task, suite):
        return None
    names = [skill.name for skill in skills]
    nameless = next((skill.name for skill in skills if not skill.description), None)
    twice = next((name for name in names if names.count(name) > 1), None)
    loads = task.expected.loads
    unknown = next((name for name in loads if name not in names), None) if isinstance(loads, tuple) else None
    if nameless is not None:
        problem = f"the skill {nameless!r} has no description, by which a model chooses it."
        return TaskError(problem, place, "skills", "Write `description:` into its front matter.")
    if twice is not None:
        return TaskError(f"two skills are called {twice!r}.", place, "skills")
    if unknown is not None:
        there_are = ", ".join(names) or "none"
        problem = f"no skill is called {unknown!r}; there are: {there_are}."
        return TaskError(problem, place, "loads", did_you_mean(unknown, names))
    if loads == "none" and not names:
        return TaskError("the task has no skills that could be loaded.", place, "loads", "Name some in `skills`.")
    return None


def _check_paths(
    record: LoadedTask, task: Task, *, suite: SuiteManifest, check: Callable[[Path, SourceLocation, str], None]
) -> None:
    """Check the paths of the documents and files of a task. Raises TaskError for the first one that is outside."""
    directory = Path(suite.directory)
    for path in skill_paths(task, suite):
        if path not in SHIPPED_SKILLS or (directory / path).exists():
            check(directory / path, record.place, "skills")
    if isinstance(task.context.files, str):
        if SANDBOX in task.context.files:
            problem = f"{task.context.files} is below the attempt's directory, into which the files are copied."
            raise TaskError(problem, record.place, "context.files", "Name a directory of the suite.")
        check(directory / task.context.files, record.place, "context.files")
    if isinstance(task.context.git, str):
        check(directory / task.context.git, record.place, "context.git")


# Instructions, skills, context and hints that an agent receives for a task under the conditions of a suite.

ANSWER_FORMAT = "End your last message with the final answer alone between tags: <answer>…</answer>"
"""Instruction for tasks with a reference answer, after MCP-RADAR (appendix A.2)."""


@dataclass(frozen=True)
class BriefingMaterial:
    """Sources of a briefing other than the task and its suite."""

    skills: Sequence[Skill] = ()
    """Skills of the suite, then those of the task."""
    paragraphs: Sequence[str] = ()
    """Paragraphs from which context distractors are drawn."""


def brief_task(task: Task, suite: SuiteManifest, material: BriefingMaterial) -> Task:
    """Return the task with the instructions, skills, context and hints for its agent."""
    is_offered = offers_skills(task, suite)
    skill_texts = [] if is_offered else [skill.prompt_text for skill in material.skills]
    instructions = "" if suite.prompt == NO_PROMPT else task.system or suite.instructions
    is_requested = "<answer>" in f"{instructions}{task.prompt}"
    asks_for_tags = task.expected.answer is not None and not is_requested
    further = [*skill_texts, *((ANSWER_FORMAT,) if asks_for_tags else ())]
    # "" stands for no system prompt, ``None`` for the agent's default.
    system = "\n\n".join(part for part in (instructions, *further) if part) if further else instructions
    update: dict[str, Any] = {"system": system}
    if is_offered and material.skills:
        update["offered_skills"] = tuple(material.skills)
    if suite.context == "necessary" and task.context.unnecessary:
        update["context"] = task.context.model_copy(update={"unnecessary": ()})
    if suite.context != "necessary" and suite.context_distractors:
        own = task.context.unnecessary
        foreign = [paragraph for paragraph in material.paragraphs if paragraph not in own]
        more = draw_sample(foreign, suite.context_distractors, seed=suite.seed, key=task.id)
        update["context"] = task.context.model_copy(update={"unnecessary": (*own, *more)})
    if suite.hint == "tools" and task.expected.calls:
        update |= {"turns": _with_hints(task), "tags": {**task.tags, "hint": suite.hint}}
    is_unchanged = len(update) == 1 and system == task.system
    return task if is_unchanged else task.model_copy(update=update)


def skill_paths(task: Task, suite: SuiteManifest) -> tuple[str, ...]:
    """Return the paths of the skills for the task's agent: the suite's, then the task's own."""
    return tuple(dict.fromkeys((*suite.skills, *task.skills)))


def offers_skills(task: Task, suite: SuiteManifest) -> bool:
    """Return whether models see only names and descriptions of the skills."""
    by_default = suite.skill_presentation is None and task.expected.loads is not None
    return by_default or suite.skill_presentation == "offered"


def _with_hints(task: Task) -> tuple[Turn, ...]:
    """Return the turns; each turn with reference calls gets a hint with their number."""
    last = len(task.turns) - 1
    numbers = [0] * len(task.turns)
    for group in task.expected.calls:
        numbers[min(group.turn, last)] += len(group.calls)
    hints = [f"(Hint: this takes at least {number} tool {'call' if number == 1 else 'calls'}.)" for number in numbers]
    return tuple(
        turn.model_copy(update={"user": f"{turn.user} {hint}"}) if number else turn
        for turn, number, hint in zip(task.turns, numbers, hints, strict=True)
    )


# Skill: a document that describes to an agent how to do something.

_FILE_IN_DIRECTORY = "SKILL.md"
_SHIPPED = Path(__file__).with_name("skills")
SHIPPED_SKILLS = ("lark", "openclaw-lark", "openclaw-rednote", "rednote")
"""Names of the skills of the package, for servers of MCP-Persona: ours, and others in the manner of public ones."""
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<head>.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(?P<key>name|description):[ \t]*(?P<value>.*(?:\n[ \t]+.*)*)$", re.MULTILINE)
_BLOCK = re.compile(r"\A[>|][+-]?\s")


def read_skills(path: str, directory: Path) -> tuple[Skill, ...]:
    """Return the skills at a path relative to ``directory``, or one of the package.

    A file is one skill, and so is a directory with a ``SKILL.md``. Any other directory has a skill in each of its own
    directories that has one.

    Raises:
        OSError: a file cannot be read, or the directory has no skill.
        ValueError: a file is not UTF-8, or no file can have this name.
    """
    file = directory / path
    if not file.exists() and path in SHIPPED_SKILLS:
        file = _SHIPPED / path
    if not file.is_dir():
        name = file.parent.name if file.name == _FILE_IN_DIRECTORY else file.stem
        return (parse_skill(file.read_text(encoding="utf-8"), name),)
    inner = sorted(file.glob(f"*/{_FILE_IN_DIRECTORY}")) if not (file / _FILE_IN_DIRECTORY).exists() else ()
    files = inner or [file / _FILE_IN_DIRECTORY]
    return tuple(parse_skill(each.read_text(encoding="utf-8"), each.parent.name) for each in files)


def parse_skill(document: str, name: str) -> Skill:
    """Parse a Markdown document; ``name`` is used if its front matter has none."""
    document = document.removeprefix("\ufeff").replace("\r\n", "\n")
    head = _FRONT_MATTER.match(document)
    if head is None:
        return Skill(name=name, text=document.strip())
    # Not with a parser of YAML, which refuses a description with a colon.
    values = {field["key"]: _BLOCK.sub("", field["value"]) for field in _FIELD.finditer(head["head"])}
    fields = {key: " ".join(value.split()).strip("\"'") for key, value in values.items()}
    return Skill(
        name=fields.get("name") or name,
        text=document[head.end() :].strip(),
        description=fields.get("description", ""),
    )
