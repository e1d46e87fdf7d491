"""Sentences about changed tools."""

from pytest_mcpbench.reporting.texts.tool_changes import changes


def test_each_change_names_the_tool_the_field_and_both_values() -> None:
    one = {"name": "add", "description": "Add.", "inputSchema": {"properties": {"a": {"type": "integer"}}}}
    other = {
        "name": "add",
        "description": "Sum.",
        "inputSchema": {"properties": {"b": {"type": "integer"}}},
        "title": "T",
    }
    before = [one, {"name": "old"}, {"name": "x"}, {"name": "y"}]
    after = [other, {"name": "y"}, {"name": "x"}, {"name": "new"}]
    assert list(changes(before, after)) == [
        "old: removed",
        "new: added",
        "add: description: 'Add.' -> 'Sum.'",
        "add: inputSchema.properties.a: removed ({'type': 'integer'})",
        "add: inputSchema.properties.b: added ({'type': 'integer'})",
        "add: title: added ('T')",
        "the order of the tools: add, x, y -> add, y, x",
    ]
    assert not list(changes(before, before))


def test_a_number_is_no_boolean() -> None:
    assert list(changes({"a": 1}, {"a": True})) == ["a: 1 -> True"]
