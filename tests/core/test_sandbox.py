from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_mcpbench.core.context import Collection, ContextTree, Shape
from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, Sandbox, parse_clock, world_record
from pytest_mcpbench.core.task import StateCheck
from pytest_mcpbench.core.world import Change, Observation, WorldRecord
from tests.builders import a_task

SEED: dict[str, Any] = {"notes": {"n1": {"text": "milk", "done": False}}}


def a_sandbox(**fields: Any) -> Sandbox:
    return Sandbox(**{"path": Path("/nowhere"), "identity": "a-task", **fields})


def test_the_same_task_gives_the_same_ids_and_another_task_others() -> None:
    def ids(task: str, server: str) -> tuple[str, str, int, str]:
        made = a_sandbox(identity=task).world(server).ids
        return made.hex(32), made.uuid(), made.number(1, 10**9), made.text(8, "abc")

    assert ids("one", "mail") == ids("one", "mail")
    assert len({ids("one", "mail"), ids("one", "calendar"), ids("two", "mail")}) == 3


def test_ids_have_the_form_that_was_asked_for() -> None:
    ids = Ids("seed")
    assert [len(ids.hex(length)) for length in (1, 16, 33)] == [1, 16, 33]
    assert ids.uuid()[14] == "4"
    assert ids.number(5, 5) == 5


def test_a_world_begins_with_the_tasks_tree_or_else_with_the_servers() -> None:
    given = a_sandbox(seeds={"notes": SEED}).world("notes")
    default = a_sandbox().world("notes")
    assert given.tree(lambda: {"other": {}}).to_json() == SEED
    assert default.tree(lambda: {"other": {}}).to_json() == {"other": {}}


def test_a_world_has_one_tree() -> None:
    world = a_sandbox(seeds={"notes": SEED}).world("notes")
    assert world.tree() is world.tree(lambda: {"other": {}})


def test_a_task_may_name_a_seed_of_the_server() -> None:
    world = a_sandbox(seeds={"notes": "busy"}).world("notes")
    assert world.tree(seeds={"busy": lambda: SEED}).to_json() == SEED


def test_an_unknown_seed_is_an_error_that_names_those_that_there_are() -> None:
    world = a_sandbox(seeds={"notes": "bussy"}).world("notes")
    with pytest.raises(SandboxError) as caught:
        world.tree(seeds={"busy": dict, "empty": dict})
    assert str(caught.value) == "server 'notes' knows no seed 'bussy'; it knows: busy, empty."


def test_two_attempts_that_take_turns_never_see_each_other() -> None:
    seeds = {"notes": SEED}
    one, two = (a_sandbox(seeds=seeds) for _ in range(2))
    trees = [sandbox.world("notes").tree() for sandbox in (one, two)]
    made = [tree.create("notes", {"text": f"note of {place}"}) for place, tree in enumerate(trees)]
    trees[0].delete("notes[n1]")
    trees[1].update("notes[n1]", {"done": True})
    assert made[0] == made[1]
    assert one.after["notes"] == {"notes": {made[0]: {"text": "note of 0"}}}
    assert two.after["notes"] == {
        "notes": {"n1": {"text": "milk", "done": True}, made[1]: {"text": "note of 1"}},
    }
    assert one.before == two.before == {"notes": SEED}
    assert SEED["notes"] == {"n1": {"text": "milk", "done": False}}


def test_a_diff_has_changes_and_what_the_checks_lead_to() -> None:
    checks = (
        StateCheck(updated="notes[n1]", where={"done": True}),
        StateCheck(equals="notes[*].done", value=True),
        StateCheck(equals="notes[n1].text", value="milk", world="notes"),
        StateCheck(unchanged="lists", world="elsewhere"),
    )
    sandbox = a_sandbox(seeds={"notes": SEED}, checks=checks)
    sandbox.world("notes").tree().update("notes[n1]", {"done": True})
    sandbox.world("unused")
    change = Change(
        kind="updated",
        collection="notes",
        id="n1",
        before={"text": "milk", "done": False},
        after={"text": "milk", "done": True},
    )
    observations = (
        Observation(path="notes[n1]", resolved=("notes[n1]",)),
        Observation(
            path="notes[*].done",
            resolved=("notes[n1].done",),
            before={"notes[n1].done": False},
            after={"notes[n1].done": True},
        ),
        Observation(path="notes[n1].text", resolved=("notes[n1].text",), before="milk", after="milk"),
    )
    assert sandbox.diff() == (WorldRecord(name="notes", changes=(change,), observations=observations),)


