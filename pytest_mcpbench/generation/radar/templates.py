"""Templates of requests, whose slots are filled with values that are drawn at random."""

from collections.abc import Mapping
from random import Random
from typing import Any

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.result_templates import ResultTemplateError, fill
from pytest_mcpbench.generation.radar.request import RadarRequest, WrittenRequest, filled_request
from pytest_mcpbench.generation.source.files import SourceEntry
from pytest_mcpbench.generation.source.values import evaluate


class WrittenTemplate(SourceEntry):
    """Several requests with the values that they share."""

    draw: Mapping[str, str] = {}
    """Name of a value, or several names for a list of values -> expression; evaluated in order."""
    sample: int | None = None
    """Number of requests to draw from those below; all of them by default."""
    for_each: str | None = None
    """Expression for a list; the requests are made for each item, which is called ``it``."""
    requests: tuple[WrittenRequest, ...]


def drawn_requests(template: WrittenTemplate, values: Mapping[str, Any], draw: Random) -> list[RadarRequest]:
    """Return the requests of a template. Raises ``TaskError``."""
    try:
        scope = {**values, **evaluate(template.draw, values)}
        items = [scope] if template.for_each is None else [{**scope, "it": it} for it in fill(template.for_each, scope)]
    except ResultTemplateError as error:
        raise TaskError(f"the values cannot be drawn: {error}.", template.place) from error
    written = template.requests if template.sample is None else draw.sample(template.requests, template.sample)
    return [filled_request(each, item) for item in items for each in written]


def drawing_functions(draw: Random) -> dict[str, Any]:
    """Return the functions of expressions that draw."""
    return {
        "choice": lambda values: draw.choice([*values]),
        "sample": lambda values, count: draw.sample([*values], count),
        "randint": draw.randint,
    }
