from typing import Any

import pytest

from pytest_mcpbench.core.context import ContextTree
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.sandbox import world_record
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import ExecCheckpoint, Expected, StateCheck, Task
from pytest_mcpbench.metrics.state import State, StateClean
from tests.builders import a_task, evidence_of

SEED: dict[str, Any] = {
    "calendars": {
        "c1": {
            "primary": True,
            "events": {"e1": {"summary": "Stand-up", "start": "2026-03-02T09:00", "attendees": []}},
        },
        "c2": {"events": {}},
    },
    "contacts": {"p1": {"name": "Ann"}, "p2": {"name": "Ben"}},
    "title": "Mine",
}

REVIEW = {"summary": "Review", "start": "2026-03-02T10:00:00+08:00", "place": {"room": "4"}}


def _world(*checks: StateCheck) -> tuple[ContextTree, Task]:
    return ContextTree.of(SEED), a_task(expected=Expected(state=checks))


def _run(tree: ContextTree, task: Task, name: str = "lark") -> AttemptEvidence:
    return evidence_of(worlds=(world_record(name, ContextTree.of(SEED), tree, task.expected.state),))


def _busy(*checks: StateCheck) -> tuple[Task, AttemptEvidence]:
    """A world in which an event was created, one was moved, and a contact was deleted."""
    tree, task = _world(*checks)
    tree.create("calendars[primary].events", REVIEW, id="e2")
    tree.update("calendars[c1].events[e1]", {"start": "2026-03-02T09:30"})
    tree.delete("contacts[p2]")
    return task, _run(tree, task)


HOLDS = [
    StateCheck(created="calendars[primary].events"),
    StateCheck(created="calendars[primary].events", where={"summary": "Review", "start": "2026-03-02T10:00"}),
    StateCheck(created="calendars[*].events", where={"place.room": "4"}, count=1),
    StateCheck(created="calendars[c1].events[e2]"),
    StateCheck(created="calendars[c2].events", count=0),
    StateCheck(updated="calendars[primary].events[e1]", where={"start": "2026-03-02T09:30"}),
    StateCheck(updated="calendars[c1].events[e1].start"),
    StateCheck(updated="calendars[*].events[*]"),
    StateCheck(updated="calendars[primary].events"),
    StateCheck(deleted="contacts[p2]"),
    StateCheck(deleted="contacts", where={"name": "Ben"}),
    StateCheck(unchanged="contacts[p1]"),
    StateCheck(unchanged="calendars[c2]"),
    StateCheck(unchanged="title"),
    StateCheck(equals="title", value="Mine"),
    StateCheck(equals="calendars[c1].events[e1].summary", value="Stand-up"),
    StateCheck(equals="contacts[*].name", value="Ann", count=1),
    StateCheck(equals="contacts[p2]", value=None),
    StateCheck(created="calendars[primary].events", world="lark"),
]

FAILS = [
    StateCheck(created="calendars[primary].events", where={"summary": "Retro"}),
    StateCheck(created="calendars[primary].events", count=2),
    StateCheck(created="contacts"),
    StateCheck(created="calendars[c2].events"),
    StateCheck(updated="calendars[c1].events[e2]"),
    StateCheck(updated="calendars[c1].events[e1].summary"),
    StateCheck(deleted="contacts[p1]"),
    StateCheck(unchanged="contacts"),
    StateCheck(unchanged="calendars[primary]"),
    StateCheck(unchanged="contacts[p2].name"),
    StateCheck(equals="title", value="Yours"),
    StateCheck(equals="contacts[p2].name", value="Ben"),
]


def _sentence(check: StateCheck) -> str:
    return f"{check.verb} {check.path} {check.where or ''} {check.count if check.count is not None else ''}".strip()


@pytest.mark.parametrize("check", HOLDS, ids=_sentence)
def test_a_check_holds(check: StateCheck) -> None:
    task, evidence = _busy(check)
    assert State()(task, evidence) == 1


@pytest.mark.parametrize("check", FAILS, ids=_sentence)
def test_a_check_does_not_hold(check: StateCheck) -> None:
    task, evidence = _busy(check)
    assert State()(task, evidence) == 0


def test_the_score_is_the_share_of_the_checks_that_hold_with_a_reason_for_each() -> None:
    task, evidence = _busy(
        StateCheck(created="calendars[primary].events", where={"summary": "Retro"}), StateCheck(deleted="contacts[p2]")
    )
    assert State()(task, evidence) == Score(
        value=0.5,
        reasons=(
            'does not hold: created calendars[primary].events where {"summary": "Retro"}: none of 1 created fits '
            '(calendars[c1].events[e2]: summary is "Review", expected "Retro")',
            "holds: deleted contacts[p2]: 1 deleted: deleted contacts[p2]",
        ),
        counts={"part": 1, "whole": 2},
    )


