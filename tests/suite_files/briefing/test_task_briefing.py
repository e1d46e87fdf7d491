"""Briefings of agents under the conditions of experiments."""

from typing import Any

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.skill import Skill
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import CallGroup, Context, Expected, Turn
from pytest_mcpbench.suite_files.briefing.suite_briefing import BriefingMaterial, brief_task
from tests.builders import a_task, expected_call

A, B = Skill(name="a", text="First look.", description="Looks"), Skill(name="b", text="Then act.", description="Acts")
MATERIAL = BriefingMaterial(
    paragraphs=("s1", "s2", "s3", "s4", "s5", "s6"),
)


def a_suite(**fields: Any) -> SuiteManifest:
    files = ({"path": "tasks.yaml", "loader": "native"},)
    return SuiteManifest(**{"name": "suite", "directory": "/suite", "files": files, **fields})


SYSTEMS: dict[str, tuple[dict[str, Any], dict[str, Any], str | None]] = {
    "nobody's": ({}, {}, None),
    "the suite's": ({"system": "S"}, {}, "S"),
    "the task's over the suite's": ({"system": "S"}, {"system": "T"}, "T"),
    "a named prompt": ({"system": "S", "prompts": {"p": "P"}, "prompt": "p"}, {}, "P"),
    "the suite's by name": ({"system": "S", "prompts": {"p": "P"}, "prompt": "system"}, {}, "S"),
    "the task's over a named prompt": ({"prompts": {"p": "P"}, "prompt": "p"}, {"system": "T"}, "T"),
    "none": ({"system": "S", "prompt": "none"}, {"system": "T"}, ""),
}


@pytest.mark.parametrize(("suite", "task", "system"), SYSTEMS.values(), ids=SYSTEMS.keys())
def test_the_system_prompt_is(suite: dict[str, Any], task: dict[str, Any], system: str | None) -> None:
    assert brief_task(a_task(**task), a_suite(**suite), MATERIAL).system == system


WHOLE = "S\n\n# Skill: a\n\nLooks\n\nFirst look.\n\n# Skill: b\n\nActs\n\nThen act."
SKILLS: dict[str, tuple[dict[str, Any], Expected, str, tuple[Skill, ...]]] = {
    "whole": ({}, Expected(), WHOLE, ()),
    "offered": ({"skill_presentation": "offered"}, Expected(), "S", (A, B)),
    "offered to a task that says which to load": ({}, Expected(loads="none"), "S", (A, B)),
    "whole if the suite says so": ({"skill_presentation": "whole"}, Expected(loads=("a",)), WHOLE, ()),
}


@pytest.mark.parametrize(("suite", "expected", "system", "offered"), SKILLS.values(), ids=SKILLS.keys())
def test_skills_are(suite: dict[str, Any], expected: Expected, system: str, offered: tuple[Skill, ...]) -> None:
    task = brief_task(a_task(expected=expected), a_suite(system="S", **suite), BriefingMaterial(skills=(A, B)))
    assert (task.system, task.offered_skills) == (system, offered)


@pytest.mark.parametrize("distractors", [0, 4])
def test_only_the_necessary_context_is_left(distractors: int) -> None:
    task = a_task(context=Context(necessary={"city": "Oslo"}, unnecessary=("s3",)))
    suite = a_suite(context="necessary", context_distractors=distractors)
    assert brief_task(task, suite, MATERIAL).context == Context(necessary={"city": "Oslo"})


def test_context_distractors_stand_behind_the_tasks_own_statements_and_are_none_of_them() -> None:
    task = a_task(context=Context(necessary={"city": "Oslo"}, unnecessary=("s3",)))
    context = brief_task(task, a_suite(context_distractors=4), MATERIAL).context
    assert context.necessary == {"city": "Oslo"}
    assert context.unnecessary[0] == "s3"
    assert len(set(context.unnecessary)) == 5
    assert set(context.unnecessary) <= set(MATERIAL.paragraphs)
    assert context == brief_task(task, a_suite(context_distractors=4), MATERIAL).context
    assert context != brief_task(task, a_suite(context_distractors=4, seed=1), MATERIAL).context


def test_each_turn_is_hinted_the_number_of_its_own_calls() -> None:
    read = expected_call("read")
    groups = (CallGroup(calls=(read, read)), CallGroup(calls=(read,), turn=2), CallGroup(calls=(read,), turn=9))
    turns = (Turn(user="One."), Turn(user="Two."), Turn(user="Three."))
    task = brief_task(
        a_task(expected=Expected(calls=groups[:1] + groups[1:2]), turns=turns), a_suite(hint="tools"), MATERIAL
    )
    assert [turn.user for turn in task.turns] == [
        "One. (Hint: this takes at least 2 tool calls.)",
        "Two.",
        "Three. (Hint: this takes at least 1 tool call.)",
    ]
    assert task.tags == {"hint": "tools"}
    late = brief_task(a_task(expected=Expected(calls=groups), turns=turns), a_suite(hint="tools"), MATERIAL)
    assert late.prompt == "Three. (Hint: this takes at least 2 tool calls.)"


def test_a_task_without_reference_calls_is_not_hinted() -> None:
    task = a_task(expected=Expected(claims=("It is 42.",)))
    assert brief_task(task, a_suite(hint="tools"), MATERIAL) == task


def test_conditions_are_replaced_by_name() -> None:
    suite = a_suite(distractors=3, system="S")
    assert suite.under({"distractors": 0, "prompt": "none"}).conditions == suite.conditions.model_copy(
        update={"distractors": 0, "prompt": "none"}
    )


def test_a_prompt_must_be_one_of_the_suites() -> None:
    suite = a_suite(prompts={"react": "Think."})
    problem = "no prompt is called 'raect'; there are: react, system, none"
    with pytest.raises(UsageError) as caught:
        suite.under({"prompt": "raect"})
    assert str(caught.value) == f"suite 'suite': {problem}"
    with pytest.raises(ValueError, match=problem):
        a_suite(prompts={"react": "Think."}, prompt="raect")
