"""Values that MCP-Persona's reference calls leave open."""

from datetime import UTC, datetime
from typing import Any

import pytest

from pytest_mcpbench.core.task import ExpectedCall
from pytest_mcpbench.loaders.persona_holes import fill_moments, find_holes, parse_moment

WEDNESDAY = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("now", "2026-03-11T09:30"),
        ("7_days_later", "2026-03-18T09:30"),
        ("2_hours_ago", "2026-03-11T07:30"),
        ("1_week_from_now", "2026-03-18T09:30"),
        ("today", "2026-03-11T00:00"),
        ("tomorrow_9am", "2026-03-12T09:00"),
        ("day_after_tomorrow_at_14_30", "2026-03-13T14:30"),
        ("next_monday_10am", "2026-03-16T10:00"),
        ("next_monday_12pm", "2026-03-16T12:00"),
        ("next_friday_12am", "2026-03-20T00:00"),
        ("this_friday_3pm", "2026-03-13T15:00"),
        ("friday_3pm", "2026-03-13T15:00"),
        ("wednesday", "2026-03-18T00:00"),
        ("next_payday", None),
        ("tomorrow_25pm", None),
        ("tomorrow_morning", None),
    ],
)
def test_moments_are_reckoned_from_the_clock(words: str, moment: str | None) -> None:
    found = parse_moment(words, WEDNESDAY)
    assert (found and found.strftime("%Y-%m-%dT%H:%M")) == moment


def a_call(**arguments: Any) -> ExpectedCall:
    return ExpectedCall(tool="send", arguments=arguments)


def test_moments_become_unix_seconds_at_any_depth() -> None:
    call = a_call(params={"start": "<timestamp_for_now>", "days": ["<timestamp_for_tomorrow>", "<dm_id>"]}, text="now")
    assert fill_moments(call, WEDNESDAY).arguments == {
        "params": {"start": "1773221400", "days": ["1773273600", "<dm_id>"]},
        "text": "now",
    }


@pytest.mark.parametrize(
    ("value", "holes"),
    [
        ("<user_id_of_李明华>", ["<user_id_of_李明华>"]),
        ("<the id of step 2>", ["<the id of step 2>"]),
        ({"users": ["U1", "<dm_channel_id>"]}, ["<dm_channel_id>"]),
        ("Join at <meeting_url>, please", ["<meeting_url>"]),
        ("{…}", ["{…}"]),
        ("…", ["…"]),
        ("<1_result.id>", []),
        ("<@U1> Hello", []),
        ("<p>Hello</p>", []),
        ("And so on …", []),
        (5, []),
    ],
)
def test_a_value_that_the_author_left_open_is_a_hole(value: Any, holes: list[str]) -> None:
    assert list(find_holes(a_call(value=value))) == holes
