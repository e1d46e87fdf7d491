"""MCP-Atlas's tasks."""

import csv
import io
import json
import tomllib
from typing import Any

import pytest

from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import CallGroup, Derivation, Expected, ExpectedCall, Source, Task, Turn
from pytest_mcpbench.loaders.atlas import load, official_claim, parse_claims
from pytest_mcpbench.loaders.atlas_servers import (
    ENVIRONMENTS,
    KEYLESS,
    LOCAL,
    current_name,
    environment_tags,
    server_tags,
    split_tool_name,
)
from pytest_mcpbench.loaders.field_errors import FieldError
from pytest_mcpbench.suite_files.discovery import shipped_directory
from tests.shared_data import shared_file

TRAJECTORY = [
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "git_git_log", "arguments": '{\n "n": 1\n}'}},
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "3"}, {"type": "text", "text": "x"}]},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "b", "function": {"name": "MongoDB_find", "arguments": ""}}],
    },
    {"role": "tool", "tool_call_id": "b", "content": "[]", "isError": False},
]
ROW = {
    "TASK": "689bd255c0422b257e7dfcc5",
    "ENABLED_TOOLS": '["git_git_log","MongoDB_find"]',
    "PROMPT": "How many commits?",
    "GTFA_CLAIMS": '["There are 3."]',
    "TRAJECTORY": json.dumps(TRAJECTORY),
}


def as_csv(*rows: dict[str, Any], header: list[str] | None = None) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, header or list(rows[0]), extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def loaded(content: bytes, file: str = "atlas.csv", **options: Any) -> list[LoadedTask]:
    return list(load(content, LoadOptions(file, options)))


def task_of(changes: dict[str, Any] | None = None, **options: Any) -> Task:
    (only,) = loaded(json.dumps({**ROW, **(changes or {})}).encode(), "atlas.jsonl", **options)
    assert only.task is not None, str(only.error)
    return only.task


def error_of(changes: dict[str, Any]) -> str:
    (only,) = loaded(json.dumps({**ROW, **changes}).encode(), "atlas.jsonl")
    return str(only.error)


def test_a_row_is_a_task_with_claims_and_an_allow_list() -> None:
    (only,) = loaded(as_csv(ROW))
    assert only.task == Task(
        id="689bd255c0422b257e7dfcc5",
        turns=(Turn(user="How many commits?"),),
        tools=("git_git_log", "mongodb_find"),
        expected=Expected(
            calls=(
                CallGroup(calls=(ExpectedCall(id="1", server="git", tool="git_log", arguments={"n": 1}),)),
                CallGroup(calls=(ExpectedCall(id="2", server="mongodb", tool="find"),)),
            ),
            claims=("There are 3.",),
        ),
        tags={"ENV-ANALYTICS": "ENV-ANALYTICS", "ENV-CODING": "ENV-CODING"},
        source=Source(file="atlas.csv", place="atlas.csv:2", upstream_id="689bd255c0422b257e7dfcc5"),
    )


def test_results_of_the_reference_are_kept_where_asked_for() -> None:
    assert [call.result for call in task_of(results=True).expected.flat_calls] == ["3\nx", "[]"]


def test_rows_are_read_from_csv_json_lines_and_arrays_alike() -> None:
    found = [
        loaded(as_csv(ROW)),
        loaded(json.dumps(ROW).encode(), "atlas.jsonl"),
        loaded(json.dumps([ROW]).encode(), "atlas.json"),
        loaded(b"\xef\xbb\xbf" + as_csv(ROW)),
    ]
    tasks = [only.task.model_copy(update={"source": Source()}) for (only,) in found if only.task is not None]
    assert tasks == tasks[:1] * 4


def test_rows_are_read_from_parquet() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist([ROW, {**ROW, "TASK": "second"}]), buffer)
    first, second = loaded(buffer.getvalue(), "atlas.parquet")
    assert (first.id, second.id, str(second.place)) == ("689bd255c0422b257e7dfcc5", "second", "atlas.parquet[1]")
    assert first.task is not None
    assert first.task.expected == task_of().expected


