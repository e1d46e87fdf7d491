"""Words that rules find for calls."""

from typing import Any

import pytest

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.generation.pipelines.tools.phrases import UnspeakableError, clause, spoken


def said(name: str, description: str, **arguments: Any) -> str:
    tool = ToolDefinition({"name": name, "description": description})
    text = clause(tool, {parameter: f"<{parameter}>" for parameter in arguments}, arguments)
    for parameter, value in arguments.items():
        text = text.replace(f"<{parameter}>", spoken(value))
    return text


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            said("get_current_time", "Get current time in a specific timezone", timezone="Europe/Rome"),
            "get me the current time in Europe/Rome",
        ),
        (
            said(
                "convert_time",
                "Convert time between timezones",
                source_timezone="A/B",
                time="9:30",
                target_timezone="C/D",
            ),
            "convert 9:30 from A/B to C/D",
        ),
        (said("get_order", "Returns the details of a given order.", order_id="A17"), "get me the details of order A17"),
        (said("read", "Reads the contents of a file or directory.", path="a.txt"), "read the contents of a.txt"),
        (said("quote", "Get the share price of a company.", symbol="Tesla"), "get me the share price of Tesla"),
        (said("echo", "Echoes back the input string", message="We leave early"), 'echo back "We leave early"'),
        (
            said("list_files", "List files (recursively)", include_hidden=True, recursive=False, max_results=5),
            "list the files and include hidden without recursive with at most 5 results",
        ),
        (said("search", "This tool can be used to search the web", query="tea"), "search the web for tea"),
        (said("get_weather", "", city="Oslo"), "get me the weather in Oslo"),
        (said("get_sum", "Returns the sum of numbers", a=3, b=7), "get me the sum of numbers of 3 and 7"),
        (said("differentiate", "Find the derivative of a function.", expression="x**2"), "find the derivative of x**2"),
        (said("list_reminders", "List the user's reminders"), "list my reminders"),
        (said("find", "Find notes", sort_by="most_recent"), "find the notes with most recent as the sort by"),
    ],
)
def test_a_call_is_ordered_in_the_words_of_its_description(call: str, expected: str) -> None:
    assert call == expected


def test_a_call_with_an_object_has_no_words() -> None:
    with pytest.raises(UnspeakableError):
        said("create", "Create entities", entities={"name": "Ann"})
