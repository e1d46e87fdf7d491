"""Schemas without references, for readers that do not know them."""

from typing import Any

from pytest_mcpbench.definitions.schema_structure import inlined_schema

EDIT = {"type": "object", "properties": {"kind": {"const": "edit"}, "$ref": {"type": "string"}}}


def test_references_are_replaced_and_constants_are_lists_of_one() -> None:
    schema: dict[str, Any] = {
        "$defs": {"Edit": EDIT},
        "properties": {
            "edits": {"type": "array", "items": {"$ref": "#/$defs/Edit", "description": "New text."}},
            "const": {"type": "string"},
            "gone": {"$ref": "#/$defs/Nothing", "type": "string"},
        },
    }
    edit = {"type": "object", "properties": {"kind": {"enum": ["edit"]}, "$ref": {"type": "string"}}}
    assert inlined_schema(schema, schema) == {
        "properties": {
            "edits": {"type": "array", "items": {**edit, "description": "New text."}},
            "const": {"type": "string"},
            "gone": {"type": "string"},
        }
    }


def test_a_schema_that_refers_to_itself_ends() -> None:
    node = {"type": "object", "properties": {"left": {"$ref": "#/$defs/Node"}, "right": {"$ref": "#/$defs/Node"}}}
    schema = {"$defs": {"Node": node}, "properties": {"tree": {"$ref": "#/$defs/Node"}}}
    assert inlined_schema(schema, schema) == {
        "properties": {"tree": {"type": "object", "properties": {"left": {}, "right": {}}}}
    }
