"""The request of a chain by rules: template, filled slots, names in place of codes, and a check of the sense."""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.generation.pipeline.candidates import Drop
from pytest_mcpbench.generation.pipeline.slots import SLOT, with_values
from pytest_mcpbench.generation.pipeline.stages import Outcome
from pytest_mcpbench.generation.pipelines.tools.candidates import (
    ChainCandidate,
    RequestCandidate,
    TemplateCandidate,
)
from pytest_mcpbench.generation.pipelines.tools.phrases import UnspeakableError, clause, spoken

_OF_ONE = (
    "Could you {}?",
    "Please {}.",
    "Can you {} for me?",
    "I need you to {}.",
    "I'd like you to {}, please.",
    "Would you {}?",
)
_OF_TWO = (
    "Please {}, and then {}.",
    "Could you {} and also {}?",
    "I need two things: {}, and {}.",
    "First {}, then {}.",
)
_OF_MORE = (
    "I have a few things for you: {}.",
    "Please take care of the following: {}.",
    "Could you help me with a few things? I'd like you to {}.",
    "There are several things I need today: {}.",
)
_COORDINATES = re.compile(r"-?\d{1,3}\.\d{2,}°?\s*,\s*-?\d{1,3}\.\d{2,}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")
_OPAQUE = re.compile(
    r"\b(?=\w*\d)[0-9a-fA-F]{16,}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{12,}\b"
    r"|\b(?=[A-Za-z]*\d)(?=[A-Z\d]*[a-z])(?=[a-z\d]*[A-Z])[A-Za-z\d]{14,}\b"
)
"""Hexadecimal numbers, UUIDs, and long words of capitals, small letters and digits."""
_ENDS = (("source", "target"), ("from", "to"), ("origin", "destination"), ("start", "end"))
"""Words of two parameters whose values must differ, and of which dates come in this order."""
_LONGEST = 1500
"""Characters of a request."""


@dataclass(frozen=True)
class RuleWriter:
    """Steps that write requests without a model."""

    servers: Mapping[str, ServerDefinition]
    dictionaries: Mapping[str, Mapping[str, str]]
    seed: int = 0

    async def write_template(self, chain: ChainCandidate) -> Outcome:
        """Return the chain with a template: a sentence with all that is asked, and a slot for each value."""
        values: dict[str, Any] = {}
        clauses, calls = [], []
        try:
            for call in chain.calls:
                slots = {name: f"<{call.id}_{_word(name)}>" for name in call.arguments}
                clauses.append(clause(_tool(self.servers, call.server, call.tool), slots, call.arguments))
                values |= {slots[name].strip("<>"): value for name, value in call.arguments.items()}
                calls.append(call.model_copy(update={"arguments": slots}))
        except UnspeakableError as error:
            return Drop("rules have no words for a call", str(error))
        template = _sentence(clauses, random.Random(f"{self.seed}/sentence of {chain.id}"))
        fields = chain.model_dump(exclude={"calls"})
        return [TemplateCandidate(**fields, calls=tuple(calls), template=template, values=values)]

    async def rewrite(self, candidate: RequestCandidate) -> Outcome:
        """Say the names that people use in place of codes from the dictionaries."""
        request = candidate.request
        for code in {text for call in candidate.calls for text in _texts(call.arguments)}:
            name = next((entry[code] for entry in self.dictionaries.values() if code in entry), None)
            if name is not None:
                request = name.join(re.split(rf"(?<![\w-]){re.escape(code)}(?![\w-])", request))
        return [candidate.model_copy(update={"request": request})]

    async def check_sense(self, candidate: RequestCandidate) -> Outcome:
        """Drop a request that nobody would make: coordinates, opaque ids, the same start and end (A.4)."""
        return _senseless(candidate) or [candidate]


async def fill(candidate: TemplateCandidate) -> Outcome:
    """Put the values into the slots of the template and of the calls."""
    missing = [name for name in SLOT.findall(candidate.template) if name not in candidate.values]
    if missing:
        return Drop("a slot of the template has no value", missing[0])
    try:
        request = SLOT.sub(lambda slot: spoken(candidate.values[slot[1]]), candidate.template)
    except UnspeakableError as error:
        return Drop("rules have no words for a call", str(error))
    calls = tuple(
        call.model_copy(update={"arguments": with_values(call.arguments, candidate.values)}) for call in candidate.calls
    )
    fields = candidate.model_dump(exclude={"template", "values", "calls"})
    return [RequestCandidate(**fields, calls=calls, request=request)]


def _sentence(clauses: list[str], rng: random.Random) -> str:
    if len(clauses) == 1:
        return rng.choice(_OF_ONE).format(*clauses)
    if len(clauses) == 2:
        return rng.choice(_OF_TWO).format(*clauses)
    return rng.choice(_OF_MORE).format("; ".join([*clauses[:-1], f"and finally {clauses[-1]}"]))


def _senseless(candidate: RequestCandidate) -> Drop | None:
    request = candidate.request
    if _COORDINATES.search(request):
        return Drop("the request has coordinates", request)
    if _OPAQUE.search(request):
        return Drop("the request has an opaque id", request)
    if len(request) > _LONGEST:
        return Drop("the request is too long", f"{len(request)} characters")
    faults = (_fault_of_ends(call.arguments, ends) for call in candidate.calls for ends in _ENDS)
    return next((fault for fault in faults if fault is not None), None)


def _fault_of_ends(arguments: Mapping[str, Any], ends: tuple[str, str]) -> Drop | None:
    """Return what is wrong with the parameters that name a start and an end."""
    first, last = ([str(value) for name, value in arguments.items() if end in words_of(name)] for end in ends)
    if not first or not last:
        return None
    if first == last:
        return Drop("start and end are the same", first[0])
    if _DATE.match(first[0]) and _DATE.match(last[0]) and first[0] > last[0]:
        return Drop("the end is before the start", f"{first[0]}, {last[0]}")
    return None


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.values() for text in _texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [str(value)]


def _tool(servers: Mapping[str, ServerDefinition], server: str, name: str) -> Any:
    return servers[server].tool(name)


def _word(name: str) -> str:
    return re.sub(r"\W+", "_", name)
