"""Simulations beside the servers that they stand for, on traces recorded here and now."""

from typing import Any

import anyio
import pytest

from pytest_mcpbench.attempt.fidelity import judge_pairs, record_results, replay_traces, traces_from_records
from pytest_mcpbench.core.fidelity.comparison import Confusion, Fidelity, canonical_json, fidelity
from pytest_mcpbench.core.fidelity.trace import Trace, TracedCall
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.simulated.catalogue import SERVERS
from tests.builders import a_call, evidence_of
from tests.servers.subjects import npm, odd
from tests.simulated.files.test_real_server import CALLS as FILE_CALLS
from tests.simulated.test_memory import SCRIPT

FILES = {"a.txt": "one\ntwo\nthree\n", "dos.txt": "c\r\nd\r\ne\r\n", "empty": "", "sub/b.md": "# B\n", "sizes/": ""}


def calls(*script: tuple[str, dict[str, Any]]) -> tuple[TracedCall, ...]:
    return tuple(TracedCall(tool=tool, arguments=arguments) for tool, arguments in script)


def simulation(name: str) -> ServerRef:
    return ServerRef(name=name, transport="in_process", factory=SERVERS[name])


def compared(traces: list[Trace], real: ServerRef, name: str, masks: tuple[str, ...] = ()) -> Fidelity:
    made = anyio.run(record_results, traces, real)
    assert all(call.result is not None for trace in made for call in trace.calls)
    return fidelity(name, anyio.run(replay_traces, made, simulation(name)), traces=len(made), masks=masks)


def differing(made: Fidelity) -> list[str]:
    """The pairs of which the responses are not the same, or one is missing."""
    return [
        f"{pair.tool}({pair.arguments}): {pair.real.text} | {pair.simulated.text if pair.simulated else pair.error}"
        for pair in made.pairs
        if pair.simulated is None or canonical_json(pair.real, made.masks) != canonical_json(pair.simulated, made.masks)
    ]


@pytest.mark.npm
def test_the_files_server_agrees_with_the_real_one() -> None:
    traces = [Trace(id="all", files=FILES, calls=calls(*FILE_CALLS))]
    masks = (r"[0-9a-f]{32}\.tmp", r"(created|modified|accessed): [A-Z][^\\]*")
    made = compared(traces, npm("server-filesystem", ".", name="files"), "files", masks)
    assert differing(made) == []
    assert made.confusion.accuracy == 1
    assert min(made.confusion.tp, made.confusion.tn) > 40


@pytest.mark.npm
def test_the_memory_server_agrees_with_the_real_one() -> None:
    given = calls(*SCRIPT[1:6])
    traces = [
        Trace(id="in a row", world="empty", calls=calls(*SCRIPT)),
        *(Trace(id=f"alone {at}", world="empty", given=given, calls=calls(SCRIPT[at])) for at in (7, 8, 12, 15, 16)),
    ]
    real = npm("server-memory", name="memory", environment={"MEMORY_FILE_PATH": "{root}/memory.jsonl"})
    made = compared(traces, real, "memory")
    assert differing(made) == []
    assert made.confusion.accuracy == 1
    assert (made.traces, made.confusion.pairs) == (6, len(SCRIPT) + 5)


def a_trace(*answered: tuple[str, dict[str, Any], ToolResult], **fields: Any) -> Trace:
    made = tuple(TracedCall(tool=tool, arguments=arguments, result=result) for tool, arguments, result in answered)
    return Trace(**{"id": "t", "calls": made, **fields})


ANN = {"name": "Ann", "entityType": "person", "observations": []}
GRAPH = {"entities": {"Ann": ANN}, "relations": {}}


def test_a_simulation_begins_in_the_state_of_the_trace() -> None:
    whole = ToolResult(structured={"entities": [ANN], "relations": []})
    trace = a_trace(("read_graph", {}, whole), world=GRAPH)
    pairs = anyio.run(replay_traces, [trace, trace], simulation("memory"))
    assert differing(fidelity("memory", pairs, traces=2)) == []


