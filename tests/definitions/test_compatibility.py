"""Changes that fall under each rule of the compatibility table."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.definitions.canonical import ServerDefinition, tool_definitions
from pytest_mcpbench.definitions.compatibility import (
    DefinitionChange,
    calls_broken_by,
    compare_servers,
    of_verdict,
    require_same_server,
)
from pytest_mcpbench.definitions.compatibility_rules import RULES

Schema = dict[str, Any]


def an_object(required: tuple[str, ...] = (), further: bool | None = None, **properties: Any) -> Schema:
    schema: Schema = {"type": "object", "properties": properties, "required": list(required)}
    return schema if further is None else {**schema, "additionalProperties": further}


def of_value(schema: Any) -> Schema:
    return an_object(value=schema)


TEXT = {"type": "string"}
NUMBER = {"type": "number"}
INTEGER = {"type": "integer"}
SCHEMA_CHANGES: Mapping[str, list[tuple[Schema, Schema]]] = {
    "property-removed": [(an_object(a=TEXT, b=NUMBER), an_object(a=TEXT))],
    "property-renamed": [
        (an_object(("city",), city=TEXT), an_object(("town",), town=TEXT)),
        (an_object(path=TEXT, other=NUMBER), an_object(paths=TEXT, other=NUMBER, added=NUMBER)),
    ],
    "property-added": [(an_object(a=TEXT), an_object(a=TEXT, b=NUMBER))],
    "property-added-required": [(an_object(a=TEXT), an_object(("b",), a=TEXT, b=NUMBER))],
    "became-required": [(an_object(a=TEXT), an_object(("a",), a=TEXT)), (an_object(), an_object(("x",)))],
    "became-optional": [(an_object(("a",), a=TEXT), an_object(a=TEXT))],
    "type-narrowed": [
        (of_value(NUMBER), of_value(INTEGER)),
        (of_value({"type": ["string", "null"]}), of_value(TEXT)),
        (of_value({"anyOf": [TEXT, {"type": "null"}]}), of_value(TEXT)),
        (of_value({"type": "string", "nullable": True}), of_value(TEXT)),
        (of_value({}), of_value(TEXT)),
        (of_value(True), of_value(TEXT)),
        (of_value({"type": "array"}), of_value({"type": "array", "items": TEXT})),
    ],
    "type-widened": [
        (of_value(INTEGER), of_value(NUMBER)),
        (of_value(TEXT), of_value({"oneOf": [TEXT, INTEGER]})),
        (of_value(TEXT), of_value({})),
    ],
    "type-changed": [
        (of_value(TEXT), of_value(INTEGER)),
        (of_value({"type": "array", "items": TEXT}), of_value({"type": "array", "items": INTEGER})),
        (
            {"$defs": {"Size": TEXT}, **of_value({"$ref": "#/$defs/Size"})},
            {"$defs": {"Size": INTEGER}, **of_value({"$ref": "#/$defs/Size"})},
        ),
    ],
    "values-removed": [
        (of_value({"enum": ["a", "b"]}), of_value({"enum": ["a"]})),
        (of_value(TEXT), of_value({"type": "string", "enum": ["a"]})),
    ],
    "values-added": [
        (of_value({"const": "a"}), of_value({"enum": ["a", "b"]})),
        (of_value({"type": "string", "enum": ["a"]}), of_value(TEXT)),
    ],
    "range-narrowed": [
        (of_value({"type": "integer", "minimum": 1}), of_value({"type": "integer", "minimum": 2})),
        (of_value(TEXT), of_value({"type": "string", "maxLength": 10})),
        (of_value({"type": "integer", "multipleOf": 2}), of_value({"type": "integer", "multipleOf": 4})),
        (of_value({"type": "array"}), of_value({"type": "array", "uniqueItems": True})),
    ],
    "range-widened": [
        (of_value({"type": "number", "maximum": 1}), of_value({"type": "number", "maximum": 2})),
        (of_value({"type": "array", "minItems": 1}), of_value({"type": "array"})),
    ],
    "range-changed": [(of_value({"type": "integer", "multipleOf": 2}), of_value({"type": "integer", "multipleOf": 3}))],
    "format-added": [(of_value(TEXT), of_value({"type": "string", "format": "date"}))],
    "format-removed": [(of_value({"type": "string", "pattern": "^a"}), of_value(TEXT))],
    "format-changed": [(of_value({"type": "string", "pattern": "^a"}), of_value({"type": "string", "pattern": "^b"}))],
    "default-added": [(of_value(INTEGER), of_value({"type": "integer", "default": 1}))],
    "default-changed": [
        (of_value({"type": "integer", "default": 1}), of_value({"type": "integer", "default": 2})),
        (of_value({"type": "integer", "default": 1}), of_value(INTEGER)),
    ],
    "closed": [(an_object(a=TEXT), an_object(further=False, a=TEXT))],
    "opened": [(an_object(further=False, a=TEXT), an_object(further=True, a=TEXT))],
    "not-comparable": [
        (of_value({"not": TEXT}), of_value({"not": INTEGER})),
        (of_value({"$ref": "https://a.example"}), of_value({"$ref": "https://b.example"})),
        (
            of_value({"minimum": 1, "allOf": [{"minimum": 5}]}),
            of_value({"minimum": 10, "allOf": [{"minimum": 5}]}),
        ),
        (of_value({"type": "array", "items": [TEXT]}), of_value({"type": "array", "items": [INTEGER]})),
    ],
    "extension-changed": [(of_value({"type": "string", "x-order": 1}), of_value({"type": "string", "x-order": 2}))],
}

WEATHER = {"name": "get_weather", "description": "Weather of a city.", "inputSchema": an_object(("city",), city=TEXT)}
TIME = {"name": "get_time", "description": "The time.", "inputSchema": an_object(zone=TEXT, exact={"type": "boolean"})}


def annotated(**hints: Any) -> dict[str, Any]:
    return {**WEATHER, "annotations": hints}


OTHER_CHANGES: Mapping[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "tool-removed": ([WEATHER, TIME], [WEATHER]),
    "tool-renamed": ([WEATHER, TIME], [{**WEATHER, "name": "read_weather"}, TIME]),
    "tool-added": ([WEATHER], [WEATHER, TIME]),
    "output-schema-removed": ([{**WEATHER, "outputSchema": an_object()}], [WEATHER]),
    "output-schema-added": ([WEATHER], [{**WEATHER, "outputSchema": an_object()}]),
    "promise-withdrawn": ([annotated(readOnlyHint=True)], [annotated(readOnlyHint=False)]),
    "promise-given": ([WEATHER], [annotated(destructiveHint=False)]),
    "execution-changed": ([WEATHER], [{**WEATHER, "execution": {"taskSupport": "required"}}]),
    "metadata-changed": ([{**WEATHER, "_meta": {"a": 1}}], [{**WEATHER, "_meta": {"a": 2}}]),
    "text-changed": ([WEATHER], [{**WEATHER, "description": "Weather."}]),
    "parameter-order-changed": (
        [TIME],
        [{**TIME, "inputSchema": an_object(exact={"type": "boolean"}, zone=TEXT)}],
    ),
    "tool-order-changed": ([WEATHER, TIME], [TIME, WEATHER]),
}


def changes(before: list[dict[str, Any]], after: list[dict[str, Any]], **fields: Any) -> tuple[DefinitionChange, ...]:
    return compare_servers(
        ServerDefinition("weather", tool_definitions(before)),
        ServerDefinition("weather", tool_definitions(after), **fields),
    )


def rule_ids(found: tuple[DefinitionChange, ...]) -> list[str]:
    return [change.rule.id for change in found]


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [(kind, before, after) for kind, pairs in SCHEMA_CHANGES.items() for before, after in pairs],
)
def test_a_change_of_a_schema_falls_under_the_rule_of_its_direction(kind: str, before: Schema, after: Schema) -> None:
    of_input = changes([{**WEATHER, "inputSchema": before}], [{**WEATHER, "inputSchema": after}])
    of_output = changes([{**WEATHER, "outputSchema": before}], [{**WEATHER, "outputSchema": after}])
    assert f"input-{kind}" in rule_ids(of_input)
    assert f"output-{kind}" in rule_ids(of_output)


@pytest.mark.parametrize("rule", OTHER_CHANGES)
def test_any_other_change_falls_under_its_rule(rule: str) -> None:
    before, after = OTHER_CHANGES[rule]
    assert rule_ids(changes(before, after)) == [rule]


def test_changes_of_the_server_fall_under_their_rules() -> None:
    before = ServerDefinition("weather", implementation="weather", instructions="Ask once.", protocol="2025-06-18")
    after = ServerDefinition("weather", implementation="Weather 2", instructions="Ask.", protocol="2025-11-25")
    assert rule_ids(compare_servers(before, after)) == ["instructions-changed", "server-renamed"]


def test_a_change_far_behind_in_a_long_text_is_shown() -> None:
    before, after = (ServerDefinition("weather", instructions=f"{'a' * 900} {word} {'z' * 900}") for word in ("1", "2"))
    (change,) = compare_servers(before, after)
    assert change.values(12) == ("…aa 1 zzzzz…", "…aa 2 zzzzz…")
    assert str(change) == "instructions-changed"
    cut = replace(change, after="a" * 900)
    assert cut.values(12) == ("…aaa 1 zzzz…", "…aaa")
    assert replace(change, after="").values(12) == ("aaaaaaaaaaa…", "nothing")


def test_every_rule_has_a_change_in_this_file() -> None:
    shown = {f"{direction}-{kind}" for direction in ("input", "output") for kind in SCHEMA_CHANGES}
    assert shown | OTHER_CHANGES.keys() | {"instructions-changed", "server-renamed"} == set(RULES)


def test_texts_of_a_parameter_are_apart_from_its_schema() -> None:
    described = {
        **WEATHER,
        "inputSchema": an_object(("city",), city={**TEXT, "description": "A city.", "title": "City"}),
    }
    (description, title) = changes([WEATHER], [described])
    assert (description.rule.id, description.place, description.after) == (
        "text-changed",
        "description of city",
        "A city.",
    )
    assert title.place == "title of city"


def test_the_text_of_a_new_parameter_belongs_to_the_parameter() -> None:
    more = {**WEATHER, "inputSchema": an_object(("city",), city=TEXT, day={**TEXT, "description": "A day."})}
    assert rule_ids(changes([WEATHER], [more])) == ["input-property-added"]


def test_a_parameter_that_is_called_description_is_no_text() -> None:
    before = {**WEATHER, "inputSchema": an_object(description=TEXT)}
    after = {**WEATHER, "inputSchema": an_object(description=INTEGER)}
    assert rule_ids(changes([before], [after])) == ["input-type-changed"]


def test_the_spelling_of_sdks_and_the_order_of_members_are_no_change() -> None:
    before = {"name": "a", "inputSchema": {"type": "object", "properties": {"b": TEXT}}, "title": None, "_meta": None}
    after = {"input_schema": {"properties": {"b": TEXT}, "type": "object"}, "name": "a", "annotations": {}}
    assert changes([before], [after]) == ()


def test_only_changes_that_a_call_can_notice_break_calls() -> None:
    removed = changes([WEATHER, TIME], [TIME])
    harmless = changes(
        [{**annotated(readOnlyHint=True), "outputSchema": of_value(INTEGER)}],
        [{**annotated(), "outputSchema": of_value(TEXT), "description": "Weather."}],
    )
    assert rule_ids(calls_broken_by(removed)) == ["tool-removed"]
    assert rule_ids(of_verdict(harmless, "breaking")) == ["output-type-changed", "promise-withdrawn"]
    assert calls_broken_by(harmless) == ()


def test_a_recursive_schema_is_compared() -> None:
    def tree(value: Schema) -> Schema:
        node = an_object(value=value, children={"type": "array", "items": {"$ref": "#/$defs/Node"}})
        return {"$defs": {"Node": node}, "$ref": "#/$defs/Node"}

    found = changes([{**WEATHER, "inputSchema": tree(TEXT)}], [{**WEATHER, "inputSchema": tree(INTEGER)}])
    assert [(change.rule.id, change.place) for change in found] == [("input-type-changed", "value")]


def test_a_schema_that_contains_itself_in_many_places_is_compared_in_time() -> None:
    def graph(**more: Any) -> Schema:
        reference = {"$ref": "#/$defs/Node"}
        member: Any = {"anyOf": [reference, {"type": "array", "items": reference}]}
        node = {**an_object(), "properties": dict.fromkeys("abcdefgh", member), **more}
        return {"$defs": {"Node": node}, **reference}

    found = changes([{**WEATHER, "inputSchema": graph()}], [{**WEATHER, "inputSchema": graph(required=["a"])}])
    assert set(rule_ids(found)) == {"input-became-required"}


def test_a_lock_of_another_server_is_refused_and_a_renamed_server_is_not() -> None:
    mail = ServerDefinition("mail", tool_definitions([TIME]), implementation="mail")
    weather = ServerDefinition("weather", tool_definitions([WEATHER]), implementation="weather")
    both = ServerDefinition("weather", tool_definitions([WEATHER, TIME]), implementation="weather")
    with pytest.raises(
        UsageError, match=r"a\.json: the file is a lock of the server 'mail', and 'weather' is 'weather'"
    ):
        require_same_server(mail, weather, "a.json")
    require_same_server(mail, both, "a.json")


_VALUES: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "b", "abc"]) | st.just([1]) | st.just([])
)
_TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array"])
_LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": _TYPES | st.lists(_TYPES, min_size=1, max_size=3, unique=True),
        "enum": st.lists(st.sampled_from(["a", "b", 1, 2, None]), min_size=1, max_size=3, unique_by=json.dumps),
        "minimum": st.integers(-2, 2),
        "maxLength": st.integers(0, 3),
        "multipleOf": st.integers(1, 4),
        "minItems": st.integers(0, 2),
    },
)
_SCHEMAS = _LEAVES | st.builds(
    lambda branches, rest: {**rest, "anyOf": branches}, st.lists(_LEAVES, min_size=1, max_size=3), _LEAVES
)


@given(_SCHEMAS, _SCHEMAS, st.booleans(), st.booleans(), _VALUES)
def test_no_call_that_was_valid_is_refused_after_a_change_that_breaks_no_calls(
    before: Schema, after: Schema, was_required: bool, is_required: bool, value: Any
) -> None:
    old = an_object(("value",) if was_required else (), value=before)
    new = an_object(("value",) if is_required else (), value=after)
    found = changes([{**WEATHER, "inputSchema": old}], [{**WEATHER, "inputSchema": new}])
    for arguments in ({"value": value}, {}):
        if not calls_broken_by(found) and Draft202012Validator(old).is_valid(arguments):
            assert Draft202012Validator(new).is_valid(arguments), [str(change) for change in found]
