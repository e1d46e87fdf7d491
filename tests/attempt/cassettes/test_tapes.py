"""A tape answers what was recorded, and nothing else."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from pydantic import JsonValue

from pytest_mcpbench.attempt.cassettes.lines import CallLine
from pytest_mcpbench.attempt.cassettes.recording import RecordingTape
from pytest_mcpbench.attempt.cassettes.replaying import ReplayingTape, read_tape
from pytest_mcpbench.attempt.cassettes.tape import RecordedModel, ReplayedModel
from pytest_mcpbench.attempt.cassettes.tape_ref import TapeRef, tape_file
from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import CassetteError
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.tool import Call, ToolResult, ToolSpec
from pytest_mcpbench.models.scripted import ScriptedModel
from tests.builders import a_tool

ASKED = (ChatMessage("system", "Be brief."), ChatMessage("user", "What is in /tmp/first?"))
TOOLS = (a_tool("read", description="Read a file."), a_tool("list", description="List a directory."))
SETTINGS = ModelSettings(temperature=0.0)


def a_ref(directory: Path) -> TapeRef:
    return TapeRef("replay", directory, "suite/model/task-1.jsonl", model="a-model", judge="a-judge")


def recorded(ref: TapeRef, fill: Callable[[RecordingTape], None], sandbox: str = "/tmp/first") -> ReplayingTape:
    """Record a tape and read it in an attempt with another scratch directory."""
    tape = RecordingTape(ref, task="task", trial=1, sandbox=Path(sandbox))
    fill(tape)
    tape.save()
    return read_tape(ref, sandbox=Path("/tmp/second"))


def ask(model: RecordedModel | ReplayedModel, messages: Sequence[ChatMessage]) -> Reply:
    async def complete() -> Reply:
        return await model.complete(messages, TOOLS, SETTINGS)

    return anyio.run(complete)


def a_conversation(tape: RecordingTape) -> None:
    model = RecordedModel(ScriptedModel([Reply(text="I look into /tmp/first."), Reply(text="Nothing.")]), tape)
    first = ask(model, ASKED)
    ask(model, (*ASKED, ChatMessage("assistant", first.text), ChatMessage("user", "And?")))


def test_a_conversation_is_replayed_in_another_scratch_directory(tmp_path: Path) -> None:
    model = ReplayedModel("m", recorded(a_ref(tmp_path), a_conversation))
    here = (ASKED[0], replace(ASKED[1], text="What is in /tmp/second?"))
    first = ask(model, here)
    assert first.text == "I look into /tmp/second."
    assert ask(model, (*here, ChatMessage("assistant", first.text), ChatMessage("user", "And?"))).text == "Nothing."


def changed(**fields: object) -> tuple[ToolSpec, ...]:
    return (TOOLS[0].model_copy(update=fields), TOOLS[1])


@pytest.mark.parametrize(
    ("model", "messages", "tools", "settings", "difference"),
    [
        ("b", ASKED, TOOLS, SETTINGS, "the model was a-model, now b"),
        ("a-model", (ASKED[0], ChatMessage("user", "What?")), TOOLS, SETTINGS, "message 2 (user): was 'What is in "),
        ("a-model", ASKED[1:], TOOLS, SETTINGS, "the conversation had 2 messages, now 1"),
        ("a-model", ASKED, changed(description="Reads."), SETTINGS, "description of the tool read: was 'Read a file.'"),
        ("a-model", ASKED, changed(input_schema={"type": "object"}), SETTINGS, "input_schema of the tool read"),
        ("a-model", ASKED, TOOLS[:1], SETTINGS, "tools that were there are missing: list"),
        ("a-model", ASKED, TOOLS[::-1], SETTINGS, "the order of the tools is another"),
        ("a-model", ASKED, TOOLS, ModelSettings(temperature=1.0), "temperature was 0.0, now 1.0"),
        ("a-model", ASKED, TOOLS, ModelSettings(temperature=0.0, seed=1), "seed was null, now 1"),
    ],
)
def test_whatever_determines_a_reply_makes_a_miss_that_says_what_differs(
    tmp_path: Path,
    model: str,
    messages: tuple[ChatMessage, ...],
    tools: tuple[ToolSpec, ...],
    settings: ModelSettings,
    difference: str,
) -> None:
    tape = recorded(a_ref(tmp_path), a_conversation, sandbox="/nowhere")
    tape.ref = replace(tape.ref, model=model)
    replayed = ReplayedModel("m", tape)
    with pytest.raises(CassetteError) as caught:
        anyio.run(replayed.complete, messages, tools, settings)
    assert difference in str(caught.value)
    assert f"Record the attempt again with --mcpbench-record={tmp_path}" in str(caught.value)


def test_waiting_times_are_no_part_of_a_request(tmp_path: Path) -> None:
    model = ReplayedModel("m", recorded(a_ref(tmp_path), a_conversation, sandbox="/nowhere"))
    settings = SETTINGS.model_copy(update={"timeout_seconds": 1.0, "deadline": 5.0})
    assert anyio.run(model.complete, ASKED, TOOLS, settings).text == "I look into /tmp/first."


def test_a_reply_beyond_the_last_recorded_one_is_a_miss(tmp_path: Path) -> None:
    tape = recorded(a_ref(tmp_path), a_conversation, sandbox="/nowhere")
    model = ReplayedModel("m", tape)
    longer = (*ASKED, ChatMessage("assistant", "I look into /tmp/first."), ChatMessage("user", "And?"))
    ask(model, ASKED)
    ask(model, longer)
    with pytest.raises(CassetteError, match="the tape has 2 replies, and the agent asks for another one"):
        ask(model, (*longer, ChatMessage("user", "And more?")))


def test_a_verdict_of_another_judge_is_a_miss(tmp_path: Path) -> None:
    question = Question.about_claim("It is blue.", "It is blue.")
    verdict = Verdict(label="fulfilled", judge="a-judge", prompt_version="1")
    tape = recorded(a_ref(tmp_path), lambda tape: tape.add_verdict(question, verdict))
    assert tape.verdict(question) == verdict
    assert tape.missed is None
    tape.ref = replace(tape.ref, judge="b")
    assert tape.verdict(question) is None
    assert "the judge was a-judge, now b" in str(tape.missed)


def test_a_question_about_another_answer_is_a_miss_that_shows_the_answer(tmp_path: Path) -> None:
    verdict = Verdict(label="fulfilled", judge="a-judge", prompt_version="1")
    question = Question.about_claim("It is blue.", "It is blue, in /tmp/first.")
    tape = recorded(a_ref(tmp_path), lambda tape: tape.add_verdict(question, verdict))
    assert tape.verdict(Question.about_claim("It is blue.", "It is blue, in /tmp/second.")) == verdict
    assert tape.verdict(Question.about_claim("It is blue.", "It is red, in /tmp/second.")) is None
    assert "evidence: was 'It is blue, in {mcpbench:sandbox}.', now 'It is red" in str(tape.missed)


def test_equal_calls_return_their_results_in_order_and_other_calls_are_misses(tmp_path: Path) -> None:
    def calls(tape: RecordingTape) -> None:
        for answer in ("one", "two"):
            result = ToolResult.of_text(f"{answer} in /tmp/first")
            tape.add(CallLine(server="files", tool="read", arguments={"path": "/tmp/first/a"}, result=result))

    tape = recorded(a_ref(tmp_path), calls)
    here: dict[str, JsonValue] = {"path": "/tmp/second/a"}
    assert [tape.result("files", "read", here).text for _ in range(3)] == [
        "one in /tmp/second",
        "two in /tmp/second",
        "two in /tmp/second",
    ]
    with pytest.raises(CassetteError, match="no call of write with these arguments was recorded"):
        tape.result("files", "write", here)


def test_secrets_are_not_written_and_do_not_change_the_key(tmp_path: Path) -> None:
    ref = replace(a_ref(tmp_path), remove_secrets=lambda text: text.replace("s3cret-value", "[secret KEY]"))
    asked = (ChatMessage("user", "The key is s3cret-value."),)

    def fill(tape: RecordingTape) -> None:
        ask(RecordedModel(ScriptedModel([Reply(text="s3cret-value, yes.")]), tape), asked)

    tape = recorded(ref, fill)
    assert all(b"s3cret" not in path.read_bytes() for path in tmp_path.rglob("*.json*"))
    assert ask(ReplayedModel("m", tape), asked).text == "[secret KEY], yes."


def test_a_tool_whose_name_has_a_secret_is_called_by_its_name(tmp_path: Path) -> None:
    ref = replace(a_ref(tmp_path), remove_secrets=lambda text: text.replace("read", "[secret KEY]"))
    reply = Reply(calls=(Call(id="1", name="read", arguments={"path": "a"}), Call(id="2", name="list")))
    asked = (ChatMessage("user", "Look."),)

    def fill(tape: RecordingTape) -> None:
        ask(RecordedModel(ScriptedModel([reply]), tape), asked)

    tape = recorded(ref, fill)
    assert b'"name": "[secret KEY]"' in (tmp_path / ref.file).read_bytes()
    assert ask(ReplayedModel("m", tape), asked).calls == reply.calls


@pytest.mark.parametrize(
    "content", [b"", b'{"kind": "reply"', b'{"kind": "attempt", "task": "t", "trial": 0}\n', b"\xff"]
)
def test_a_damaged_tape_is_one_error_that_names_its_line(tmp_path: Path, content: bytes) -> None:
    ref = a_ref(tmp_path)
    path = tmp_path / ref.file
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(CassetteError, match=r"suite/model/task-1.jsonl: (line 1 cannot be read: \w|it is empty)"):
        read_tape(ref, sandbox=tmp_path)


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("after", "KEY", "line 2 continues the reply 'KEY', which is not before it"),
        ("after", "elsewhere", "line 2 continues the reply 'elsewhere', which is not before it"),
        ("tools", "../../secrets", "line 2 cannot be read: reply.tools: String should match pattern"),
        ("kind", "secret", "line 2 cannot be read: "),
        ("key", None, "line 2 cannot be read: reply.key: Input should be a valid string"),
    ],
)
def test_a_line_with_a_wrong_value_is_one_error_that_names_it(
    tmp_path: Path, field: str, value: str | None, problem: str
) -> None:
    ref = a_ref(tmp_path)
    recorded(ref, a_conversation)
    path = tmp_path / ref.file
    header, first, *others = map(json.loads, path.read_text().splitlines())
    problem = problem.replace("KEY", first["key"])
    first[field] = first["key"] if value == "KEY" else value
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, first, *others)))
    with pytest.raises(CassetteError, match=re.escape(problem)):
        read_tape(ref, sandbox=tmp_path)


def test_a_conversation_of_thousands_of_replies_is_compared(tmp_path: Path) -> None:
    ref = a_ref(tmp_path)
    recorded(ref, a_conversation)
    path = tmp_path / ref.file
    header, first, *_ = map(json.loads, path.read_text().splitlines())
    chain = [{**first, "key": f"{n}", "after": f"{n - 1}" if n else "", "messages": []} for n in range(2000)]
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, *chain)))
    tape = read_tape(ref, sandbox=tmp_path)
    with pytest.raises(CassetteError, match="request 1 is not the recorded one"):
        ask(ReplayedModel("m", tape), ASKED)
    assert len(tape._conversation(tape._reply_lines[-1])) == 0


def test_names_that_a_file_system_refuses_get_files_of_their_own() -> None:
    names = [
        tape_file("radar", model, task="a", trial=1) for model in ("http://h/v1#m", "http:--h-v1-m", "../..", "..")
    ]
    assert len({*names}) == 4
    assert not any(".." in name.split("/") or ":" in name for name in names)
    assert tape_file("radar", "", "claude", task="email-002", trial=2) == "radar/claude/email-002-2.jsonl"
