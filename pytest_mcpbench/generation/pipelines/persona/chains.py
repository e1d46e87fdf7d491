"""Chains of units, drawn under the five constraints (MCP-Persona 3.3)."""

import random
from collections.abc import Iterable, Iterator, Sequence

from pytest_mcpbench.generation.pipeline.candidates import Dropped
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.persona.candidates import (
    ChainCandidate,
    Flow,
    Lookup,
    Unit,
    UnitCandidate,
)
from pytest_mcpbench.generation.pipelines.persona.constraints import Surroundings, chain_key, first_fault

Draw = tuple[tuple[Unit, ...], tuple[Flow, ...]]

_DRAWS = 12
"""Draws for each chain; most are dropped by a constraint."""
_LONGEST = 3


def draw_chains(setup: Setup, candidates: Sequence[UnitCandidate]) -> Selection:
    """Return different chains of one to three units, the same number for each person."""
    people = list(dict.fromkeys(candidate.person for candidate in candidates))
    wanted = -(-setup.candidates_wanted // max(1, len(people)))
    kept: list[ChainCandidate] = []
    dropped: list[Dropped] = []
    for turn, person in enumerate(people):
        own = [candidate for candidate in candidates if candidate.person == person]
        rng = setup.random(f"chains of {person}")
        draws = _draws([each.unit for each in own], slice(turn, None, len(people)), _DRAWS * wanted, rng)
        selection = _chains_of(own, draws, kept, wanted)
        kept += selection[0]
        dropped += selection[1]
    return Selection(kept, dropped)


def _chains_of(
    candidates: Sequence[UnitCandidate], draws: Iterable[Draw], before: Sequence[ChainCandidate], wanted: int
) -> tuple[list[ChainCandidate], list[Dropped]]:
    lookups = {lookup.id: lookup for candidate in candidates for lookup in candidate.lookups}
    personal = {lookup.server for lookup in lookups.values()}
    by_key = {candidate.unit.key: candidate for candidate in candidates}
    earlier = {chain_key(chain) for chain in before}
    kept: list[ChainCandidate] = []
    dropped: dict[str, Dropped] = {}
    for number, (units, flows) in enumerate(draws, 1):
        own = [by_key[unit.key] for unit in units]
        chain = ChainCandidate(
            id=f"{own[0].person}-{number:04}",
            person=own[0].person,
            units=units,
            flows=flows,
            lookups=merge_lookups([lookup for candidate in own for lookup in candidate.lookups]),
            people=own[0].people,
            cast=own[0].cast,
        )
        fault = first_fault(chain, Surroundings(lookups.keys(), personal, earlier))
        if fault is None:
            earlier.add(chain_key(chain))
            kept.append(chain)
        else:
            dropped.setdefault(f"{fault.reason} {chain_key(chain)}", Dropped.of(chain, fault))
        if len(kept) == wanted:
            break
    return kept, list(dropped.values())


def merge_lookups(lookups: Sequence[Lookup]) -> tuple[Lookup, ...]:
    """Return each lookup once, with the fields of all."""
    found: dict[str, Lookup] = {}
    for lookup in lookups:
        before = found.get(lookup.id)
        if before is None:
            found[lookup.id] = lookup
            continue
        records = tuple(
            one.model_copy(update={"fields": {**one.fields, **other.fields}})
            for one, other in zip(before.records, lookup.records, strict=True)
        )
        found[lookup.id] = before.model_copy(update={"records": records})
    return tuple(found.values())


def _draws(units: Sequence[Unit], turn: slice, number: int, rng: random.Random) -> Iterator[Draw]:
    """Yield single units, first those whose turn it is, and sequences in which values flow where they can."""
    alone = list(units)
    rng.shuffle(alone)
    own = {unit.key for unit in units[turn]}
    yield from (((unit,), ()) for unit in alone if unit.key in own)
    for _ in range(number if len(units) > 1 else 0):
        chosen = tuple(rng.sample(units, rng.randint(2, min(_LONGEST, len(units)))))
        yield chosen, tuple(_flows(chosen))
    yield from (((unit,), ()) for unit in alone if unit.key not in own)


def _flows(units: Sequence[Unit]) -> Iterator[Flow]:
    """Yield a flow from the first unit that reads into the text of every later unit that changes something."""
    source = next((at for at, unit in enumerate(units) if unit.kind == "read"), None)
    for at, unit in enumerate(units):
        texts = [slot.name for slot in unit.slots if slot.role == "text"]
        if source is not None and at > source and unit.kind == "change" and texts:
            yield Flow(source=source, target=at, slot=texts[0])
