"""Briefings of agents under the conditions of experiments."""

from typing import Any

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import CallGroup, Context, Expected, Turn
from pytest_mcpbench.suite_files.briefing.suite_briefing import BriefingMaterial, Skill, brief_task
from tests.builders import a_task, expected_call

MATERIAL = BriefingMaterial(
    skills={"a.md": Skill("a", "First look."), "b.md": Skill("b", "Then act.")},
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
    "skills behind it": (
        {"system": "S", "skills": ("a.md",)},
        {"skills": ("b.md", "a.md")},
        "S\n\n# Skill: a\n\nFirst look.\n\n# Skill: b\n\nThen act.",
    ),
    "skills alone": ({"prompt": "none", "skills": ("b.md",)}, {}, "# Skill: b\n\nThen act."),
}


@pytest.mark.parametrize(("suite", "task", "system"), SYSTEMS.values(), ids=SYSTEMS.keys())
def test_the_system_prompt_is(suite: dict[str, Any], task: dict[str, Any], system: str | None) -> None:
    assert brief_task(a_task(**task), a_suite(**suite), MATERIAL).system == system


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
