from typing import Any

from pytest_mcpbench.agents.lexical.agent import CallPlanner
from pytest_mcpbench.agents.lexical.tool_ranking import ToolRanking
from tests.builders import a_tool

TEXT = {"type": "string"}
TOOLS = ToolRanking(
    (
        a_tool("search_emails", {"query": TEXT}, ("query",), description="Searches for emails."),
        a_tool("delete_email", {"messageId": TEXT}, ("messageId",), description="Permanently deletes an email."),
        a_tool("create_label", {"name": TEXT}, ("name",), description="Creates a label."),
        a_tool("read_file", {"path": TEXT}, ("path",), description="Reads a file."),
        a_tool("delete_file", {"path": TEXT}, ("path",), description="Deletes a file."),
        a_tool("edit_file", {"path": TEXT, "text": TEXT}, ("path", "text"), description="Edits a file, shows changes."),
        a_tool("calculate", {"expression": TEXT}, ("expression",), description="Calculates an expression."),
        a_tool("differentiate", {"expression": TEXT}, ("expression",), description="Differentiates an expression."),
    )
)
MAILS = '[{"id": "m-1", "from": "Ann"}, {"id": "m-2", "from": "Harmon"}]'


def calls(text: str, **results: str) -> list[tuple[str, dict[str, Any]]]:
    """All calls of a plan; the tools answer what is given, or ``ok``."""
    plan = CallPlanner(TOOLS, text)
    made = []
    while call := plan.next_call():
        made.append((call.tool, call.arguments))
        plan.results.append(results.get(call.tool, "ok"))
    return made


def test_each_part_of_a_request_gets_its_call() -> None:
    assert calls("Create a label named Trips, then read ./a.txt; delete ./b.txt") == [
        ("create_label", {"name": "Trips"}),
        ("read_file", {"path": "./a.txt"}),
        ("delete_file", {"path": "./b.txt"}),
    ]


def test_a_part_that_says_more_of_the_same_is_no_call_of_its_own() -> None:
    assert calls("Edit the file ./a.txt with the text 'x'. Show the changes of the file.") == [
        ("edit_file", {"path": "./a.txt", "text": "x"})
    ]


def test_what_is_missing_is_taken_from_what_was_said_before() -> None:
    assert calls("Read the file ./a.txt and delete the file") == [
        ("read_file", {"path": "./a.txt"}),
        ("delete_file", {"path": "./a.txt"}),
    ]


def test_a_missing_id_is_looked_up_first() -> None:
    assert calls("Delete the last email from Harmon", search_emails=MAILS) == [
        ("search_emails", {"query": "Harmon"}),
        ("delete_email", {"messageId": "m-2"}),
    ]


def test_a_lookup_that_finds_nothing_is_not_repeated() -> None:
    assert calls("Delete the last email from Harmon", search_emails="No emails.") == [
        ("search_emails", {"query": "Harmon"})
    ]


def test_an_id_that_an_earlier_result_told_is_not_looked_up() -> None:
    assert calls("Search for emails from Harmon and delete the email from Harmon", search_emails=MAILS) == [
        ("search_emails", {"query": "emails from Harmon"}),
        ("delete_email", {"messageId": "m-2"}),
    ]


def test_a_word_that_points_back_means_the_last_result() -> None:
    assert calls("Calculate 3*x + 2*x, then differentiate it", calculate="5*x") == [
        ("calculate", {"expression": "3*x + 2*x"}),
        ("differentiate", {"expression": "5*x"}),
    ]


def test_a_request_for_nothing_that_the_tools_do_gets_no_call() -> None:
    assert calls("Sing a song about the moon.") == []


def test_a_tool_that_cannot_be_filled_is_not_called() -> None:
    assert calls("Create a label") == []


def test_the_same_request_gets_the_same_calls() -> None:
    text = "Create a label named Trips, then read ./a.txt; delete the last email from Ann"

    assert calls(text, search_emails=MAILS) == calls(text, search_emails=MAILS)