def test_a_damaged_parquet_file_is_one_error() -> None:
    pytest.importorskip("pyarrow")
    (only,) = loaded(b"PAR1 not really", "atlas.parquet")
    assert str(only.error).startswith("atlas.parquet[0]: not a valid parquet file: ")


@pytest.mark.parametrize(
    "names",
    [("task_id", "prompt", "enabled_tools", "gtfa_claims"), ("Task", "Prompt", "Enabled Tools", "GTFA_Claims")],
)
def test_columns_are_found_in_any_case(names: tuple[str, ...]) -> None:
    row = dict(zip(names, (ROW["TASK"], ROW["PROMPT"], ROW["ENABLED_TOOLS"], ROW["GTFA_CLAIMS"]), strict=True))
    (only,) = loaded(as_csv(row))
    assert only.task is not None
    assert (only.id, only.task.expected) == (ROW["TASK"], Expected(claims=("There are 3.",)))


@pytest.mark.parametrize(
    "written",
    [
        '["git_a","git_b"]',
        '["git_a", "git_b", "git_a"]',
        "git_a, git_b",
        ["git_a", "git_b"],
        [{"name": "git_a"}, {"name": "git_b"}],
        '[{"name": "git_a"}, "git_b"]',
        '[""git_a"",""git_b""]',
        "['git_a', 'git_b']",
    ],
)
def test_enabled_tools_are_read_in_every_encoding(written: Any) -> None:
    assert task_of({"ENABLED_TOOLS": written}).tools == ("git_a", "git_b")


@pytest.mark.parametrize("written", ["[]", [], "", None, " , "])
def test_no_enabled_tool_is_an_error_and_never_all_tools(written: Any) -> None:
    assert error_of({"ENABLED_TOOLS": written}) == (
        "atlas.jsonl:1: ENABLED_TOOLS: is empty; an empty list does not mean all tools."
    )


@pytest.mark.parametrize(
    ("written", "claims"),
    [
        ('[\n  "One.",\n  "-18.4% was two."\n]', ("One.", "-18.4% was two.")),
        ("['One.', \"It's two.\"]", ("One.", "It's two.")),
        ('[{"claim": "One.", "essential": true}]', ("One.",)),
        (["One.", {"text": "Two."}], ("One.", "Two.")),
        ("- One.\n• Two.\n* Three.\n4. Four.\n", ("One.", "Two.", "Three.", "Four.")),
        ("-18.4% was one.\n3.5 is two.", ("-18.4% was one.", "3.5 is two.")),
        ("One.", ("One.",)),
        ("", ()),
        (None, ()),
        ('["", " One. "]', ("One.",)),
    ],
)
def test_claims_are_read_in_every_encoding_and_kept_as_they_are(written: Any, claims: tuple[str, ...]) -> None:
    assert parse_claims(written) == claims


@pytest.mark.parametrize(
    ("claim", "cleaned"),
    [
        ("-18.4% was one.", "4% was one."),
        ("3.5 is two.", "5 is two."),
        ("• The name is “Ann”.", 'The name is "Ann'),
        ("1. A–B…", "A-B..."),
        ("Plain.", "Plain."),
    ],
)
def test_the_official_cleaner_is_an_option(claim: str, cleaned: str) -> None:
    assert official_claim(claim) == cleaned
    assert task_of({"GTFA_CLAIMS": [claim, "abc"]}, official=True).expected.claims == (cleaned,)


@pytest.mark.parametrize("written", ['["One.", ', "['One", 5, [5]])
def test_claims_that_cannot_be_read_are_an_error(written: Any) -> None:
    with pytest.raises(FieldError):
        parse_claims(written)


def test_a_trajectory_that_cannot_be_read_is_a_warning() -> None:
    (only,) = loaded(json.dumps({**ROW, "TRAJECTORY": "[{"}).encode(), "atlas.jsonl")
    assert only.task is not None
    assert only.task.expected.calls == ()
    assert only.warnings[0].startswith("TRAJECTORY is unreadable, so the task has no reference calls: ")


