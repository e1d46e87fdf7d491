"""Estimate of attempts: earlier attempts predict their own tokens, and what is unknown stays unknown."""

from dataclasses import replace

import pytest

from pytest_mcpbench.core.definition_tokens import definition_tokens
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.run_estimate import (
    REPLY_TOKENS,
    RESULT_TOKENS,
    AttemptEstimate,
    EstimatedTask,
    Load,
    Pace,
    RunEstimate,
    SeriesEstimate,
    most_load,
    pace_of_attempts,
    pace_of_reference,
    task_size,
    typical_load,
)
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.core.tool import CallRecord, ToolResult, ToolSpec
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.text.token_estimate import estimate_tokens

TOOL = ToolSpec(name="read", tool="read", server="notes", description="Read a note by title.", input_schema={})
TASK = Task.model_validate({"id": "t", "turns": [{"user": "Read the note called Idea."}, {"user": "And Shopping?"}]})
SIZE = EstimatedTask((100, 200), 50, Limits(rounds=5))
PACE = Pace(requests=4, written=10, carried=60)


def per_million(usage: Usage) -> float | None:
    return (usage.input_tokens or 0) * 1e-6 + (usage.output_tokens or 0) * 5e-6


def a_record(ratio: float, *calls_per_turn: int) -> RunRecord:
    """An attempt whose provider counts each token of every request ``ratio`` times."""
    steps, heard = [], 0
    for turn, calls in enumerate(calls_per_turn):
        heard += estimate_tokens(TASK.turns[turn].user)
        for number in range(calls + 1):
            call = CallRecord(id=str(number), name="read", result=ToolResult.of_text("milk and bread " * 9))
            made = (call,) if number < calls else ()
            read = heard + definition_tokens([TOOL]).total
            usage = Usage(input_tokens=round(read * ratio), output_tokens=30, cached_tokens=round(read * ratio / 2))
            steps.append(Step(turn=turn, text="I look.", calls=made, usage=usage))
            heard += estimate_tokens("I look.") + sum(
                estimate_tokens("read") + estimate_tokens("{}") + estimate_tokens("milk and bread " * 9) for _ in made
            )
    evidence = AttemptEvidence(task_id="t", model="m", trajectory=Trajectory(steps=tuple(steps)), tools=(TOOL,))
    fields = {"suite": "s", "task_id": "t", "task_hash": "h", "model": "m", "outcome": "passed", "seconds": 2.0}
    return RunRecord.model_validate({**fields, "run": evidence, "turns": [turn.user for turn in TASK.turns]})


@pytest.mark.parametrize("ratio", [1.0, 1.4])
@pytest.mark.parametrize("is_known", [True, False], ids=["task of this run", "task of an earlier suite"])
def test_attempts_predict_the_tokens_that_the_provider_counted(ratio: float, is_known: bool) -> None:
    records = [a_record(ratio, 2, 1), a_record(ratio, 5, 0), a_record(ratio, 0, 0)]
    size = task_size(TASK, [TOOL])
    load = typical_load(size, pace_of_attempts(records, lambda _record: size if is_known else None))
    usages = [record.evidence.trajectory.usage for record in records if record.evidence]
    assert load.requests == pytest.approx((5 + 7 + 2) / 3)
    assert load.read == pytest.approx(sum(usage.input_tokens or 0 for usage in usages) / 3, rel=0.02)
    assert load.written == pytest.approx(sum(usage.output_tokens or 0 for usage in usages) / 3)
    assert load.cached == pytest.approx(load.read / 2, rel=0.02)


def test_without_history_the_reference_is_played_and_recorded_replies_replace_the_agents_own() -> None:
    calls = [{"turn": 0, "calls": [{"tool": "read"}, {"tool": "read"}]}, {"turn": 1, "calls": [{"tool": "read"}]}]
    task = Task.model_validate({**TASK.model_dump(), "expected": {"calls": calls}})
    first = REPLY_TOKENS + 2 * RESULT_TOKENS
    second = REPLY_TOKENS + RESULT_TOKENS
    assert pace_of_reference(task) == Pace(4, REPLY_TOKENS, 3 * first + 2 * REPLY_TOKENS + second)
    gold = task.turns[0].model_copy(update={"gold": ({"role": "assistant", "text": "Here."},)})
    forgetting = task.model_copy(update={"turns": (gold, task.turns[1])})
    assert pace_of_reference(forgetting).carried == first + second


@pytest.mark.parametrize(
    ("limits", "typical", "most"),
    [
        (Limits(rounds=5), Load(4, 860, 40), Load(10, 2450, 100)),
        (Limits(rounds=1), Load(2, 410, 20), Load(2, 410, 20)),
        (Limits(rounds=5, output_tokens=70), Load(4, 860, 40), Load(10, 2450, 700)),
        (Limits(rounds=5, total_tokens=90), Load(0.4, 86, 4), Load(90 / 255, 2450 * 90 / 2550, 9000 / 2550)),
        (Limits(rounds=None), Load(4, 860, 40), None),
    ],
)
def test_limits_bound_the_load(limits: Limits, typical: Load, most: Load | None) -> None:
    size = replace(SIZE, limits=limits)
    assert vars(typical_load(size, PACE)) == pytest.approx(vars(typical))
    found = most_load(size, PACE)
    assert (found and vars(found)) == (most and pytest.approx(vars(most)))


def test_costs_are_those_of_the_price_and_within_the_limit_of_cost() -> None:
    attempt = AttemptEstimate.of(SIZE, PACE, per_million)
    assert (attempt.cost_usd, attempt.most_cost_usd) == pytest.approx((0.00106, 0.00295))
    limited = replace(SIZE, limits=Limits(rounds=5, cost_usd=0.002))
    assert AttemptEstimate.of(limited, PACE, per_million).most_cost_usd == 0.002


def test_an_unknown_price_or_agent_makes_the_sum_unknown_and_never_0() -> None:
    limited = replace(SIZE, limits=Limits(rounds=None, cost_usd=1.0))
    unpriced = AttemptEstimate.of(limited, PACE, lambda _usage: None)
    assert (unpriced.cost_usd, unpriced.most_cost_usd) == (None, None)
    free = SeriesEstimate("s", "oracle", (AttemptEstimate(),), "")
    own = SeriesEstimate("s", "own", (), "", unknown=("it has an agent of the project's own",))
    assert RunEstimate((free,)).cost_usd == 0.0
    assert RunEstimate((free, own)).cost_usd is None
    assert RunEstimate((free, SeriesEstimate("s", "m", (unpriced,), ""))).cost_usd is None
