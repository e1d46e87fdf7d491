"""Tasks in the project's own format."""

from typing import Any

import pytest

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import (
    CallGroup,
    Checkpoint,
    Expected,
    ExpectedCall,
    Limits,
    Message,
    SimilarTool,
    StateCheck,
    Task,
    Turn,
    VerifyCheck,
)
from pytest_mcpbench.loaders.native import load


def loaded(text: str | bytes, file: str = "t.yaml") -> list[LoadedTask]:
    return list(load(text if isinstance(text, bytes) else text.encode(), LoadOptions(file)))


def task_of(text: str, file: str = "t.yaml") -> Task:
    """The only task of a text."""
    (only,) = loaded(text, file)
    assert only.error is None, str(only.error)
    assert only.task is not None
    return only.task


def errors(text: str, file: str = "t.yaml") -> list[str]:
    return [str(each.error) for each in loaded(text, file) if each.error is not None]


def a_group(*calls: ExpectedCall, turn: int = 0) -> CallGroup:
    return CallGroup(calls=calls, turn=turn)


def test_the_smallest_useful_file_has_six_lines() -> None:
    task = task_of("""\
server: python server.py
tasks:
  - ask: Is it raining in Montreal?
    tool: get_weather
    arguments: {city: Montreal}
""")
    assert task == Task(
        id="is-it-raining-in-montreal",
        turns=(Turn(user="Is it raining in Montreal?"),),
        expected=Expected(calls=(a_group(ExpectedCall(id="1", tool="get_weather", arguments={"city": "Montreal"})),)),
    )


@pytest.mark.parametrize(
    ("text", "file"),
    [
        pytest.param("- ask: one\n- ask: two\n", "t.yaml", id="list"),
        pytest.param("tasks:\n- ask: one\n- ask: two\n", "t.yml", id="tasks of a mapping"),
        pytest.param("ask: one\n---\nask: two\n", "t.yaml", id="documents"),
        pytest.param('{"ask": "one"}\n{"ask": "two"}\n', "t.jsonl", id="lines"),
        pytest.param('[{"ask": "one"}, {"ask": "two"}]', "t.json", id="array"),
    ],
)
def test_tasks_may_be_written_in_any_of_these_ways(text: str, file: str) -> None:
    assert [each.id for each in loaded(text, file)] == ["one", "two"]


@pytest.mark.parametrize(
    ("written", "groups"),
    [
        pytest.param("tool: a", (a_group(ExpectedCall(id="1", tool="a")),), id="one tool"),
        pytest.param("calls: []", (), id="none"),
        pytest.param(
            "calls: [{tool: a, arguments: {x: 1}}, b]",
            (a_group(ExpectedCall(id="1", tool="a", arguments={"x": 1})), a_group(ExpectedCall(id="2", tool="b"))),
            id="in order",
        ),
        pytest.param(
            "calls: [[a, b], c]",
            (
                a_group(ExpectedCall(id="1", tool="a"), ExpectedCall(id="2", tool="b")),
                a_group(ExpectedCall(id="3", tool="c")),
            ),
            id="parallel",
        ),
        pytest.param(
            "calls: [{tool: a, id: 7, server: s, optional: [x], similar_tools: [b, {tool: c, server: t}]}]",
            (
                a_group(
                    ExpectedCall(
                        id="7",
                        tool="a",
                        server="s",
                        optional=frozenset({"x"}),
                        similar_tools=(SimilarTool(tool="b"), SimilarTool(tool="c", server="t")),
                    )
                ),
            ),
            id="all fields",
        ),
        pytest.param(
            "expected: {calls: [{calls: [a], turn: 0}]}", (a_group(ExpectedCall(id="1", tool="a")),), id="written out"
        ),
    ],
)
def test_reference_calls_have_short_forms(written: str, groups: tuple[CallGroup, ...]) -> None:
    assert task_of(f"ask: hi\n{written}").expected == Expected(calls=groups)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("answer: 42", Expected(answer="42")),
        ("answer: true", Expected(answer="true")),
        ("claims: one", Expected(claims=("one",))),
        ("claims: [one, two]", Expected(claims=("one", "two"))),
        ("checkpoints: [one, {text: two}]", Expected(checkpoints=(Checkpoint(text="one"), Checkpoint(text="two")))),
        ("state: {created: events, where: {a: 1}}", Expected(state=(StateCheck(created="events", where={"a": 1}),))),
        ("verify: {tool: get, contains: x}", Expected(verify=(VerifyCheck(tool="get", contains="x"),))),
        ("never: drop", Expected(forbidden_tools=("drop",))),
        ("never: [drop, delete]", Expected(forbidden_tools=("drop", "delete"))),
        ("never: all", Expected(forbidden_tools="all")),
        ("tool: null", Expected(forbidden_tools="all")),
        ("tool:", Expected(forbidden_tools="all")),
        ("expected: {answer: '7'}\nclaims: [one]", Expected(answer="7", claims=("one",))),
    ],
)
def test_expectations_have_short_forms(written: str, expected: Expected) -> None:
    assert task_of(f"ask: hi\n{written}").expected == expected


