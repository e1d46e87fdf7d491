"""Values of reference calls that an agent can know, and those that it would have to guess."""

from typing import Any

import pytest

from pytest_mcpbench.core.simulated_user import SimulatedUser
from pytest_mcpbench.core.task import ArgumentMatcher, Context, ExpectedCall
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.generation.proof.playing import unknown_value
from tests.builders import a_task, expected_call

SCHEMA = {
    "type": "object",
    "properties": {
        "unit": {"default": "celsius"},
        "kind": {"enum": ["daily"]},
        "all_day": {"type": "boolean"},
        "priority": {"enum": ["high", "med", "low"]},
    },
}
TOOLS = {"act": ToolSpec(name="act", server="s", tool="act", input_schema=SCHEMA)}
DICTIONARIES = {"symbol": {"TSLA": "Tesla"}}


def unknown(request: str, *groups: tuple[ExpectedCall, ...], **fields: Any) -> str | None:
    """Return the first unknown value of a task whose call ``1`` returns the text `the order is B20`."""
    return unknown_value(a_task(*groups, ask=request, **fields), {"1": "the order is B20"}, TOOLS, DICTIONARIES)


@pytest.mark.parametrize(
    ("request_text", "arguments", "fields"),
    [
        ("Show me order B20.", {"id": "B20"}, {}),
        ("Show the most recent ones.", {"order": "most_recent"}, {}),
        ("Buy five shares of Tesla.", {"symbol": "TSLA", "number": 5}, {}),
        ("Send 1,500 euros.", {"amount": 1500}, {}),
        ("Meet me at 2026-03-02 09:30.", {"start": "2026-03-02T09:30:00Z"}, {}),
        ("Read a.md.", {"path": "{sandbox}/a.md"}, {"system": "The files are in {sandbox}."}),
        ("Count the days of November.", {"month": 11}, {}),
        ("Count the days from March to May.", {"start_month": 3, "end_month": 5}, {}),
        ("Meet me on 6 March 2026.", {"day": "2026-03-06"}, {}),
        ("Show those of medium priority.", {"priority": "med"}, {}),
        ("How warm is it?", {"unit": "celsius", "kind": "daily"}, {}),
        ("Add it for the whole day.", {"all_day": True}, {}),
        ("Show me my order.", {"id": "<1_result.id>"}, {}),
        ("Show me my order.", {"id": "B20"}, {"context": Context(necessary={"My order": "B20"})}),
        ("Show me my order.", {"id": "B20"}, {"user": SimulatedUser(goal="Find out about B20.")}),
        ("How is it today?", {"date": "2026-03-02"}, {"context": Context(now="2026-03-02")}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_value_is_known_from_what_the_agent_reads_or_can_ask_for(
    request_text: str, arguments: dict[str, Any], fields: dict[str, Any]
) -> None:
    assert unknown(request_text, (expected_call("act", arguments),), **fields) is None


@pytest.mark.parametrize(
    ("request_text", "arguments", "fields", "value"),
    [
        ("Show me my order.", {"id": "B20"}, {}, 'act.id = "B20"'),
        ("Show me order B201.", {"id": "B20"}, {}, 'act.id = "B20"'),
        ("Read a.md.", {"path": "{sandbox}/a.md"}, {}, 'act.path = "{sandbox}/a.md"'),
        ("Buy shares of Ford.", {"symbol": "TSLA"}, {}, 'act.symbol = "TSLA"'),
        ("How warm is it?", {"unit": "kelvin"}, {}, 'act.unit = "kelvin"'),
        ("May I see all of it?", {"month": 5}, {}, "act.month = 5"),
        ("When do they march?", {"month": 3}, {}, "act.month = 3"),
        ("Pay it in May.", {"day_of_month": 5}, {}, "act.day_of_month = 5"),
        ("Show those of medium size.", {"tag": "med"}, {}, 'act.tag = "med"'),
        ("Add the meeting.", {"all_day": True}, {}, "act.all_day = true"),
        ("Tell them.", {"to": [{"name": "Ann"}]}, {}, 'act.to.0.name = "Ann"'),
        ("Show me my order.", {"id": "B20"}, {"context": Context(seeds={"s": {"B20": {}}})}, 'act.id = "B20"'),
        ("What is there?", {"when": "now"}, {"context": Context(files="now")}, 'act.when = "now"'),
    ],
)
def test_a_value_that_only_the_world_or_nothing_has_is_unknown(
    request_text: str, arguments: dict[str, Any], fields: dict[str, Any], value: str
) -> None:
    assert unknown(request_text, (expected_call("act", arguments),), **fields) == value


def test_a_result_is_known_to_later_steps_and_not_to_calls_at_the_same_time() -> None:
    first, second = expected_call("look", id="1"), expected_call("act", {"id": "B20"}, id="2")
    assert unknown("Show me my order.", (first,), (second,)) is None
    assert unknown("Show me my order.", (first, second)) == 'act.id = "B20"'


def test_arguments_that_are_not_compared_need_not_be_known() -> None:
    matcher = ArgumentMatcher(at=("id",), any=True)
    call = expected_call("act", {"id": "B20", "note": "x"}, matchers=(matcher,), optional=frozenset({"note"}))
    assert unknown("Show me my order.", (call,)) is None
