"""Requests of the pipeline ``tools`` that nobody would make, and names in place of codes."""

from typing import Any, cast

import anyio
import pytest

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.generation.pipeline.candidates import Drop, TaskCandidate
from pytest_mcpbench.generation.pipeline.settings import PipelineSettings
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipelines.tools.candidates import (
    ChainCandidate,
    PlannedCall,
    RequestCandidate,
    TemplateCandidate,
)
from pytest_mcpbench.generation.pipelines.tools.stages import RuleWriter, fill, stages
from pytest_mcpbench.generation.pipelines.tools.words import words


def a_request(text: str, **arguments: Any) -> RequestCandidate:
    call = PlannedCall(id="1", server="s", category="s", tool="t", arguments=arguments)
    return RequestCandidate(id="r1", categories=("s",), calls=(call,), request=text)


def writer(**dictionaries: dict[str, str]) -> RuleWriter:
    return RuleWriter({}, dictionaries)


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (a_request("Find good restaurants near 40.71, 70.32."), "the request has coordinates"),
        (a_request("Show 0123456789abcdef0123 to me."), "the request has an opaque id"),
        (a_request("List the tables of appLnt4Q8wZr1Kxa."), "the request has an opaque id"),
        (a_request("From Rome to Rome?", origin="Rome", destination="Rome"), "start and end are the same"),
        (
            a_request("What is on?", start_date="2026-04-17", end_date="2026-03-02"),
            "the end is before the start",
        ),
        (a_request("word " * 400), "the request is too long"),
        (a_request("Show me the repository the repository, please."), "the request says something twice in a row"),
    ],
)
def test_a_request_that_nobody_would_make_is_dropped(request_: RequestCandidate, reason: str) -> None:
    outcome = anyio.run(writer().check_sense, request_)
    assert isinstance(outcome, Drop)
    assert outcome.reason == reason


def test_a_request_with_a_start_before_its_end_is_kept() -> None:
    request = a_request("What is on?", start_date="2026-03-02", end_date="2026-04-17", source="A", target="B")
    assert anyio.run(writer().check_sense, request) == [request]


def test_codes_are_said_as_the_names_of_their_dictionary() -> None:
    request = a_request("Compare KO and KOLD of 7 KOs.", symbols=["KO"])
    (rewritten,) = cast("list[RequestCandidate]", anyio.run(writer(symbol={"KO": "Coca-Cola"}).rewrite, request))
    assert rewritten.request == "Compare Coca-Cola and KOLD of 7 KOs."


def test_a_code_of_signs_only_is_said_where_it_stands_alone() -> None:
    request = a_request('Which files are in .? Look for "a b c". Then stop.', path=".")
    (rewritten,) = cast("list[RequestCandidate]", anyio.run(writer(path={".": "my folder"}).rewrite, request))
    assert rewritten.request == 'Which files are in my folder? Look for "a b c". Then stop.'


@pytest.mark.parametrize(("first", "is_ambiguous"), [("list_members", False), ("list_books", True)])
def test_a_place_in_a_list_is_not_said_after_another_list_of_such_things(first: str, *, is_ambiguous: bool) -> None:
    descriptions = {
        "list_members": "List the members.",
        "list_books": "List the books.",
        "get_loans": "Get the loans of a member.",
        "return_book": "Return a book to the library.",
    }
    tools = [
        ToolDefinition(
            {"name": name, "description": text, "inputSchema": {"properties": {"book_id": {}, "member": {}}}}
        )
        for name, text in descriptions.items()
    ]
    calls = [
        PlannedCall(id="1", server="s", category="s", tool=first, arguments={}),
        PlannedCall(id="2", server="s", category="s", tool="get_loans", arguments={"member": "Mia"}, step=1),
        PlannedCall(
            id="3",
            server="s",
            category="s",
            tool="return_book",
            arguments={"book_id": "<2_result.books.0>"},
            referents={"book_id": "the first book"},
            step=2,
        ),
    ]
    rules = RuleWriter({"s": ServerDefinition("s", tools=tuple(tools))}, {})
    chain = ChainCandidate(id="c1", categories=("s",), calls=tuple(calls))
    assert isinstance(anyio.run(rules.write_template, chain), Drop) is is_ambiguous


@pytest.mark.parametrize(
    ("has_files", "template"),
    [
        (True, "Please commit the staged changes."),
        (False, "Please commit the staged changes to the repository <1_repo_path>."),
    ],
)
def test_a_repository_is_not_named_that_the_system_prompt_names(template: str, *, has_files: bool) -> None:
    schema = {"properties": {"repo_path": {}}, "required": ["repo_path"]}
    tool = ToolDefinition({"name": "commit", "description": "Commits changes to the repository", "inputSchema": schema})
    call = PlannedCall(id="1", server="s", category="s", tool="commit", arguments={"repo_path": "{sandbox}"})
    chain = ChainCandidate(id="c1", categories=("s",), calls=(call,))
    rules = RuleWriter({"s": ServerDefinition("s", tools=(tool,))}, {}, has_files=has_files)
    (written,) = cast("list[TemplateCandidate]", anyio.run(rules.write_template, chain))
    assert written.template == template


