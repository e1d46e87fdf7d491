import socket
from typing import Any

import pytest

from pytest_mcpbench.metrics.comparison.schema import (
    Parameters,
    coerce,
    parameters,
    schema_violations,
    type_violations,
)
from pytest_mcpbench.text.bounded_pattern import BoundedPattern

DEFS: dict[str, Any] = {
    "type": "object",
    "$defs": {"size": {"type": "integer"}, "loop": {"$ref": "#/$defs/loop"}},
    "properties": {
        "name": {"type": "string", "minLength": 3, "enum": ["abc", "abcd"]},
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "size": {"$ref": "#/$defs/size"},
        "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "either": {"oneOf": [{"type": "string"}, {"type": "string", "minLength": 9}]},
        "both": {"allOf": [{"type": "object", "properties": {"flag": {"type": "boolean"}}}]},
        "two": {"type": ["string", "null"]},
        "old": {"type": "string", "nullable": True},
        "items": {"type": "array", "items": {"type": "object", "properties": {"type": {"type": "integer"}}}},
    },
    "required": ["name"],
}


@pytest.mark.parametrize(
    ("arguments", "violations"),
    [
        pytest.param({"name": "abc"}, (), id="good"),
        pytest.param({}, ("'name' is a required property",), id="missing"),
        pytest.param({"name": "abc", "count": True}, ("count: True is not of type 'integer'",), id="boolean"),
        pytest.param({"name": "abc", "count": 5.0}, (), id="whole float"),
        pytest.param({"name": "abc", "count": "5"}, ("count: '5' is not of type 'integer'",), id="text for a number"),
        pytest.param({"name": "abc", "size": "5"}, ("size: '5' is not of type 'integer'",), id="reference"),
        pytest.param({"name": "abc", "maybe": None, "two": None, "old": None}, (), id="null"),
        pytest.param({"name": "abcde"}, ("name: 'abcde' is not one of ['abc', 'abcd']",), id="enum"),
        pytest.param(
            {"name": "abc", "items": [{"type": 1}, {"type": "x"}]},
            ("items[1].type: 'x' is not of type 'integer'",),
            id="place inside a list",
        ),
    ],
)
def test_each_violation_names_its_place(arguments: dict[str, Any], violations: tuple[str, ...]) -> None:
    assert schema_violations(arguments, DEFS) == violations


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"type": "strange"}}},
        {"properties": {"a": {"$ref": "#/$defs/nowhere"}}},
        {"properties": {"a": {"$ref": "#/properties/a"}}},
        {"properties": {"a": {"pattern": r"\p{L}(?<name>x)"}}},
        {"properties": {"a": {"type": None}}},
        {"properties": {"a": {"enum": 5}}},
        {"properties": []},
        {"required": True},
        {"required": "a"},
        {"$schema": "https://example.org/unknown", "type": "object"},
        {"$ref": "#"},
    ],
    ids=str,
)
def test_a_schema_that_cannot_be_used_rules_nothing_out(schema: dict[str, Any]) -> None:
    assert schema_violations({"a": "x"}, schema) == ()


def test_a_remote_reference_is_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    schema = {"properties": {"a": {"$ref": "https://example.org/schema.json#/x"}, "b": {"type": "integer"}}}

    assert schema_violations({"a": 1, "b": "x"}, schema) == ("b: 'x' is not of type 'integer'",)


def test_types_of_data_sets_are_understood() -> None:
    assert schema_violations({"a": "x"}, {"type": "dict", "properties": {"a": {"type": "float"}}}) == (
        "a: 'x' is not of type 'number'",
    )


@pytest.mark.parametrize(
    ("name", "value", "is_fine"),
    [
        pytest.param("name", "zz", True, id="enum and length are no types"),
        pytest.param("name", 5, False, id="number for text"),
        pytest.param("either", "abcdefghij", True, id="several alternatives of oneOf"),
        pytest.param("either", 5, False, id="no alternative of oneOf"),
        pytest.param("both", {"flag": "x"}, False, id="allOf"),
        pytest.param("items", [{"type": "x"}], False, id="a property called type"),
        pytest.param("unknown", object, True, id="no such parameter"),
    ],
)
def test_types_alone(name: str, value: Any, is_fine: bool) -> None:
    assert (type_violations(name, value, DEFS) == ()) is is_fine


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("count", "2", 2),
        ("count", "two", "two"),
        ("count", 2.0, 2.0),
        ("ratio", "2.5", 2.5),
        ("name", 5, "5"),
        ("name", True, "true"),
        ("size", "7", 7),
        ("maybe", "7", 7),
        ("maybe", None, None),
        ("both", {"flag": "True"}, {"flag": True}),
        ("items", '[{"type": "3"}]', [{"type": 3}]),
        ("items", {"type": 3}, [{"type": 3}]),
        ("unknown", "7", "7"),
    ],
)
def test_a_value_is_read_as_the_type_of_its_schema(name: str, value: Any, read: Any) -> None:
    assert coerce(value, DEFS["properties"].get(name), DEFS) == read


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param({}, Parameters(accepts_others=False), id="nothing known"),
        pytest.param(
            {"properties": {}}, Parameters(are_known=True, accepts_others=False), id="known to have no parameters"
        ),
        pytest.param(
            {"properties": {"a": {}}, "required": ["a", 5], "additionalProperties": True},
            Parameters({"a": {}}, frozenset({"a"}), True, True),
            id="open",
        ),
        pytest.param(
            {
                "allOf": [{"$ref": "#/$defs/x"}],
                "anyOf": [{"properties": {"b": {}}, "required": ["b"]}],
                "$defs": {"x": {"properties": {"a": {}}, "required": ["a"]}},
            },
            Parameters({"a": {}, "b": {}}, frozenset({"a"}), True, False),
            id="merged from parts; an alternative requires nothing",
        ),
        pytest.param({"$ref": "#"}, Parameters(accepts_others=False), id="a circle"),
    ],
)
def test_parameters_of_a_schema(schema: dict[str, Any], expected: Parameters) -> None:
    assert parameters(schema) == expected


def test_the_default_of_a_parameter_may_be_null() -> None:
    known = parameters({"properties": {"a": {"default": None}, "b": {}, "c": True}})

    assert (known.default("a"), known.default("b"), known.default("c"), known.default("d")) == ((None,), (), (), ())


@pytest.mark.extra
def test_a_pattern_that_takes_too_long_rules_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(x+)+y"}}}
    assert schema_violations({"a": "z"}, schema) == ("a: 'z' does not match '(x+)+y'",)
    monkeypatch.setattr(BoundedPattern.__init__, "__kwdefaults__", {"ignores_case": False, "seconds": 0.05})
    assert schema_violations({"a": "x" * 5000}, schema) == ()