def test_an_observed_path_is_resolved_in_both_states() -> None:
    shape = Shape((Collection("calendars"), Collection("calendars[*].events")))
    before = ContextTree.of({"calendars": {"a": {"primary": True, "events": {"e": {}}}}}, shape)
    after = before.fork()
    after.create("calendars[primary].events", {}, id="f")
    after.delete("calendars[a].events[e]")
    check = StateCheck(created="calendars[primary].events[*]")
    assert world_record("cal", before, after, [check]).observations == (
        Observation(path="calendars[primary].events[*]", resolved=("calendars[a].events[e]", "calendars[a].events[f]")),
    )


@pytest.mark.parametrize("path", ["carts", "carts[bo]", "carts[*]", "carts[bo].items"])
def test_a_check_says_what_an_entity_is_in_a_tree_that_declares_none(path: str) -> None:
    """As it is with a world in another process, of which only the trees are known."""
    check = StateCheck(created=path)
    before: dict[str, Any] = {"ann": {"items": {"i1": {"n": 1}}}}
    after: dict[str, Any] = {"ann": {"items": {}}, "bo": {"items": {}}}
    world = world_record("shop", ContextTree.of({"carts": before}), ContextTree.of({"carts": after}), [check])
    assert [(change.kind, change.path) for change in world.changes if "bo" in change.path] == [("created", "carts[bo]")]


def test_the_world_of_a_server_in_another_process_is_adopted() -> None:
    sandbox = a_sandbox()
    sandbox.adopt("remote", {"a": {}}, {"a": {"x": {"n": 1}}})
    assert sandbox.diff() == (
        WorldRecord(name="remote", changes=(Change(kind="created", collection="a", id="x", after={"n": 1}),)),
    )
    assert (sandbox.before, sandbox.after) == ({"remote": {"a": {}}}, {"remote": {"a": {"x": {"n": 1}}}})


@pytest.mark.parametrize(
    ("text", "now"),
    [
        (None, DEFAULT_NOW),
        ("2026-05-01", datetime(2026, 5, 1, tzinfo=UTC)),
        ("2026-05-01T10:00:00", datetime(2026, 5, 1, 10, tzinfo=UTC)),
        ("2026-05-01T10:00:00+02:00", datetime(2026, 5, 1, 10, tzinfo=timezone(timedelta(hours=2)))),
    ],
)
def test_the_clock_stands_still_where_the_task_sets_it(text: str | None, now: datetime) -> None:
    assert parse_clock(text) == now
    assert parse_clock(text).tzinfo is not None


def test_a_clock_that_is_no_date_is_an_error_that_shows_one() -> None:
    with pytest.raises(SandboxError) as caught:
        parse_clock("next Monday")
    assert str(caught.value) == ("context.now is 'next Monday'; write a date and time like 2026-03-02T09:00:00+01:00.")


def test_a_state_check_whose_path_is_none_is_refused_when_it_is_read() -> None:
    with pytest.raises(ValidationError, match=r"path 'notes\[n1', character 5: a '\[' without its '\]'\."):
        StateCheck(unchanged="notes[n1")


@pytest.mark.parametrize("name", ["attempt-1", 'Bücher "neu"'])
def test_values_name_the_directory_as_a_placeholder_and_as_it_is(tmp_path: Path, name: str) -> None:
    sandbox = Sandbox(path=tmp_path / name)
    task = a_task(ask="Read {sandbox}/notes.txt.")
    filled = sandbox.filled(task)
    assert filled.request == f"Read {tmp_path / name}/notes.txt."
    assert sandbox.portable(filled) == task
