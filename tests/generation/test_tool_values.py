"""Values that rules find for arguments, and calls that return them."""

import os
import random
from pathlib import Path
from typing import Any, cast

import pytest

from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.generation.pipeline.trial_servers import Directed
from pytest_mcpbench.generation.pipelines.tools.candidates import Arguments
from pytest_mcpbench.generation.pipelines.tools.collecting import Returned, sources_of
from pytest_mcpbench.generation.pipelines.tools.values import KnownValues, argument_sets, further_titles
from pytest_mcpbench.generation.pipelines.tools.words import words
from pytest_mcpbench.servers.server_connection import ServerConnection

EVENT = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "on": {"type": "string", "format": "date"},
        "notes": {"type": "string"},
        "calendar": {"$ref": "#/$defs/Calendar"},
    },
    "required": ["title", "on", "calendar"],
}
CALENDAR = {"properties": {"kind": {"enum": ["work", "home"]}}, "required": ["kind"], "type": "object"}
ORDERS = [{"id": "o-17", "title": "Lamp"}, {"id": "o-18", "title": "Desk"}, {"id": "o-19", "title": "Desk"}]


def found(description: str = "", /, **properties: Any) -> list[Any]:
    schema = {"properties": properties, "required": list(properties), "$defs": {"Calendar": CALENDAR}}
    tool = ToolDefinition({"name": "use", "description": description, "inputSchema": schema})
    known = KnownValues()
    known.learn([{"name": "Lamp"}], "list_products")
    return argument_sets(tool, known, {}, random.Random(1), 8)


def of(sets: list[Any], name: str) -> set[str]:
    return {str(each[name]) for each in sets}


@pytest.mark.parametrize(
    ("description", "values"),
    [
        (
            'What to work out, for instance "sqrt(16) * 2", "det([[4]])" or "1/x". See "help".',
            {"sqrt(16) * 2", "det([[4]])", "1/x"},
        ),
        ("Three letters, like JPY or RUB", {"JPY", "RUB"}),
        ("Like the one above", {"12 * 7 + 5", "(48 - 6) / 3", "2**10", "15% of 240", "sqrt(144)"}),
    ],
)
def test_values_come_from_the_examples_of_a_description_or_are_generally_known(
    description: str, values: set[str]
) -> None:
    assert of(found(expression={"type": "string", "description": description}), "expression") == values


def test_what_a_docstring_says_about_one_parameter_says_nothing_about_those_before_it() -> None:
    docstring = "Add a todo.\n\n    Args:\n        text: The content.\n        due: Date as YYYY-MM-DD."
    sets = found(docstring, text={"type": "string"}, due={"type": "string"})
    assert of(sets, "due") == {"2026-03-02", "2026-03-06"}
    assert not of(sets, "text") & of(sets, "due")


def test_the_text_of_an_error_inside_a_result_is_no_known_value() -> None:
    known = KnownValues()
    known.learn({"content": "reports: Error - EISDIR: illegal operation on a directory, read"}, "read_files")
    known.learn({"content": "The error bars are too wide"}, "read_files")
    assert list(known.of("content")) == ["The error bars are too wide"]


def test_an_object_gets_the_members_that_its_schema_requires() -> None:
    sets = found(event=EVENT)
    assert sets
    for each in sets:
        assert each["event"].keys() == {"title", "on", "calendar"}
        assert each["event"]["calendar"]["kind"] in ("work", "home")
    assert (
        found(event={**EVENT, "required": ["notes", "owner_id"], "properties": {"owner_id": {"type": "string"}}}) == []
    )


def test_something_new_gets_a_name_that_nothing_has() -> None:
    assert of(found("Show a product", name={"type": "string"}), "name") == {"Lamp"}
    assert "Lamp" not in of(found("Create a product", name={"type": "string"}), "name")


