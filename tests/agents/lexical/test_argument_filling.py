from datetime import datetime
from typing import Any

import pytest

from pytest_mcpbench.agents.lexical.argument_filling import FilledArguments, fill_arguments
from pytest_mcpbench.agents.lexical.schema_leaves import schema_leaves
from pytest_mcpbench.agents.lexical.value_mentions import RequestSegment, find_mentions

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
NUMBER = {"type": "number"}
MOMENT = {"type": "string", "format": "date-time"}
DAY = {"type": "string", "format": "date"}
NOW = datetime(2025, 8, 20, 9)


def fill_request(text: str, properties: dict[str, Any], required: list[str] | None = None) -> FilledArguments:
    """All parameters are required unless it is said which are."""
    names = list(properties) if required is None else required
    parameters = schema_leaves({"properties": properties, "required": names})
    labels = {name for leaf in parameters for name in leaf.name_terms}
    return fill_arguments(parameters, RequestSegment.create(text, find_mentions(text, labels), NOW))


@pytest.mark.parametrize(
    ("text", "properties", "expected"),
    [
        pytest.param("Show ./a/b.txt.", {"path": TEXT}, {"path": "./a/b.txt"}, id="path"),
        pytest.param("Show b.txt in the x/a folder", {"path": TEXT}, {"path": "x/a/b.txt"}, id="name and directory"),
        pytest.param(
            "Show a.txt and b.txt of x/y", {"paths": TEXTS}, {"paths": ["x/y/a.txt", "x/y/b.txt"]}, id="paths"
        ),
        pytest.param(
            "Rename /a/x.txt to /a/y.txt",
            {"destination": TEXT, "source": TEXT},
            {"destination": "/a/y.txt", "source": "/a/x.txt"},
            id="from and to, whatever the schema's order",
        ),
        pytest.param(
            "Fly from Oslo to New York on 2025-09-01",
            {"destination": TEXT, "origin": TEXT, "date": DAY},
            {"destination": "New York", "origin": "Oslo", "date": "2025-09-01"},
            id="cities",
        ),
        pytest.param(
            "Replace 'a' with 'b' in x.txt",
            {"path": TEXT, "edits": {"type": "array", "items": {"properties": {"newText": TEXT, "oldText": TEXT}}}},
            {"path": "x.txt", "edits": [{"newText": "b", "oldText": "a"}]},
            id="list of objects",
        ),
        pytest.param(
            "Change the text from version: 1 to version: 2.",
            {"oldText": TEXT, "newText": TEXT},
            {"oldText": "version: 1", "newText": "version: 2"},
            id="a change without quotes",
        ),
        pytest.param(
            "Mail a@x.org and b@x.org, cc c@x.org. Subject: Hi. Body: Come.",
            {"to": TEXTS, "cc": TEXTS, "subject": TEXT, "body": TEXT},
            {"to": ["a@x.org", "b@x.org"], "cc": ["c@x.org"], "subject": "Hi", "body": "Come"},
            id="mail",
        ),
        pytest.param(
            "Convert 1,250.50 USD to EUR",
            {"to_currency": TEXT, "from_currency": TEXT, "amount": NUMBER},
            {"to_currency": "EUR", "from_currency": "USD", "amount": 1250.5},
            id="money",
        ),
        pytest.param(
            "What is at 52.52, -13.405?",
            {"longitude": NUMBER, "latitude": NUMBER},
            {"longitude": -13.405, "latitude": 52.52},
            id="coordinates as two numbers",
        ),
        pytest.param("Kill process 4242", {"pid": {"type": "integer"}}, {"pid": 4242}, id="number as id"),
        pytest.param("Solve x^2 - 4 = 0", {"equation": TEXT}, {"equation": "x^2 - 4 = 0"}, id="equation"),
        pytest.param(
            "Differentiate 3x^2 - 2(x + 1).",
            {"expression": {"type": "string", "description": "For instance x**2"}},
            {"expression": "3*x**2 - 2*(x + 1)"},
            id="expression as a calculator wants it",
        ),
        pytest.param("Open https://a.example/x", {"url": TEXT}, {"url": "https://a.example/x"}, id="url"),
        pytest.param("Search for flights to Rome", {"query": TEXT}, {"query": "flights to Rome"}, id="query"),
        pytest.param("Create a label named Big Plans", {"name": TEXT}, {"name": "Big Plans"}, id="name"),
        pytest.param("Show message msg_01", {"messageId": TEXT}, {"messageId": "msg_01"}, id="id"),
        pytest.param("搜索「红利指数」", {"keyword": TEXT}, {"keyword": "红利指数"}, id="Chinese quotes"),
        pytest.param(
            "Sort by size", {"sortBy": {"type": "string", "enum": ["name", "size"]}}, {"sortBy": "size"}, id="enum"
        ),
        pytest.param("Go", {"mode": {"type": "string", "default": "fast"}}, {"mode": "fast"}, id="default"),
    ],
)
def test_required_parameters_are_filled(text: str, properties: dict[str, Any], expected: dict[str, Any]) -> None:
    assert fill_request(text, properties).arguments == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "from 3pm to 4:30pm on March 5", ("2025-03-05T15:00:00", "2025-03-05T16:30:00"), id="two times of one day"
        ),
        pytest.param("tomorrow at 10am for 30 minutes", ("2025-08-21T10:00:00", "2025-08-21T10:30:00"), id="duration"),
        pytest.param("tomorrow", ("2025-08-21T00:00:00", "2025-08-21T23:59:59"), id="a whole day"),
        pytest.param("at 3pm to 4pm", ("2025-08-20T15:00:00", "2025-08-20T16:00:00"), id="today"),
        pytest.param("2025-03-01 to 2025-03-05", ("2025-03-01T00:00:00", "2025-03-05T00:00:00"), id="two days"),
    ],
)
def test_moments_are_those_of_the_frozen_clock(text: str, expected: tuple[str, str]) -> None:
    arguments = fill_request(f"Block it {text}", {"start_time": MOMENT, "end_time": MOMENT}).arguments

    assert (arguments["start_time"], arguments["end_time"]) == expected


