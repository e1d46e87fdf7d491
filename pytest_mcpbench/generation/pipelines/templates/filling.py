"""Values of slots, drawn from lists and from results of the servers, and the requests that they lead to."""

import random
from collections.abc import Iterator
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.payload import payload
from pytest_mcpbench.generation.pipeline.candidates import Drop
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.slots import SLOT, with_values
from pytest_mcpbench.generation.pipeline.stages import Outcome
from pytest_mcpbench.generation.pipeline.trial_servers import open_server
from pytest_mcpbench.generation.pipelines.templates.candidates import (
    FilledCandidate,
    TemplateCall,
    TemplateCandidate,
)

OF_EACH = 5
"""Tasks that one template leads to at most (MCP-RADAR 3.2)."""
_MOST_VALUES = 200
"""Values of one slot."""


async def find_values(setup: Setup, template: TemplateCandidate) -> Outcome:
    """Return the template with the values that the servers have for its slots."""
    values = dict(template.values)
    for slot, source in template.sources.items():
        result = await _result(setup, source.call)
        if result is None:
            return Drop("a call for values fails on the server", source.call.tool)
        values[slot] = tuple(dict.fromkeys(_members(result, source.field)))[:_MOST_VALUES]
    for slot in _slots(template):
        if not values.get(slot):
            return Drop("a slot has no value", slot)
    return [template.model_copy(update={"values": values})]


async def fill(setup: Setup, template: TemplateCandidate) -> Outcome:
    """Return the template with different values drawn for its slots, at most :data:`OF_EACH` times."""
    rng = setup.random(f"values of {template.id}")
    drawn: dict[str, dict[str, JsonValue]] = {}
    for _ in range(4 * OF_EACH):
        chosen = _draw(template, rng)
        if len(drawn) < OF_EACH:
            drawn.setdefault(repr(chosen), chosen)
    return [_filled_candidate(template, number, chosen) for number, chosen in enumerate(drawn.values(), 1)]


async def _result(setup: Setup, call: TemplateCall) -> Any:
    """Return the value of a call's result in a fresh state; ``None`` if the call fails."""
    async with open_server(setup, call.server) as connection:
        result = await connection.call(call.tool, call.arguments)
    return None if result.is_error else payload(result)


def _members(value: Any, field: str, name: str = "") -> Iterator[JsonValue]:
    """Yield the texts and numbers of all members with a name; without a name all."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _members(part, field, key)
    elif isinstance(value, list):
        for part in value:
            yield from _members(part, field, name)
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and field in ("", name):
        yield value


def _slots(template: TemplateCandidate) -> dict[str, None]:
    """Return the slots of the requests and of the calls, without references to results."""
    texts = [*template.asks, *template.answers, *(repr(call.arguments) for step in template.steps for call in step)]
    return dict.fromkeys(slot for text in texts for slot in SLOT.findall(text) if not slot.endswith("_result"))


def _draw(template: TemplateCandidate, rng: random.Random) -> dict[str, JsonValue]:
    """Draw a value for each slot; slots with the same values get different ones where there are enough."""
    drawn: dict[str, JsonValue] = {}
    for slot in _slots(template):
        pool = template.values[slot]
        left = [value for value in pool if value not in drawn.values()] or list(pool)
        drawn[slot] = rng.choice(left)
    return drawn


def _filled_candidate(template: TemplateCandidate, number: int, values: dict[str, JsonValue]) -> FilledCandidate:
    steps = tuple(
        tuple(call.model_copy(update={"arguments": with_values(call.arguments, values)}) for call in step)
        for step in template.steps
    )
    return FilledCandidate(
        id=f"{template.id}-{number}",
        request=" ".join(_text(ask, values) for ask in template.asks),
        steps=steps,
        answers=tuple(_text(answer, values) for answer in template.answers),
        tags=template.tags,
    )


def _text(template: str, values: dict[str, JsonValue]) -> str:
    return SLOT.sub(lambda slot: str(values.get(slot[1], slot[0])), template)
