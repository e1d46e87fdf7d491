"""Context injection: concrete things and texts of a person's world for a prototype (MCP-Persona 3.3)."""

import random
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from pytest_mcpbench.generation.pipeline.candidates import Drop
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.slots import SLOT
from pytest_mcpbench.generation.pipeline.stages import Outcome
from pytest_mcpbench.generation.pipelines.persona.candidates import (
    Lookup,
    PrototypeCandidate,
    Record,
    SituationCandidate,
)
from pytest_mcpbench.generation.pipelines.persona.prototypes import slots_of
from pytest_mcpbench.generation.pipelines.persona.trees import field_words
from pytest_mcpbench.generation.pipelines.persona.units import value_of, value_pool

_UNNECESSARY = 3
"""Facts about other things that the agent reads, too."""


async def inject(setup: Setup, candidate: PrototypeCandidate) -> Outcome:
    """Return the prototype with values drawn from the person's world."""
    rng = setup.random(f"context of {candidate.id}")
    by_id = {lookup.id: lookup for lookup in candidate.lookups}
    things: dict[str, Record] = {}
    values: dict[str, JsonValue] = {}
    for at, slot in slots_of(candidate):
        key = f"{at + 1}_{slot.name}"
        if slot.role != "thing":
            left = [value for value in value_pool(slot) if value not in values.values()]
            values[key] = rng.choice(left or list(value_pool(slot)))
            continue
        names = {record.label for record in things.values()} | {candidate.own_name}
        lookup = by_id.get(slot.lookup)
        field = candidate.units[at].field
        needed = [name for name in (slot.field, field) if name]
        fitting = [
            record
            for record in (lookup.records if lookup else ())
            if record.label not in names and all(record.fields.get(name) for name in needed)
        ]
        record = rng.choice(fitting) if fitting else None
        if record is None:
            return Drop("the world has no thing for the prototype", f"{candidate.units[at].tool}: {slot.name}")
        things[key] = record
        values[key] = value_of(slot, record.fields.get(slot.field, record.label))
    said = {key: f"{things[key].label} ({value})" if key in things else f'"{value}"' for key, value in values.items()}
    instruction = SLOT.sub(lambda slot: said.get(slot[1], '""'), candidate.prototype)
    unnecessary = tuple(_other_facts(candidate.lookups, things, rng))
    return [
        SituationCandidate(
            **candidate.model_dump(), things=things, values=values, instruction=instruction, unnecessary=unnecessary
        )
    ]


def _other_facts(lookups: Sequence[Lookup], things: Mapping[str, Record], rng: random.Random) -> list[str]:
    """Return facts about things that the request does not speak of."""
    names = {record.label for record in things.values()}
    facts = [
        f"The {' '.join(field_words(path))} of {record.label}: {record.fields[path]}"
        for lookup in lookups
        for path in lookup.asked[:1]
        for record in lookup.records
        if record.label not in names and path in record.fields
    ]
    return rng.sample(facts, min(_UNNECESSARY, len(facts)))
