"""Stages of the pipeline ``persona``, with a model or with rules in its place."""

import random
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, count, islice

from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.generation.pipeline.candidates import Drop, Dropped, TaskCandidate
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import EachStage, Selection, Stage, WholeStage
from pytest_mcpbench.generation.pipelines.persona.asking import (
    METHODS,
    PROTOTYPE,
    REALISM,
    REWRITING,
    TEXTS,
    PersonaModelWriter,
)
from pytest_mcpbench.generation.pipelines.persona.candidates import (
    FuzzyRequest,
    Lookup,
    NeededValue,
    PrototypeCandidate,
    SituationCandidate,
    ToolUnit,
    TreeCandidate,
    UnitCandidate,
    UnitChain,
)
from pytest_mcpbench.generation.pipelines.persona.checkpoints import set_checkpoints
from pytest_mcpbench.generation.pipelines.persona.contexts import inject
from pytest_mcpbench.generation.pipelines.persona.fuzzing import fuzzify
from pytest_mcpbench.generation.pipelines.persona.prototypes import write_prototype
from pytest_mcpbench.generation.pipelines.persona.trees import grow_trees
from pytest_mcpbench.generation.pipelines.persona.units import find_units
from pytest_mcpbench.generation.pipelines.persona.words import acts
from pytest_mcpbench.generation.pipelines.persona.worlds import Worlds
from pytest_mcpbench.generation.pipelines.tools.words import words

# The five constraints of a chain of units (MCP-Persona 3.3); each returns why it drops a chain, or ``None``.


@dataclass(frozen=True)
class Surroundings:
    """Everything that a chain is compared with."""

    lookups: Collection[str]
    """Ids of the lookups that find things."""
    personal: Collection[str]
    """Servers that hold the world of a person."""
    earlier: Collection[str] = ()
    """Keys of the chains that are kept already."""


def dependency_fault(chain: UnitChain, around: Surroundings) -> Drop | None:
    """Dependency: a tool comes with the lookups that find its things, never alone."""
    for unit in chain.units:
        missing = next(
            (slot for slot in unit.slots if slot.role == "thing" and slot.lookup not in around.lookups), None
        )
        if missing is not None:
            return Drop("dependency: no tool of the unit finds a thing that it needs", f"{unit.tool}: {missing.name}")
    return None


def personalization_fault(chain: UnitChain, around: Surroundings) -> Drop | None:
    """Personalization: at least one tool works in the world of the person."""
    if any(unit.server in around.personal for unit in chain.units):
        return None
    return Drop("personalization: no tool works in the world of a person", chain_key(chain))


def deduplication_fault(chain: UnitChain, around: Surroundings) -> Drop | None:
    """Deduplication: no two chains have the same tools, fed from the same places."""
    if chain_key(chain) in around.earlier:
        return Drop("deduplication: another chain has the same tools", chain_key(chain))
    return None


def coherence_fault(chain: UnitChain, _around: Surroundings) -> Drop | None:
    """Coherence: every unit but the last finds a value that a later one needs."""
    for at, unit in enumerate(chain.units[:-1]):
        is_answered = unit.kind == "change" and any(flow.target == at for flow in chain.flows)
        if not is_answered and not any(flow.source == at and flow.target > at for flow in chain.flows):
            return Drop("coherence: no later tool needs what a tool finds", unit.tool)
    for at in range(1, len(chain.units)):
        if not any(flow.target == at and flow.source < at for flow in chain.flows):
            return Drop("coherence: a tool needs nothing of those before it", chain.units[at].tool)
    return None


def realism_fault(chain: UnitChain, _around: Surroundings) -> Drop | None:
    """Realism: nothing is undone or done twice, and nothing is copied to where it is."""
    verbs = [set(words_of(unit.tool)) & (acts().changes | acts().reads) for unit in chain.units]
    for pair in words().opposites:
        if pair <= set().union(*verbs):
            return Drop("realism: the tools undo one another", "/".join(sorted(pair)))
    changes = [(unit.server, unit.tool) for unit in chain.units if unit.kind == "change"]
    if len(set(changes)) < len(changes):
        return Drop("realism: the same tool changes something twice", str(changes[0][1]))
    kinds = [{slot.lookup for slot in unit.slots if slot.lookup} for unit in chain.units]
    for flow in chain.flows:
        if kinds[flow.source] & kinds[flow.target]:
            return Drop("realism: a value is copied to a thing of the same kind", chain.units[flow.target].tool)
    return None


CONSTRAINTS: Sequence[Callable[[UnitChain, Surroundings], Drop | None]] = (
    dependency_fault,
    personalization_fault,
    coherence_fault,
    realism_fault,
    deduplication_fault,
)


