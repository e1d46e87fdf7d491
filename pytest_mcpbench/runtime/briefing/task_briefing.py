"""What an agent is told of a task under the conditions of a suite: instructions, skills, context, hints."""

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
    """What briefings are made of, beside the task and its suite."""

    skills: Mapping[str, Skill] = field(default_factory=dict)
    """By the path under which suite or task name them."""
    statements: Sequence[str] = ()
    """From which context distractors are drawn."""


def brief_task(task: Task, suite: SuiteManifest, material: BriefingMaterial) -> Task:
    """The task with everything that its agent is told."""
    changed: dict[str, Any] = {"system": _system_prompt(task, suite, material.skills)}
    if suite.context_distractors:
        changed["context"] = _with_distractors(task, suite, material.statements)
    if suite.hint == "tools" and task.expected.calls:
        changed |= {"turns": _with_hints(task), "tags": {**task.tags, "hint": suite.hint}}
    is_as_it_is = len(changed) == 1 and changed["system"] == task.system
    return task if is_as_it_is else task.model_copy(update=changed)


def skill_paths(task: Task, suite: SuiteManifest) -> tuple[str, ...]:
    """The paths of the skills that the task's agent reads: the suite's, then the task's own."""
    return tuple(dict.fromkeys((*suite.skills, *task.skills)))


def _system_prompt(task: Task, suite: SuiteManifest, skills: Mapping[str, Skill]) -> str | None:
    """The system prompt with the skills behind it; ``""`` where there is to be none, ``None`` where nobody says."""
    read = [skills[path].prompt_text for path in skill_paths(task, suite)]
    instructions = "" if suite.prompt == NO_PROMPT else task.system or suite.instructions
    further = [*read, *_answer_format(task, instructions)]
    return "\n\n".join(part for part in (instructions, *further) if part) if further else instructions


def _answer_format(task: Task, instructions: str | None) -> tuple[str, ...]:
    """Return the sentence that asks for the answer in tags, unless the instructions or the request do so already."""
    is_told = "<answer>" in f"{instructions}{task.prompt}"
    return () if task.expected.answer is None or is_told else (ANSWER_FORMAT,)


def _with_distractors(task: Task, suite: SuiteManifest, statements: Sequence[str]) -> Context:
    own = task.context.unnecessary
    foreign = [statement for statement in statements if statement not in own]
    more = draw_sample(foreign, suite.context_distractors, seed=suite.seed, key=task.id)
    return task.context.model_copy(update={"unnecessary": (*own, *more)})


def _with_hints(task: Task) -> tuple[Turn, ...]:
    """The turns, each that has reference calls with their number."""
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
