"""Which tools count as reading: for trials on a server, and more strictly for verdicts."""

import pytest

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.generation.reading_tools import deleted_names, looks, only_looks, only_reads

TEXT = {"type": "string"}


def _tool(name: str, description: str = "", **annotations: bool) -> ToolDefinition:
    return ToolDefinition({"name": name, "description": description, "annotations": annotations})


@pytest.mark.parametrize(
    "tool",
    [
        _tool("list_todos", "List all todos."),
        _tool("getWeather", "Returns the weather of a city."),
        _tool("archive", "Archives of the newspaper.", readOnlyHint=True),
    ],
    ids=lambda tool: tool.name,
)
def test_calls_of_tools_that_show_what_is_there_may_be_ignored(tool: ToolDefinition) -> None:
    assert only_reads(tool)
    assert only_looks(tool)


@pytest.mark.parametrize(
    "tool",
    [
        _tool("reverse_payment", "Reverses a payment."),
        _tool("format_disk", "Formats a disk."),
        _tool("check_in_guest", "Check in a guest."),
        _tool("archive_message", "Finds a message and archives it."),
        _tool("increment_counter", "Returns the new value."),
        _tool("query", "Query the database with any SQL."),
        _tool("read_message", "Read a message and mark it as read."),
        _tool("list_todos", "List all todos.", readOnlyHint=False),
    ],
    ids=lambda tool: tool.name,
)
def test_no_call_that_may_change_something_is_ignored(tool: ToolDefinition) -> None:
    assert not only_looks(tool)


def test_an_agent_may_look_but_draws_no_second_chart() -> None:
    tools = [
        ToolDefinition({"name": "open_task_details", "description": "Get details of a task."}),
        ToolDefinition({"name": "open_account", "description": "Open an account."}),
        ToolDefinition({"name": "generate_bar_chart", "annotations": {"readOnlyHint": True}}),
        ToolDefinition({"name": "list_tasks"}),
    ]
    assert looks(tools) == ["list_tasks", "open_task_details"]


def test_names_of_what_is_deleted_are_texts_but_for_paths() -> None:
    relation = {"type": "object", "properties": {"from": TEXT, "weight": {"type": "number"}}}
    properties = {"names": {"type": "array", "items": TEXT}, "relations": {"type": "array", "items": relation}}
    delete = {"name": "delete_relations", "inputSchema": {"properties": {**properties, "path": TEXT}}}
    find = {"name": "find_relations", "inputSchema": {"properties": {"query": TEXT}}}
    assert deleted_names([ToolDefinition(delete), ToolDefinition(find)]) == ["names", "relations.from"]