def test_an_entity_inside_a_whole_that_was_created_counts_as_created() -> None:
    check = StateCheck(created="calendars[*].events", where={"summary": "Review"})
    tree, task = _world(check)
    tree.create("calendars", {"name": "New", "events": {"e9": REVIEW}}, id="c3")
    evidence = _run(tree, task)
    assert State()(task, evidence) == 1
    assert StateClean()(task, evidence) == 1


def test_a_world_that_was_not_observed_leaves_it_unscored() -> None:
    tree, task = _world(StateCheck(deleted="contacts[p1]", world="slack"))
    assert State()(task, _run(tree, task)) == Score.missing(
        "slack: deleted contacts[p1]: world 'slack' was not observed; observed: lark"
    )


def test_without_checks_neither_applies() -> None:
    assert State()(a_task(), evidence_of()) == Score.not_applicable("the task has no state checks")
    assert StateClean()(a_task(), evidence_of()).value is None


def test_a_world_with_only_what_was_asked_for_is_clean() -> None:
    task, evidence = _busy(
        StateCheck(created="calendars[primary].events", where={"summary": "Review"}),
        StateCheck(equals="calendars[primary].events[e1].start", value="2026-03-02T09:30"),
        StateCheck(deleted="contacts[p2]"),
    )
    assert StateClean()(task, evidence) == Score(value=1, counts={"unasked": 0, "changes": 3})


def test_what_nobody_asked_for_is_listed() -> None:
    task, evidence = _busy(StateCheck(created="calendars[primary].events"), StateCheck(unchanged="contacts[p1]"))
    assert StateClean()(task, evidence) == Score(
        value=0,
        reasons=(
            "nobody asked for: lark: updated calendars[c1].events[e1]",
            "nobody asked for: lark: deleted contacts[p2]",
        ),
        counts={"unasked": 2, "changes": 3},
    )


def test_a_created_entity_without_the_fields_asked_for_was_not_asked_for() -> None:
    tree, task = _world(StateCheck(created="contacts", where={"name": "Cid"}))
    tree.create("contacts", {"name": "Cid"}, id="p3")
    tree.create("contacts", {"name": "Dan"}, id="p4")
    assert StateClean()(task, _run(tree, task)).reasons == ("nobody asked for: lark: created contacts[p4]",)


def test_an_update_of_bookkeeping_alone_is_no_change() -> None:
    tree, task = _world(StateCheck(unchanged="title"))
    tree.update("contacts[p1]", {"last_modified": "2026-03-02T10:00", "updatedAt": 1})
    assert StateClean()(task, _run(tree, task)) == 1
    assert StateClean(bookkeeping=())(task, _run(tree, task)) == 0


def test_operations_of_exec_checkpoints_are_asked_for() -> None:
    checkpoint = ExecCheckpoint(kind="operate", operation="delete", contexts=(("lark", "x"),), collection="contacts")
    task = a_task(expected=Expected(exec=(checkpoint,)))
    tree = ContextTree.of(SEED)
    tree.delete("contacts[p2]")
    assert StateClean()(task, _run(tree, task)) == 1
    tree.update("calendars[c1].events[e1]", {"summary": "x"})
    assert StateClean()(task, _run(tree, task)).reasons == ("nobody asked for: lark: updated calendars[c1].events[e1]",)


def test_changes_that_a_checkpoint_asks_for_only_in_words_leave_it_unscored() -> None:
    contexts = (("lark", "x"),)
    checkpoint = ExecCheckpoint(kind="operate", operation="create", contexts=contexts, summary="Add Cid.")
    task = a_task(expected=Expected(exec=(checkpoint,)))
    tree = ContextTree.of(SEED)
    assert StateClean()(task, _run(tree, task)) == 1
    tree.create("contacts", {"name": "Dan"}, id="p4")
    assert "only in words which changes they ask for; there is lark: created contacts[p4]" in str(
        StateClean()(task, _run(tree, task)).unscored
    )


def test_a_change_of_another_app_than_the_words_are_about_was_not_asked_for() -> None:
    checkpoint = ExecCheckpoint(kind="operate", operation="create", contexts=(("slack", "x"),), summary="Greet Cid.")
    task = a_task(expected=Expected(exec=(checkpoint,)))
    tree = ContextTree.of(SEED)
    tree.create("contacts", {"name": "Dan"}, id="p4")
    assert StateClean()(task, _run(tree, task)).reasons == ("nobody asked for: lark: created contacts[p4]",)