@pytest.mark.parametrize(
    ("arguments", "path", "words"),
    [
        ({"order_id": "o-17"}, ".0.id", 'the order "Lamp"'),
        ({"order_id": "o-18"}, ".1.id", "the second order"),  # another one has its title
        ({"id": "o-19"}, ".2.id", "the third one"),
    ],
)
def test_a_value_that_a_call_returned_is_named_as_a_person_would(
    arguments: dict[str, Any], path: str, words: str
) -> None:
    (source,) = sources_of(arguments, [Returned("list_orders", {}, ORDERS), Returned("list_orders", {"x": 1}, ORDERS)])
    assert (source.tool, source.tool_arguments, source.path, source.words) == ("list_orders", {}, path, words)


@pytest.mark.parametrize(
    ("arguments", "returned"),
    [
        ({"order_id": "o-99"}, Returned("list_orders", {}, ORDERS)),
        ({"text": "Lamp"}, Returned("list_orders", {}, ORDERS)),  # a person says it
        ({"order_id": "o-17"}, Returned("get_order", {"order_id": "o-17"}, ORDERS)),  # repeats its argument
        ({"order_id": "o-17"}, Returned("all", {}, [{"orders": ORDERS}])),  # too deep for words
    ],
)
def test_other_values_have_no_source(arguments: dict[str, Any], returned: Returned) -> None:
    assert list(sources_of(arguments, [returned])) == []


def sets_of(description: str, known: KnownValues, /, name: str = "use", **properties: Any) -> list[Any]:
    schema = {"properties": properties, "required": list(properties)}
    tool = ToolDefinition({"name": name, "description": description, "inputSchema": schema})
    return argument_sets(tool, known, {}, random.Random(1), 8)


TEXT = {"type": "string"}


def test_paths_are_the_directory_for_a_repository_files_that_are_there_and_new_names_for_what_is_made() -> None:
    known = KnownValues(files=("a.md", "data"), directories=("data",))
    assert of(sets_of("Shows the status", known, repo_path=TEXT), "repo_path") == {"{sandbox}"}
    assert of(sets_of("Read a file", known, path=TEXT), "path") == {"a.md"}
    assert of(sets_of("List a directory", known, path=TEXT, name="list_directory"), "path") == {"data"}
    new = of(sets_of("Create a new file", known, path=TEXT, content=TEXT), "path")
    assert new
    assert all(each.endswith(".md") and each != "a.md" for each in new)
    known.wants_full_paths = True
    assert of(sets_of("Read a file", known, path=TEXT), "path") == {"{sandbox}/a.md"}


def test_a_text_to_write_is_a_sentence_and_not_what_another_tool_has_returned() -> None:
    known = KnownValues()
    known.learn({"content": "[FILE] soup.md"}, "read_file")
    assert "[FILE] soup.md" not in of(sets_of("Write a note", known, content=TEXT), "content")


@pytest.mark.parametrize(
    ("name", "description", "parameter", "example"),
    [
        ("add_todo", "Add a todo.", "text", "Call the dentist"),
        ("git_commit", "Records changes to the repository", "message", "Save my latest changes"),
        ("add_observation", "Add an observation.", "observation", "Was in the local newspaper"),
        ("echo", "Echo a message.", "message", "The parcel has arrived"),
    ],
)
def test_a_text_fits_what_the_tool_is_about(name: str, description: str, parameter: str, example: str) -> None:
    schema = {"properties": {parameter: TEXT}, "required": [parameter]}
    tool = ToolDefinition({"name": name, "description": description, "inputSchema": schema})
    texts = {each[parameter] for each in argument_sets(tool, KnownValues(), {}, random.Random(1), 20)}
    row = next(texts_of for _, texts_of in words().texts if example in texts_of)
    assert example in texts
    assert texts <= set(row)


def test_the_content_of_a_new_file_fits_its_name_and_a_content_of_nothing_has_no_words() -> None:
    new = sets_of("Create a new file", KnownValues(files=("a.md",)), path=TEXT, content=TEXT)
    assert new
    assert all(each["content"] == words().file_contents[each["path"].removesuffix(".md")] for each in new)
    assert sets_of("Convert it", KnownValues(), content=TEXT) == []


