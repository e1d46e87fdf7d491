import asyncio
import json
from typing import Any

import pytest

from pytest_mcpbench.core.context import ContextTree
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.sandbox import world_record
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Context, ExecCheckpoint, Expected, Task
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.core.world import Change, WorldRecord
from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge
from pytest_mcpbench.metrics.exec import Exec
from pytest_mcpbench.metrics.state import StateClean
from tests.builders import a_call, a_task, a_tool, evidence_of
from tests.metrics.verdicts import judged

SEED: dict[str, Any] = {
    "ctx1": {"user": "u1", "events": {"e1": {"summary": "Stand-up", "room": "1", "updated_at": 1}}},
    "ctx2": {"user": "u2", "events": {"e1": {"summary": "Other", "room": "2"}}},
}
UNSCORED = "no rule decides it"


def _task(*checkpoints: ExecCheckpoint) -> Task:
    context: Any = {"seeds": {"lark_mcp": SEED}}
    return a_task(expected=Expected(exec=checkpoints), context=context)


def _search(value: Any, *results: str, answer: str = "") -> Score:
    task = _task(ExecCheckpoint(kind="personalized_search", value=value))
    return Exec()(task, evidence_of(tuple(a_call("read", result=result) for result in results), answer=answer))


@pytest.mark.parametrize(
    ("value", "results", "answer"),
    [
        ({"id": "e1"}, ['{"data": {"items": [{"id": "e1", "more": 1}]}}'], ""),
        (
            {"events": {"abc123_0": {"status": "open"}}},
            ['{"events": [{"event_id": "abc123_0", "status": "open"}]}'],
            "",
        ),
        ({"events": {"abc123_0": {"status": "open"}}}, ['{"events": {"abc123_0": {"status": "open", "x": 1}}}'], ""),
        ([{"id": "a1"}, {"id": "b2"}], ['[{"id": "b2"}, {"id": "a1"}, {"id": "c3"}]'], ""),
        ('{"n": 5}', ['{"n": 5.0}'], ""),
        ({"start_time.timestamp": "17"}, ['{"start_time": {"timestamp": "17"}}'], ""),
        ({"name": "Ａnn"}, ['{"name": "Ann "}'], ""),
        ({"id": "ou_123456", "n": 3}, [], "It is ou_123456, with 3 left."),
        ("Century Park", ["The nearest is Century Park, 2 km away."], ""),
        ("ou_1", ["nothing", '["ou_1"]'], ""),
        ("17", ['{"n": 17}'], ""),
        ({"id": 17}, ['{"id": "17"}'], ""),
    ],
    ids=[
        "subset",
        "ids as keys",
        "id map",
        "list in any order",
        "as text",
        "flat key",
        "NFKC",
        "answer",
        "prose",
        "2nd",
        "digits",
        "id as text",
    ],
)
def test_a_search_passes_when_one_result_or_the_answer_holds_the_reference(
    value: Any, results: list[str], answer: str
) -> None:
    assert _search(value, *results, answer=answer) == 1


def test_part_of_the_ids_is_half_a_point() -> None:
    score = _search([{"id": "a1"}, {"id": "b2"}], '[{"id": "a1"}]')
    assert score == Score(
        value=0.5,
        reasons=("checkpoint 1 (personalized_search): 0.5 by rule: 1 of 2 ids were found; lacking: b2",),
        counts={"part": 0.5, "whole": 1},
    )


def test_values_that_are_spread_over_two_results_are_no_subset_of_one() -> None:
    assert _search({"id": "a1", "name": "Ann"}, '{"id": "a1"}', '{"name": "Ann"}') == 0.5


def test_an_id_is_not_found_in_a_longer_one() -> None:
    assert _search({"id": "a1"}, '{"id": "a12"}') == 0


def test_a_result_that_is_an_error_does_not_count() -> None:
    task = _task(ExecCheckpoint(kind="generic_search", value={"id": "a1"}))
    evidence = evidence_of((a_call("read", result=ToolResult.failure('{"id": "a1"}', "tool")),))
    assert Exec()(task, evidence) == 0


@pytest.mark.parametrize(
    "value", ["Sunny, with a light wind.", {"sky": "clear"}, None], ids=["prose", "no ids", "none"]
)
def test_what_a_rule_cannot_decide_goes_to_the_judge_or_stays_unscored(value: Any) -> None:
    task = _task(ExecCheckpoint(kind="generic_search", value=value))
    evidence = evidence_of((a_call("read"),), answer="Fine.")
    score = Exec()(task, evidence)
    assert score.value is None
    assert str(score.unscored).startswith("checkpoint 1 (generic_search): no rule decides it")
    assert str(score.unscored).endswith("no judge is configured")
    assert Exec()(task, judged(Exec(), task, evidence, 0.5)) == 0.5


