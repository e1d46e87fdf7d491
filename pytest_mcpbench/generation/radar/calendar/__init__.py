"""Calendar domain: five requests for each of the four tools, and eight chains of the most important ones."""

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
"""One request template per tool, named after the tool and in the order of the server's tool list."""


def requests(seed: int) -> list[Request]:
    """Return all requests of the domain, after checking that fresh calendars accept their reference calls."""
    sampler = CalendarSampler(Random(f"{seed}/calendar"))
    result = [each for template in TEMPLATES for each in template(sampler)] + chains(sampler)
    check_reference_calls(result, SIMULATION, lambda: fresh_world("calendar"))
    return result
