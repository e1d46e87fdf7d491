"""MCP-RADAR's tasks."""

import json
from typing import Any

import pytest

from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import (
    ArgumentMatcher,
    CallGroup,
    ExecCheckpoint,
    Expected,
    ExpectedCall,
    Source,
    Task,
    Turn,
)
from pytest_mcpbench.loaders.radar import load
from tests.shared_data import shared_file

PRECISE = {"unique_id": "u", "Prompt": "How many stops?", "Answer": "10"}
FUZZY = {"unique_id": "u", "Prompt": "Mail Ann.", "Toolname": "send_email", "Toolargs": {"to": "ann@x.org"}}


def loaded(*records: Any, file: str = "suites/radar/email.jsonl", **options: Any) -> list[LoadedTask]:
    text = "\n".join(record if isinstance(record, str) else json.dumps(record) for record in records)
    return list(load(text.encode(), LoadOptions(file, options)))


def task_of(record: Any, **options: Any) -> Task:
    (only,) = loaded(record, **options)
    assert only.task is not None, str(only.error)
    return only.task


def calls_of(record: Any) -> list[tuple[str, dict[str, Any], frozenset[str]]]:
    return [(call.tool, call.arguments, call.optional) for call in task_of(record).expected.flat_calls]


def test_a_precise_task_has_an_answer() -> None:
    assert task_of(PRECISE) == Task(
        id="email-001",
        turns=(Turn(user="How many stops?"),),
        expected=Expected(answer="10"),
        floors={"answer": 1.0},
        tags={"domain": "email", "kind": "precise"},
        source=Source(file="suites/radar/email.jsonl", place="suites/radar/email.jsonl:1", upstream_id="u"),
    )


def test_the_way_to_a_precise_answer_is_for_the_oracle_only() -> None:
    calls = [{"tool": "search", "arguments": {"query": "stops"}}]
    task = task_of({**PRECISE, "Derivation": {"calls": calls, "shown": {"1": ["ten stops"]}}})
    assert [call.tool for group in task.expected.played_groups() for call in group.calls] == ["search"]
    assert (task.expected.calls, task.floors) == ((), {"answer": 1.0})


def test_a_wrong_derivation_is_an_error_that_names_it() -> None:
    (wrong,) = loaded({**PRECISE, "Derivation": {"calls": [{"tool": "search"}], "show": {}}})
    assert "email.jsonl:1: Derivation.show: there is no such field. Did you mean 'shown'?" in str(wrong.error)


def test_a_fuzzy_task_has_calls_in_order() -> None:
    two = {**FUZZY, "Toolname": ["send_email", "modify_email"], "Toolargs": [{"to": "ann@x.org"}, {"id": 1}]}
    task = task_of(two, server="mail", domain="post")
    assert task.expected == Expected(
        calls=(
            CallGroup(calls=(ExpectedCall(id="1", tool="send_email", arguments={"to": "ann@x.org"}),)),
            CallGroup(calls=(ExpectedCall(id="2", tool="modify_email", arguments={"id": 1}),)),
        )
    )
    assert (task.servers, task.floors) == (("mail",), {"operation": 1.0})
    assert task.tags == {"domain": "post", "kind": "fuzzy", "tools": "2", "steps": "multi"}


def test_an_argument_may_have_a_matcher() -> None:
    (call,) = task_of({**FUZZY, "Toolargs": {"n": {"near": 5, "within": 2}, "to": "a"}}).expected.flat_calls
    assert (call.arguments, call.matchers) == (
        {"n": 5, "to": "a"},
        (ArgumentMatcher(at=("n",), near=5, within=2),),
    )
    (only,) = loaded({**FUZZY, "Toolargs": {"n": {"near": 5}}})
    assert "Toolargs.n: near needs `within`" in str(only.error)


def test_what_a_mail_must_say_is_a_checkpoint_with_a_guard() -> None:
    task = task_of({**FUZZY, "Says": [["13 May", "May 13"], ["laptop"]]})
    (checkpoint,) = task.expected.exec
    assert checkpoint == ExecCheckpoint(
        kind="operate",
        operation="create",
        summary="Say what was asked for.",
        contains=(("13 May", "May 13"), ("laptop",)),
    )
    assert (task.floors, task.guards) == ({"operation": 1.0}, {"exec": 1.0})


def test_an_answer_beside_calls_is_required_by_a_guard() -> None:
    task = task_of({**FUZZY, "Answer": 8})
    assert (task.expected.answer, task.floors, task.guards) == ("8", {"operation": 1.0}, {"answer": 1.0})
    assert len(task.expected.calls) == 1


@pytest.mark.parametrize("wrong", ["laptop", [], ["laptop"], [[]], [[""]], [[1]]], ids=str)
def test_facts_that_are_no_lists_of_spellings_are_refused(wrong: object) -> None:
    (only,) = loaded({**FUZZY, "Says": wrong})
    assert "Says: must be a list of facts, each a list of spellings." in str(only.error)


