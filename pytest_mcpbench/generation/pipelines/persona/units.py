"""Units of tools: the lookups of things together with the tool that reads or changes them (MCP-Persona 3.3)."""

import itertools
import random
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.parameters import Parameter, top_parameters
from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.definitions.schema_alternatives import type_of
from pytest_mcpbench.generation.pipeline.candidates import Candidate, Drop, Dropped
from pytest_mcpbench.generation.pipeline.paths import with_value
from pytest_mcpbench.generation.pipeline.slots import with_values
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.persona.candidates import (
    Lookup,
    Role,
    Slot,
    ToolUnit,
    TreeCandidate,
    UnitCandidate,
)
from pytest_mcpbench.generation.pipelines.persona.records import is_email, label_path, singular
from pytest_mcpbench.generation.pipelines.persona.trees import is_read, nouns_of, verb_of
from pytest_mcpbench.generation.pipelines.persona.words import acts
from pytest_mcpbench.generation.pipelines.persona.worlds import Worlds

# Values that a tool needs, with the part that each plays in a request.

_ADDRESSES = frozenset({"to", "recipient", "email", "cc", "attendee", "participant"})
_IDS = frozenset({"id", "ids", "key", "uuid", "uid"})
_FEW = 6
_DEEPEST = 4


@dataclass(frozen=True)
class Leaf:
    """A text or number somewhere in the arguments of a tool."""

    path: str
    parameter: Parameter
    is_required: bool
    shape: JsonValue = None
    """What the argument looks like around the text, where the schema does not say it."""

    @property
    def words(self) -> list[str]:
        """Return the words of the parameter's name, without endings of the plural; none if it is a number."""
        name = next((part for part in reversed(self.path.split(".")) if not part.isdigit()), "")
        return [singular(word) for word in words_of(name)]


def leaves_of(tool: ToolDefinition) -> list[Leaf]:
    """Return the texts and numbers that a tool takes; those of an open object only where its shape is known."""
    return [leaf for each in top_parameters(tool) for leaf in _leaves(each, each.path, each.name in tool.required, 0)]


@dataclass(frozen=True)
class Roles:
    """Parts that the values of one tool play, with the lookups of all apps."""

    server: str
    tool: ToolDefinition
    lookups: Sequence[Lookup]

    def role_of(self, leaf: Leaf) -> tuple[Role | None, tuple[JsonValue, ...]]:
        """Return what a value is in a request, with the values of a choice; ``None`` if rules cannot tell."""
        own = acts()
        if leaf.parameter.values:
            return "choice", leaf.parameter.values
        if self.finders(leaf):
            return "thing", ()
        if leaf.parameter.name in own.choices_of_people:
            return "choice", tuple(own.choices_of_people[leaf.parameter.name])
        if (leaf.words[-1:] and leaf.words[-1] in own.texts) or leaf.shape is not None:
            return "text", ()
        if leaf.words[-1:] and leaf.words[-1] in own.titles:
            return "title", ()
        counts: dict[str, int] = {}
        for lookup in self.lookups:
            for record in lookup.records:
                value = record.fields.get(leaf.parameter.name)
                if isinstance(value, str):
                    counts[value] = counts.get(value, 0) + 1
        common = sorted(counts, key=lambda value: (-counts[value], value))
        kinds = tuple(value for value in common if counts[value] > 1)[:_FEW]
        return ("choice", kinds) if kinds else (None, ())

    def finders(self, leaf: Leaf) -> list[tuple[Lookup, str]]:
        """Return the lookups whose things a value may name, with the field that may be the value; the best first."""
        if leaf.shape is not None:
            return []
        about = f"{self.tool.name} {self.tool.description}".casefold()
        if set(leaf.words) & _ADDRESSES and "mail" in about:
            return [(each, field) for each in self.lookups if (field := _address(each))]
        here = [each for each in self.lookups if each.server == self.server]
        names = leaf.words
        described = [singular(word) for word in words_of(leaf.parameter.description)]
        if _IDS & set(names) or described[:1] == ["id"]:
            wanted = {*names, *described[:8]} - _IDS - {"the", "of", "a", "an", "or", "to", "in"}
        elif names[-1:] == ["name"] and len(names) > 1:
            wanted = set(names[:-1])
        else:
            wanted = set()
        matching = [each for each in here if wanted & {*each.noun.split(), *each.nouns[:4]}]
        ranked = sorted(matching, key=lambda each: each.noun not in wanted)
        if ranked:
            ranked += [each for each in here if each.is_person and each not in ranked]
        return [(each, field) for each in ranked for field in _fields(leaf, each)]


