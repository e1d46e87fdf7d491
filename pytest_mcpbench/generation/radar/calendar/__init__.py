"""Calendar domain: five requests for each of the four tools, and eight chains of the most important ones."""

from collections.abc import Iterable
from random import Random

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.radar.calendar.sampler import CalendarSampler
from pytest_mcpbench.generation.radar.request import RadarRequest, check_reference_calls, fresh_world, source
from pytest_mcpbench.generation.radar.templates import WrittenTemplate, drawing_functions, drawn_requests
from pytest_mcpbench.generation.source.files import read_entries, read_named_entries, read_values
from pytest_mcpbench.simulated.calendar.server import SIMULATION


def requests(seed: int) -> list[RadarRequest]:
    """Return all requests of the domain, after checking that fresh calendars accept their reference calls."""
    draw = Random(f"{seed}/calendar")
    sampler = CalendarSampler(draw)
    values = {**read_values(source("calendar/words.yaml")), **drawing_functions(draw), **sampler.functions()}
    result = [each for template in templates() for each in drawn_requests(template, values, draw)]
    require_effects(result, sampler)
    check_reference_calls(result, SIMULATION, lambda: fresh_world("calendar"))
    return result


def templates() -> list[WrittenTemplate]:
    """Return the template of each tool, in the order of the server's tool list, and those of the chains."""
    of_tools = read_named_entries(source("calendar/single.yaml"), WrittenTemplate)
    return [
        *(of_tools[tool] for tool in SIMULATION.table),
        *read_entries(source("calendar/chains.yaml"), WrittenTemplate),
    ]


def require_effects(requests: Iterable[RadarRequest], sampler: CalendarSampler) -> None:
    """Raise ``TaskError`` for a change of an event that changes nothing: doing nothing would pass its task."""
    for request in requests:
        for call in request.calls:
            if call.tool == "update_event":
                fields = sampler.fields(str(call.arguments["event_id"]))
                changes = dict(call.arguments["update_event_request"])  # type: ignore[arg-type]  # an object
                if all(fields.get(name) == value for name, value in changes.items()):
                    raise TaskError(f"{request.prompt!r}: the change has no effect.", request.place)
