"""An entry is small, and keeps what aggregates need."""

import json

import pytest

from pytest_mcpbench.core.definition_tokens import Definitions
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry, SharedParts, ToolUse
from pytest_mcpbench.core.score import Score, Scorecard
from pytest_mcpbench.core.tool import ToolResult
from tests.builders import a_call, a_tool, evidence_of


def _record(**fields: object) -> RunRecord:
    made = {"suite": "s", "task_id": "t", "task_hash": "", "model": "m", "outcome": "passed", **fields}
    return RunRecord.model_validate(made)


def test_an_entry_counts_the_calls_of_each_tool() -> None:
    failed = a_call("read", result=ToolResult.failure("no such file", "tool"))
    harness = a_call("read", result=ToolResult.failure("the connection was lost", "transport"))
    entry = Entry.of(
        _record(evidence=evidence_of((a_call("read"), failed), (harness,), tools=(a_tool("read"), a_tool("write"))))
    )
    assert entry.tool_use == {"server/read": ToolUse(calls=2, successes=1)}
    assert entry.root_causes == {"resource_not_found": 1, "harness_error": 1}
    assert list(entry.definitions) == ["server"]
    assert entry.definitions["server"].tools == 2


def test_definitions_are_counted_by_server() -> None:
    other = a_tool("ping").model_copy(update={"server": "other"})
    entry = Entry.of(_record(evidence=evidence_of(tools=(a_tool("read"), other))))
    assert entry.definitions == {
        "server": Definitions(tools=1, tokens=entry.definitions["server"].tokens),
        "other": Definitions(tools=1, tokens=entry.definitions["other"].tokens),
    }


def test_an_entry_has_the_kinds_of_its_missing_values() -> None:
    scores = {"coverage": Score.missing("why", "needs_reader"), "tool_success": Score.not_applicable("", "replayed")}
    card = Scorecard(scores={**scores, "ast": Score.missing("why")}, floors={"coverage": 0.75})
    entry = Entry.of(_record(scorecard=card, outcome="unscored"))
    assert entry.gaps == {"coverage": "needs_reader", "tool_success": "replayed"}
    assert (entry.needs_reader, entry.is_replayed) == (True, True)
    assert not entry.model_copy(update={"floors": {"ast": 1.0}}).needs_reader


@pytest.mark.parametrize(
    ("reason", "gap"),
    [
        ("checkpoint 1 (read): no judge is configured", "needs_reader"),
        ("judge 'keyfacts' gave no verdict for 'a': keyfacts cannot decide it: b; use a model", "needs_reader"),
        ("a judge is needed for free text, and gave no verdict", "needs_reader"),
        ("the servers replay a recording, which does not show whether a call would succeed", "replayed"),
        ("no world was observed", None),
    ],
)
def test_a_record_of_an_earlier_version_gets_the_kind_of_a_missing_value(reason: str, gap: str | None) -> None:
    stored = json.loads(_record(scorecard=Scorecard(scores={"ast": Score.missing(reason)})).model_dump_json())
    del stored["scorecard"]["scores"]["ast"]["gap"]
    assert RunRecord.model_validate_json(json.dumps(stored)).scorecard["ast"].gap == gap


def test_what_does_not_apply_is_told_apart_from_what_could_not_be_computed() -> None:
    scores = {"answer": Score.not_applicable("no reference"), "coverage": Score.missing("no judge"), "ast": Score.of(1)}
    entry = Entry.of(_record(scorecard=Scorecard(scores=scores)))
    assert entry.scores == {"answer": None, "coverage": None, "ast": 1.0}
    assert entry.unscored == {"answer": "no reference", "coverage": "no judge"}
    assert entry.not_applicable == ("answer",)


def test_entries_share_the_parts_that_are_equal_and_stay_as_they_are() -> None:
    scores = {"ast": Score.of(1)}
    entries = [
        Entry.of(_record(trial=trial, evidence=evidence_of((a_call("read"),)), scorecard=Scorecard(scores=scores)))
        for trial in (1, 2)
    ]
    parts = SharedParts()
    first, second = (parts.share(entry) for entry in entries)
    assert [first, second] == entries
    assert first.tool_use is second.tool_use
    assert [type(value) for value in (second.trial, second.scores["ast"], second.is_xfail)] == [int, float, bool]
