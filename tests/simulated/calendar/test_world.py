from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from pytest_mcpbench.simulated.calendar.world import CalendarStore, seed
from pytest_mcpbench.simulated.engine import ToolFailure
from tests.simulated.calendar.worlds import a_store, a_world, an_event

CET = timezone(timedelta(hours=1))


def days(store: CalendarStore, first: int, last: int, title: str | None = None) -> list[str]:
    """Day and title of what lies in these days of March 2026."""
    end = datetime(2026, 3, last, 23, 59, 59)
    found = store.occurrences(datetime(2026, 3, first), end, title)
    return [f"{each.start.day} {each.event['title']}" for each in found]


def request(**fields: Any) -> dict[str, Any]:
    return {"title": "New", "start_time": datetime(2026, 3, 5, 10), "end_time": datetime(2026, 3, 5, 11)} | fields


def test_the_seed_is_fifty_events_in_five_calendars() -> None:
    calendars = list(seed()["calendars"].values())
    assert len(calendars) == 5
    assert sum(len(calendar["events"]) for calendar in calendars) == 50
    assert [calendar["title"] for calendar in calendars if calendar["default"]] == ["Work"]


def test_an_empty_world_has_its_calendars() -> None:
    store = CalendarStore(a_world("empty"))
    assert len(store.titles()) == 5
    assert store.occurrences(datetime(2025, 1, 1), datetime(2027, 1, 1)) == []


def test_a_range_has_what_lies_in_it_at_least_in_part_by_beginning() -> None:
    store = a_store(
        an_event("late", "2026-03-03T18:00:00", "2026-03-03T19:00:00"),
        an_event("days", "2026-03-01T00:00:00", "2026-03-03T23:59:59", all_day=True),
        an_event("night", "2026-03-02T23:00:00", "2026-03-03T01:00:00"),
        an_event("before", "2026-03-02T10:00:00", "2026-03-02T11:00:00"),
        an_event("until", "2026-03-02T22:00:00", "2026-03-03T00:00:00"),
        an_event("moment", "2026-03-03T00:00:00", "2026-03-03T00:00:00"),
        an_event("after", "2026-03-04T00:00:00", "2026-03-04T01:00:00"),
    )
    assert days(store, 3, 3) == ["1 days", "2 night", "3 moment", "3 late"]


def test_recurring_events_are_expanded_and_a_calendar_can_be_chosen() -> None:
    weekly = an_event("round", "2026-02-16T09:00:00", "2026-02-16T10:00:00", recurrence_rule={"frequency": 1})
    store = a_store(weekly)
    assert days(store, 1, 20) == ["2 round", "9 round", "16 round"]
    assert days(store, 1, 20, "Home") == []
    with pytest.raises(ToolFailure, match="Calendar: Away does not exist"):
        days(store, 1, 20, "Away")


def test_an_endless_rule_ends_with_the_range_and_a_range_after_four_years() -> None:
    daily = an_event("daily", "2026-03-01T09:00:00", "2026-03-01T10:00:00", recurrence_rule={"frequency": 0})
    assert len(a_store(daily).occurrences(datetime(2026, 3, 1), datetime(2999, 1, 1), "Work")) == 4 * 365 + 1


def test_times_with_an_offset_are_converted_to_the_calendars_zone() -> None:
    store = a_store(zone="Europe/Berlin")
    moments = {
        "start_time": datetime(2026, 3, 5, 10, tzinfo=UTC),
        "end_time": datetime(2026, 3, 5, 12, tzinfo=CET),
    }
    event = store.create(request(**moments))
    assert (event["start_time"], event["end_time"]) == ("2026-03-05T11:00:00", "2026-03-05T12:00:00")
    assert store.in_utc(datetime(2026, 3, 5, 11)).hour == 10


def test_a_recurring_event_keeps_its_wall_clock_time_when_the_clocks_change() -> None:
    weekly = an_event("round", "2026-03-23T09:00:00", "2026-03-23T10:00:00", recurrence_rule={"frequency": 1})
    store = a_store(weekly, zone="Europe/Berlin")
    found = store.occurrences(datetime(2026, 3, 23), datetime(2026, 3, 31))
    assert [store.in_utc(each.start).hour for each in found] == [8, 7]


def test_a_new_event_goes_into_the_default_calendar_or_into_the_one_named() -> None:
    store = a_store()
    made = [store.create(request()), store.create(request(notes="n", reminder_offsets=[15]), "Home")]
    assert store.tree.get("calendars[primary].events") == {made[0]["event_id"]: made[0]}
    assert store.tree.get("calendars[h].events") == {made[1]["event_id"]: made[1]}
    assert made[1] == an_event(made[1]["event_id"], "2026-03-05T10:00:00", "2026-03-05T11:00:00") | {
        "title": "New",
        "notes": "n",
        "reminder_offsets": [15],
    }


def test_an_all_day_event_takes_whole_days() -> None:
    event = a_store().create(request(all_day=True, end_time=datetime(2026, 3, 6, 9)))
    assert (event["start_time"], event["end_time"]) == ("2026-03-05T00:00:00", "2026-03-06T23:59:59")


def test_an_update_changes_what_is_given_and_nothing_else() -> None:
    store = a_store(an_event("e", "2026-03-05T10:00:00", "2026-03-05T11:00:00", notes="n", attendees=["Bo"]))
    store.update("e", {"title": "Other", "start_time": None, "notes": None})
    assert store.event("e") == an_event(
        "e", "2026-03-05T10:00:00", "2026-03-05T11:00:00", notes="n", attendees=["Bo"]
    ) | {"title": "Other"}
    assert [edit.kind for edit in store.tree.journal] == ["updated"]


def test_an_update_moves_an_event_to_another_calendar_with_its_id() -> None:
    store = a_store(an_event("e", "2026-03-05T10:00:00", "2026-03-05T11:00:00"))
    store.update("e", {"title": "Other"}, "Home")
    assert store.tree.get("calendars[w].events") == {}
    assert store.tree.get("calendars[h].events[e].title") == "Other"


@pytest.mark.parametrize(
    ("event_id", "fields", "title", "message"),
    [
        ("none", {}, None, "Event with id: none does not exist"),
        ("]", {}, None, "Event with id: ] does not exist"),
        ("e", {"title": "x"}, "Away", "Calendar: Away does not exist"),
        ("e", {"end_time": datetime(2026, 3, 5, 9)}, None, "The start date must be before the end date."),
        ("e", {}, "Holidays", "That calendar may not be modified."),
        ("may", {"title": "x"}, None, "That calendar may not be modified."),
    ],
)
def test_an_update_is_refused(event_id: str, fields: dict[str, Any], title: str | None, message: str) -> None:
    store = a_store(an_event("e", "2026-03-05T10:00:00", "2026-03-05T11:00:00"))
    with pytest.raises(ToolFailure, match=message.replace("]", r"\]")):
        store.update(event_id, fields, title)
    assert store.tree.journal == ()


def test_an_event_that_ends_before_it_begins_is_refused() -> None:
    store = a_store()
    with pytest.raises(ToolFailure, match="must be before the end date"):
        store.create(request(end_time=datetime(2026, 3, 5, 9)))
    assert store.tree.journal == ()