OPTIONAL: dict[str, Any] = {
    "path": TEXT,
    "head": {"type": "number", "description": "Only the first lines"},
    "dryRun": {"type": "boolean", "description": "Preview changes using diff format"},
    "recursive": {"type": "boolean"},
    "sort": {"type": "string", "enum": ["name", "size"], "default": "name"},
    "excludePatterns": TEXTS,
}


@pytest.mark.parametrize(
    ("text", "extra"),
    [
        pytest.param("Read a.txt", {}, id="nothing without evidence"),
        pytest.param("Read a.txt and tell me its size", {}, id="an enum's value without its parameter"),
        pytest.param("Read a.txt, sorted by size", {"sort": "size"}, id="an enum's value with it"),
        pytest.param("Read a.txt, head 5", {"head": 5}, id="a number with its name"),
        pytest.param("Read a.txt at 5", {}, id="a number without"),
        pytest.param("Read a.txt and preview the changes", {"dryRun": True}, id="the first words of a description"),
        pytest.param("Read a.txt but not recursive", {"recursive": False}, id="negated"),
    ],
)
def test_optional_parameters_need_evidence(text: str, extra: dict[str, Any]) -> None:
    assert fill_request(text, OPTIONAL, ["path"]).arguments == {"path": "a.txt", **extra}


@pytest.mark.parametrize(
    ("text", "properties"),
    [
        pytest.param("Read it", {"path": TEXT}, id="no path"),
        pytest.param("Delete the mail", {"messageId": TEXT}, id="no id"),
        pytest.param("Wait some", {"seconds": NUMBER}, id="no number"),
        pytest.param("Open 'the door'", {"url": TEXT}, id="a text is no url"),
    ],
)
def test_what_the_request_does_not_say_is_missing(text: str, properties: dict[str, Any]) -> None:
    result = fill_request(text, properties)

    assert ([leaf.path for leaf in result.missing], result.arguments) == ([(name,) for name in properties], {})


def test_an_optional_object_is_left_out_where_a_part_that_it_needs_is_missing() -> None:
    money = {"type": "object", "properties": {"value": NUMBER, "code": TEXT}, "required": ["value", "code"]}

    assert fill_request("Pay a@x.org in code USD", {"to": TEXT, "money": money}, ["to"]).arguments == {"to": "a@x.org"}
