from pathlib import Path

import pytest

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.task import StateCheck
from pytest_mcpbench.metrics.world_state.state_checks import evaluate_check


def _found(check: StateCheck, shape: Shape | None = None) -> tuple[bool | None, str]:
    sandbox = Sandbox(path=Path("/nowhere"), checks=(StateCheck(created="lons"), check))
    tree = sandbox.world("library").tree(lambda: {"loans": {}}, shape=shape)
    tree.create("loans", {"member": "Bo"}, id="l1")
    finding = evaluate_check(check, sandbox.diff())
    return finding.passed, finding.reason


@pytest.mark.parametrize("verb", ["unchanged", "updated", "deleted"])
def test_what_was_never_there_is_no_answer(verb: str) -> None:
    holds, reason = _found(StateCheck(**{verb: "lons"}))
    assert (holds, reason) == (
        None,
        f"{verb} lons: world 'library': nothing was there before or after. Did you mean 'loans'?",
    )


def test_what_was_never_there_may_have_been_asked_to_come() -> None:
    assert _found(StateCheck(created="lons")) == (False, "created lons: 0 created")


@pytest.mark.parametrize("verb", ["created", "unchanged", "equals"])
def test_what_a_world_does_not_declare_answers_no_check(verb: str) -> None:
    holds, reason = _found(StateCheck(**{verb: "lons"}, value=None), Shape((Collection("loans"),)))
    assert holds is None
    assert "world 'library': it holds no lons. Did you mean 'loans'?" in reason
