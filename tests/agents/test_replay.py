import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.agents.replay import RecordedTrajectories, ReplayAgent
from pytest_mcpbench.core.errors import ServerError, UsageError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.reference_lines import reference_lines
from pytest_mcpbench.core.task import CallGroup, Expected, ExpectedCall, Limits, Task, Turn
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.files.line_file import DamagedRecordWarning, TornRecordWarning
from pytest_mcpbench.metrics.answer import Answer, AnswerStrict, last_text, untagged_answer
from pytest_mcpbench.reporting.interchange.eval_result import eval_result_lines
from tests.agents.workplaces import Workshop, echo
from tests.builders import a_call, a_task

MALFORMED = CallRecord(id="2", name="echo", raw_arguments="{", problem="malformed_arguments")
UNSENT = CallRecord(id="3", name="echo", arguments={"n": 3})
RECORDED = Trajectory(
    steps=(
        Step(text="Look.", calls=(a_call("echo", {"n": 1}, result="then"), MALFORMED), usage=Usage(cost_usd=1.0)),
        Step(calls=(UNSENT,), retries=2, seconds=3.0, finish_reason="tool_calls"),
        Step(text="42"),
    ),
    stop="call_limit",
    seconds=9.0,
)


def record(trajectory: Trajectory, task_id: str = "a-task", model: str = "m", trial: int = 1) -> RunRecord:
    run = AttemptEvidence(task_id=task_id, model=model, trial=trial, trajectory=trajectory)
    return RunRecord(
        suite="s", task_id=task_id, task_hash="h", model=model, trial=trial, outcome="passed", evidence=run
    )


def write(path: Path, *records: RunRecord) -> Path:
    path.write_text("".join(record.model_dump_json() + "\n" for record in records))
    return path


def replay(agent: ReplayAgent, workshop: Workshop, task: Task | None = None) -> Trajectory:
    trajectory = anyio.run(agent.attempt, task or a_task(), workshop)
    return trajectory.model_copy(update={"seconds": 0.0})


def agent(tmp_path: Path, *records: RunRecord, **fields: Any) -> ReplayAgent:
    write(tmp_path / "records-main.jsonl", *(records or (record(RECORDED),)))
    return ReplayAgent(RecordedTrajectories.read(tmp_path), **fields)


def test_recorded_calls_are_made_again_and_texts_repeated(tmp_path: Path) -> None:
    workshop = Workshop({"echo": echo})
    trajectory = replay(agent(tmp_path), workshop)
    made_again = Call(id="1", name="echo", arguments={"n": 1})
    assert workshop.calls == [made_again, Call(id="2", name="echo", raw_arguments="{")]
    first, malformed, unsent = trajectory.calls
    assert first == CallRecord(
        **made_again.model_dump(), tool="echo", server="server", result=ToolResult.of_text("{'n': 1}")
    )
    assert malformed.problem == "malformed_arguments"
    assert unsent == UNSENT
    assert [step.text for step in trajectory.steps] == ["Look.", "", "42"]
    assert trajectory.stop == "call_limit"
    assert trajectory.usage.cost_usd == 0
    assert trajectory.notes == {"replayed": "m"}


def test_recorded_results_can_stand_in_for_calls(tmp_path: Path) -> None:
    workshop = Workshop({"echo": echo})
    assert anyio.run(agent(tmp_path, mode="recorded").attempt, a_task(), workshop) == RECORDED
    assert workshop.calls == []


def said(text: str) -> Trajectory:
    return Trajectory(steps=(Step(text=text),))


def test_an_attempt_plays_its_own_trial_unless_one_is_chosen(tmp_path: Path) -> None:
    records = (record(said("third"), trial=3), record(said("second"), trial=2))
    assert replay(agent(tmp_path, *records), Workshop({}, trial=2)).answer == "second"
    assert replay(agent(tmp_path, *records), Workshop({}, trial=3)).answer == "third"
    assert replay(agent(tmp_path, *records, trial=3), Workshop({}, trial=2)).answer == "third"
    with pytest.raises(UsageError, match=r"task 'a-task' was not recorded in trial 1; trials: \[2, 3\]$"):
        replay(agent(tmp_path, *records), Workshop({}))


def test_of_an_attempt_made_twice_the_last_counts(tmp_path: Path) -> None:
    records = (record(said("old")), record(said("new")))
    assert replay(agent(tmp_path, *records), Workshop({})).answer == "new"


def test_a_task_that_was_not_recorded_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"task 'other' was not recorded; 1 other attempts were$"):
        replay(agent(tmp_path), Workshop({}), a_task(id="other"))


def test_one_of_several_models_is_named_behind_the_directory(tmp_path: Path) -> None:
    write(tmp_path / "records-main.jsonl", record(said("a"), model="a"), record(said("b"), model="b"))
    with pytest.raises(UsageError, match=r"several models, choose one with .*#MODEL: a, b$"):
        ReplayAgent.from_path(tmp_path)
    chosen = ReplayAgent.from_path(Path(f"{tmp_path}#b"))
    assert replay(chosen, Workshop({})).answer == "b"
    assert chosen.name == f"replay:{tmp_path}"


