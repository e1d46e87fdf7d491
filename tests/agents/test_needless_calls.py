from typing import Any

import pytest

from pytest_mcpbench.agents.oracle import needless_calls, unchecked_changes
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.task import CallGroup, Derivation, Expected, Task, Turn
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.core.world import Change, Effect, WorldRecord
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call

UNCHANGED = (WorldRecord(name="server"),)
CHANGED = (WorldRecord(name="server", changes=(Change(kind="created", collection="notes", id="7"),)),)
READING = a_tool("read", annotations={"readOnlyHint": True})


def a_reference(*calls: CallRecord, derivation: Derivation | None = None, turns: int = 1) -> Task:
    groups = tuple(
        CallGroup(calls=(expected_call(call.called, call.arguments, id=str(at)),), turn=(at - 1) * turns // len(calls))
        for at, call in enumerate(calls, 1)
    )
    requests = tuple(Turn(user="What is the budget of Lantern?") for _ in range(turns))
    return a_task(expected=Expected(calls=groups, derivation=derivation), turns=requests)


def an_attempt(*calls: CallRecord, worlds: tuple[WorldRecord, ...] = UNCHANGED, **fields: Any) -> AttemptEvidence:
    tools = tuple(a_tool(name) for name in dict.fromkeys(call.name for call in calls))
    return evidence_of(*((call,) for call in calls), worlds=worlds, tools=fields.pop("tools", tools), **fields)


def needless(task: Task, evidence: AttemptEvidence) -> list[str]:
    return [reference.id for reference, _ in needless_calls(task, evidence)]


LIST = a_call("list", result="Lantern P-7, Tides P-8")
READ = a_call("read", {"id": "P-7"}, result="budget 400")
OTHER = a_call("weather", result="rain")


@pytest.mark.parametrize(
    ("calls", "fields", "found"),
    [
        pytest.param((READ, LIST, READ), {}, ["3"], id="the same again"),
        pytest.param((READ, a_call("read", {"id": "P-8"}, result="budget 400")), {}, [], id="other arguments"),
        pytest.param((READ, READ.model_copy(update={"result": LIST.result})), {}, [], id="another result"),
        pytest.param((READ, LIST, READ), {"worlds": CHANGED}, [], id="something changed"),
        pytest.param((READ, LIST, READ), {"worlds": ()}, [], id="nobody sees the world"),
        pytest.param((READ, READ), {"worlds": (), "tools": (READING,)}, ["2"], id="the tool only reads"),
        pytest.param((READ, LIST, READ), {"worlds": (), "tools": (READING,)}, [], id="a write may be in between"),
    ],
)
def test_a_call_that_repeats_another_is_needless_if_nothing_can_have_changed(
    calls: tuple[CallRecord, ...], fields: dict[str, Any], found: list[str]
) -> None:
    assert needless(a_reference(*calls), an_attempt(*calls, **fields)) == found


def test_a_call_of_another_turn_is_no_repetition() -> None:
    evidence = an_attempt(READ, READ)
    steps = tuple(step.model_copy(update={"turn": at}) for at, step in enumerate(evidence.trajectory.steps))
    in_turns = evidence.model_copy(update={"trajectory": Trajectory(steps=(*steps, Step(turn=1, text="400")))})
    assert needless(a_reference(READ, READ, turns=2), in_turns) == []


@pytest.mark.parametrize(
    ("answer", "arguments", "found"),
    [
        pytest.param("{{ results[2] }} {{ results[3] }}", {}, [], id="its result names the id of a later call"),
        pytest.param("{{ results[2] }}", {}, ["3"], id="nothing uses it"),
        pytest.param("{{ results[2] if results[3] else 'none' }}", {}, [], id="a condition"),
        pytest.param("{{ results[2] }}", {"2": {"id": "{{ results[3] }}"}}, [], id="an argument"),
        pytest.param("{% for i in [2] %}{{ results[i] }}{% endfor %}", {}, [], id="nobody can tell"),
    ],
)
def test_a_call_whose_result_the_derivation_does_not_use_is_needless(
    answer: str, arguments: dict[str, Any], found: list[str]
) -> None:
    task = a_reference(LIST, READ, OTHER, derivation=Derivation(answer=answer, arguments=arguments))
    assert needless(task, an_attempt(LIST, READ, OTHER)) == found


def test_without_a_derivation_a_call_may_be_there_to_decide_what_to_do() -> None:
    assert needless(a_reference(OTHER, LIST, READ), an_attempt(OTHER, LIST, READ)) == []


def test_a_task_can_expect_a_call_that_nothing_uses() -> None:
    task = a_reference(READ, READ)
    first, second = task.expected.calls
    expected = second.calls[0].model_copy(update={"is_unused_expected": True})
    groups = (first, CallGroup(calls=(expected,)))
    assert needless(a_task(expected=Expected(calls=groups)), an_attempt(READ, READ)) == []


@pytest.mark.parametrize(
    ("floors", "fields", "worlds", "found"),
    [
        pytest.param(("coverage",), {}, CHANGED, "server", id="claims alone"),
        pytest.param(("answer",), {}, CHANGED, "server", id="the answer alone"),
        pytest.param(("coverage",), {}, UNCHANGED, None, id="no change"),
        pytest.param(("ast",), {}, CHANGED, None, id="calls are compared"),
        pytest.param(
            ("coverage",), {"effects": (Effect(world="server", kind="created", id="7"),)}, CHANGED, None, id="effects"
        ),
    ],
)
def test_a_change_is_unchecked_if_only_words_are_compared(
    floors: tuple[str, ...], fields: dict[str, Any], worlds: tuple[WorldRecord, ...], found: str | None
) -> None:
    task = a_task(expected=Expected(claims=("It is noted.",), **fields))
    assert unchecked_changes(task, an_attempt(worlds=worlds), floors) == found