@pytest.mark.parametrize(
    ("tools", "arguments", "calls"),
    [
        pytest.param("a", {"x": 1}, [("a", {"x": 1}, frozenset())], id="one"),
        pytest.param("a", None, [("a", {}, frozenset())], id="no arguments"),
        pytest.param("a", '{"x": 1}', [("a", {"x": 1}, frozenset())], id="arguments as text"),
        pytest.param(["a"], {"x": 1}, [("a", {"x": 1}, frozenset())], id="list of one"),
        pytest.param('["a", "b"]', "[{}, {}]", [("a", {}, frozenset()), ("b", {}, frozenset())], id="lists as text"),
        pytest.param("a, b", [{"x": 1}, {}], [("a", {"x": 1}, frozenset()), ("b", {}, frozenset())], id="commas"),
        pytest.param("a -> b", None, [("a", {}, frozenset()), ("b", {}, frozenset())], id="arrows"),
        pytest.param(
            ["a", "b"], {"b": {"x": 1}}, [("a", {}, frozenset()), ("b", {"x": 1}, frozenset())], id="arguments by tool"
        ),
        pytest.param(
            [{"Toolname": "a", "Toolargs": {"x": 1}}, {"name": "b", "arguments": None}],
            None,
            [("a", {"x": 1}, frozenset()), ("b", {}, frozenset())],
            id="objects",
        ),
        pytest.param("a", {"x": "(default)5"}, [("a", {"x": "5"}, frozenset({"x"}))], id="default in the value"),
        pytest.param("a", {"(default)x": 5}, [("a", {"x": 5}, frozenset({"x"}))], id="default in the key"),
    ],
)
def test_calls_are_read_in_every_form(tools: Any, arguments: Any, calls: Any) -> None:
    assert calls_of({"Prompt": "p", "Toolname": tools, "Toolargs": arguments}) == calls


@pytest.mark.parametrize("key", ["Toolname", "tool_name", "toolName", "TOOLNAME"])
def test_keys_are_read_in_any_case(key: str) -> None:
    assert [call[0] for call in calls_of({"prompt": "p", key: "a"})] == ["a"]


@pytest.mark.parametrize(("answer", "text"), [(10, "10"), (2.5, "2.5"), (True, "true"), ([1, "x"], "1, x"), ("", "")])
def test_answers_are_texts(answer: Any, text: str) -> None:
    assert task_of({"Prompt": "p", "Answer": answer}).expected.answer == text


def test_ids_are_made_of_file_and_index_as_the_unique_id_repeats() -> None:
    assert [each.id for each in loaded(PRECISE, FUZZY, PRECISE)] == ["email-001", "email-002", "email-003"]


@pytest.mark.parametrize(
    ("record", "error"),
    [
        ({"Answer": "1"}, "Prompt: is missing. A record has Prompt with Answer, or Prompt with Toolname and Toolargs."),
        ({"Prompt": "p"}, "Answer: is missing. A record has Prompt with Answer, or Prompt with Toolname and Toolargs."),
        ({"Prompt": 5, "Answer": "1"}, "Prompt: must be text, not a number."),
        ({"Prompt": "p", "Answer": {}}, "Answer: must be text or a number, not a mapping."),
        ({"Prompt": "p", "Toolname": ["a", "b"], "Toolargs": [{}]}, "Toolargs: has 1 elements for 2 tools."),
        (
            {"Prompt": "p", "Toolname": ["a", "b"], "Toolargs": {"x": 1}},
            "Toolargs: must be a list of 2 objects, one per tool, not a mapping.",
        ),
        ({"Prompt": "p", "Toolname": "a", "Toolargs": "x"}, "Toolargs: must be an object of arguments, not text."),
        ({"Prompt": "p", "Toolname": [], "Toolargs": []}, "Toolname: contains no tool."),
        ({"Prompt": "p", "Toolname": [5]}, "Toolname: must be a tool's name or a list of names, not a list."),
        ("[1]", "a record must be an object, not a list."),
    ],
)
def test_an_error_names_the_field_and_does_not_hide_the_next(record: Any, error: str) -> None:
    first, second, third = loaded(PRECISE, record, PRECISE)
    assert str(second.error) == f"suites/radar/email.jsonl:2: {error}"
    assert (first.task is not None, third.id) == (True, "email-003")


def test_the_papers_examples_load() -> None:
    examples = json.loads(shared_file("radar/paper_examples.json").read_text())
    precise, printed, repaired = loaded(examples["precise"], examples["fuzzy_verbatim"], examples["fuzzy_repaired"])
    assert precise.task is not None
    assert precise.task.expected == Expected(answer="10")
    arguments = examples["fuzzy_repaired"]["Toolargs"]
    for each, optional in ((printed, frozenset({"from"})), (repaired, frozenset())):
        assert each.task is not None
        assert each.task.expected.flat_calls == (
            ExpectedCall(id="1", tool="SendEmail", arguments=arguments, optional=optional),
        )
    assert printed.warnings == ("Toolargs is not valid JSON; it was read in the notation of the paper",)


def test_the_files_of_an_attempt_are_an_option() -> None:
    assert task_of(FUZZY, files="files/home").context.files == "files/home"
