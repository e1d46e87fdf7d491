"""Calendar: five requests for each of the four tools, and eight chains of those that are used most."""

from collections.abc import Callable
from random import Random

from pytest_mcpbench.generation.radar.calendar import single
from pytest_mcpbench.generation.radar.calendar.chains import chains
from pytest_mcpbench.generation.radar.calendar.sampler import CalendarSampler
from pytest_mcpbench.generation.radar.request import Request, check_reference_calls, fresh_world
from pytest_mcpbench.simulated.calendar.server import SIMULATION

TEMPLATES: tuple[Callable[[CalendarSampler], list[Request]], ...] = (
    single.list_calendars,
    single.list_events,
    single.create_event,
    single.update_event,
)
"""One a tool, under the tool's name, in the order of the server's list."""


def requests(seed: int) -> list[Request]:
    """All requests of the domain, each checked to be accepted by fresh calendars."""
    sampler = CalendarSampler(Random(f"{seed}/calendar"))
    made = [each for template in TEMPLATES for each in template(sampler)] + chains(sampler)
    check_reference_calls(made, SIMULATION, lambda: fresh_world("calendar"))
    return made