def test_a_simulation_that_refuses_and_accepts_what_it_should_not_is_told_so() -> None:
    known = ToolResult.of_text("ok")
    unknown = ToolResult.failure("there is no graph", "tool")
    trace = a_trace(("no_such_tool", {}, known), ("read_graph", {}, unknown), world="empty")
    made = fidelity("memory", anyio.run(replay_traces, [trace], simulation("memory")), traces=1)
    assert made.confusion == Confusion(fp=1, fn=1)


def test_somebodys_word_on_success_counts_more_than_the_rule() -> None:
    accepted = TracedCall(tool="read_graph", result=ToolResult.of_text("ok"), success=False)
    (pair,) = anyio.run(replay_traces, [Trace(id="t", calls=(accepted,))], simulation("memory"))
    assert pair.cell == "fp"


class Reader:
    """A judge that takes polite refusals for what they are, and has no opinion on silence."""

    name = "reader"
    identity = ""

    async def decide(self, question: Question) -> Verdict:
        said = question.evidence
        label = None if not said else "failure" if "Sorry" in said else "success"
        return Verdict(label=label, judge=self.name, prompt_version="1", error="" if label else "nothing to read")


def test_a_judge_reads_what_the_rule_cannot_and_the_rule_stands_where_it_says_nothing() -> None:
    polite, silent = ToolResult.of_text("Sorry, that is not possible."), ToolResult.of_text("")
    trace = a_trace(("read_graph", {}, polite), ("read_graph", {}, silent), world="empty")
    pairs = anyio.run(replay_traces, [trace], simulation("memory"))
    assert [pair.cell for pair in pairs] == ["tp", "tp"]
    read = anyio.run(judge_pairs, pairs, Reader())
    assert [(pair.cell, pair.unread) for pair in read] == [("fp", 0), ("tp", 1)]


def test_a_judge_does_not_overrule_a_person() -> None:
    call = TracedCall(tool="read_graph", result=ToolResult.of_text("Sorry, no."), success=True)
    pairs = anyio.run(replay_traces, [Trace(id="t", calls=(call,))], simulation("memory"))
    assert [pair.cell for pair in anyio.run(judge_pairs, pairs, Reader())] == ["tp"]


def test_the_directory_stands_as_root_in_what_is_recorded() -> None:
    (trace,) = anyio.run(
        record_results, [Trace(id="t", calls=calls(("list_allowed_directories", {})))], simulation("files")
    )
    assert trace.calls[0].result is not None
    assert trace.calls[0].result.text == "Allowed directories:\n{root}"


def test_a_simulation_that_dies_leaves_pairs_without_an_answer() -> None:
    trace = a_trace(("die", {}, ToolResult.of_text("ok")), ("die", {}, ToolResult.of_text("ok")))
    pairs = anyio.run(replay_traces, [trace], odd("dies-at-start"))
    assert [pair.simulated for pair in pairs] == [None, None]
    assert all("server 'odd' failed to" in pair.error for pair in pairs)


def test_a_simulation_that_does_not_answer_in_time_neither_accepts_nor_refuses_the_call() -> None:
    trace = a_trace(("silent", {}, ToolResult.failure("no", "tool")), ("refuse", {}, ToolResult.failure("no", "tool")))
    server = odd("plain", timeouts=ServerTimeouts(call_seconds=0.5))
    unanswered, refused = anyio.run(replay_traces, [trace], server)
    assert (unanswered.cell, unanswered.error) == (None, "The tool did not answer within 0.5 seconds.")
    assert refused.cell == "tn"


def test_attempts_that_were_recorded_in_a_run_become_traces() -> None:
    evidence = evidence_of((a_call("get", {"id": 7}, server="real"), a_call("get", {"id": 8}, server="other")))
    facts: dict[str, Any] = {"suite": "s", "task_hash": "", "model": "m", "outcome": "passed"}
    records = [RunRecord(task_id="one", evidence=evidence, **facts), RunRecord(task_id="none", **facts)]
    (trace,) = traces_from_records(records, "real")
    assert (trace.id, [call.arguments for call in trace.calls]) == ("s::one[m]-1", [{"id": 7}])
