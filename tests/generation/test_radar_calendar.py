"""The requests about calendars: days, times and events that are found before they are changed."""

from collections import Counter
from datetime import date, datetime
from random import Random

import pytest

from pytest_mcpbench.generation.radar import SEED
from pytest_mcpbench.generation.radar.calendar import TEMPLATES, requests
from pytest_mcpbench.generation.radar.calendar.sampler import (
    EVENTS,
    CalendarSampler,
    list_call,
    long_date,
    moved_times,
    update_call,
)
from pytest_mcpbench.generation.radar.request import GenerationError, ToolCall
from pytest_mcpbench.simulated.calendar.server import SIMULATION


def _sampler() -> CalendarSampler:
    return CalendarSampler(Random("a diary"))


def test_every_tool_has_five_requests_and_chains_follow() -> None:
    tools = [tuple(call.tool for call in request.calls) for request in requests(SEED)]
    assert Counter(tools[:20]) == {(tool,): 5 for tool in SIMULATION.table}
    assert Counter(tools[20:]) == {
        ("list_events", "create_event"): 3,
        ("list_events", "update_event"): 2,
        ("update_event", "create_event"): 2,
        ("list_events", "update_event", "create_event"): 1,
    }


def test_templates_stand_in_the_servers_order_under_the_tools_names() -> None:
    assert [template.__name__ for template in TEMPLATES] == list(SIMULATION.table)


@pytest.mark.parametrize("seed", range(1, 9))
def test_other_seeds_give_requests_that_the_calendars_accept_too(seed: int) -> None:
    result = [request.prompt for request in requests(seed)]
    assert len(result) == len(set(result)) == 28


@pytest.mark.parametrize("title", EVENTS)
def test_every_described_event_is_one_and_still_to_come(title: str) -> None:
    event = _sampler().event_titled(title)
    assert event.start >= datetime(2026, 3, 2)
    assert (str(event), event.fields["title"]) == (EVENTS[title], title)


def test_a_recurring_event_is_not_described() -> None:
    with pytest.raises(GenerationError, match="'Danish course' must be the title of exactly one"):
        _sampler().event_titled("Danish course")


def test_a_free_day_is_free_in_all_calendars() -> None:
    sampler = _sampler()
    days = [sampler.free_workday(free=(9, 12)) for _ in range(8)]
    taken = [
        sampler.store.occurrences(datetime(d.year, d.month, d.day, 9), datetime(d.year, d.month, d.day, 12))
        for d in days
    ]
    assert (len(set(days)), any(taken)) == (8, False)


def test_a_moved_event_keeps_its_length() -> None:
    event = _sampler().event_titled("Design review: wave wall")
    assert moved_times(event, datetime(2026, 4, 17, 9)) == {
        "start_time": "2026-04-17T09:00:00",
        "end_time": "2026-04-17T10:30:00",
    }


def test_a_change_to_what_is_so_already_is_refused() -> None:
    event = _sampler().event_titled("Dentist")
    with pytest.raises(GenerationError, match="no effect"):
        update_call(event, location="Elm Street Dental")


def test_days_are_listed_whole() -> None:
    arguments = {"start_date": "2026-03-21T00:00:00", "end_date": "2026-03-22T23:59:59", "calendar_name": "Family"}
    assert list_call(date(2026, 3, 21), date(2026, 3, 22), "Family") == ToolCall("list_events", arguments)
    assert long_date(date(2026, 3, 21)) == "Saturday 21 March"
