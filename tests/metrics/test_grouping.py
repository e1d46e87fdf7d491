import pytest

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import CallGroup, Expected, Task, Turn
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.metrics.grouping import Emr, EmrFlat, EmrTurn
from tests.builders import a_call, a_task, evidence_of, expected_call

CASES = [
    ("equal", "AB C", "AB C", 1, 1),
    ("order in a group", "BA C", "AB C", 1, 0),
    ("order of groups", "C AB", "AB C", 0, 0),
    ("split group", "A B", "AB", 0, 1),
    ("joined groups", "AB", "A B", 0, 1),
    ("one call too many in a group", "AAB", "AB", 0, 0),
    ("multiset in a group", "AAB", "ABA", 1, 0),
    ("one group too few", "A", "A B", 0, 0),
    ("both empty", "", "", 1, 1),
    ("nothing called", "", "A", 0, 0),
    ("nothing expected", "A", "", 0, 0),
]


def _pair(made: str, wanted: str) -> tuple[Task, AttemptEvidence]:
    task = a_task(*(tuple(map(expected_call, group)) for group in wanted.split()))
    return task, evidence_of(*(tuple(map(a_call, group)) for group in made.split()), answer="done")


@pytest.mark.parametrize(("_name", "made", "wanted", "emr", "flat"), CASES, ids=[case[0] for case in CASES])
def test_groups_are_multisets_in_order_and_the_flat_form_ignores_them(
    _name: str, made: str, wanted: str, emr: float, flat: float
) -> None:
    task, evidence = _pair(made, wanted)
    assert (float(Emr()(task, evidence)), float(EmrFlat()(task, evidence))) == (emr, flat)


def test_the_reasons_show_both_organisations() -> None:
    task, evidence = _pair("A B", "AB")
    assert Emr()(task, evidence) == Score(value=0, reasons=("groups made: [A] → [B]", "groups expected: [A, B]"))


def test_each_user_turn_counts_by_itself() -> None:
    groups = (CallGroup(calls=(expected_call("A"),), turn=0), CallGroup(calls=(expected_call("B"),), turn=1))
    task = a_task(turns=(Turn(user="1"), Turn(user="2"), Turn(user="3")), expected=Expected(calls=groups))
    steps = (Step(turn=0, calls=(a_call("A"),)), Step(turn=1, calls=(a_call("A"),)))
    assert EmrTurn()(task, evidence_of(trajectory=Trajectory(steps=steps))) == Score(
        value=2 / 3,
        reasons=("turn 2: groups made: [A]", "turn 2: groups expected: [B]"),
        counts={"part": 2, "whole": 3},
    )
