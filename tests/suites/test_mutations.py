"""Who makes the right calls with junk in one text passes nothing, but where the wording is the agent's own."""

from pathlib import Path

import pytest

from pytest_mcpbench.simulated.calendar.server import SIMULATION as CALENDAR
from pytest_mcpbench.simulated.mail.server import SIMULATION as MAIL
from tests.suites import shipped
from tests.suites.mutations import survivors

RADAR = {"mail": MAIL, "calendar": CALENDAR}
FREE_IN_RADAR = {
    "send_email.subject": "no request gives a subject; what must be said may stand in it or in the body",
    "draft_email.subject": "as above",
}
READING = frozenset({"read_email", "list_events"})


@pytest.mark.parametrize("server", RADAR)
def test_no_text_of_a_radar_call_may_be_junk_but_a_subject(server: str, tmp_path: Path) -> None:
    tools = frozenset(RADAR[server].table) - READING
    found = {
        (task.id, each)
        for task in shipped.tasks("radar")
        if task.servers == (server,)
        for each in survivors("radar", task, RADAR, tools, tmp_path)
    }
    assert {(name, each) for name, each in found if each not in FREE_IN_RADAR} == set()


@pytest.mark.parametrize("free", FREE_IN_RADAR)
def test_what_is_free_is_free_in_some_task(free: str, tmp_path: Path) -> None:
    mails = [task for task in shipped.tasks("radar") if task.servers == ("mail",)]
    assert any(free in survivors("radar", task, RADAR, frozenset({free.partition(".")[0]}), tmp_path) for task in mails)
