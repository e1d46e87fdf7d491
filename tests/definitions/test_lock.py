"""Content of lock files."""

from typing import Any

import pytest

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.definitions.canonical import ServerDefinition, tool_definitions
from pytest_mcpbench.definitions.lock import Lock, lock_text, make_lock, read_lock
from pytest_mcpbench.definitions.lock_check import check_lock, report_lines

TOOL: dict[str, Any] = {
    "name": "get_weather",
    "title": "Weather",
    "description": "Weather of a city, in °C.",
    "inputSchema": {"type": "object", "properties": {"town": {"type": "string"}, "day": {"type": "string"}}},
    "annotations": {"readOnlyHint": True},
    "_meta": {"cost": 1},
}
SERVER = ServerDefinition(
    "weather", tool_definitions([TOOL]), instructions="Ask once.", implementation="w", protocol="1"
)


def locked(**changed: Any) -> Lock:
    return make_lock(ServerDefinition("weather", tool_definitions([{**TOOL, **changed}])))


def test_a_lock_gives_back_everything_that_a_client_sees() -> None:
    assert read_lock(lock_text(make_lock(SERVER)), "tools.lock.json").definition == SERVER


def test_a_lock_is_readable_and_keeps_the_order_in_which_an_agent_reads() -> None:
    text = lock_text(make_lock(SERVER))
    assert '"description": "Weather of a city, in °C.",' in text
    assert text.index('"town"') < text.index('"day"')


@pytest.mark.parametrize(
    ("changed", "hash_name"),
    [
        ({"description": "Weather."}, "text"),
        ({"title": "W"}, "text"),
        ({"inputSchema": {"type": "object", "properties": {}}}, "interface"),
        ({"annotations": {"readOnlyHint": False}}, "annotations"),
        ({"_meta": {"cost": 2}}, "annotations"),
    ],
)
def test_each_hash_changes_with_its_part_only(changed: dict[str, Any], hash_name: str) -> None:
    before, after = (
        locked().tools[0].hashes.model_dump(by_alias=False),
        locked(**changed).tools[0].hashes.model_dump(by_alias=False),
    )
    assert [name for name in before if before[name] != after[name]] == [hash_name]


def test_the_first_line_of_a_check_names_the_tools_that_changed_a_few_of_each_verdict() -> None:
    def server(**changed: Any) -> ServerDefinition:
        tools = [{**TOOL, **changed, "name": name} for name in ("find", "list", "read", "save", "send")]
        return ServerDefinition("notes", tool_definitions([*tools[:-1], TOOL] if changed else tools))

    before, after = server(), server(description="Notes.")
    check = check_lock(make_lock(before), before, after, "tools.lock.json")
    assert next(report_lines(check)).partition(" (")[0] == (
        "tools.lock.json: 'notes' has changed: 1 breaking: send; 4 needs measurement: find, list, read and 1 more"
    )


def test_a_lock_that_someone_edited_names_the_tool() -> None:
    lock = read_lock(lock_text(make_lock(SERVER)).replace("in °C", "in °F"), "tools.lock.json")
    assert lock.edited_tools == ("get_weather",)
    assert make_lock(SERVER).edited_tools == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"tools\.lock\.json:1: not valid JSON: .* delete it: `mcpbench lock` writes a new one\."),
        ("{}", r"tools\.lock\.json: server: Field required\. Restore the file, or delete it: `mcpbench lock` writes"),
        ("[" * 100_000, r"not valid JSON"),
        ("{\n<<<<<<< HEAD\n", r"tools\.lock\.json:2: conflicts of a merge\. `mcpbench lock --accept` writes"),
    ],
)
def test_a_file_that_is_no_lock_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        read_lock(text, "tools.lock.json")
