"""Words that rules find for calls."""

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.generation.pipelines.tools.orders import UnspeakableError
from pytest_mcpbench.generation.pipelines.tools.phrases import OrderClause, clause, order_words
from pytest_mcpbench.generation.pipelines.tools.sentences import request_of
from pytest_mcpbench.generation.pipelines.tools.spoken import spoken_value


def said(name: str, description: str, /, *, left_out: tuple[str, ...] = (), **arguments: Any) -> str:
    """Return the order of a call; ``left_out`` are further parameters, which the tool does not require."""
    return said_of(name, description, arguments, left_out)


def said_of(name: str, description: str, arguments: dict[str, Any], left_out: tuple[str, ...] = ()) -> str:
    """Return the order of a call with arguments by their paths."""
    schema = {"properties": {name: {} for name in [*arguments, *left_out]}, "required": list(arguments)}
    tool = ToolDefinition({"name": name, "description": description, "inputSchema": schema})
    text = clause(tool, {parameter: f"<{parameter}>" for parameter in arguments}, arguments).order
    for parameter, value in arguments.items():
        text = text.replace(f"<{parameter}>", spoken_value(value))
    return text


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            lambda: said("get_current_time", "Get current time in a specific timezone", timezone="Europe/Rome"),
            "show me the current time in Rome",
        ),
        (
            lambda: said(
                "convert_time",
                "Convert time between timezones",
                source_timezone="Europe/Rome",
                time="9:30",
                target_timezone="America/New_York",
            ),
            "convert 9:30 from Rome to New York",
        ),
        (
            lambda: said("get_order", "Returns the details of a given order.", order_id="A17"),
            "show me the details of order A17",
        ),
        (
            lambda: said("read", "Reads the contents of a file or directory.", path="a.txt"),
            "read the contents of a.txt",
        ),
        (
            lambda: said("quote", "Get the share price of a company.", symbol="Tesla"),
            "show me the share price of Tesla",
        ),
        (lambda: said("echo", "Echoes back the input string", message="We leave early"), 'echo back "We leave early"'),
        (
            lambda: said("list_files", "List files (recursively)", include_hidden=True, recursive=False, max_results=5),
            "list files including hidden without recursive, at most 5",
        ),
        (lambda: said("search", "This tool can be used to search the web", query="tea"), "search the web for tea"),
        (lambda: said("get_weather", "", city="Oslo"), "show me the weather in Oslo"),
        (lambda: said("get_sum", "Returns the sum of numbers", a=3, b=7), "show me the sum of 3 and 7"),
        (
            lambda: said("differentiate", "Find the derivative of a function.", expression="x**2"),
            "find the derivative of x**2",
        ),
        (lambda: said("list_reminders", "List the user's reminders"), "list my reminders"),
        (lambda: said("find", "Find notes", sort_by="most_recent"), "find notes sorted by most recent"),
        (
            lambda: said("tree", "Get a tree view of files as a JSON structure, with sizes", path="a"),
            "show me a tree view of files in the directory a",
        ),
        (
            lambda: said("send", "Send a drafted invoice to its recipient", invoice_id="I7"),
            "send invoice I7 to its recipient",
        ),
        (lambda: said("read_mail", "Read one email, with its attachments", messageId="m1"), "read email m1"),
        (
            lambda: said("details", "Give number, rating and hours of one place, in English", place_id="P4"),
            "give me the number, rating and hours of place P4",
        ),
        (
            lambda: said("create", "Put a product into the catalogue", name="Ring lamp", type="digital"),
            "put a product called Ring lamp of type digital into the catalogue",
        ),
        (
            lambda: said("reply", "Answer a message", chat_id="c1", message_id="m1", text="See you"),
            "answer message m1 for chat c1 with the words See you",
        ),
        (
            lambda: said("write", "Create a new file or overwrite an existing file with content", path="a"),
            "create the directory a",
        ),
        (lambda: said("dirs", "List the invoices of the account"), "list my invoices"),
        (
            lambda: said("solve", "Find every x that satisfies an equation", equation="2*x = 7"),
            "find every x that satisfies 2*x = 7",
        ),
        (
            lambda: said("show", "Show the events of a range of days", start="2026-03-02T09:30:00Z"),
            "show me the events from 2026-03-02 09:30",
        ),
        (
            lambda: said("find", "Find the true cost of a loan", price=9000, num_payments=24, annual_rate_pct=3),
            "find the true cost of a loan with a price of 9000, 24 payments and an annual rate of 3 %",
        ),
        (
            lambda: said("grow", "Calculate your return (real) on savings", years=5),
            "calculate my return on savings over 5 years",
        ),
        (lambda: said("number_facts", "Facts about numbers", number=20), "show me the number facts of 20"),
        (
            lambda: said("dice", "Roll dice using standard notation (e.g., '2d6')", notation="2d6"),
            "roll the dice with the notation 2d6",
        ),
        (
            lambda: said(
                "store", "Convert computer storage between units.", value=7, from_unit="bytes", to_unit="bits"
            ),
            "convert 7 bytes to bits",
        ),
        (
            lambda: said("volume", "Convert between volume units (ml, l)", value=7, from_unit="ml", to_unit="l"),
            "convert 7 ml to l",
        ),
        (lambda: said("calc", "Calculates/evaluates the given expression.", expression="2**10"), "calculate 2**10"),
        (
            lambda: said("moon", "Creates a calendar for each day of a week.", week=3, year=2026),
            "create a calendar for each day of week 3 in 2026",
        ),
        (
            lambda: said("lunar", "Convert traditional lunar dates to Gregorian", lunar_date="2026-03-06"),
            "convert the traditional lunar date 2026-03-06 to Gregorian",
        ),
        (
            lambda: said(
                "phase",
                "Calculates the moon phase for a given date and location.",
                left_out=("location",),
                date="2026-03-06",
            ),
            "calculate the moon phase for 2026-03-06",
        ),
        (
            lambda: said("search_todos", "Search todos by any criteria", tag="garden"),
            "find the todos with the tag garden",
        ),
        (lambda: said("search_todos", "Search todos by any criteria", query="tulips"), "search the todos for tulips"),
        (
            lambda: said("git_commit", "Records changes to the repository", repo_path="garden", message="Fix"),
            "commit the staged changes to the repository garden with the message Fix",
        ),
        (
            lambda: said(
                "write", "Execute an INSERT or UPDATE query on the SQLite database", query="UPDATE a SET b = 1"
            ),
            'run "UPDATE a SET b = 1" on the SQLite database',
        ),
        (
            lambda: said("list_directory", "Get a detailed listing of all files in a specified path.", path="notes"),
            "show me a listing of all files in the directory notes",
        ),
        (
            lambda: said("approve_completion", "", request_id="r-1", task_id="t-2"),
            "approve the completion for task t-2 in request r-1",
        ),
        (
            lambda: said("log", "Shows the commit log", repo_path="garden"),
            "show me the commit log in the repository garden",
        ),
        (
            lambda: said(
                "phases", "List phases within a specified date range.", start_date="2026-03-02", end_date="2026-03-06"
            ),
            "list phases from 2026-03-02 to 2026-03-06",
        ),
        (lambda: said("expression_evaluator", "Evaluation tool.", expression="2**10"), "evaluate 2**10"),
        (
            lambda: said("lend_book", "Lend a book to a member.", book_id="B3", member_id="M2"),
            "lend book B3 to member M2",
        ),
        (lambda: said("return_book", "Return a book to the library.", book_id="B2"), "return book B2 to the library"),
        (
            lambda: said("list_books", "List the books of the library, all of them or those of one genre."),
            "list the books of the library",
        ),
        (lambda: said("clear_cart", "Clear the shopping cart (forever)."), "clear the shopping cart"),
        (lambda: said("predict", "Predicts and lists all moon phases"), "list all moon phases"),
        (
            lambda: said("units", "List all units for each kind or for a specific kind.", kind="power"),
            "list all units for power",
        ),
        (lambda: said("units", "List all units for each kind or for a specific kind."), "list all units for each kind"),
        (
            lambda: said("add_todo", "Add a new todo to the project's todo list.", text="Call Ann", due="2027-03-02"),
            "add Call Ann to the todo list with the due date 2027-03-02",
        ),
        (
            lambda: said("git_diff_staged", "Shows changes that are staged for commit", repo_path="garden"),
            "show me the changes that are staged for commit in the repository garden",
        ),
        (
            lambda: said(
                "git_diff_unstaged",
                "Shows changes in the working directory that are not yet staged",
                repo_path="garden",
            ),
            "show me the changes in the working directory that are not yet staged in the repository garden",
        ),
        (
            lambda: said("git_add", "Adds file contents to the staging area", repo_path="garden", files=["a.md"]),
            "add the contents of a.md to the staging area in the repository garden",
        ),
        (lambda: said("mark_done", "Mark the todo with the given id as done.", id=3), "mark todo 3 as done"),
        (
            lambda: said("git_status", "Shows the working tree status", repo_path="{sandbox}"),
            "show me the working tree status in the repository {sandbox}",
        ),
        (
            lambda: said("create_branch", "Creates a new branch from an optional base branch", branch_name="new-idea"),
            "create the branch new-idea",
        ),
        (lambda: said("checkout", "Switches branches", branch_name="main"), "switch to the branch main"),
        (
            lambda: said_of(
                "delete_facts", "Delete facts from existing entities in the graph.", {"facts.0.entityName": "Ann"}
            ),
            "delete a fact from the entity Ann in the graph",
        ),
        (
            lambda: said_of(
                "add_facts",
                "Add new facts to existing entities in the graph.",
                {"facts.0.entityName": "Ann", "facts.0.contents": ["Likes a cup of tea"]},
            ),
            'add the fact "Likes a cup of tea" to the entity Ann in the graph',
        ),
        (
            lambda: said_of(
                "create_entities",
                "Create multiple new entities in the graph",
                {"entities.0.name": "Ann", "entities.0.entityType": "person", "entities.0.observations": ["Tall"]},
            ),
            "create a new entity called Ann of type person in the graph with the observation Tall",
        ),
        (
            lambda: said(
                "line",
                "Generate a area chart to show trends over time, such as prices.",
                data=[{"time": "2024", "value": 12}, {"time": "2025", "value": 18}],
            ),
            "generate an area chart with 2024: 12 and 2025: 18",
        ),
        (
            lambda: said("flow", "Generate a flow chart", data=[{"source": "Home", "target": "Shop", "value": 7}]),
            "generate a flow chart with Home to Shop: 7",
        ),
        (
            lambda: said("run", "Execute a SELECT query on the database", query="SELECT * FROM orders"),
            'run "SELECT * FROM orders" on the database',
        ),
        (
            lambda: said("describe_workbook", "Start here: the sheets of a workbook.", path="a.xlsx"),
            "describe the workbook at a.xlsx",
        ),
        (
            lambda: said("weather_forecast", "Uses the best source of all.", city="Oslo"),
            "show me the weather forecast in Oslo",
        ),
        (
            lambda: said("merge_cells", "Merge a range into one cell.", path="a.xlsx", sheet="Costs", range="B2:C4"),
            "merge B2:C4 into one cell in the sheet Costs of a.xlsx",
        ),
        (
            lambda: said("set_note", "Add a note to a cell.", path="a.xlsx", sheet="Costs", cell="B2", text="Late"),
            "add the note Late to B2 in the sheet Costs of a.xlsx",
        ),
        (
            lambda: said("rename_sheet", "Rename a worksheet.", path="a.xlsx", sheet="Costs", new_name="Archive"),
            "rename the sheet Costs in a.xlsx to Archive",
        ),
        (
            lambda: said(
                "copy_sheet", "Copy and paste a worksheet to a new sheet.", path="a.xlsx", sheet="X", new_name="Y"
            ),
            "copy the sheet X to a new sheet called Y in a.xlsx",
        ),
        (
            lambda: said("git_branch", "List Git branches", repo_path="garden", branch_type="local"),
            "list the local git branches in the repository garden",
        ),
        (lambda: said("git_branch", "List Git branches", branch_type="all"), "list all the git branches"),
        (
            lambda: said("git_show", "Shows the contents of a commit", revision="HEAD"),
            "show me the contents of the commit HEAD",
        ),
        (
            lambda: said_of(
                "create_relations",
                "Create multiple new relations between entities in the graph.",
                {"relations.0.from": "Ann", "relations.0.to": "Bo", "relations.0.relationType": "knows"},
            ),
            "create a new relation of type knows from Ann to Bo in the graph",
        ),
        (
            lambda: said_of(
                "delete_relations",
                "Delete multiple relations from the graph",
                {"relations.0.from": "Ann", "relations.0.to": "Bo", "relations.0.relationType": "knows"},
            ),
            "delete the relation of type knows from Ann to Bo in the graph",
        ),
        (
            lambda: said("delete_entities", "Delete multiple entities and their facts", entityNames=["Ann"]),
            "delete the entity Ann and its facts",
        ),
        (
            lambda: said("search_nodes", "Search for nodes in the knowledge graph", query="Oslo"),
            "search for nodes in the knowledge graph matching Oslo",
        ),
        (
            lambda: said("move_file", "Move or rename files and directories.", source="a.txt", destination="b/a.txt"),
            "move a.txt to b/a.txt",
        ),
        (
            lambda: said("move_file", "Move or rename files and directories.", source="a.txt", destination="b.txt"),
            "rename a.txt to b.txt",
        ),
        (
            lambda: said("search_files", "Search for files matching a pattern.", path="notes", pattern="*.md"),
            "search for files matching the pattern *.md in the directory notes",
        ),
        (lambda: said("read_multiple_files", "Read multiple files.", paths=["a.md", "b.md"]), "read a.md and b.md"),
        (
            lambda: said("edit_todo", "Edit fields of an existing todo.", id=3, text="Buy milk and bread"),
            'change the text of todo 3 to "Buy milk and bread"',
        ),
        (
            lambda: said(
                "update_task", "Update an existing task's title.", listId="list-1", taskId="task-3", title="Lunch"
            ),
            "change the title of task-3 in list-1 to Lunch",
        ),
        (
            lambda: said("mark_done", "Mark a given task as done after you did it.", taskId="task-3"),
            "mark task-3 as done",
        ),
        (
            lambda: said(
                "list_holidays", "List all holidays for a given year and country.", year=2025, country="Italy"
            ),
            "list all holidays for 2025 in Italy",
        ),
        (lambda: said("list_requests", "List all requests."), "list all requests"),
        (
            lambda: said("heat", "Convert temperature between units.", value=25, from_unit="kelvin", to_unit="celsius"),
            "convert 25 kelvin to celsius",
        ),
        (
            lambda: said("create_sheet", "Add an empty worksheet.", path="a.xlsx", new_name="Archive"),
            "add an empty worksheet called Archive in a.xlsx",
        ),
        (
            lambda: said("add_task", "Add a task to a list.", listId="list-1", title="Shopping", body="Bring milk"),
            "add a task called Shopping to list-1 with the words Bring milk",
        ),
        (
            lambda: said("add_comment", "Add a comment to a task.", taskId="task-3", text="Agreed"),
            "add the comment Agreed to task-3",
        ),
    ],
)
def test_a_call_is_ordered_in_the_words_of_its_description(call: Callable[[], str], expected: str) -> None:
    assert call() == expected


