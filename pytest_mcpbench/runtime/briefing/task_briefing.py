"""Instructions, skills, context and hints that an agent receives for a task under the conditions of a suite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.core.conditions import NO_PROMPT
from pytest_mcpbench.core.sampling import draw_sample
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Context, Task, Turn
from pytest_mcpbench.runtime.briefing.skill import Skill

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