def test_a_chart_of_distributions_gets_no_single_values() -> None:
    row = {"type": "object", "properties": {"category": TEXT, "value": {"type": "number"}}, "required": ["category"]}
    data = {"type": "array", "items": row}
    assert sets_of("Draw a chart", KnownValues(), name="generate_violin_chart", data=data) == []


def test_a_chart_gets_a_table_that_somebody_has_drawn_with_its_title() -> None:
    row = {"type": "object", "properties": {"category": TEXT, "value": {"type": "number"}}, "required": ["category"]}
    chart = {"data": {"type": "array", "items": row}, "title": TEXT}
    tool = ToolDefinition({"name": "draw_funnel", "inputSchema": {"properties": chart, "required": ["data"]}})
    sets = argument_sets(tool, KnownValues(), {}, random.Random(1), 8)
    assert {str(each["title"]) for each in sets} == {table.title for table in words().tables if "funnel" in table.words}
    for each in sets:
        (table,) = [table for table in words().tables if table.title == each["title"]]
        assert [list(row.values()) for row in cast(Any, each["data"])] == [list(row) for row in table.rows]


def test_what_gets_a_new_name_is_made_in_a_file_that_is_there() -> None:
    known = KnownValues(files=("a.xlsx",))
    assert of(sets_of("Add an empty worksheet", known, path=TEXT, new_name=TEXT), "path") == {"a.xlsx"}


def test_titles_of_axes_are_left_open_that_nobody_says() -> None:
    row = {"type": "object", "properties": {"category": TEXT, "value": {"type": "number"}}, "required": ["category"]}
    chart = {"data": {"type": "array", "items": row}, "title": TEXT, "axisXTitle": TEXT}
    tool = ToolDefinition({"name": "draw_funnel", "inputSchema": {"properties": chart, "required": ["data"]}})
    sets = argument_sets(tool, KnownValues(), {}, random.Random(1), 8)
    assert {tuple(each) for each in sets} == {("data", "title")}
    assert further_titles(sets[0], tool) == ["axisXTitle"]
    assert further_titles({"data": [{"category": "a", "value": 1}]}, tool) == []


def test_a_new_thing_may_be_due_on_a_day() -> None:
    schema = {"properties": {"text": TEXT, "due": TEXT}, "required": ["text"]}
    tool = ToolDefinition({"name": "add_todo", "description": "Add a todo.", "inputSchema": schema})
    sets = argument_sets(tool, KnownValues(), {}, random.Random(1), 8)
    assert {"due" in each for each in sets} == {True, False}


def test_units_are_those_that_people_convert_into_one_another() -> None:
    unit = {"enum": ["petameter", "mile", "Kilometers", "inch", "centimeter", "parsec"]}
    sets = sets_of("Convert length", KnownValues(), value={"type": "number"}, from_unit=unit, to_unit=unit)
    pairs = {frozenset({each["from_unit"], each["to_unit"]}) for each in sets}
    assert pairs == {frozenset({"mile", "Kilometers"}), frozenset({"inch", "centimeter"})}


@pytest.mark.parametrize(
    ("units", "most"),
    [
        (("degrees", "radians"), {"degrees": 360, "radians": 6.3}),
        (("hours", "minutes"), {"hours": 15, "minutes": 900}),
        (("week", "day"), {"week": 52, "day": 364}),
    ],
)
def test_amounts_are_those_that_people_have_of_both_units(units: tuple[str, str], most: dict[str, float]) -> None:
    unit = {"enum": [*units, "parsec"]}
    sets = sets_of("Convert it", KnownValues(), value={"type": "number"}, from_unit=unit, to_unit=unit)
    assert {str(each["from_unit"]) for each in sets} == set(units)
    assert all(cast(Any, each["value"]) <= most[str(each["from_unit"])] for each in sets)


def test_nobody_needs_a_tool_to_move_the_decimal_point() -> None:
    unit = {"enum": ["watt", "kilowatt", "megawatt"]}
    assert sets_of("Convert power", KnownValues(), value={"type": "number"}, from_unit=unit, to_unit=unit) == []


