"""Chains of units, drawn under the five constraints (MCP-Persona 3.3)."""

import random
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, islice

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
    """Return different chains of one to three units, one of each person in turn, as long as there are any."""
    people = list(dict.fromkeys(candidate.person for candidate in candidates))
    draws = _DRAWS * -(-setup.candidates_wanted // max(1, len(people)))
    faults = _Faults()
    sources = []
    for turn, person in enumerate(people):
        own = [candidate for candidate in candidates if candidate.person == person]
        rng = setup.random(f"chains of {person}")
        sources.append(_Person(own, faults).chains(slice(turn, None, len(people)), draws, rng))
    return Selection(list(islice(_in_turn(sources), setup.candidates_wanted)), list(faults.dropped.values()))


def _in_turn(sources: Iterable[Iterator[ChainCandidate]]) -> Iterator[ChainCandidate]:
    """Yield one chain of each source in turn, until all are used up."""
    left = deque(sources)
    while left:
        source = left.popleft()
        found = next(source, None)
        if found is not None:
            left.append(source)
            yield found


@dataclass(frozen=True)
class _Faults:
    """The constraints as all people's chains have met them."""

    earlier: set[str] = field(default_factory=set)
    """Keys of the chains that are kept."""
    dropped: dict[str, Dropped] = field(default_factory=dict)
    """Dropped chains by person, reason and key."""

    def keeps(self, found: ChainCandidate, around: Surroundings) -> bool:
        """Return whether a chain violates no constraint; it is remembered either way."""
        fault = first_fault(found, around)
        if fault is None:
            self.earlier.add(chain_key(found))
        else:
            self.dropped.setdefault(f"{found.person} {fault.reason} {chain_key(found)}", Dropped.of(found, fault))
        return fault is None


@dataclass(frozen=True)
class _Person:
    """The units of one person."""

    candidates: Sequence[UnitCandidate]
    faults: _Faults
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def chains(self, turn: slice, draws: int, rng: random.Random) -> Iterator[ChainCandidate]:
        """Return chains: single units whose turn it is and longer ones alternately, then the other single units."""
        units = [each.unit for each in self.candidates]
        first = {unit.key for unit in units[turn]}
        alone = rng.sample(units, len(units))
        singles = self._fitting(((unit,), ()) for unit in alone if unit.key in first)
        others = self._fitting(((unit,), ()) for unit in alone if unit.key not in first)
        return chain(_in_turn([singles, self._fitting(_longer(units, draws, rng))]), others)

    def _fitting(self, draws: Iterable[Draw]) -> Iterator[ChainCandidate]:
        """Yield the chains that keep all constraints."""
        lookups = {lookup.id: lookup for candidate in self.candidates for lookup in candidate.lookups}
        personal = {lookup.server for lookup in lookups.values()}
        by_key = {candidate.unit.key: candidate for candidate in self.candidates}
        for units, flows in draws:
            own = [by_key[unit.key] for unit in units]
            found = ChainCandidate(
                id=f"{own[0].person}-{next(self.numbers):04}",
                person=own[0].person,
                units=units,
                flows=flows,
                lookups=merge_lookups([lookup for candidate in own for lookup in candidate.lookups]),
                people=own[0].people,
                cast=own[0].cast,
            )
            if self.faults.keeps(found, Surroundings(lookups.keys(), personal, self.faults.earlier)):
                yield found


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


def _longer(units: Sequence[Unit], number: int, rng: random.Random) -> Iterator[Draw]:
    """Yield a number of drawn sequences of units, in which values flow where they can."""
    for _ in range(number if len(units) > 1 else 0):
        chosen = tuple(rng.sample(units, rng.randint(2, min(_LONGEST, len(units)))))
        yield chosen, tuple(_flows(chosen))


def _flows(units: Sequence[Unit]) -> Iterator[Flow]:
    """Yield a flow from the first unit that reads into the text of every later unit that changes something."""
    source = next((at for at, unit in enumerate(units) if unit.kind == "read"), None)
    for at, unit in enumerate(units):
        texts = [slot.name for slot in unit.slots if slot.role == "text"]
        if source is not None and at > source and unit.kind == "change" and texts:
            yield Flow(source=source, target=at, slot=texts[0])