def test_turns_may_carry_their_own_calls_and_gold_replies() -> None:
    task = task_of("""\
turns:
  - Hello
  - user: List them
    tool: list_items
    gold: [{role: assistant, calls: [{tool: list_items}]}, {role: tool, text: "[]"}]
  - ask: Both
    calls: [[a, b]]
""")
    assert task.turns == (
        Turn(user="Hello"),
        Turn(
            user="List them",
            gold=(Message(role="assistant", calls=(ExpectedCall(tool="list_items"),)), Message(role="tool", text="[]")),
        ),
        Turn(user="Both"),
    )
    assert task.expected.calls == (
        a_group(ExpectedCall(id="1", tool="list_items"), turn=1),
        a_group(ExpectedCall(id="2", tool="a"), ExpectedCall(id="3", tool="b"), turn=2),
    )


def test_the_other_fields_are_those_of_a_task() -> None:
    task = task_of("""\
id: a
ask: hi
system: Be brief.
server: mail
tools: send
limits: {rounds: 3}
floors: {ast: 1}
tags: {difficulty: 3, smoke: true}
context: {necessary: {name: Ann}, now: 2026-03-02T10:00:00Z}
""")
    assert (task.system, task.servers, task.tools, task.limits) == ("Be brief.", ("mail",), ("send",), Limits(rounds=3))
    assert (task.floors, task.tags) == ({"ast": 1.0}, {"difficulty": "3", "smoke": "true"})
    assert (task.context.necessary, task.context.now) == ({"name": "Ann"}, "2026-03-02T10:00:00Z")


def test_a_list_of_words_tags_a_task() -> None:
    assert task_of("{ask: hi, tags: [smoke, slow]}").tags == {"smoke": "smoke", "slow": "slow"}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("- ask: Is it raining?\n- ask: Is it raining?", ["is-it-raining", "is-it-raining-2"]),
        ("- ask: 你好\n- ask: 你好", ["line-1", "line-2"]),
        ("- {ask: hi, id: 'a/b c'}", ["a-b-c"]),
        ("- {ask: hi, id: 17}", ["17"]),
        (
            "- ask: Über den Wolken muß die Freiheit wohl grenzenlos sein und so weiter",
            ["uber-den-wolken-mu-die-freiheit-wohl-grenzenlos"],
        ),
    ],
)
def test_ids_are_made_unique_and_clean(text: str, ids: list[str]) -> None:
    assert [each.id for each in loaded(text)] == ids


def test_an_id_that_had_to_be_cleaned_is_kept_as_the_upstream_id() -> None:
    assert task_of("{ask: hi, id: a/b}").source.upstream_id == "a/b"