RELATION = {
    "properties": {"from": TEXT, "to": TEXT, "kind": TEXT},
    "required": ["from", "to", "kind"],
    "type": "object",
}


def test_an_object_that_is_there_has_the_members_of_one_record() -> None:
    known = KnownValues()
    told = {
        "relations": [{"from": "Ann", "to": "Choir", "kind": "sings in"}, {"from": "Bo", "to": "Ann", "kind": "knows"}]
    }
    known.learn(told, "read_graph")
    known.learn_records(told)
    removed = sets_of("Delete relations", known, name="delete", relations={"type": "array", "items": RELATION})
    assert sorted(str(each["relations"]) for each in removed) == sorted(str([each]) for each in told["relations"])


@pytest.mark.parametrize(
    ("relations", "new"),
    [
        ([{"from": "Ann", "to": "Choir", "kind": "sings in"}], [{"from": "Bo", "to": "Choir", "kind": "sings in"}]),
        # Bo does not know himself.
        ([{"from": "Ann", "to": "Bo", "kind": "knows"}], []),
        ([], []),
    ],
)
def test_a_new_relation_is_one_that_another_thing_of_the_kind_has(
    relations: list[dict[str, str]], new: list[dict[str, str]]
) -> None:
    things = [{"name": "Ann", "type": "person"}, {"name": "Bo", "type": "person"}, {"name": "Choir", "type": "group"}]
    known = KnownValues()
    told = {"entities": things, "relations": relations}
    known.learn(told, "read_graph")
    known.learn_records(told)
    made = sets_of("Create relations", known, name="create", relations={"type": "array", "items": RELATION})
    assert [each["relations"] for each in made] == [[each] for each in new]


def test_an_id_is_one_that_is_there_in_each_attempt() -> None:
    known = KnownValues(at_start={"t-1"})
    for told in ("t-1", "t-2", "t-3"):
        known.learn({"task_id": told}, "get_task")
    assert of(sets_of("Mark a task", known, task_id=TEXT), "task_id") == {"t-1"}


def test_a_tool_for_several_things_gets_two_and_a_moved_file_another_name() -> None:
    known = KnownValues(files=("a.md", "b.md", "notes/c.md"))
    several = sets_of("Read", known, name="read_multiple_files", paths={"type": "array", "items": TEXT})
    assert all(len(set(each["paths"])) == 2 for each in several)
    moved = sets_of("Move files", known, name="move_file", source=TEXT, destination=TEXT)
    assert {(each["source"], each["destination"]) for each in moved} == {
        (f"{stem}.md", f"{stem}-old.md") for stem in ("a", "b", "notes/c")
    }


def test_what_nobody_says_in_a_sentence_gets_no_value() -> None:
    node = {"type": "object", "properties": {"name": TEXT}, "required": ["name"]}
    tree = {**node, "properties": {"name": TEXT, "children": {"type": "array", "items": node}}}
    assert sets_of("Draw a tree", KnownValues(), data=tree) == []


def test_names_come_from_lists_in_results_by_the_name_of_the_list_or_of_the_tool() -> None:
    known = KnownValues()
    known.learn({"sheets": [{"name": "Sales"}, {"name": "Costs"}]}, "describe_workbook")
    known.learn("* main\n  new-logo\n  drafts", "git_branch")
    known.learn("[{'name': 'orders'}]", "list_tables")
    assert of(sets_of("Read a sheet", known, sheet=TEXT), "sheet") == {"Sales", "Costs"}
    assert of(sets_of("Switches branches", known, branch_name=TEXT), "branch_name") == {"new-logo", "drafts"}
    query = sets_of("Execute a SELECT query on the SQLite database", known, query=TEXT)
    assert of(query, "query") == {
        "SELECT * FROM orders",
        "SELECT COUNT(*) FROM orders",
    }
    known.learn_table({"query": "SELECT * FROM orders"}, "[{'id': 7, 'city': 'Oslo', 'pieces': 3}]")
    query = sets_of("Execute a SELECT query on the SQLite database", known, query=TEXT)
    assert of(query, "query") == {
        "SELECT * FROM orders WHERE city = 'Oslo'",
        "SELECT * FROM orders ORDER BY pieces DESC LIMIT 3",
        "SELECT MAX(pieces) FROM orders",
        "SELECT COUNT(*) FROM orders",
    }
    changes = sets_of("Execute an INSERT, UPDATE, or DELETE query on the SQLite database", known, query=TEXT)
    assert of(changes, "query") == {"UPDATE orders SET pieces = 4 WHERE id = 7", "DELETE FROM orders WHERE id = 7"}