def _fields(leaf: Leaf, lookup: Lookup) -> Iterator[str]:
    """Yield the fields of a lookup's things that may be the value."""
    if not lookup.records:
        return
    fields = lookup.records[0].fields
    if leaf.words[-1:] == ["name"] or "name" in words_of(leaf.path)[-2:]:
        yield label_path(fields)
        return
    ids = [path for path in fields if "." not in path and _IDS & set(words_of(path))]
    yield from sorted(ids, key=lambda path: path != "id")[:2]


def _address(lookup: Lookup) -> str:
    """Return the field of a person that is a mail address."""
    if not lookup.is_person or not lookup.records:
        return ""
    return next((path for path, value in lookup.records[0].fields.items() if is_email(value)), "")


def _leaves(parameter: Parameter, path: str, is_required: bool, depth: int) -> Iterator[Leaf]:
    shape = acts().shapes.get(parameter.name)
    if shape is not None:
        yield Leaf(path, parameter, is_required, shape)
        return
    option: Mapping[str, Any] = next((each for each in parameter.options or () if type_of(each) != "null"), {})
    if type_of(option) == "array" and isinstance(option.get("items"), Mapping) and depth < _DEEPEST:
        inner = Parameter(parameter.path, option["items"], parameter.root)
        described = parameter if not inner.description and type_of(option["items"]) == "string" else inner
        if described is parameter:
            yield Leaf(f"{path}.0", parameter, is_required)
        else:
            yield from _leaves(inner, f"{path}.0", is_required, depth + 1)
    elif isinstance(option.get("properties"), Mapping) and depth < _DEEPEST:
        needed = set(option.get("required") or option["properties"])
        for name, part in option["properties"].items():
            if name in needed:
                yield from _leaves(Parameter(name, part, parameter.root), f"{path}.{name}", is_required, depth + 1)
    elif option:
        yield Leaf(path, parameter, is_required)


_MOST_VARIANTS = 12
"""Ways to fill the parameters of one tool that are tried."""


async def find_units(worlds: Worlds, trees: Sequence[TreeCandidate]) -> Selection:
    """Return the units of each person that the servers accept in a fresh state."""
    kept: list[Candidate] = []
    dropped: list[Dropped] = []
    for name in dict.fromkeys(tree.person for tree in trees):
        own = [tree for tree in trees if tree.person == name]
        person = _Person(name, best_lookups(own), own[0].cast, {tree.server for tree in own})
        async for unit, fault in _tried_units(worlds, person):
            number = len(kept) if fault is None else len(kept) + len(dropped)
            candidate = _candidate(person, unit, number)
            if fault is None:
                kept.append(candidate)
            else:
                dropped.append(Dropped.of(candidate, fault))
    return Selection(kept, dropped)


@dataclass(frozen=True)
class _Person:
    """A person, with the lookups of all of their apps."""

    name: str
    lookups: Sequence[Lookup]
    cast: dict[str, str]
    apps: Collection[str]
    """Servers that the person uses."""


