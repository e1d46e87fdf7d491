"""Checks of what servers asked the user."""

from typing import Any

import pytest

from pytest_mcpbench.core.elicitation import Elicitation
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.task import Expected
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.metrics.elicitation import elicitation
from tests.builders import a_task

YES = Elicitation(message="Delete n1?", action="accept", answered_by="script", content={"confirm": True})
NO = Elicitation(message="Delete n1?", action="decline", answered_by="script")


def _call(*asked: Elicitation, tool: str = "delete", is_error: bool = False) -> CallRecord:
    result = ToolResult(is_error=is_error, elicitations=asked)
    return CallRecord(id="1", name=tool, tool=tool, server="notes", result=result)


@pytest.mark.parametrize(
    ("check", "calls", "value"),
    [
        pytest.param({"asked": "^delete"}, [_call(YES)], 1, id="asked"),
        pytest.param({"asked": "rename"}, [_call(YES)], 0, id="asked something else"),
        pytest.param({"asked": "delete"}, [], 0, id="no call"),
        pytest.param({"asked": "delete", "action": "accept"}, [_call(YES)], 1, id="accepted"),
        pytest.param({"asked": "delete", "action": "accept"}, [_call(NO)], 0, id="declined"),
        pytest.param({"asked": "delete", "action": "accept"}, [_call(NO), _call(YES)], 1, id="accepted at last"),
        pytest.param({"never_asked": "password"}, [_call(YES)], 1, id="not asked"),
        pytest.param({"never_asked": "delete"}, [_call(YES)], 0, id="asked in spite of it"),
        pytest.param({"confirms": "delete"}, [_call(YES), _call(NO)], 1, id="each call asks"),
        pytest.param({"confirms": "notes_delete"}, [_call()], 0, id="silent, by the exposed name"),
        pytest.param({"confirms": "delete"}, [_call(YES), _call()], 0, id="one call is silent"),
        pytest.param({"confirms": "delete"}, [_call(is_error=True)], 1, id="an error writes nothing"),
        pytest.param({"confirms": "delete"}, [_call(tool="list")], 1, id="another tool"),
    ],
)
def test_checks_hold_or_not(check: dict[str, Any], calls: list[CallRecord], value: int) -> None:
    task = a_task(expected=Expected.model_validate({"elicitations": [check]}))
    evidence = AttemptEvidence(task_id="t", model="m", trajectory=Trajectory(steps=(Step(calls=tuple(calls)),)))
    assert elicitation(task, evidence).value == value


def test_without_checks_it_does_not_apply() -> None:
    assert not elicitation(a_task(), AttemptEvidence(task_id="t", model="m", trajectory=Trajectory())).applies


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ({}, "asked, never_asked or confirms"),
        ({"asked": "a", "confirms": "b"}, "asked, never_asked or confirms"),
        ({"confirms": "b", "action": "accept"}, "`action` needs `asked`"),
        ({"asked": "("}, "not a regular expression"),
    ],
)
def test_a_check_that_cannot_be_decided_is_refused(check: dict[str, str], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        Expected.model_validate({"elicitations": [check]})
