"""The five constraints of a chain of units (MCP-Persona 3.3); each returns why it drops a chain, or ``None``."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.generation.pipeline.candidates import Drop
from pytest_mcpbench.generation.pipelines.persona.candidates import ChainCandidate
from pytest_mcpbench.generation.pipelines.persona.words import acts
from pytest_mcpbench.generation.pipelines.tools.words import words


@dataclass(frozen=True)
class Surroundings:
    """Everything that a chain is compared with."""

    lookups: Collection[str]
    """Ids of the lookups that find things."""
    personal: Collection[str]
    """Servers that hold the world of a person."""
    earlier: Collection[str] = ()
    """Keys of the chains that are kept already."""


def dependency_fault(chain: ChainCandidate, around: Surroundings) -> Drop | None:
    """Dependency: a tool comes with the lookups that find its things, never alone."""
    for unit in chain.units:
        missing = next(
            (slot for slot in unit.slots if slot.role == "thing" and slot.lookup not in around.lookups), None
        )
        if missing is not None:
            return Drop("dependency: no tool of the unit finds a thing that it needs", f"{unit.tool}: {missing.name}")
    return None


def personalization_fault(chain: ChainCandidate, around: Surroundings) -> Drop | None:
    """Personalization: at least one tool works in the world of the person."""
    if any(unit.server in around.personal for unit in chain.units):
        return None
    return Drop("personalization: no tool works in the world of a person", chain_key(chain))


def deduplication_fault(chain: ChainCandidate, around: Surroundings) -> Drop | None:
    """Deduplication: no two chains have the same tools, fed from the same places."""
    if chain_key(chain) in around.earlier:
        return Drop("deduplication: another chain has the same tools", chain_key(chain))
    return None


def coherence_fault(chain: ChainCandidate, _around: Surroundings) -> Drop | None:
    """Coherence: every unit but the last finds a value that a later one needs."""
    for at, unit in enumerate(chain.units[:-1]):
        is_answered = unit.kind == "change" and any(flow.target == at for flow in chain.flows)
        if not is_answered and not any(flow.source == at and flow.target > at for flow in chain.flows):
            return Drop("coherence: no later tool needs what a tool finds", unit.tool)
    for at in range(1, len(chain.units)):
        if not any(flow.target == at and flow.source < at for flow in chain.flows):
            return Drop("coherence: a tool needs nothing of those before it", chain.units[at].tool)
    return None


def realism_fault(chain: ChainCandidate, _around: Surroundings) -> Drop | None:
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


CONSTRAINTS: Sequence[Callable[[ChainCandidate, Surroundings], Drop | None]] = (
    dependency_fault,
    personalization_fault,
    coherence_fault,
    realism_fault,
    deduplication_fault,
)


def first_fault(chain: ChainCandidate, around: Surroundings) -> Drop | None:
    """Return the fault of the first constraint that a chain violates."""
    return next((fault for check in CONSTRAINTS if (fault := check(chain, around)) is not None), None)


def chain_key(chain: ChainCandidate) -> str:
    """Return the tools of a chain with the places of their values."""
    flows = [f"{flow.source}>{flow.target}.{flow.slot}" for flow in chain.flows]
    return " -> ".join([unit.key for unit in chain.units] + flows)