def test_the_second_task_with_an_id_is_an_error_that_names_both_lines() -> None:
    first, second = loaded("- {id: a, ask: one}\n- {id: a, ask: two}")
    assert (first.id, second.id) == ("a", "a-2")
    assert str(second.error) == "t.yaml:2: id: 'a' is already used by the task at t.yaml:1. Give each task a unique id."


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("ask: hi\ntol: x", "t.yaml:2: tol: there is no such field. Did you mean 'tool'?"),
        (
            "ask: hi\nlimits: {rounds: x, tool_calls: y}",
            "t.yaml:2: limits.rounds: must be a whole number, not text (1 more in the same record).",
        ),
        ("tool: x", "t.yaml:1: ask: is missing. Write the user's message as `ask:`, or several as `turns:`."),
        ("ask: 5", "t.yaml:1: ask: must be text, not a number."),
        ("ask: ' '", "t.yaml:1: ask: must not be empty."),
        ("ask: hi\ntool: [5]", "t.yaml:2: tool: must be text, not a number."),
        ("ask: hi\narguments: {a: 1}", "t.yaml:2: arguments: there is no `tool` to pass them to."),
        ("ask: hi\ntool: a\narguments: 5", "t.yaml:3: arguments: must be a mapping, not a number."),
        (
            "ask: hi\ntool: a\ncalls: [b]",
            "t.yaml:2: tool: `tool` and `calls` cannot be combined. Keep one of them.",
        ),
        ("ask: hi\nturns: [a]", "t.yaml:1: ask: `ask` and `turns` cannot be combined. Keep one of them."),
        ("ask: hi\ncalls: a", "t.yaml:2: calls: must be a list of calls, not text."),
        (
            "ask: hi\ncalls:\n  - a\n  - 5",
            "t.yaml:4: calls[1]: must be a call (`tool:` with `arguments:`), not a number.",
        ),
        ("ask: hi\ncalls:\n  - {arguments: {}}", "t.yaml:3: calls[0].tool: is missing."),
        (
            "ask: hi\ncalls:\n  - [a, {tool: b,\n     argument: {}}]",
            "t.yaml:4: calls[0][1].argument: there is no such field. Did you mean 'arguments'?",
        ),
        (
            "ask: hi\nexpected:\n  clams: [a]",
            "t.yaml:3: expected.clams: there is no such field. Did you mean 'claims'?",
        ),
        ("ask: hi\nclaims: [a, 5]", "t.yaml:2: claims[1]: must be text, not a number."),
        (
            "ask: hi\nclaims: [a]\nexpected: {claims: [b]}",
            "t.yaml:2: claims: `claims` is also defined under `expected`. Keep one of them.",
        ),
        ("ask: hi\nlimits:\n  rounds: many", "t.yaml:3: limits.rounds: must be a whole number, not text."),
        ("ask: hi\nlimits: {round: 3}", "t.yaml:2: limits.round: there is no such field. Did you mean 'rounds'?"),
        ("ask: hi\nlimits: {rounds: 0}", "t.yaml:2: limits.rounds: should be greater than or equal to 1."),
        ("ask: hi\ntools: []", 't.yaml:2: tools: an empty list exposes no tool; name the tools, or write "all".'),
        ("ask: hi\nfloors: {ast: high}", "t.yaml:2: floors.ast: must be a number, not text."),
        (
            "ask: hi\nstate:\n  - created: a\n  - {created: a, deleted: b}",
            "t.yaml:4: state[1]: a state check has exactly one of created, updated, deleted, unchanged, equals; "
            "this one has created, deleted.",
        ),
        ("turns: [{user: hi}, {usr: x}]", "t.yaml:1: turns: usr: there is no such field. Did you mean 'user'?"),
        ("turns: [{tool: a}]", "t.yaml:1: turns[0].user: is missing."),
        (
            "id: '///'\nask: hi",
            "t.yaml:1: id: '///' has no letter or digit. "
            "An id consists of A-Z, a-z, 0-9, dots, dashes and underscores.",
        ),
        (
            "just text",
            "t.yaml:1: a task must be a mapping of fields. It needs at least `ask:` with the user's message.",
        ),
        ("ask: hi\nask: ho", "t.yaml:2: the key 'ask' is duplicated. The other records of the file are not affected."),
    ],
)
def test_an_error_names_line_field_and_what_is_right(text: str, error: str) -> None:
    assert errors(text) == [error]


def test_one_broken_task_does_not_hide_the_others() -> None:
    text = "- ask: one\n- {ask: two, tol: x}\n- ask: three\n- 5\n- ask: five\n"
    assert [(each.id, each.task is not None) for each in loaded(text)] == [
        ("one", True),
        ("two", False),
        ("three", True),
        ("line-4", False),
        ("five", True),
    ]


def test_a_line_that_is_cut_off_is_an_error_with_its_line() -> None:
    first, second, third = loaded(
        '{"id": "a", "ask": "one"}\n{"id": "b", "ask": "tw\n{"id": "c", "ask": "three"}\n', "t.jsonl"
    )
    assert (first.id, second.id, third.id) == ("a", "line-2", "c")
    assert str(second.error).startswith("t.jsonl:2: not valid JSON: the record seems to be cut off")


def test_invalid_yaml_is_one_error_with_its_line() -> None:
    (only,) = loaded("- ask: one\n- ask: [two\n")
    assert only.task is None
    assert only.place == SourceLocation("t.yaml", line=3)
    assert str(only.error).startswith("t.yaml:3: not valid YAML: ")


def test_bytes_that_are_not_utf8_are_one_error_with_their_line() -> None:
    (only,) = loaded(b"- ask: one\n- ask: \xff\n")
    assert str(only.error).startswith("t.yaml:2: the line contains bytes that are not UTF-8.")


def test_options_are_refused() -> None:
    with pytest.raises(TaskError) as caught:
        list(load(b"ask: hi", LoadOptions("t.yaml", {"speed": 1})))
    assert str(caught.value) == "t.yaml: options.speed: there is no such field."


@pytest.mark.parametrize("text", ["", "---\n", "# nothing\n", "tasks: []", "[]"])
def test_a_file_without_tasks_has_none(text: str) -> None:
    assert loaded(text) == []


def record(number: int) -> dict[str, Any]:
    return {
        "id": f"task-{number}",
        "ask": f"Send mail number {number} to Bob.",
        "tool": "send_email",
        "arguments": {"to": "bob@example.org", "number": number},
        "tags": {"domain": "email"},
    }