def test_a_required_parameter_without_words_keeps_its_default_and_a_search_gets_a_term() -> None:
    level = {"enum": ["error", "info"], "default": "info"}
    assert sets_of("Show all messages", KnownValues(), level=level) == [{"level": "info"}]
    tool = ToolDefinition({"name": "search_todos", "inputSchema": {"properties": {"query": TEXT}}})
    known = KnownValues()
    known.learn([{"title": "Buy milk"}], "list_todos")
    assert argument_sets(tool, known, {}, random.Random(1), 8) == [{"query": "Buy milk"}]


def test_a_search_filters_by_one_thing_and_a_change_is_of_one_thing() -> None:
    priority = {"type": "string", "description": 'One of "high"/"low".'}
    known = KnownValues(terms=("tulips",))
    known.learn([{"id": 1, "tags": ["garden"]}], "search_todos")

    def sets(name: str, description: str, required: tuple[str, ...], **properties: Any) -> list[Arguments]:
        schema = {"properties": properties, "required": list(required)}
        tool = ToolDefinition({"name": name, "description": description, "inputSchema": schema})
        return argument_sets(tool, known, {}, random.Random(1), 8)

    found = sets("search_todos", "Search todos", (), query=TEXT, tag=TEXT, priority=priority)
    assert sorted(map(str, found)) == [
        "{'priority': 'high'}",
        "{'priority': 'low'}",
        "{'query': 'tulips'}",
        "{'tag': 'garden'}",
    ]
    changed = sets("edit_todo", "Edit fields of a todo", ("id",), id={"type": "integer"}, text=TEXT, priority=priority)
    assert changed
    assert all(each.keys() == {"id", "priority"} for each in changed)


def test_rules_choose_no_cells_and_a_new_table_has_columns_of_its_own() -> None:
    cells = {"type": "string", "description": "Such as 'A1:C4'"}
    assert sets_of("Merge cells", KnownValues(), range=cells) == []
    tool = ToolDefinition(
        {"name": "create_table", "description": "Run SQL.", "inputSchema": {"properties": {"query": TEXT}}}
    )
    statements = of(argument_sets(tool, KnownValues(), {}, random.Random(1), 8, ("query",)), "query")
    assert "CREATE TABLE suppliers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, phone TEXT)" in statements


def test_a_few_examples_of_what_everybody_knows_are_not_all() -> None:
    zone = {"type": "string", "description": "IANA name (e.g., 'America/New_York', 'Asia/Seoul')"}
    zones = of(sets_of("Get current time", KnownValues(), timezone=zone), "timezone")
    assert zones > {"Asia/Seoul", "Asia/Tokyo"}


class Locator:
    """Connection to a tool that tells where its argument lies, as given and behind links."""

    async def call(self, tool: str, arguments: Arguments) -> ToolResult:
        given = str(arguments["path"])
        return ToolResult.of_text(f"{tool}: {given} is {os.path.realpath(given)}")


@pytest.mark.anyio
async def test_the_directory_behind_a_link_is_the_sandbox_too(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    result = await Directed(cast(ServerConnection, Locator()), tmp_path / "link").call("find", {"path": "{sandbox}/a"})
    assert result.text == "find: {sandbox}/a is {sandbox}/a"