def test_a_task_without_claims_says_so() -> None:
    (only,) = loaded(json.dumps({**ROW, "GTFA_CLAIMS": "[]"}).encode(), "atlas.jsonl")
    assert only.warnings == ("GTFA_CLAIMS contains no claim: coverage cannot be computed",)


def test_servers_that_are_gone_are_named() -> None:
    (only,) = loaded(json.dumps({**ROW, "ENABLED_TOOLS": "git_a,anili_x,f1-mcp-server_y"}).encode(), "atlas.jsonl")
    assert only.task is not None
    assert only.task.tools == ("git_a", "anili_x", "f1-mcp-server_y")
    assert only.warnings == ("enables tools of servers that no longer exist: anili, f1-mcp-server",)


def test_a_row_that_is_cut_off_does_not_hide_the_others() -> None:
    content = as_csv(ROW) + b"second,x\r\n" + as_csv({**ROW, "TASK": "third"}).split(b"\r\n", 1)[1]
    first, second, third = loaded(content)
    assert (first.id, third.id) == (ROW["TASK"], "third")
    assert str(second.error) == "atlas.csv:3: the row has 2 cells, the header 5; it may be cut off."


def test_cells_may_be_larger_than_the_limit_which_stays_as_it_was() -> None:
    usual = csv.field_size_limit(1000)
    try:
        rows = load(as_csv({**ROW, "PROMPT": "x" * 1001}), LoadOptions("tasks.csv"))
        assert next(iter(rows)).task is not None
        assert csv.field_size_limit() == 1000
    finally:
        csv.field_size_limit(usual)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"PROMPT": ""}, "PROMPT: is empty."),
        ({"PROMPT": 5}, "PROMPT: must be text, not a number."),
        ({"ENABLED_TOOLS": "[git"}, "ENABLED_TOOLS: starts with [ but is not a valid JSON array."),
        ({"ENABLED_TOOLS": [5]}, "ENABLED_TOOLS: an element is not the name of a tool."),
        ({"GTFA_CLAIMS": "[x"}, "GTFA_CLAIMS: starts with [ but is neither a JSON array nor a Python list."),
    ],
)
def test_an_error_names_the_field(changes: dict[str, Any], error: str) -> None:
    assert error_of(changes) == f"atlas.jsonl:1: {error}"


def test_a_table_without_a_needed_column_says_which_there_are() -> None:
    (only,) = loaded(as_csv({"TASK": "a", "PROMPT": "b", "other": "c"}))
    assert str(only.error) == "atlas.csv:2: ENABLED_TOOLS: the column is missing. Columns found: TASK, PROMPT."


@pytest.mark.parametrize(
    ("name", "now"),
    [
        ("brave_brave_web_search", "brave-search_brave_web_search"),
        ("MongoDB_list-collections", "mongodb_list-collections"),
        ("git_git_log", "git_git_log"),
    ],
)
def test_legacy_names_are_renewed(name: str, now: str) -> None:
    assert current_name(name) == now


def test_a_tools_server_is_what_stands_before_the_first_underscore() -> None:
    assert split_tool_name("notion_API-post-search") == ("notion", "API-post-search")
    assert split_tool_name("git_git_log") == ("git", "git_log")


@pytest.mark.parametrize(
    ("enabled", "called", "found"),
    [
        (("git_log", "arxiv_search"), {"git"}, ("keyless", "keyless-gt", "local-gt")),
        (("git_log", "exa_search"), {"git", "arxiv"}, ("keyless-gt",)),
        (("exa_search",), {"exa"}, ()),
        (("git_log", "anili_x"), {"git"}, ("keyless-gt", "local-gt")),
        (("slack_conversations_add_message",), {"slack"}, ("mutating",)),
        (("github_create_issue",), set(), ("mutating",)),
        (("github_search_code", "notion_API-post-search", "notion_API-post-database-query"), set(), ()),
        (("notion_API-post-page",), set(), ("mutating",)),
    ],
)
def test_tasks_are_marked_by_their_servers(enabled: tuple[str, ...], called: set[str], found: tuple[str, ...]) -> None:
    assert server_tags(enabled, called) == found


