from typing import Any

import pytest

from pytest_mcpbench.agents.lexical.schema_leaves import schema_leaves

TEXT = {"type": "string"}


def test_nested_objects_and_lists_of_objects_are_flat() -> None:
    schema = {
        "properties": {
            "path": TEXT,
            "edits": {"type": "array", "items": {"properties": {"old": TEXT, "new": TEXT}, "required": ["old"]}},
            "tags": {"type": "array", "items": TEXT},
            "options": {"type": "object", "properties": {"depth": {"type": "integer"}}, "required": ["depth"]},
        },
        "required": ["path", "edits"],
    }

    flat = [
        (leaf.path, leaf.type, leaf.is_required, leaf.is_required_in_parent, leaf.is_list)
        for leaf in schema_leaves(schema)
    ]

    assert flat == [
        (("path",), "string", True, True, False),
        (("edits", 0, "old"), "string", True, True, False),
        (("edits", 0, "new"), "string", False, False, False),
        (("tags",), "string", False, False, True),
        (("options", "depth"), "integer", False, True, False),
    ]


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"$ref": "#/$defs/Day"}, id="reference"),
        pytest.param({"anyOf": [{"type": "null"}, {"type": "string", "format": "date"}]}, id="anyOf"),
        pytest.param({"allOf": [{"$ref": "#/$defs/Day"}]}, id="allOf"),
        pytest.param({"type": ["string", "null"], "format": "date"}, id="list of types"),
    ],
)
def test_indirect_schemas_are_resolved(schema: dict[str, Any]) -> None:
    whole = {"properties": {"day": schema}, "$defs": {"Day": {"type": "string", "format": "date"}}}

    (leaf,) = schema_leaves(whole)

    assert (leaf.type, leaf.schema["format"]) == ("string", "date")


def test_a_schema_that_contains_itself_ends() -> None:
    node: dict[str, Any] = {"type": "object", "properties": {"name": TEXT, "child": {"$ref": "#/$defs/Node"}}}

    flat = schema_leaves({"properties": {"root": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}})

    assert [leaf.path for leaf in flat][:2] == [("root", "name"), ("root", "child", "name")]


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"properties": {"any": True}}])
def test_a_schema_that_says_little_is_no_error(schema: dict[str, Any]) -> None:
    schema_leaves(schema)


@pytest.mark.parametrize(
    "keyword", ["properties", "required", "enum", "anyOf", "oneOf", "allOf", "type", "items", "$ref"]
)
@pytest.mark.parametrize("value", [5, "x", [1], {"a": 1}, None])
def test_a_keyword_of_a_wrong_type_is_no_keyword(keyword: str, value: object) -> None:
    part = {"type": "string", keyword: value}
    paths = [leaf.path for leaf in schema_leaves({"properties": {"a": part, "b": TEXT}, "required": ["b"]})]
    assert ("b",) in paths
    assert schema_leaves({keyword: value}) is not None


def test_a_schema_that_is_part_of_itself_ends() -> None:
    assert schema_leaves({"properties": {"a": {"allOf": [{"$ref": "#/properties/a"}]}, "b": TEXT}})