def test_only_undecided_checkpoints_are_put_to_the_judge() -> None:
    task = _task(
        ExecCheckpoint(kind="generic_search", value={"id": "a1"}), ExecCheckpoint(kind="generic_search", value="Sunny.")
    )
    evidence = evidence_of((a_call("read", result='{"id": "a1"}'),))
    assert [question.statement for question in Exec().questions(task, evidence)] == [
        "The agent obtained this information: Sunny."
    ]
    score = Exec()(task, judged(Exec(), task, evidence, 0))
    assert score.counts == {"part": 1, "whole": 2}
    assert [reason.partition(":")[0] for reason in score.reasons] == [
        "checkpoint 2 (generic_search)",
        "checkpoint 1 (generic_search)",
    ], "reasons for losses stand first"


def _operated(checkpoint: ExecCheckpoint, *edits: tuple[str, Any]) -> tuple[Task, AttemptEvidence]:
    tree = ContextTree.of(SEED)
    for verb, arguments in edits:
        getattr(tree, verb)(*arguments)
    task = _task(checkpoint)
    world = world_record("lark_mcp", ContextTree.of(SEED), tree)
    calls = (a_call("event_create", {"title": "Review"}),)
    return task, evidence_of(calls, worlds=(world,))


def _operate(**fields: Any) -> ExecCheckpoint:
    return ExecCheckpoint(**{"kind": "operate", "contexts": (("feishu", "ctx1"),), **fields})


MOVED = ("update", ("ctx1.events[e1]", {"room": "9"}))
COUNTED = ("update", ("ctx1.events[e1]", {"updated_at": 2}))
NEW = ("create", ("ctx1.events", {"summary": "Review"}, "e2"))
RENAMED = ("update", ("ctx1.events[e1]", {"summary": "Review"}))
GONE = ("delete", ("ctx1.events[e1]",))


@pytest.mark.parametrize(
    ("fields", "edits", "value"),
    [
        ({"operation": "create"}, [NEW], 1),
        ({"operation": "create", "collection": "events", "fields": {"summary": "Review"}}, [NEW], 1),
        ({"operation": "create", "fields": {"summary": "Retro"}}, [NEW], 0),
        ({"operation": "create", "collection": "notes"}, [NEW], 0),
        ({"operation": "create"}, [("create", ("ctx2.events", {"summary": "Review"}, "e2"))], 0),
        ({"operation": "create"}, [RENAMED], 0),
        ({"operation": "create"}, [], 0),
        ({"operation": "modify", "fields": {"summary": "Review"}}, [RENAMED], 1),
        ({"operation": "modify", "fields": {"summary": "Review"}}, [GONE, NEW], 0),
        ({"operation": "modify", "fields": {"summary": "Review"}}, [RENAMED, MOVED], 0),
        ({"operation": "modify", "fields": {"summary": "Review"}}, [RENAMED, COUNTED], 1),
        ({"operation": "delete"}, [GONE], 1),
        ({"operation": "delete"}, [RENAMED], 0),
        ({"operation": "other", "tool": "lark_mcp:event_create"}, [], 1),
        ({"operation": "other", "tool": "lark_mcp:event_read"}, [], 0),
        ({"operation": "create", "summary": 'Create it with the title "Review".'}, [], 0),
        ({"operation": "create", "tool": "event_make", "summary": "Create it."}, [], 0),
        ({"operation": "other", "tool": "lark_mcp:event_read", "summary": "Read it."}, [], 0),
        ({"operation": "delete", "collection": "events", "entity": "e1", "summary": "Delete 'Retro'."}, [GONE], 1),
    ],
)  # fmt: skip
def test_an_operation_is_decided_by_what_changed(fields: dict[str, Any], edits: list[Any], value: float) -> None:
    task, evidence = _operated(_operate(**fields), *edits)
    assert float(Exec()(task, evidence)) == value


