"""The requests about calendars: days, times and events that are found before they are changed."""

from collections import Counter
from datetime import date, datetime
from random import Random

import pytest

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.generation.radar import SEED
from pytest_mcpbench.generation.radar.calendar import CalendarSampler, day_name, moved, requests, require_effects
from pytest_mcpbench.generation.radar.request import AmbiguousRequestError, RadarRequest, source
from pytest_mcpbench.generation.source.calls import ReferenceCall
from pytest_mcpbench.generation.source.files import read_values
from pytest_mcpbench.simulated.calendar.server import SIMULATION

EVENTS = read_values(source("calendar/words.yaml"))["events"]


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


@pytest.mark.extra
@pytest.mark.parametrize("seed", [1, 2])
def test_other_seeds_give_requests_that_the_calendars_accept_too(seed: int) -> None:
    result = [request.prompt for request in requests(seed)]
    assert len(result) == len(set(result)) == 28


@pytest.mark.parametrize("title", EVENTS)
def test_every_described_event_is_one_and_still_to_come(title: str) -> None:
    event = _sampler().event_titled(title)
    assert event.start >= datetime(2026, 3, 2)
    assert (str(event), event.fields["title"]) == (EVENTS[title], title)


def test_a_recurring_event_is_not_described() -> None:
    with pytest.raises(AmbiguousRequestError, match="'Danish course' must be the title of exactly one"):
        _sampler().event_titled("Danish course")


def test_a_free_day_is_free_in_all_calendars() -> None:
    sampler = _sampler()
    days = [sampler.free_day(free=(9, 12)) for _ in range(8)]
    taken = [
        sampler.store.occurrences(datetime(d.year, d.month, d.day, 9), datetime(d.year, d.month, d.day, 12))
        for d in days
    ]
    assert (len(set(days)), any(taken)) == (8, False)


def test_a_moved_event_keeps_its_length() -> None:
    event = _sampler().event_titled("Design review: wave wall")
    assert moved(event, datetime(2026, 4, 17, 9)) == {
        "start_time": "2026-04-17T09:00:00",
        "end_time": "2026-04-17T10:30:00",
    }


def test_a_change_to_what_is_so_already_is_refused() -> None:
    sampler = _sampler()
    arguments = {
        "event_id": sampler.event_titled("Dentist").id,
        "update_event_request": {"location": "Elm Street Dental"},
    }
    call = ReferenceCall(tool="update_event", arguments=arguments)
    with pytest.raises(TaskError, match=r"^x\.yaml:3: '\?': the change has no effect\.$"):
        require_effects([RadarRequest("?", (call,), (), SourceLocation("x.yaml", 3))], sampler)


def test_days_are_named_with_their_weekday() -> None:
    assert day_name(date(2026, 3, 21)) == "Saturday 21 March"