def first_fault(chain: UnitChain, around: Surroundings) -> Drop | None:
    """Return the fault of the first constraint that a chain violates."""
    return next((fault for check in CONSTRAINTS if (fault := check(chain, around)) is not None), None)


def chain_key(chain: UnitChain) -> str:
    """Return the tools of a chain with the places of their values."""
    flows = [f"{flow.source}>{flow.target}.{flow.slot}" for flow in chain.flows]
    return " -> ".join([unit.key for unit in chain.units] + flows)


# Chains of units, drawn under the five constraints (MCP-Persona 3.3).

Draw = tuple[tuple[ToolUnit, ...], tuple[NeededValue, ...]]

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


def _in_turn(sources: Iterable[Iterator[UnitChain]]) -> Iterator[UnitChain]:
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

    def keeps(self, found: UnitChain, around: Surroundings) -> bool:
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

    def chains(self, turn: slice, draws: int, rng: random.Random) -> Iterator[UnitChain]:
        """Return chains: single units whose turn it is and longer ones alternately, then the other single units."""
        units = [each.unit for each in self.candidates]
        first = {unit.key for unit in units[turn]}
        alone = rng.sample(units, len(units))
        singles = self._fitting(((unit,), ()) for unit in alone if unit.key in first)
        others = self._fitting(((unit,), ()) for unit in alone if unit.key not in first)
        return chain(_in_turn([singles, self._fitting(_longer(units, draws, rng))]), others)

    def _fitting(self, draws: Iterable[Draw]) -> Iterator[UnitChain]:
        """Yield the chains that keep all constraints."""
        lookups = {lookup.id: lookup for candidate in self.candidates for lookup in candidate.lookups}
        personal = {lookup.server for lookup in lookups.values()}
        by_key = {candidate.unit.key: candidate for candidate in self.candidates}
        for units, flows in draws:
            own = [by_key[unit.key] for unit in units]
            found = UnitChain(
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


def _longer(units: Sequence[ToolUnit], number: int, rng: random.Random) -> Iterator[Draw]:
    """Yield a number of drawn sequences of units, in which values flow where they can."""
    for _ in range(number if len(units) > 1 else 0):
        chosen = tuple(rng.sample(units, rng.randint(2, min(_LONGEST, len(units)))))
        flows: list[NeededValue] = []
        source = next((at for at, unit in enumerate(chosen) if unit.kind == "read"), None)
        for at, unit in enumerate(chosen):
            texts = [slot.name for slot in unit.slots if slot.role == "text"]
            if source is not None and at > source and unit.kind == "change" and texts:
                flows.append(NeededValue(source=source, target=at, slot=texts[0]))
        yield chosen, tuple(flows)


def stages(setup: Setup) -> Sequence[Stage]:
    """Return the stages up to the tasks."""
    worlds = Worlds(setup)
    many = setup.concurrency
    if setup.questions is None:
        return [
            WholeStage("trees", TreeCandidate, lambda _nothing: grow_trees(worlds)),
            WholeStage("units", UnitCandidate, partial(find_units, worlds)),
            WholeStage("chains", UnitChain, partial(draw_chains, setup)),
            EachStage("prototype", PrototypeCandidate, partial(write_prototype, setup)),
            EachStage("context", SituationCandidate, partial(inject, setup)),
            EachStage("fuzzy", FuzzyRequest, partial(fuzzify, worlds), concurrency=many),
            EachStage("checkpoints", TaskCandidate, partial(set_checkpoints, worlds), concurrency=many),
        ]
    model = PersonaModelWriter(setup, setup.questions)
    methods = replace(METHODS, candidates=len(setup.servers))
    realism, prototype, texts, rewriting = (
        replace(each, candidates=setup.candidates_wanted) for each in (REALISM, PROTOTYPE, TEXTS, REWRITING)
    )
    return [
        WholeStage("trees", TreeCandidate, lambda _nothing: grow_trees(worlds)),
        EachStage("methods", TreeCandidate, model.choose_methods, methods, many),
        WholeStage("units", UnitCandidate, partial(find_units, worlds)),
        WholeStage("chains", UnitChain, partial(draw_chains, setup)),
        EachStage("realism", UnitChain, model.judge_realism, realism, many),
        EachStage("prototype", PrototypeCandidate, model.write_prototype, prototype, many),
        EachStage("context", SituationCandidate, model.inject, texts, many),
        EachStage("fuzzy", FuzzyRequest, partial(fuzzify, worlds), concurrency=many),
        EachStage("rewrite", FuzzyRequest, model.rewrite, rewriting, many),
        EachStage("checkpoints", TaskCandidate, partial(set_checkpoints, worlds), concurrency=many),
    ]