@pytest.mark.parametrize(
    ("fields", "edit", "reason"),
    [
        ({"summary": 'Invite Ann, title "Review".'}, NEW, "only the checkpoint's text says what is right"),
        ({"summary": 'Create it, "Review".', "tool": "lark_mcp:event_create"}, NEW, "only the checkpoint's text"),
        ({"summary": "Create it.", "collection": "events"}, NEW, "only the checkpoint's text"),
        (
            {"summary": "Open it."},
            RENAMED,
            "updated ctx1.events[e1], but only the checkpoint's",
        ),
        (
            {"summary": "Rename it.", "operation": "modify"},
            RENAMED,
            "updated ctx1.events[e1], but only the checkpoint's",
        ),
        ({"summary": "Cancel it.", "operation": "delete"}, GONE, "deleted ctx1.events[e1], but only the checkpoint's"),
        (
            {"summary": "Send it.", "operation": "other", "tool": "event_create"},
            NEW,
            "event_create was called, but only",
        ),
        ({"tool": "lark_mcp:event_make"}, NEW, "'lark_mcp:event_make' was not called successfully"),
    ],
)
def test_a_change_that_only_prose_ties_to_the_checkpoint_is_unscored_without_a_judge_who_reads_it(
    fields: dict[str, Any], edit: Any, reason: str
) -> None:
    task, evidence = _operated(_operate(**{"operation": "create", **fields}), edit)
    score = Exec()(task, evidence)
    assert score.value is None
    assert reason in str(score.unscored)
    (question,) = Exec().questions(task, evidence)
    assert fields.get("summary", "") in question.statement
    assert "in feishu, context ctx1" in question.statement
    assert f"lark_mcp: {'created' if edit is NEW else 'updated' if edit is RENAMED else 'deleted'}" in question.evidence
    assert [Exec()(task, judged(Exec(), task, evidence, points)) for points in (0, 0.5, 1)] == [0, 0.5, 1]


def test_contexts_of_which_a_server_makes_one_tree_share_its_changes() -> None:
    task = _task(_operate(operation="create", fields={"text": "Hi"}))
    seeds: Any = {"lark_mcp": {"ctx1": {"messages": {}}, "ctx2": {"messages": {}}}}
    task = task.model_copy(update={"context": Context(seeds=seeds)})
    change = Change(kind="created", collection="messages", id="m1", after={"text": "Hi"})
    world = WorldRecord(name="lark_mcp", changes=(change,))
    assert Exec()(task, evidence_of((), worlds=(world,))) == 1


def test_a_server_without_an_observed_world_goes_to_the_judge() -> None:
    task = _task(_operate(operation="create"))
    assert "no world of feishu (ctx1) was observed" in str(Exec()(task, evidence_of()).unscored)


def test_a_failed_verdict_is_zero_only_in_the_official_mode() -> None:
    task = _task(ExecCheckpoint(kind="generic_search", value="Sunny."))
    evidence = judged(Exec(), task, evidence_of(answer="Fine."), None)
    assert Exec()(task, evidence).value is None
    assert Exec(official=True)(task, evidence) == 0


def test_without_checkpoints_it_does_not_apply() -> None:
    assert Exec()(a_task(), evidence_of()) == Score.not_applicable("the task has no exec checkpoints")


@pytest.mark.parametrize(
    ("checkpoint", "points"),
    [
        ({"entity": "n.md", "contains": (("5 May", "May 5"),)}, 1),
        ({"entity": "other.md", "contains": (("5 May", "May 5"),)}, 0),
        ({"entity": "n.md", "contains": (("2026-05-05", "5 May"),)}, 1),
        ({"entity": "n.md", "contains": (("5 May",), ("Mei",))}, None),
    ],
    ids=["the entity says it", "another entity", "another form", "something may be said in other words"],
)
def test_an_operation_asks_for_an_entity_and_for_what_is_said_in_it(
    checkpoint: dict[str, Any], points: float | None
) -> None:
    change = Change(
        kind="updated", collection="notes", id="n.md", before={"content": "a"}, after={"content": "On May 5."}
    )
    asked = ExecCheckpoint(kind="operate", operation="modify", collection="notes", **checkpoint)
    evidence = evidence_of((), worlds=(WorldRecord(name="vault", changes=(change,)),))
    assert Exec()(a_task(expected=Expected(exec=(asked,))), evidence).value == points


