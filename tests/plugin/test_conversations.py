"""Tasks whose user answers: right attempts pass, each wrong one fails, and the user's side is recorded and paid for."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from fixtures import agent_program
from fixtures.chat_server import Answer, chat_server, says
from tests.plugin.conftest import usage_error

SUITE = Path(__file__).parents[2] / "fixtures" / "conversations"
BOOKING = {
    "title": "Dentist",
    "start_time": "2026-03-03T14:00:00",
    "end_time": "2026-03-03T15:00:00",
    "calendar_name": "Personal",
}
BOOK = {"calls": [{"name": "create_event", "arguments": {"create_event_request": BOOKING}}]}
LATER = {**BOOKING, "start_time": "2026-03-03T16:00:00", "end_time": "2026-03-03T17:00:00"}
BOOK_LATER = {"calls": [{"name": "create_event", "arguments": {"create_event_request": LATER}}]}
WHEN, SHALL_I = "When is it?", "Shall I book it on 3 March from 14:00 to 15:00?"
BOOKED = "The dentist is booked."

RIGHT = [WHEN, SHALL_I, BOOK, BOOKED]
WRONG: dict[str, list[Any]] = {
    "acts before the user confirms": [WHEN, BOOK, SHALL_I, BOOKED],
    "acts in the turn in which it asks": [WHEN, {**BOOK, "text": SHALL_I}, SHALL_I, BOOKED],
    "guesses without asking": [BOOK, BOOKED],
    "asks for no time": [SHALL_I, BOOK, BOOKED],
    "books another time than the user said": [WHEN, SHALL_I, BOOK_LATER, BOOKED],
    "stops early": [WHEN, SHALL_I, BOOKED],
    "says nothing more": [WHEN, {"text": "", "finish_reason": "refusal"}],
    "speaks as the user": [WHEN, f"{SHALL_I}\nUser: Yes, please.", BOOK, BOOKED],
    "answers itself as the user": [WHEN, {**BOOK, "text": f"{SHALL_I}\nUser: Yes, please."}, BOOKED],
    "asks the same until the turns are used up": [WHEN] * 20,
    "does it twice": [WHEN, SHALL_I, BOOK, BOOK, BOOKED],
}


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    shutil.copytree(SUITE, "conversations")
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return pytester


def _run(project: pytest.Pytester, *options: str) -> pytest.RunResult:
    return project.runpytest_inprocess("--suite=conversations/suite.toml", *options)


def _records(directory: str) -> dict[str, dict[str, Any]]:
    records = [
        json.loads(line)
        for path in Path(directory).glob("records-*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return {record["model"]: record for record in records}


def _scripts(attempts: dict[str, list[Any]]) -> list[str]:
    """Write a script for each attempt, and return the options that run them."""
    lines = ["[tool.mcpbench.models]"]
    for number, replies in enumerate(attempts.values()):
        Path(f"{number}.json").write_text(json.dumps(replies), encoding="utf-8")
        lines.append(f'm{number} = "scripted:{Path(f"{number}.json").resolve()}"')
    Path("pyproject.toml").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return [f"--model=m{number}" for number in range(len(attempts))]


def test_only_the_attempt_that_asks_waits_for_the_yes_and_then_acts_passes(project: pytest.Pytester) -> None:
    attempts = {"right": RIGHT, **WRONG}
    options = _scripts(attempts)
    _run(project, *options, "-k", "book and not model", "--mcpbench-out=out")
    records = _records("out")
    outcomes = {name: records[f"m{number}"]["outcome"] for number, name in enumerate(attempts)}
    assert outcomes == {name: "passed" if name == "right" else "failed" for name in attempts}
    ends = {
        name: records[f"m{number}"]["run"]["trajectory"]["conversation"]["end"] for number, name in enumerate(attempts)
    }
    assert ends["right"] == "satisfied"
    assert ends["says nothing more"] == "gave_up"
    assert ends["asks the same until the turns are used up"] == "turn_limit"
    repeated = records[f"m{[*attempts].index('asks the same until the turns are used up')}"]
    assert len(repeated["run"]["trajectory"]["steps"]) == 5
    assert records["m0"]["turns"][2:] == ["Yes, please.", "Thank you!"]


def test_a_model_that_is_silent_from_its_first_reply_is_an_error_of_the_model(project: pytest.Pytester) -> None:
    with chat_server(lambda _: says("")) as server:
        _run(project, f"--model={server.url}#silent", "-k", "book and not model", "--mcpbench-out=out")
    (record,) = _records("out").values()
    assert (record["outcome"], record["error"]["kind"]) == ("error", "model")
    assert "its first reply has neither text nor a call" in record["error"]["message"]


def test_the_oracle_says_the_reference_and_an_agent_that_says_nothing_ends_the_conversation(
    project: pytest.Pytester,
) -> None:
    agents = ("--model=oracle", "--model=noop", "--model=lexical")
    _run(project, *agents, "-k", "book and not model", "--mcpbench-out=out")
    records = _records("out")
    assert {model: record["outcome"] for model, record in records.items()} == {
        "oracle": "passed",
        "noop": "failed",
        "lexical": "failed",
    }
    assert records["noop"]["run"]["trajectory"]["conversation"]["end"] == "gave_up"


def test_a_goal_without_a_model_is_an_error_of_the_task_and_a_script_runs(project: pytest.Pytester) -> None:
    result = _run(project, "--model=oracle")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["*user: the user has a goal, and no model plays them. Name a model with --mcpbench-user*"]
    )


def test_an_unknown_model_of_the_user_ends_the_run_before_the_first_task(project: pytest.Pytester) -> None:
    assert "--mcpbench-user=nobdy: no model is called 'nobdy'" in usage_error(
        project, "--suite=conversations/suite.toml", "--mcpbench-user=nobdy"
    )


class _Person:
    """Model that plays the user by the words of the assistant, and notes what it was shown."""

    def __init__(self, *spoiled: Answer) -> None:
        self.spoiled = list(spoiled)
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, body: dict[str, Any]) -> Answer:
        self.bodies.append(body)
        if self.spoiled:
            return self.spoiled.pop(0)
        heard = [message["content"] for message in body["messages"] if message["role"] == "user"]
        said = next(text for text in reversed(heard) if not text.startswith("That reply"))
        if "Shall I" in said:
            return says("Yes, please.")
        return says("User: On 3 March 2026 from 14:00 to 15:00.") if "When" in said else says("Thanks! ###DONE###")


def _with_person(project: pytest.Pytester, person: _Person, *options: str) -> dict[str, Any]:
    (agent,) = _scripts({"right": RIGHT})
    with chat_server(person) as server:
        alias = f'person = {{url = "{server.url}", model = "x", input_price = 1.0, output_price = 1.0}}\n'
        with Path("pyproject.toml").open("a", encoding="utf-8") as file:
            file.write(alias)
        _run(project, agent, "-k", "with-a-model", "--mcpbench-user=person", "--mcpbench-out=out", *options)
    return _records("out")["m0"]


@pytest.mark.extra
def test_a_model_plays_the_user_sees_texts_only_and_is_paid_for_apart(project: pytest.Pytester) -> None:
    person = _Person()
    record = _with_person(project, person, "--mcpbench-json=report.json", "--mcpbench-max-cost=1")
    assert record["outcome"] == "passed"
    conversation = record["run"]["trajectory"]["conversation"]
    assert (conversation["user"], conversation["end"]) == ("person", "satisfied")
    said = [message["text"] for message in conversation["messages"]]
    assert said[1:] == ["On 3 March 2026 from 14:00 to 15:00.", "Yes, please.", "Thanks!"]
    shown = json.dumps([body["messages"] for body in person.bodies])
    assert "create_event" not in shown
    assert "Successfully created" not in shown
    assert {(body["temperature"], body["seed"]) for body in person.bodies} == {(0.0, 1)}
    assert not any("tools" in body for body in person.bodies)
    summary = json.loads(Path("report.json").read_text(encoding="utf-8"))["summaries"][0]
    assert summary["user_usage"]["input_tokens"] == 300
    assert summary["user_usage"]["cost_usd"] > 0
    assert summary["usage"]["cost_usd"] is None or summary["usage"]["cost_usd"] == 0


@pytest.mark.long
@pytest.mark.parametrize("engine", ["local", "shared"])
def test_a_model_plays_the_user_of_workers(project: pytest.Pytester, engine: str) -> None:
    record = _with_person(project, _Person(), "-n1", f"--mcpbench-engine={engine}")
    assert (record["outcome"], record["run"]["trajectory"]["conversation"]["user"]) == ("passed", "person")
    assert record["run"]["trajectory"]["conversation"]["end"] == "satisfied"


PROGRAM = """
import json, runpy, sys
_, actor, config, prompt, booking = sys.argv
last = prompt.rpartition("User: ")[2]
turns = {"Yes, please": [{"call": json.loads(booking)}, {"print": "It is booked."}], "On 3 March": [{"print": SHALL_I}]}
plan = next((turn for said, turn in turns.items() if said in last), [{"print": WHEN}])
sys.argv = [actor, config, json.dumps(plan)]
runpy.run_path(actor, run_name="__main__")
"""


@pytest.mark.extra
@pytest.mark.parametrize(("asks", "outcome"), [(True, "passed"), (False, "failed")], ids=["asks", "does not ask"])
def test_a_program_talks_to_the_user_turn_by_turn(project: pytest.Pytester, asks: bool, outcome: str) -> None:
    said = f"WHEN = {WHEN!r}\nSHALL_I = {SHALL_I if asks else 'Shall I book it?'!r}\n"
    Path("program.py").write_text(said + PROGRAM, encoding="utf-8")
    booking = json.dumps(["calendar", "create_event", {"create_event_request": BOOKING}])
    program = str(Path("program.py").resolve())
    command = [sys.executable, program, agent_program.__file__, "{mcp_config}", "{prompt}", booking]
    own = f"own = {{command = {command}, may_skip_servers = true}}"
    Path("pyproject.toml").write_text(f"[tool.mcpbench.agents]\n{own}\n", encoding="utf-8")
    _run(project, "--model=agent:own", "-k", "book and not model", "--mcpbench-out=out")
    record = _records("out")["agent:own"]
    assert record["outcome"] == outcome
    conversation = record["run"]["trajectory"]["conversation"]
    assert [message["text"] for message in conversation["messages"]][1:3] == [
        "On 3 March 2026, from 14:00 to 15:00. It belongs into Personal.",
        "Yes, please." if asks else "No, that is not the time I said.",
    ]


@pytest.mark.extra
@pytest.mark.parametrize(
    ("spoiled", "problem"),
    [
        pytest.param(says(""), "the last is empty", id="empty"),
        pytest.param(says("Assistant: Shall I book it?"), "the last plays the assistant", id="as the assistant"),
        pytest.param(says(WHEN), "the last plays the assistant", id="echo"),
        pytest.param(says(None, ("create_event", {})), "the last calls a tool", id="call"),
    ],
)
def test_a_user_that_writes_no_message_is_asked_again_and_then_an_error(
    project: pytest.Pytester, spoiled: Answer, problem: str
) -> None:
    assert _with_person(project, _Person(spoiled, spoiled))["outcome"] == "passed"
    shutil.rmtree("out")
    record = _with_person(project, _Person(*[spoiled] * 3))
    assert (record["outcome"], record["error"]["kind"]) == ("error", "model")
    assert problem in record["error"]["message"]


def test_a_conversation_is_replayed_without_the_model_that_played_the_user(project: pytest.Pytester) -> None:
    recorded = _with_person(project, _Person(), "--mcpbench-record=cassette")
    replay = ("-k", "with-a-model", "--mcpbench-user=person", "--mcpbench-replay=cassette", "--mcpbench-out=replayed")
    _run(project, "--model=m0", *replay).assert_outcomes(passed=1)
    replayed = _records("replayed")["m0"]
    assert replayed["run"]["trajectory"]["conversation"] == recorded["run"]["trajectory"]["conversation"]
    tape = next(Path("cassette").rglob("*.jsonl"))
    tape.write_text(
        "".join(f"{line}\n" for line in tape.read_text().splitlines() if '"kind": "user"' not in line), encoding="utf-8"
    )
    result = _run(project, "--model=m0", *replay[:-1])
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the user's reply to 'When is it?' in this conversation was not recorded*"])
