"""Reasons of checks, which give long values whole: pages and ``mcpbench show`` have nothing else to show."""

import pytest

from pytest_mcpbench.core.evidence import VerifyResult
from pytest_mcpbench.core.score import Metric
from pytest_mcpbench.core.task import CallGroup, Expected, StateCheck, VerifyCheck
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.core.world import Change, WorldRecord
from pytest_mcpbench.metrics.ast import Ast
from pytest_mcpbench.metrics.operation import Operation
from pytest_mcpbench.metrics.state import State
from pytest_mcpbench.metrics.verify import Verify
from tests.builders import a_call, a_task, evidence_of, expected_call

WANTED, FOUND = "w" * 3_000 + "anted", "f" * 3_000 + "ound"
VERIFIED = VerifyCheck(tool="read", equals=WANTED)
TASK = a_task(
    expected=Expected(
        calls=(CallGroup(calls=(expected_call("write", {"text": WANTED}),)),),
        state=(StateCheck(created="notes[*]", where={"text": WANTED}),),
        verify=(VERIFIED,),
    )
)
CHANGES = tuple(Change(kind="created", collection="notes", id=str(n), after={"text": f"{n}{FOUND}"}) for n in range(5))
EVIDENCE = evidence_of((a_call("write", {"text": FOUND}),)).model_copy(
    update={
        "worlds": (WorldRecord(name="notes", changes=CHANGES),),
        "verified": (VerifyResult(check=VERIFIED, result=ToolResult.of_text(FOUND)),),
    }
)


@pytest.mark.parametrize("metric", [Ast(), Operation(), State(), Verify()], ids=lambda metric: type(metric).__name__)
def test_a_reason_has_the_whole_values(metric: Metric) -> None:
    reasons = "\n".join(metric(TASK, EVIDENCE).reasons)
    assert WANTED in reasons
    assert FOUND in reasons
    assert "…" not in reasons


def test_a_check_of_state_names_every_change_that_does_not_fit() -> None:
    (reason,) = State()(TASK, EVIDENCE).reasons
    assert [f"{number}{FOUND}" in reason for number in range(5)] == [True] * 5
