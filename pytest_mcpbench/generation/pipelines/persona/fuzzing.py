"""Fuzzification: values that can be looked up without doubt are left out of the request (MCP-Persona 3.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from pytest_mcpbench.core.placeholders import payload, unwrap_result
from pytest_mcpbench.generation.pipeline.candidates import Drop
from pytest_mcpbench.generation.pipeline.slots import SLOT, with_values
from pytest_mcpbench.generation.pipeline.stages import Outcome
from pytest_mcpbench.generation.pipelines.chains.candidates import ChainCall, SampleCall
from pytest_mcpbench.generation.pipelines.chains.flows import flow_into
from pytest_mcpbench.generation.pipelines.persona.candidates import (
    FuzzyRequest,
    Lookup,
    Record,
    SituationCandidate,
    Slot,
)
from pytest_mcpbench.generation.pipelines.persona.prototypes import slots_of
from pytest_mcpbench.generation.pipelines.persona.records import is_email, records_in
from pytest_mcpbench.generation.pipelines.persona.units import value_of
from pytest_mcpbench.generation.pipelines.persona.worlds import Worlds

AMBIGUOUS = "two things of the world match the request"


async def fuzzify(worlds: Worlds, candidate: SituationCandidate) -> Outcome:
    """Return the request without what lookups find, and its reference."""
    mention = _Mentions(worlds, candidate.cast, {lookup.id: lookup for lookup in candidate.lookups}, candidate.people)
    said: dict[str, str] = {}
    for at, slot in slots_of(candidate):
        key = f"{at + 1}_{slot.name}"
        if key in candidate.things:
            fault = await mention.find(key, slot, candidate.things[key])
            if fault is not None:
                return fault
            said[key] = mention.words(key, slot)
        else:
            value = candidate.values[key]
            said[key] = str(value).replace("_", " ") if slot.role == "choice" else f'"{value}"'
    request = SLOT.sub(lambda found: said.get(found[1], found[0]), candidate.prototype)
    return _with_reference(candidate, request[:1].upper() + request[1:], mention)


@dataclass
class _Mentions:
    """The words by which a request speaks of things, and the calls that find them."""

    worlds: Worlds
    cast: Mapping[str, str]
    by_id: Mapping[str, Lookup]
    people: Mapping[str, Sequence[str]]
    names: dict[str, str] = field(default_factory=dict)
    """Slot -> name that is said."""
    found: dict[str, Record] = field(default_factory=dict)
    """Slot -> the thing as the lookup returns it."""
    calls: dict[str, SampleCall] = field(default_factory=dict)
    """Slot -> the call that finds the thing."""
    necessary: dict[str, str] = field(default_factory=dict)

    async def find(self, key: str, slot: Slot, thing: Record) -> Drop | None:
        """Look a thing up by the shortest name that only it has; a value that is not found becomes context."""
        lookup = self.by_id[slot.lookup]
        if is_email(thing.fields.get(slot.field)) and len(self.people.get(thing.label, ())) > 1:
            return Drop(AMBIGUOUS, f"{thing.label} has several addresses")
        first = thing.label.split()[0]
        if not lookup.is_person or first == thing.label or len(first) < 3:
            names = [thing.label]
        else:
            others = {label for label in self.people if first.casefold() in label.casefold()} - {thing.label}
            names = [thing.label] if others else [first, thing.label]
        for name in names:
            call = await self._call(lookup, name)
            records = [] if call is None else [record for _, record in records_in(call.result)]
            named = [record for record in records if name.casefold() in record.label.casefold()]
            matches = list({record.model_dump_json(): record for record in named}.values())
            if len(matches) == 1 and call is not None and matches[0].label == thing.label:
                self.names[key], self.found[key], self.calls[key] = name, matches[0], call
                return None
            if name == thing.label and len(matches) > 1:
                exact = [record for record in matches if record.label == thing.label]
                if len(exact) > 1 or call is None:
                    return Drop(AMBIGUOUS, thing.label)
                self.names[key], self.found[key], self.calls[key] = name, exact[0], call
                return None
        self.names[key], self.found[key] = thing.label, thing
        if slot.field:
            self.necessary[thing.label] = str(thing.fields.get(slot.field, ""))
            return None
        return Drop("no lookup finds the thing", thing.label)

    def words(self, key: str, slot: Slot) -> str:
        """Return the words for a thing."""
        lookup = self.by_id[slot.lookup]
        name = self.names[key]
        if lookup.is_person:
            return name
        quoted = name if len(name.split()) == 1 else f'"{name}"'
        return f"the {lookup.noun} {quoted}"

    async def _call(self, lookup: Lookup, name: str) -> SampleCall | None:
        """Return the call of a lookup with its result; ``None`` if it fails."""
        arguments: dict[str, JsonValue] = {lookup.query: name} if lookup.query else {}
        played = await self.worlds.play_call(lookup.server, lookup.tool, arguments, self.cast)
        if isinstance(played, Drop) or played.error is not None or not played.evidence.calls:
            return None
        result = played.evidence.calls[0].result
        if result is None or result.is_error:
            return None
        return SampleCall(
            server=lookup.server, tool=lookup.tool, arguments=arguments, result=unwrap_result(payload(result))
        )


def _with_reference(candidate: SituationCandidate, request: str, mention: _Mentions) -> Outcome:
    """Return the request with its calls, in which values that a lookup finds refer to its result."""
    known = "\n".join([request, *mention.necessary.values()])
    calls: list[SampleCall] = []
    answer = ""
    for at, unit in enumerate(candidate.units):
        found = [mention.calls[key] for slot in unit.slots if (key := f"{at + 1}_{slot.name}") in mention.calls]
        calls += [call for call in found if call not in calls]
        if unit.kind == "read":
            answer = str(mention.found[f"{at + 1}_{unit.slots[0].name}"].fields.get(unit.field, ""))
            continue
        referring: dict[str, JsonValue] = {}
        for slot in unit.slots:
            key = f"{at + 1}_{slot.name}"
            # Either a lookup returned the value, or it was drawn, or an earlier unit has read it.
            if key in mention.found:
                value = value_of(slot, mention.found[key].fields.get(slot.field))
            else:
                value = candidate.values.get(key, answer)
            source = flow_into(value, calls, known)
            referring[slot.name] = value if source is None else f"<{source[0] + 1}_result{source[1]}>"
        calls.append(SampleCall(server=unit.server, tool=unit.tool, arguments=with_values(unit.shape, referring)))
    is_question = all(unit.kind == "read" for unit in candidate.units)
    fields = candidate.model_dump()
    steps = tuple((ChainCall(id=str(at), **call.model_dump()),) for at, call in enumerate(calls, 1))
    return [
        FuzzyRequest(
            **fields, request=request, necessary=mention.necessary, steps=steps, answer=answer if is_question else ""
        )
    ]