@pytest.mark.parametrize(
    ("servers", "found"),
    [
        ({"git", "exa", "weather"}, ("ENV-BASIC", "ENV-CODING")),
        ({"twelvedata", "mongodb", "arxiv"}, ("ENV-ANALYTICS", "ENV-PRODUCTIVITY", "ENV-FINANCIAL")),
        ({"somebody-elses"}, ()),
    ],
)
def test_tasks_have_the_categories_of_the_servers_that_they_require(servers: set[str], found: tuple[str, ...]) -> None:
    assert environment_tags(servers) == found


def test_twenty_servers_need_no_key_and_eight_no_network() -> None:
    assert (len(KEYLESS), len(LOCAL), LOCAL <= KEYLESS) == (20, 8, True)


def test_the_public_sample_loads_with_claims_in_either_encoding() -> None:
    content = shared_file("atlas/sample_tasks.csv").read_bytes()
    as_json = loaded(content, "sample_tasks.csv")
    rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    as_python = loaded(
        as_csv(*[{**row, "GTFA_CLAIMS": repr(json.loads(row["GTFA_CLAIMS"]))} for row in rows]), "sample_tasks.csv"
    )
    assert [each.error for each in (*as_json, *as_python)] == [None] * 20
    claims = [[each.task.expected.claims for each in tasks if each.task] for tasks in (as_json, as_python)]
    assert claims[0] == claims[1]
    assert [len(each) for each in claims[0]] == [5, 3, 7, 6, 4, 2, 3, 6, 2, 2]


def test_five_tasks_of_the_public_sample_are_solved_on_local_servers() -> None:
    found = loaded(shared_file("atlas/sample_tasks.csv").read_bytes(), "sample_tasks.csv")
    tags = [each.task.tags for each in found if each.task]
    counts = {mark: sum(mark in each for each in tags) for mark in ("keyless", "keyless-gt", "local-gt", "mutating")}
    assert counts == {"keyless": 5, "keyless-gt": 10, "local-gt": 5, "mutating": 0}


def test_a_derivation_is_kept_with_the_ids_of_the_calls() -> None:
    derivation = {"answer": "{{ results[2] }}", "arguments": {"2": {"query": "{{ results[1] }}"}}}
    task = task_of({"DERIVATION": json.dumps(derivation)})
    assert task.expected.derivation == Derivation(**derivation)


def test_only_a_row_that_says_whether_it_is_conditional_has_the_tag() -> None:
    assert (
        task_of({"CONDITIONAL": True}).tags["conditional"],
        task_of({"CONDITIONAL": False}).tags["conditional"],
    ) == (
        "yes",
        "no",
    )
    assert "conditional" not in task_of({}).tags


@pytest.mark.parametrize(
    ("derivation", "error"),
    [
        pytest.param('{"answer"', "DERIVATION: is not valid JSON", id="no JSON"),
        pytest.param("{}", "DERIVATION: write `answer`", id="no answer"),
        pytest.param('{"answer": "", "arguments": {"3": {}}}', "derivation: no call is called 3", id="no call"),
        pytest.param('{"shown": {"9": ["x"]}}', "derivation: no call is called 9", id="no call shown"),
    ],
)
def test_a_derivation_that_does_not_fit_is_an_error(derivation: str, error: str) -> None:
    (record,) = loaded(as_csv(ROW | {"DERIVATION": derivation}))
    assert error in str(record.error)


def test_the_directory_that_attempts_get_a_copy_of_is_an_option() -> None:
    assert (task_of(files="data").context.files, task_of().context.files) == ("data", None)


def test_the_shipped_suite_has_the_categories_of_the_tags() -> None:
    manifest = tomllib.loads((shipped_directory() / "atlas" / "suite.toml").read_text(encoding="utf-8"))
    categories = {server: category for category, names in manifest["categories"].items() for server in names}
    assert categories == ENVIRONMENTS
    assert categories.keys() >= KEYLESS