@pytest.mark.parametrize("named", [{"tool": "slack:send"}, {"tool": "send", "contexts": (("slack", "team"),)}])
@pytest.mark.parametrize(
    ("server", "points"),
    [("slack", None), ("discord", 0)],
    ids=["the server of the checkpoint, for the judge", "another server with a tool of that name"],
)
def test_a_checkpoint_that_names_a_server_needs_a_call_of_its_tool(
    server: str, points: float | None, named: dict[str, Any]
) -> None:
    checkpoint = ExecCheckpoint(kind="operate", operation="other", summary='Send "Hi".', **named)
    tools = tuple(a_tool(f"{name}_send", tool="send", server=name) for name in ("slack", "discord"))
    call = a_call("send", {"text": "Hi"}, name=f"{server}_send", server=server)
    task = a_task(expected=Expected(exec=(checkpoint,)))
    assert Exec()(task, evidence_of((call,), tools=tools)).value == points


def test_an_operation_that_changes_nothing_is_for_the_judge_if_its_tool_was_called() -> None:
    """Opening a conversation that exists changes nothing, and the public records call it a modification."""
    checkpoint = _operate(operation="modify", tool="lark_mcp:event_create", summary="Open the conversation.")
    task, evidence = _operated(checkpoint)
    assert "lark_mcp:event_create was called, but only the checkpoint's text" in str(Exec()(task, evidence).unscored)
    assert Exec()(task, judged(Exec(), task, evidence, 1)) == 1


FIELDS = "File: name='a.pdf'；id='F1'；url='https://x.org/F1'"


@pytest.mark.parametrize(
    ("result", "points"),
    [
        ({"files": [{"id": "F1", "title": "a.pdf", "link": "https://x.org/F1"}]}, 1),
        ({"files": [{"id": "F1", "title": "b.pdf", "link": "https://x.org/F1"}]}, None),
        ({"files": [{"id": "F12", "title": "a.pdf", "link": "https://x.org/F1"}]}, None),
        ("name='a.pdf'；id='F2'", None),
    ],
)
def test_the_fields_of_a_reference_text_are_looked_for_by_their_values(result: Any, points: float | None) -> None:
    task = _task(ExecCheckpoint(kind="personalized_search", value=FIELDS))
    evidence = evidence_of((a_call("find", {"name": "a.pdf", "id": "F1"}, result=json.dumps(result)),), answer="Done.")
    assert Exec()(task, evidence).value == points


@pytest.mark.parametrize(("result", "points"), [({"id": "F1"}, None), ({"id": "F3"}, 0), (None, 0)])
def test_part_of_a_public_reference_value_is_for_a_model_as_the_judge(result: Any, points: float | None) -> None:
    checkpoint = ExecCheckpoint(kind="personalized_search", value={"id": "F1", "cover": {"id": "F2"}})
    task = _task(checkpoint).model_copy(update={"context": Context(is_public=True)})
    calls = (a_call("find", result=json.dumps(result)),) if result else ()
    evidence = evidence_of(calls, answer="" if result is None else "Done.")
    assert Exec()(task, evidence).value == points
    for question in Exec().questions(task, evidence):
        verdict = asyncio.run(KeyFactsJudge().decide(question))
        assert verdict.label is None


@pytest.mark.parametrize(
    ("fields", "after", "points"),
    [
        ({"start.timestamp": "200", "start.timezone": "Asia/Shanghai"}, {"start.timestamp": "200"}, 1),
        ({"start.timestamp": "200"}, {"start.timestamp": "200"}, 1),
        ({"start.timestamp": "200"}, {"start.timestamp": "200", "start.timezone": "UTC"}, 1),
        ({"start.timestamp": "200"}, {"start.timestamp": "200", "start.timezone": "Mars/Base"}, 0),
        ({"start.timestamp": "200"}, {"start.timestamp": "300"}, 0),
        ({"room": "4"}, {"start.timestamp": "300", "room": "4"}, 0),
        ({"room": "4"}, {"start.timestamp": "100", "start.timezone": "UTC", "room": "4"}, 0),
        ({"start.timezone": "UTC"}, {"start.timestamp": "100", "start.timezone": "Europe/Paris"}, 0),
    ],
    ids=str,
)
def test_the_zone_beside_a_unix_time_is_no_other_change(
    fields: dict[str, Any], after: dict[str, Any], points: float
) -> None:
    before = {"start.timestamp": "100", "start.timezone": "Asia/Shanghai"}
    change = Change(kind="updated", collection="events", id="e1", before=before, after=after)
    checkpoint = ExecCheckpoint(kind="operate", operation="modify", collection="events", fields=fields)
    task = a_task(expected=Expected(exec=(checkpoint,)))
    evidence = evidence_of((), worlds=(WorldRecord(name="lark_mcp", changes=(change,)),))
    assert (Exec()(task, evidence).value, StateClean()(task, evidence).value) == (points, points)