def test_a_file_of_any_name_can_be_replayed(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", record(said("a")))
    assert replay(ReplayAgent.from_path(path), Workshop({})).answer == "a"


def test_a_last_record_that_is_cut_off_counts_as_not_made(tmp_path: Path) -> None:
    path = write(tmp_path / "records-main.jsonl", record(said("a")), record(said("b")))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.warns(TornRecordWarning, match=r"records-main\.jsonl:2: the record is cut off"):
        made = ReplayAgent.from_path(tmp_path)
    assert replay(made, Workshop({})).answer == "a"


def test_a_line_that_is_no_record_is_left_out_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"a": 1}\n' + record(said("a")).model_dump_json() + "\n")
    with pytest.warns(DamagedRecordWarning, match=r"mine\.jsonl:1: not a record, left out: "):
        made = ReplayAgent.from_path(path)
    assert replay(made, Workshop({})).answer == "a"


WRONG = {
    "nothing there": ("none.jsonl", r"none\.jsonl: the records cannot be read: No such file"),
    "empty": ("empty.jsonl", r"empty\.jsonl: there are no records$"),
}


@pytest.mark.parametrize(("name", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_source_without_records_is_a_usage_error(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(UsageError, match=message):
        ReplayAgent.from_path(tmp_path / name)


def test_a_replay_keeps_the_time_limit(tmp_path: Path) -> None:
    async def hang(_arguments: dict[str, Any]) -> str:
        await anyio.sleep_forever()
        return ""

    task = a_task(limits=Limits(seconds=0.05))
    trajectory = replay(agent(tmp_path), Workshop({"echo": hang}), task)
    assert (trajectory.stop, len(trajectory.steps)) == ("time_limit", 1)
    assert trajectory.calls[0].result == ToolResult.failure(
        "The call was interrupted: the attempt ended before it returned a result.", "timeout"
    )


def test_an_error_of_a_server_carries_what_was_done(tmp_path: Path) -> None:
    async def die(_arguments: dict[str, Any]) -> str:
        raise ServerError("it exited", "server", "call")

    with pytest.raises(ServerError) as raised:
        replay(agent(tmp_path), Workshop({"echo": die}))
    assert raised.value.trajectory is not None
    assert [step.text for step in raised.value.trajectory.steps] == ["Look."]


def a_result(prediction: str | None, arguments: str | None = '{"n": 1}', **fields: Any) -> str:
    call = {"name": "echo", "arguments": arguments, "id": "call_1"}
    usage = {"tool_calls": [call], "total_tool_count": 1, "tool_names": ["echo"]}
    result = {"unique_id": "*", "question": a_task().request, "prediction": prediction, "tool_usage": usage}
    return json.dumps(result | fields) + "\n"


def test_results_of_another_harness_are_played_as_attempts(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(a_result("first") + a_result("second", arguments="{"))
    made, workshop = ReplayAgent.from_path(path), Workshop({"echo": echo}, trial=2)
    trajectory = replay(made, workshop)
    assert (trajectory.answer, [call.problem for call in trajectory.calls]) == ("second", ["malformed_arguments"])
    assert replay(made, Workshop({"echo": echo})).calls[0].result == ToolResult.of_text("{'n': 1}")
    precise = a_task(expected=Expected(answer="42"))
    assert replay(made, Workshop({"echo": echo}), precise).answer == "<answer>first</answer>"
    with pytest.raises(UsageError, match="has 2 results, none for trial 3"):
        replay(made, Workshop({}, trial=3))
    with pytest.raises(UsageError, match="no result has the question of task 'a-task'"):
        replay(made, Workshop({}), a_task(turns=(Turn(user="Something else?"),)))


def test_a_record_of_a_run_becomes_a_result() -> None:
    made = record(RECORDED).model_copy(update={"turns": ("How much?",), "expected": ("echo(n=1)",)})
    (line,) = eval_result_lines([made, made.model_copy(update={"outcome": "error"})], untagged_answer, last_text)
    calls = [("echo", '{"n": 1}'), ("echo", "{"), ("echo", '{"n": 3}')]
    assert json.loads(line) == {
        "unique_id": "a-task",
        "mcpbench_trial": 1,
        "question": "How much?",
        "ground_truth": "echo(n=1)",
        "prediction": "42",
        "success": True,
        "tool_usage": {
            "tool_calls": [{"name": name, "arguments": arguments} for name, arguments in calls],
            "total_tool_count": 3,
            "tool_names": ["echo"] * 3,
        },
        "token_usage": {"prompt_tokens": None, "completion_tokens": None, "total_tokens": None},
    }


def test_null_is_no_answer_and_no_arguments(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(a_result(None, arguments=None))
    trajectory = replay(ReplayAgent.from_path(path), Workshop({"echo": echo}))
    assert (trajectory.answer, [call.arguments for call in trajectory.calls]) == ("", [{}])


def test_of_tasks_with_one_question_each_has_the_results_with_its_id(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(a_result("first", unique_id="one") + a_result("second", unique_id="two"))
    made = ReplayAgent.from_path(path)
    answers = [replay(made, Workshop({"echo": echo}), a_task(id=name)).answer for name in ("two", "one")]
    assert answers == ["second", "first"]
    with pytest.raises(UsageError, match="the tasks two and one and three have the same question"):
        replay(made, Workshop({}), a_task(id="three"))


def test_results_of_a_question_are_trials_whatever_ids_another_harness_gave_them(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(a_result("first", unique_id="uuid-1") + a_result("second", unique_id="uuid-2"))
    made = ReplayAgent.from_path(path)
    assert [replay(made, Workshop({"echo": echo}, trial=trial)).answer for trial in (1, 2)] == ["first", "second"]


def test_two_tasks_with_one_question_cannot_have_one_result(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(a_result("first"))
    made = ReplayAgent.from_path(path)
    replay(made, Workshop({"echo": echo}), a_task(id="one"))
    with pytest.raises(UsageError, match="the tasks one and two have the same question"):
        replay(made, Workshop({"echo": echo}), a_task(id="two"))


def test_an_exported_attempt_is_played_as_the_trial_that_it_was(tmp_path: Path) -> None:
    attempts = [record(Trajectory(steps=(Step(text=f"in {trial}"),)), trial=trial) for trial in (1, 2, 3)]
    attempts[0] = attempts[0].model_copy(update={"outcome": "unscored"})
    path = tmp_path / "results.jsonl"
    path.write_text("".join(eval_result_lines(attempts, untagged_answer, last_text)))
    made = ReplayAgent.from_path(path)
    assert [replay(made, Workshop({}, trial=trial)).answer for trial in (2, 3)] == ["in 2", "in 3"]
    with pytest.raises(UsageError, match="has no result for trial 1, but for others"):
        replay(made, Workshop({}))
    with pytest.raises(UsageError, match="no result has the id of task 'renamed'"):
        replay(made, Workshop({}), a_task(id="renamed"))


def test_the_results_of_two_models_in_one_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(a_result("first", mcpbench_trial=2) + a_result("second", mcpbench_trial=2))
    with pytest.raises(UsageError, match=r"two results of task '\*', trial 2; pass the file of one model"):
        ReplayAgent.from_path(path)


@pytest.mark.parametrize(
    ("texts", "prediction"),
    [
        (["So <answer>42</answer>."], "42"),
        (["<answer>42</answer>", "Done."], "42"),
        (["42"], ""),
        (["<answer>41</answer>"], "41"),
        (["<answer>42</answer> is wrong."], "<answer>42</answer> is wrong."),
    ],
)
def test_the_answer_of_a_precise_task_keeps_its_verdicts(tmp_path: Path, texts: list[str], prediction: str) -> None:
    assert prediction_with_equal_verdicts(tmp_path, Expected(answer="42"), texts) == prediction


@pytest.mark.parametrize(
    ("texts", "prediction"),
    [
        (["It is", "<answer>42</answer>."], "<answer>42</answer>."),
        (["<answer>42</answer>", "Done."], "<answer>42</answer>\nDone."),
        (["Look.", "42"], "42"),
    ],
    ids=["in the last text", "in front of it", "untagged"],
)
@pytest.mark.parametrize(
    "beside",
    [{"calls": (CallGroup(calls=(ExpectedCall(tool="echo"),)),)}, {"claims": ("It is even.",)}],
    ids=["calls", "claims"],
)
def test_an_answer_beside_other_expectations_keeps_its_tags(
    tmp_path: Path, beside: dict[str, Any], texts: list[str], prediction: str
) -> None:
    assert prediction_with_equal_verdicts(tmp_path, Expected(answer="42", **beside), texts) == prediction


def prediction_with_equal_verdicts(tmp_path: Path, expected: Expected, texts: list[str]) -> str:
    """Export an attempt, check that its replay has the same verdicts, and return the prediction between both."""
    task = a_task(expected=expected)
    made = record(Trajectory(steps=tuple(Step(text=text) for text in texts)))
    made = made.model_copy(update={"expected": reference_lines(task)})
    path = tmp_path / "results.jsonl"
    path.write_text("".join(eval_result_lines([made], untagged_answer, last_text)))
    played = AttemptEvidence(
        task_id=task.id, model="m", trajectory=replay(ReplayAgent.from_path(path), Workshop({}), task)
    )
    assert made.evidence is not None
    for metric in (Answer(), AnswerStrict()):
        assert metric(task, played).value == metric(task, made.evidence).value
    return str(json.loads(path.read_text())["prediction"])


def test_results_in_an_array_on_several_lines_are_recognized(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps([json.loads(a_result("first"))], indent=1))
    assert replay(ReplayAgent.from_path(path), Workshop({"echo": echo})).answer == "first"
