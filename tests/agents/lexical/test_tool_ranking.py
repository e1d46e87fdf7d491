from pytest_mcpbench.agents.lexical.tool_ranking import ToolRanking
from pytest_mcpbench.agents.lexical.value_mentions import RequestSegment, find_mentions
from pytest_mcpbench.core.tool import ToolSpec
from tests.builders import a_tool

TEXT = {"type": "string"}


def chosen(text: str, *tools: ToolSpec) -> list[str]:
    tool_index = ToolRanking(tools)
    return [
        choice.tool.name
        for choice in tool_index.candidates(RequestSegment.create(text, find_mentions(text, tool_index.labels)))
    ]


def test_the_tool_whose_name_and_description_share_most_with_the_request_comes_first() -> None:
    mail = a_tool("send_email", description="Sends a new email to someone.")
    label = a_tool("createLabel", description="Creates a label for emails.")

    assert chosen("Create a label", mail, label)[0] == "createLabel"
    assert chosen("Send an email", mail, label)[0] == "send_email"


def test_a_changed_description_changes_the_choice() -> None:
    other = a_tool("tool_a", description="Deletes a note.")
    before = a_tool("tool_b", description="Does various things.")
    after = before.model_copy(update={"description": "Shows the weather forecast for a city."})

    assert chosen("What will the weather in Oslo be?", other, before) == []
    assert chosen("What will the weather in Oslo be?", other, after) == ["tool_b"]


def test_nothing_is_chosen_where_nothing_scores() -> None:
    assert chosen("Tell me a joke.", a_tool("add", description="Adds two numbers.")) == []


def test_the_only_tool_is_chosen_where_the_request_mentions_all_that_it_needs() -> None:
    weather = a_tool("get_weather", {"city": TEXT}, ("city",), description="Current conditions of a city.")

    assert chosen("Is it raining in Montreal?", weather) == ["get_weather"]
    assert chosen("Is it raining?", weather) == []
    assert chosen("Is it raining in Montreal?", weather, a_tool("add", description="Adds two numbers.")) == []


def test_among_tools_that_fit_alike_the_one_that_can_be_filled_is_taken() -> None:
    by_id = a_tool("open_note", {"id": {"type": "integer"}}, ("id",), description="Opens a note.")
    by_path = a_tool("open_note_file", {"path": TEXT}, ("path",), description="Opens a note.")

    assert chosen("Open the note ./a.md", by_id, by_path)[0] == "open_note_file"


def test_among_those_the_one_that_uses_more_of_what_is_mentioned_is_taken() -> None:
    one = a_tool("read_file", {"path": TEXT}, ("path",), description="Read a file.")
    many = a_tool("read_files", {"paths": {"type": "array", "items": TEXT}}, ("paths",), description="Read files.")

    assert chosen("Read the files ./a.md and ./b.md", one, many)[0] == "read_files"
    assert chosen("Read the file ./a.md", one, many)[0] == "read_file"


def test_a_verb_stands_for_others_only_where_no_tool_knows_it() -> None:
    remove = a_tool("remove_note", description="Removes it.")
    add = a_tool("add_note", description="Adds it.")

    assert chosen("Delete the note", add, remove)[0] == "remove_note"


def test_a_question_is_answered_by_reading() -> None:
    create = a_tool("create_event", description="Calendar event.")
    find = a_tool("list_events", description="Calendar event.")

    assert chosen("Which events are in my calendar?", create, find)[0] == "list_events"


def test_that_it_is_a_question_is_no_reason_for_a_tool() -> None:
    assert chosen("What did Ann say?", a_tool("get_filter", description="Gets a filter.")) == []
