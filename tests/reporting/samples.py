"""Records and entries for reports: passes, failures, errors, unscored attempts, and content that means harm."""

from typing import Any

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.record import ErrorFacts, RunRecord
from pytest_mcpbench.core.reference_lines import reference_lines
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.score import Score, Scorecard
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.metrics.comparison.table import comparison_rows
from pytest_mcpbench.metrics.failure_analysis.primary_mode import failures
from pytest_mcpbench.metrics.reference_matching import match_strictly
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call

HOSTILE = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "</pre></table></script><svg onload=document.title='owned'> \x1b[31mred\x1b[0m \x1b]0;owned\x07"
    " --> <!--run--> {{ 7*7 }} `code` | cell @someone #12 http://example.org \u202eevil\u202c"
)
LANGUAGES = "東京都の天気は晴れです。 مرحبا بالعالم שלום עולם"


def an_entry(task_id: str = "t", outcome: str = "passed", **fields: Any) -> Entry:
    made = {"suite": "s", "task_id": task_id, "model": "m", "outcome": outcome, "node_id": f"s::{task_id}", **fields}
    return Entry.model_validate(made)


def a_report(*entries: Entry, **fields: Any) -> Report:
    return Report(entries=entries, **fields)


def scored(task_id: str, value: float | None, *, metric: str = "ast", **fields: Any) -> Entry:
    """An entry of one metric with the floor 1."""
    outcome = "unscored" if value is None else "passed" if value >= 1 else "failed"
    given = {"scores": {metric: value}, "floors": {metric: 1.0}, **fields}
    return an_entry(task_id, outcome, **given)


def a_record(task: Task, evidence: AttemptEvidence | None, scorecard: Scorecard, **fields: Any) -> RunRecord:
    """The record that the plugin would keep."""
    outcome = "passed" if scorecard.passed else "unscored" if not scorecard.shortfalls else "failed"
    made = {
        "suite": "s",
        "task_id": task.id,
        "task_hash": task.hash,
        "model": "m",
        "outcome": outcome,
        "scorecard": scorecard,
        "evidence": evidence,
        "prompt": task.prompt,
        "expected": reference_lines(task),
        "comparison": comparison_rows(match_strictly(task.expected.flat_calls, task, evidence)) if evidence else (),
        "failures": failures(task, evidence) if evidence else {},
        "tags": task.tags,
        "node_id": f"s::{task.id}",
        **fields,
    }
    return RunRecord.model_validate(made)


def card(value: float | None, *reasons: str, **others: Score) -> Scorecard:
    score = Score.missing("no judge is configured", "needs_reader") if value is None else Score.of(value, reasons)
    return Scorecard(scores={"ast": score, **others}, floors={"ast": 1.0})


def one_of_each(model: str = "m") -> list[RunRecord]:
    """A pass, a failure, an error, an unscored attempt, one with a long trajectory and one that means harm."""
    tools = (a_tool("read", {"path": {"type": "string"}}, ("path",)),)
    read = expected_call("read", {"path": "a.txt"})
    good, bad = a_call("read", {"path": "a.txt"}, result="milk, eggs"), a_call("read", {"path": "b.txt"})
    usage = Usage(input_tokens=1200, output_tokens=80, cached_tokens=0, cost_usd=0.0123)
    paid = Trajectory(
        steps=(Step(calls=(good,), usage=usage, seconds=1.5), Step(text="It says milk, eggs.", usage=usage))
    )
    long = [(a_call("read", {"path": f"{number}.txt"}, result=f"line {number}\n" * 40),) for number in range(30)]
    harm = (a_call("read", {"path": HOSTILE}, result=ToolResult.failure(HOSTILE + LANGUAGES, "tool")),)
    tags = {"difficulty": "easy"}
    n_a = Score.not_applicable("the task has no reference answer")
    return [
        a_record(
            a_task((read,), id="pass", ask="What is in a.txt?", tags=tags),
            AttemptEvidence(task_id="pass", model=model, trajectory=paid, tools=tools),
            card(1, answer=n_a),
            model=model,
            seconds=3.2,
        ),
        a_record(
            a_task((read,), id="fail", ask="What is in a.txt?", tags=tags),
            evidence_of((bad,), (good, bad), answer="I do not know.", tools=tools),
            card(0, "no call of read(path='a.txt'); call 1: path: expected 'a.txt', got 'b.txt'", answer=n_a),
            model=model,
        ),
        a_record(
            a_task((read,), id="error", tags={"difficulty": "hard"}),
            None,
            Scorecard(scores={}),
            model=model,
            outcome="error",
            error=ErrorFacts(kind="server", message="server 'notes' failed to start: it exited (exit code 1)"),
        ),
        a_record(a_task((read,), id="unscored"), evidence_of(answer="?", tools=tools), card(None), model=model),
        a_record(a_task((read,), id="long"), evidence_of(*long, answer="done", tools=tools), card(0), model=model),
        a_record(
            a_task((expected_call("read", {"path": HOSTILE}),), id="harm", ask=HOSTILE, tags={"kind": HOSTILE}),
            evidence_of(harm, answer=HOSTILE, tools=tools),
            card(0, HOSTILE),
            model=model + HOSTILE,
        ),
        a_record(
            a_task(id="big", ask=LANGUAGES * 20),
            evidence_of((a_call("read", result="<b>&\"' " * 150_000),), answer=LANGUAGES, tools=tools),
            card(1),
            model=model,
        ),
    ]


def report_of(records: list[RunRecord]) -> Report:
    return Report(entries=tuple(Entry.of(record) for record in records))