async def _tried_units(worlds: Worlds, person: _Person) -> AsyncIterator[tuple[ToolUnit, Drop | None]]:
    """Yield the units of a person, and for each tool without a unit an empty one with the reason."""
    for lookup in person.lookups:
        thing = Slot(name="thing", role="thing", parameter=lookup.query, noun=lookup.noun, lookup=lookup.id)
        for path in lookup.asked:
            unit = ToolUnit(
                kind="read", server=lookup.server, tool=lookup.tool, noun=lookup.noun, slots=(thing,), field=path
            )
            yield unit, None
    for server, definition in worlds.setup.servers.items():
        for tool in definition.tools if server in person.apps else ():
            if is_read(tool):
                continue
            found = await _Trial(worlds, server, tool, person.lookups, person.cast).units()
            if isinstance(found, Drop):
                yield ToolUnit(kind="change", server=server, tool=tool.name, noun=""), found
            else:
                for unit in found:
                    yield unit, None


def best_lookups(trees: Sequence[TreeCandidate]) -> list[Lookup]:
    """Return one lookup for each kind of thing of an app: a search before a list."""
    best: dict[tuple[str, str, bool], Lookup] = {}
    for lookup in (each for tree in trees for each in tree.lookups):
        key = (lookup.server, lookup.noun, lookup.is_person)
        if key not in best or (lookup.query and not best[key].query):
            best[key] = lookup
    return list(best.values())


def _candidate(person: _Person, unit: ToolUnit, number: int) -> UnitCandidate:
    """Return the unit with its lookups, whose things keep only the fields that a request may need."""
    own = {slot.lookup: {slot.field, unit.field} for slot in unit.slots if slot.lookup}
    lookups: list[Lookup] = []
    for each in person.lookups:
        if each.id in own:
            wanted = {*own[each.id], *each.asked[:1]}
            records = tuple(
                record.model_copy(
                    update={"fields": {name: record.fields[name] for name in record.fields if name in wanted}}
                )
                for record in each.records
            )
            lookups.append(each.model_copy(update={"records": records}))
    found: dict[str, dict[str, None]] = {}
    for record in (record for lookup in person.lookups if lookup.is_person for record in lookup.records):
        addresses = found.setdefault(record.label, {})
        addresses.update({str(value): None for value in record.fields.values() if is_email(value)})
    return UnitCandidate(
        id=f"{number + 1:03}-{unit.server}-{unit.tool}",
        person=person.name,
        unit=unit,
        cast=person.cast,
        lookups=tuple(lookups),
        people={name: tuple(addresses) for name, addresses in found.items()},
    )


