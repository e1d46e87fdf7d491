"""The documents server: bases, records, formulas and pages."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.simulated.documents.server import SIMULATION
from pytest_mcpbench.simulated.documents.world import Documents, compile_filter, seed
from pytest_mcpbench.simulated.engine import ToolFailure

ROWS = [("r1", "Wren", 6, "wood"), ("r2", "Gull", 3, "coast"), ("r3", "Tern", None, "coast")]
TREE = {
    "bases": {
        "b": {
            "id": "b",
            "name": "Birds",
            "tables": {
                "t": {
                    "id": "t",
                    "name": "Nests",
                    "description": "",
                    "fields": [{"id": f"f{n}", "name": n, "type": "singleLineText"} for n in ("Bird", "Eggs", "Where")],
                    "records": {
                        key: {
                            "id": key,
                            "fields": {"Bird": bird, "Where": where} | ({} if eggs is None else {"Eggs": eggs}),
                        }
                        for key, bird, eggs, where in ROWS
                    },
                }
            },
        }
    },
    "pages": {
        "p1": {"id": "p1", "title": "Food", "last_edited": "2026-01-01T00:00:00Z", "text": "Gulls eat fish."},
        "p2": {"id": "p2", "title": "Fish", "last_edited": "2026-01-01T00:00:00Z", "text": "They swim."},
    },
}
NESTS = {"baseId": "b", "tableId": "t"}


def documents(tree: Any = TREE) -> Documents:
    return Documents(Sandbox(path=Path("/nowhere"), seeds={"documents": tree}).world("documents"))


def answer(store: Documents, tool: str, **arguments: Any) -> Any:
    try:
        return SIMULATION.call(store, tool, arguments)
    except ToolFailure as failure:
        return str(failure)


def ids(records: Any) -> list[str]:
    return [record["id"] for record in records]


def test_bases_and_tables_are_listed_without_their_records() -> None:
    store = documents()
    assert answer(store, "list_bases") == [{"id": "b", "name": "Birds", "permissionLevel": "create"}]
    assert [set(table) for table in answer(store, "list_tables", baseId="b")] == [
        {"id", "name", "description", "fields"}
    ]


def test_records_are_filtered_sorted_and_limited() -> None:
    store = documents()
    assert ids(answer(store, "list_records", **NESTS, filterByFormula='{Where}="coast"')) == ["r2", "r3"]
    assert ids(answer(store, "list_records", **NESTS, sort=[{"field": "Eggs", "direction": "desc"}])) == [
        "r1",
        "r2",
        "r3",
    ]
    assert ids(answer(store, "list_records", baseId="b", tableId="Nests", sort=[{"field": "Bird"}], maxRecords=1)) == [
        "r2"
    ]
    assert ids(answer(store, "search_records", **NESTS, searchTerm="COA")) == ["r2", "r3"]
    assert answer(store, "get_record", **NESTS, recordId="r3") == {
        "id": "r3",
        "fields": {"Bird": "Tern", "Where": "coast"},
    }


def test_records_are_created_and_changed_and_other_fields_stay() -> None:
    store = documents()
    made = answer(store, "create_record", **NESTS, fields={"Bird": "Owl"})
    assert answer(store, "get_record", **NESTS, recordId=made["id"]) == made
    (changed,) = answer(store, "update_records", **NESTS, records=[{"id": "r2", "fields": {"Eggs": 2}}])
    assert changed == {"id": "r2", "fields": {"Bird": "Gull", "Where": "coast", "Eggs": 2}}
    changes = store.tree.diff_from(documents().tree)
    assert {(change.kind, change.id) for change in changes} == {("updated", "r2"), ("created", made["id"])}


@pytest.mark.parametrize("nothing", [None, "", []])
def test_a_field_without_a_value_is_left_out(nothing: object) -> None:
    store = documents()
    (changed,) = answer(store, "update_records", **NESTS, records=[{"id": "r2", "fields": {"Where": nothing}}])
    assert changed == {"id": "r2", "fields": {"Bird": "Gull", "Eggs": 3}}
    made = answer(store, "create_record", **NESTS, fields={"Bird": "Owl", "Where": nothing})
    assert made["fields"] == {"Bird": "Owl"}


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("list_tables", {"baseId": "x"}, "NOT_FOUND: Could not find what you are looking for: x"),
        ("list_records", {"baseId": "b", "tableId": "x"}, "NOT_FOUND: Could not find what you are looking for: x"),
        ("get_record", {**NESTS, "recordId": "x"}, "NOT_FOUND: Could not find record x"),
        ("create_record", {**NESTS, "fields": {"Wings": 2}}, 'UNKNOWN_FIELD_NAME: Unknown field name: "Wings"'),
        ("read_page", {"pageId": "x"}, "object_not_found: Could not find page with ID: x."),
    ],
)
def test_what_does_not_exist_is_the_services_error(tool: str, arguments: dict[str, Any], message: str) -> None:
    assert answer(documents(), tool, **arguments) == message


@pytest.mark.parametrize(
    ("formula", "holds"),
    [
        ("{Eggs}>2", True),
        ("{Eggs} >= 3.5", False),
        ("AND({Where}='coast', NOT({Eggs}=4))", True),
        ('OR({Bird}="Wren", FIND("ul", {Bird}))', True),
        ('SEARCH("GULL", {Bird})', True),
        ('FIND("GULL", {Bird})', False),
        ("{Missing}=BLANK()", True),
        ("{Missing}=0", True),
        ('{Missing}=""', True),
        ('LOWER({Bird})!="gull"', False),
        ("(LEN(Bird))=4", True),
        ('IS_BEFORE({Day}, "2026-03-02")', True),
        ('{Eggs}="3"', True),
    ],
)
def test_formulas_are_airtables(formula: str, holds: bool) -> None:
    assert compile_filter(formula)({"Bird": "Gull", "Eggs": 3, "Where": "coast", "Day": "2026-03-01"}) is holds


@pytest.mark.parametrize(
    "formula", ['{Bird}="', "{Bird", "AND({Eggs}>1", "FOO(1)", "", "1 2", "NOT()", "(" * 60 + "1" + ")" * 60, "{Eggs}>"]
)
def test_a_formula_that_is_none_is_refused(formula: str) -> None:
    with pytest.raises(ToolFailure, match="INVALID_FILTER_BY_FORMULA"):
        compile_filter(formula)({"Eggs": 1})


def test_pages_are_found_by_all_words_those_in_titles_first() -> None:
    store = documents()
    assert ids(answer(store, "search_pages", query="fish")) == ["p2", "p1"]
    assert ids(answer(store, "search_pages", query="gulls FISH")) == ["p1"]
    assert answer(store, "search_pages", query="whale") == []


def test_a_paragraph_is_appended_with_the_time_of_the_clock() -> None:
    store = documents()
    edited = answer(store, "append_to_page", pageId="p2", text="They sleep.")
    assert edited == {"id": "p2", "title": "Fish", "last_edited": "2026-03-02T09:00:00Z"}
    assert answer(store, "read_page", pageId="p2") == "# Fish\n\nThey swim.\n\nThey sleep."


def test_every_record_of_the_seed_has_only_declared_fields() -> None:
    made = json.loads(json.dumps(seed()))
    tables = [table for base in made["bases"].values() for table in base["tables"].values()]
    names = [({f["name"] for f in table["fields"]}, record) for table in tables for record in table["records"].values()]
    assert [record for known, record in names if not record["fields"].keys() <= known] == []
