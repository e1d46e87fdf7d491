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

FREE_IN_PERSONA = {
    "notion_create_database_item.properties.Assignee.people.object": "a constant beside the id",
    "notion_append_block_children.children.object": "a constant beside the type",
}
READING = frozenset({"read_email", "list_events"})


@pytest.mark.parametrize("server", RADAR)
def test_no_text_of_a_radar_call_may_be_junk(server: str, tmp_path: Path) -> None:
    tools = frozenset(RADAR[server].table) - READING
    found = {
        (task.id, each)
        for task in shipped.tasks("radar")
        if task.servers == (server,)
        for each in survivors("radar", task, RADAR, tools, tmp_path)
    }
    # A subject that nobody dictated is left to a judge: with junk there, the attempt is unscored.
    assert found == set()


def _writing(task: Task) -> frozenset[str]:
    return frozenset((each.tool or "").rpartition(":")[2] for each in task.expected.exec if each.kind == "operate")


@pytest.mark.long
def test_no_text_of_a_persona_call_that_writes_may_be_junk_without_a_reason(tmp_path: Path) -> None:
    found = {
        (each, task.id)
        for task in shipped.tasks("persona")
        for each in survivors("persona", task, SIMULATIONS, _writing(task), tmp_path)
    }
    assert {(each, name) for each, name in found if each not in FREE_IN_PERSONA} == set()
    assert {each for each, _ in found} == set(FREE_IN_PERSONA)