@dataclass(frozen=True)
class _Trial:
    """Calls of one tool with its parameters filled in different ways."""

    worlds: Worlds
    server: str
    tool: ToolDefinition
    lookups: Sequence[Lookup]
    cast: Mapping[str, str]

    async def units(self) -> list[ToolUnit] | Drop:
        """Return a unit for each kind of thing that the tool works with, or why there is none."""
        if not self.worlds.setup.may_be_called(self.server, self.tool.name):
            return Drop("the tool does not promise to be read-only (--call TOOL uses it)")
        if verb_of(self.tool) is None:
            return Drop("the name of the tool does not say what it does", self.tool.name)
        found: dict[str, ToolUnit] = {}
        problem: Drop | None = None
        every = leaves_of(self.tool)
        required = [leaf for leaf in every if leaf.is_required]
        optional = [leaf for leaf in every if not leaf.is_required]
        wanted = [leaf for leaf in optional if self._roles.role_of(leaf)[0] in ("text", "title", "thing")]
        # First the required parameters alone, then each optional one beside them.
        choices = [required] if required else []
        choices += [[*required, leaf] for leaf in wanted[:4]]
        for leaves in choices:
            for unit in itertools.islice(self._variants(leaves), _MOST_VARIANTS):
                kinds = ",".join(sorted(slot.lookup for slot in unit.slots))
                if kinds not in found:
                    fault = await self._fault(unit)
                    problem = fault or problem
                    found |= {} if fault else {kinds: unit}
            if found:
                return list(found.values())
        return problem or Drop("no rule knows values for a parameter", self.tool.name)

    @property
    def _roles(self) -> Roles:
        return Roles(self.server, self.tool, self.lookups)

    def _variants(self, leaves: Sequence[Leaf]) -> Iterator[ToolUnit]:
        """Yield units with every kind of thing that may be meant."""
        choices: list[list[Slot]] = []
        shape: JsonValue = {}
        for leaf in leaves:
            role, values = self._roles.role_of(leaf)
            name = "_".join(leaf.words) or "value"
            slot = Slot(name=name, role=role or "text", parameter=leaf.path, noun=" ".join(leaf.words), values=values)
            if role is None:
                return
            shape = with_value(shape, leaf.path, _fill_shape(leaf.shape, f"<{name}>"))
            found = self._roles.finders(leaf) if role == "thing" else []
            things = [
                slot.model_copy(update={"lookup": lookup.id, "field": path, "noun": lookup.noun})
                for lookup, path in found
            ]
            is_number = "integer" in leaf.parameter.types or "number" in leaf.parameter.types
            choices.append([each.model_copy(update={"is_number": is_number}) for each in things or [slot]])
        if isinstance(shape, dict):
            noun = " ".join(nouns_of(self.tool)) or "entry"
            for slots in itertools.product(*choices):
                names = [slot.name for slot in slots]
                if len(set(names)) == len(names):
                    yield ToolUnit(
                        kind="change", server=self.server, tool=self.tool.name, noun=noun, slots=slots, shape=shape
                    )

    async def _fault(self, unit: ToolUnit) -> Drop | None:
        """Return why the tool does not accept the unit; ``None`` if a call succeeds and changes something."""
        fault = Drop("the tool changes nothing that can be observed", unit.tool)
        for attempt in range(3):
            values = sample_values(unit, self.lookups, self.worlds.setup.random(f"{unit.key}/{attempt}"))
            played = await self.worlds.play_call(unit.server, unit.tool, with_values(unit.shape, values), self.cast)
            if isinstance(played, Drop):
                return played
            worlds = played.evidence.worlds
            is_observed = any(world.name == unit.server for world in worlds)
            if played.error is not None or any(call.is_error for call in played.evidence.calls):
                fault = Drop("the tool refuses the values", str(played.error or ""))
            # A server that nobody can observe may have changed.
            elif any(world.changes for world in worlds) or not is_observed:
                return None
        return fault


def sample_values(unit: ToolUnit, lookups: Sequence[Lookup], rng: random.Random) -> Mapping[str, JsonValue]:
    """Draw a value for each slot of a unit."""
    by_id = {lookup.id: lookup for lookup in lookups}
    values: dict[str, JsonValue] = {}
    for slot in unit.slots:
        if slot.role == "thing":
            record = rng.choice(by_id[slot.lookup].records)
            values[slot.name] = value_of(slot, record.fields.get(slot.field))
        else:
            values[slot.name] = rng.choice(value_pool(slot))
    return values


def value_pool(slot: Slot) -> Sequence[JsonValue]:
    """Return the values from which one of a slot that names no thing is drawn."""
    own = acts()
    return slot.values or (own.texts_of_people if slot.role == "text" else own.titles_of_people)


def value_of(slot: Slot, found: JsonValue) -> JsonValue:
    """Return the value that a field of a thing has as an argument."""
    if slot.is_number and isinstance(found, str) and found.lstrip("-").isdigit():
        return int(found)
    return found


def _fill_shape(shape: Any, value: str) -> JsonValue:
    """Return the shape of an argument with a value at its place."""
    if shape is None:
        return value
    if isinstance(shape, Mapping):
        return {name: _fill_shape(part, value) if part is not None else None for name, part in shape.items()}
    if isinstance(shape, list):
        return [_fill_shape(part, value) for part in shape]
    return value if shape == "<>" else shape
