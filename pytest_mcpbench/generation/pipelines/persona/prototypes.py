"""Prototypes: skeletons of requests from chains and the words of their tools (MCP-Persona 3.3)."""

from dataclasses import dataclass

from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.generation.pipeline.candidates import Drop
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Outcome
from pytest_mcpbench.generation.pipelines.persona.candidates import (
    PrototypeCandidate,
    Slot,
    ToolUnit,
    UnitChain,
)
from pytest_mcpbench.generation.pipelines.persona.trees import field_words, nouns_of
from pytest_mcpbench.generation.pipelines.persona.words import acts
from pytest_mcpbench.generation.pipelines.tools.amounts import with_article
from pytest_mcpbench.generation.pipelines.tools.orders import UnspeakableError

_OF_PEOPLE = {"title": "job title", "email": "email address", "phone": "phone number"}
"""Fields of people in the words that people use."""


async def write_prototype(setup: Setup, chain: UnitChain) -> Outcome:
    """Return the chain with the skeleton of its request."""
    rng = setup.random(f"prototype of {chain.id}")
    speech = _Speech(setup, chain, frozenset(lookup.id for lookup in chain.lookups if lookup.is_person))
    try:
        clauses = [speech.clause(at) for at in range(len(chain.units))]
    except UnspeakableError as error:
        return Drop("rules have no words for a unit", str(error))
    first, *others = clauses
    is_question = chain.units[0].kind == "read"
    if is_question and not others:
        prototype = rng.choice(("What is {}?", "Can you tell me {}?", "I need to know {}.")).format(first)
    elif is_question:
        beginning = rng.choice(("Look up {}, and {}.", "Find out {}, and {}.", "Please look up {}, then {}."))
        prototype = beginning.format(first, ", and then ".join(others))
    else:
        opening = rng.choice(acts().openings)
        end = "?" if opening.startswith(("Could", "Can")) else "."
        whole = f"{opening}{', and then '.join(clauses)}{end}"
        prototype = whole[:1].upper() + whole[1:]
    return [PrototypeCandidate(**chain.model_dump(), prototype=prototype)]


def placeholder(at: int, slot: str) -> str:
    """Return the placeholder of a unit's value."""
    return f"<{at + 1}_{slot}>"


def app_name(server: str) -> str:
    """Return the name of a server as a person says it."""
    words = [word for word in words_of(server) if word not in ("mcp", "server")]
    return " ".join(word.capitalize() for word in words) or server


@dataclass(frozen=True)
class _Speech:
    """Words for the units of one chain."""

    setup: Setup
    chain: UnitChain
    people: frozenset[str]
    """Ids of the lookups of people."""

    def clause(self, at: int) -> str:
        """Return the words for one unit."""
        unit = self.chain.units[at]
        if unit.kind == "read":
            thing, app = placeholder(at, unit.slots[0].name), app_name(unit.server)
            said = self._field(unit)
            is_person = unit.slots[0].lookup in self.people
            return f"{thing}'s {said} on {app}" if is_person else f"the {said} of {thing} on {app}"
        noun = " ".join(nouns_of(self.setup.tool(unit.server, unit.tool)))
        verb = next((word for word in words_of(unit.tool) if word in acts().changes), "")
        parts = {"noun": noun, "a_noun": with_article(noun), "app": app_name(unit.server), "verb": verb}
        copied = {flow.slot: self.chain.units[flow.source] for flow in self.chain.flows if flow.target == at}
        for slot in unit.slots:
            source = copied.get(slot.name)
            parts[self._role(slot)] = f"just the {self._field(source)}" if source else placeholder(at, slot.name)
            parts[f"a_{self._role(slot)}_noun"] = with_article(slot.noun)
        roles = sorted(map(self._role, unit.slots))
        for form in acts().forms:
            is_comment = "comment" in form.text and "comment" not in parts["noun"]
            if parts["verb"] in form.verbs and sorted(form.roles) == roles and not is_comment:
                filled = form.text.format_map(parts)
                return filled if "{app}" in form.text else f"{filled} in {parts['app']}"
        raise UnspeakableError(f"{unit.tool}({', '.join(roles)})")

    def _role(self, slot: Slot) -> str:
        return "person" if slot.lookup in self.people else slot.role

    def _field(self, unit: ToolUnit) -> str:
        said = " ".join(field_words(unit.field))
        is_of_person = any(slot.lookup in self.people for slot in unit.slots)
        return _OF_PEOPLE.get(said, said) if is_of_person else said


def slots_of(chain: UnitChain) -> list[tuple[int, Slot]]:
    """Return the slots whose values no flow fills, with the indexes of their units."""
    flowing = {(flow.target, flow.slot) for flow in chain.flows}
    return [(at, slot) for at, unit in enumerate(chain.units) for slot in unit.slots if (at, slot.name) not in flowing]