@pytest.mark.parametrize(("has_files", "said"), [(True, "a.md"), (False, "{sandbox}/a.md")])
def test_a_file_is_named_without_the_directory_that_the_system_prompt_names(said: str, *, has_files: bool) -> None:
    schema = {"properties": {"path": {}}, "required": ["path"]}
    tool = ToolDefinition({"name": "read_file", "description": "Read a file", "inputSchema": schema})
    call = PlannedCall(id="1", server="s", category="s", tool="read_file", arguments={"path": "{sandbox}/a.md"})
    chain = ChainCandidate(id="c1", categories=("s",), calls=(call,))
    rules = RuleWriter({"s": ServerDefinition("s", tools=(tool,))}, {}, has_files=has_files)
    (written,) = cast("list[TemplateCandidate]", anyio.run(rules.write_template, chain))
    (request,) = cast("list[RequestCandidate]", anyio.run(fill, written))
    assert f"read {said}" in request.request
    assert request.calls[0].arguments == {"path": "{sandbox}/a.md"}


@pytest.mark.parametrize(
    ("parameter", "form", "value", "expected"),
    [
        ("due", {}, "2026-03-06", "Please add a reminder with the due date 6 March 2026."),
        ("lunar_date", {}, "2026-03-06", "Please add a reminder on 2026-03-06."),
        ("month", {}, 11, "Please add a reminder in November."),
        ("start_month", {}, 11, "Please add a reminder from November."),
        ("lunar_month", {}, 11, "Please add a reminder for lunar month 11."),
        ("price_per_month", {}, 9, "Please add a reminder with a price per month of 9."),
        ("priority", {"enum": ["high", "med"]}, "med", "Please add a reminder with medium priority."),
        ("priority", {"description": "high/med/low"}, "med", "Please add a reminder with medium priority."),
        ("tag", {}, "med", "Please add a reminder with the tag med."),
    ],
)
def test_dates_and_short_choices_are_said_as_people_write_them(
    parameter: str, form: dict[str, Any], value: str | int, expected: str
) -> None:
    schema = {"properties": {parameter: form}, "required": [parameter]}
    tool = ToolDefinition({"name": "add_reminder", "description": "Add a reminder", "inputSchema": schema})
    call = PlannedCall(id="1", server="s", category="s", tool="add_reminder", arguments={parameter: value})
    chain = ChainCandidate(id="c1", categories=("s",), calls=(call,))
    rules = RuleWriter({"s": ServerDefinition("s", tools=(tool,))}, {})
    (written,) = cast("list[TemplateCandidate]", anyio.run(rules.write_template, chain))
    (request,) = cast("list[RequestCandidate]", anyio.run(fill, written))
    assert request.request == expected


def test_an_agent_may_add_titles_of_axes_to_a_table_that_has_a_title() -> None:
    rows = {"type": "array", "items": {"type": "object", "properties": {"category": {}, "value": {}}}}
    schema = {"properties": {"data": rows, "title": {}, "axisXTitle": {}}, "required": ["data"]}
    server = ServerDefinition(name="s", tools=(ToolDefinition({"name": "t", "inputSchema": schema}),))
    suite = SuiteManifest(name="s", directory="/", files=(TaskFileRef(path="tasks.jsonl", loader="native"),))
    step: Any = stages(Setup(PipelineSettings(pipeline="tools"), suite, {"s": server}, ServerPool()))[-1].step
    table = next(each for each in words().tables if each.texts == 1)
    data = [{"category": text, "value": number} for text, number in table.rows]
    (task,) = cast("list[TaskCandidate]", anyio.run(step, a_request("Draw it.", data=data, title=table.title)))
    calls: Any = task.task["calls"]
    assert calls[0][0]["arguments"]["axisXTitle"] == {"ignore": True}


def test_an_agent_may_remark_what_nobody_has_asked_for() -> None:
    schema = {"properties": {"id": {}, "completedDetails": {}, "due": {}, "reason": {}}, "required": ["id", "reason"]}
    server = ServerDefinition(name="s", tools=(ToolDefinition({"name": "t", "inputSchema": schema}),))
    suite = SuiteManifest(name="s", directory="/", files=(TaskFileRef(path="tasks.jsonl", loader="native"),))
    step: Any = stages(Setup(PipelineSettings(pipeline="tools"), suite, {"s": server}, ServerPool()))[-1].step
    (task,) = cast("list[TaskCandidate]", anyio.run(step, a_request("Mark 7 as done.", id=7, reason="late")))
    assert task.task["calls"] == [
        [
            {
                "id": "1",
                "server": "s",
                "tool": "t",
                "arguments": {"completedDetails": {"ignore": True}, "id": 7, "reason": "late"},
            }
        ]
    ]
