"""Right calls with junk in one text: they pass only where the wording is left to the agent."""

from pathlib import Path

import pytest

from pytest_mcpbench.core.task import Task
from pytest_mcpbench.simulated.calendar.server import SIMULATION as CALENDAR
from pytest_mcpbench.simulated.mail.server import SIMULATION as MAIL
from tests.suites import shipped
from tests.suites.mutations import survivors
from tests.suites.worlds import SIMULATIONS

RADAR = {"mail": MAIL, "calendar": CALENDAR}
pytestmark = pytest.mark.extra

FREE_IN_RADAR = {
    "send_email.subject": "no request gives a subject; what must be said may stand in it or in the body",
    "draft_email.subject": "as above",
}
FREE_IN_PERSONA = {
    "notion_create_database_item.properties.Assignee.people.object": "a constant beside the id",
    "notion_append_block_children.children.object": "a constant beside the type",
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


def _writing(task: Task) -> frozenset[str]:
    return frozenset((each.tool or "").rpartition(":")[2] for each in task.expected.exec if each.kind == "operate")


def test_no_text_of_a_persona_call_that_writes_may_be_junk_without_a_reason(tmp_path: Path) -> None:
    found = {
        (each, task.id)
        for task in shipped.tasks("persona")
        for each in survivors("persona", task, SIMULATIONS, _writing(task), tmp_path)
    }
    assert {(each, name) for each, name in found if each not in FREE_IN_PERSONA} == set()
    assert {each for each, _ in found} == set(FREE_IN_PERSONA)