@pytest.mark.parametrize(
    "call",
    [
        lambda: said("create", "Create entities", entities={"name": "Ann"}),
        lambda: said("links", "Return links to resources of the server"),
        lambda: said("simulate", "Simulates a query"),
        lambda: said("compare", "Compare two points", origins="A", destinations="B", kinds="x", marks="y", areas="z"),
        lambda: said("plan", "Plan billing", value="240"),
        lambda: said("git_undo", "Unpicks all staged changes", repo_path="garden"),
        lambda: said("search_notes", "Search the notes"),
        lambda: said("tabs", "List, create or close a tab", action="close"),
        lambda: said("graph", "Generate a graph", data=[{"name": "Ann", "role": "boss"}] * 2),
        lambda: said("export", "Export a range as a text", left_out=("range",), sheet="Costs"),
        lambda: said("read_range", "Read the cells as rows", left_out=("range",), sheet="Costs"),
        lambda: said("search_nodes", "Search for nodes in the knowledge graph", query="works"),
        lambda: said("lines", "Add lines to the cells of `area`", path="a.xlsx"),
        lambda: said("copy", "Copy a range", range="A1:B2", at="C3"),
        lambda: said("mark_todo", "Mark a todo", todo_id="t1"),
        lambda: said("list_archived", "List notes, also archived ones"),
        lambda: said("update_task", "Update a task's title and/or description", listId="list-1", taskId="task-3"),
        lambda: said("list_payments", "List the payments", day_of_month=5),
    ],
    ids=[
        "an object of any form",
        "a server's own things",
        "nothing is said",
        "too many values",
        "a vague name",
        "an unknown verb",
        "a search for nothing",
        "a command of the tool",
        "records of several texts",
        "a thing that nothing names",
        "cells that nothing names",
        "a bare word",
        "a parameter in the description",
        "a preposition for a name",
        "a mark that nothing names",
        "a word that tells the tool from others",
        "a change to nothing",
        "a day of any month",
    ],
)
def test_a_call_that_nobody_would_put_into_words_has_none(call: Callable[[], str]) -> None:
    with pytest.raises(UnspeakableError):
        call()


