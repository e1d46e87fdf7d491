import json
from typing import Any

import pytest
from mcp import Client

from pytest_mcpbench.simulated.calendar.server import SIMULATION, server
from pytest_mcpbench.simulated.calendar.world import CalendarStore
from pytest_mcpbench.simulated.engine import ToolFailure
from tests.shared_data import shared_file
from tests.simulated.calendar.worlds import a_store, a_tree, a_world, an_event

REVIEW = an_event("r", "2026-03-05T10:00:00", "2026-03-05T11:00:00", title="Review", reminder_offsets=[15, 60])


def answer(store: CalendarStore, tool: str, arguments: dict[str, Any]) -> str:
    try:
        return str(SIMULATION.call(store, tool, arguments))
    except ToolFailure as failure:
        return str(failure)


def names(schema: dict[str, Any]) -> set[str]:
    return {f"{name}*" if name in schema.get("required", ()) else name for name in schema["properties"]}


def test_the_tools_are_those_of_the_real_server() -> None:
    real = json.loads(shared_file("radar/tools_49.json").read_text())["calendar"]["tools"]
    schemas = {name: tool.input_schema for name, tool in SIMULATION.table.items()}
    assert {name: names(schema) for name, schema in schemas.items()} == {
        name: set(parameters) for name, parameters in real.items()
    }
    parts = schemas["create_event"]["$defs"]
    assert names(parts["CreateEventRequest"]) == set(real["create_event"]["create_event_request*"])
    assert names(parts["RecurrenceRule"]) == {"frequency*", "interval", "end_date", "occurrence_count", "days_of_week"}
    assert not schemas["update_event"]["$defs"]["UpdateEventRequest"].get("required")


def test_events_are_shown_in_the_real_servers_lines() -> None:
    rule = {"frequency": 1, "interval": 2, "occurrence_count": 5}
    store = a_store(REVIEW | {"location": "Room 4", "recurrence_rule": rule, "attendees": ["Ann", "Bo"]})
    march_5 = {"start_date": "2026-03-05T00:00:00", "end_date": "2026-03-05T23:59:59"}
    assert answer(store, "list_events", march_5) == (
        "Event: Review,\n"
        " - Identifier: r,\n"
        " - Start Time: 2026-03-05 10:00:00 +0000,\n"
        " - End Time: 2026-03-05 11:00:00 +0000,\n"
        " - Calendar: Work,\n"
        " - Location: Room 4,\n"
        " - Notes: N/A,\n"
        " - Alarms (minutes before): 15, 60,\n"
        " - URL: N/A,\n"
        " - All Day Event?: False,\n"
        " - Status: N/A,\n"
        " - Organizer: N/A,\n"
        " - Attendees: Ann, Bo,\n"
        " - Recurrence: WEEKLY, Interval: 2, End Date: N/A, Occurrences: 5\n"
    )
    assert answer(store, "list_events", march_5 | {"calendar_name": "Home"}) == (
        "No events found in the specified date range"
    )


def test_calendars_are_listed_by_tool_and_by_resource() -> None:
    assert answer(a_store(), "list_calendars", {}) == "Available calendars:\n- Work\n- Home\n- Holidays"


def test_an_event_is_created_with_all_that_was_asked_for() -> None:
    store = a_store()
    asked = {
        "title": "Course",
        "start_time": "2026-03-05T18:00:00",
        "end_time": "2026-03-05T19:30:00+00:00",
        "calendar_name": "Home",
        "reminder_offsets": [30],
        "recurrence_rule": {"frequency": 1, "days_of_week": [5], "end_date": "2026-04-30T00:00:00Z"},
    }
    text = answer(store, "create_event", {"create_event_request": asked})
    (event,) = store.tree.list("calendars[h].events")
    assert text == f"Successfully created event: Course (ID: {event['event_id']})"
    assert event == an_event(
        event["event_id"],
        "2026-03-05T18:00:00",
        "2026-03-05T19:30:00",
        title="Course",
        reminder_offsets=[30],
        recurrence_rule={"frequency": 1, "interval": 1, "end_date": "2026-04-30T00:00:00", "days_of_week": [5]},
    )
    json.dumps(store.tree.to_json())


def test_an_event_is_updated() -> None:
    store = a_store(REVIEW)
    change = {"event_id": "r", "update_event_request": {"location": "Room 5"}}
    assert answer(store, "update_event", change) == "Successfully updated event: Review"
    assert store.event("r") == REVIEW | {"location": "Room 5"}


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        (
            "list_events",
            {"start_date": "2026-03-05", "end_date": "2026-03-06", "calendar_name": "Away"},
            "Error listing events: Calendar: Away does not exist",
        ),
        ("list_events", {"start_date": "soon", "end_date": "later"}, "Error executing tool list_events: 2 validation"),
        (
            "create_event",
            {"create_event_request": {"title": "x", "start_time": "2026-03-05T10:00", "end_time": "2026-03-05T09:00"}},
            'Error creating event: Error Domain=EKErrorDomain Code=4 "The start date must be before the end date."',
        ),
        (
            "create_event",
            {
                "create_event_request": {
                    "title": "x",
                    "start_time": "2026-03-05T10:00",
                    "end_time": "2026-03-05T11:00",
                    "recurrence_rule": {"frequency": 1, "end_date": "2026-04-01T00:00", "occurrence_count": 2},
                }
            },
            "Error executing tool create_event: 1 validation error for create_eventArguments\n"
            "create_event_request.recurrence_rule\n  Value error, Only one of end_date or occurrence_count can be set",
        ),
        (
            "update_event",
            {"event_id": "no", "update_event_request": {}},
            "Error updating event: Event with id: no does not exist",
        ),
        ("delete_event", {"event_id": "r"}, "Unknown tool: delete_event"),
    ],
)
def test_what_cannot_be_done_is_answered_in_the_real_servers_words(
    tool: str, arguments: dict[str, Any], text: str
) -> None:
    store = a_store(REVIEW)
    assert answer(store, tool, arguments).startswith(text)
    assert store.tree.journal == ()


@pytest.mark.anyio
async def test_a_client_reads_calendars_and_world() -> None:
    async with Client(server(a_world(a_tree(REVIEW)))) as client:
        listed = await client.read_resource("calendars://list")
        world = await client.read_resource("mcpbench://world")
    assert listed.contents[0].text == "Available calendars:\n- Work\n- Home\n- Holidays"  # type: ignore[union-attr]
    assert json.loads(world.contents[0].text) == a_tree(REVIEW)  # type: ignore[union-attr]