def test_a_tool_that_needs_ids_alone_has_words_by_which_it_is_told_from_others() -> None:
    schema = {"properties": {"listId": {}, "taskId": {}, "title": {}}, "required": ["listId", "taskId"]}
    tool = {"name": "update_task", "description": "Update a task in a list.", "inputSchema": schema}
    assert order_words(ToolDefinition(tool)) == ("update", frozenset({"task", "list"}))


def test_several_things_are_asked_for_in_the_plural() -> None:
    staged = OrderClause("show me", "the changes that are staged for commit in the repository <1_repo>")
    assert request_of([staged], [0], random.Random(1)) == f"What are {staged.rest}?"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ((0, 0, 0), {"What is the current time in Oslo?", "Finally, delete note 7."}),
        ((0, 1, 2), {"What is the current time in Oslo?", "Finally, delete note 7."}),
    ],
)
def test_a_request_asks_for_everything_in_sentences_of_its_own(steps: tuple[int, ...], expected: set[str]) -> None:
    clauses = [
        OrderClause("show me", "the current time in Oslo"),
        OrderClause("show me", "my notes"),
        OrderClause("delete", "note 7"),
    ]
    request = request_of(clauses, steps, random.Random(1))
    sentences = set(re.split(r"(?<=[.?]) ", request))
    assert expected < sentences
    (between,) = sentences - expected
    assert "my notes" in between
    assert between.startswith(("Then ", "After that, ", "Next, ")) == (steps[1] > steps[0])
