"""Steps of the pipeline ``persona`` that ask a model (MCP-Persona 3.2, 3.3)."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from pytest_mcpbench.definitions.proposals import first_sentence
from pytest_mcpbench.generation.pipeline.candidates import Drop
from pytest_mcpbench.generation.pipeline.questions import Questions
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.slots import SLOT
from pytest_mcpbench.generation.pipeline.stages import Asking, Outcome
from pytest_mcpbench.generation.pipelines.persona.candidates import (
    FuzzyRequest,
    PrototypeCandidate,
    SituationCandidate,
    TreeCandidate,
    UnitChain,
)
from pytest_mcpbench.generation.pipelines.persona.contexts import inject
from pytest_mcpbench.generation.pipelines.persona.prototypes import app_name, placeholder, slots_of

METHODS = Asking(prompt_tokens=700, reply_tokens=300)
REALISM = Asking(prompt_tokens=350, reply_tokens=60)
PROTOTYPE = Asking(prompt_tokens=500, reply_tokens=120)
TEXTS = Asking(prompt_tokens=350, reply_tokens=100)
REWRITING = Asking(prompt_tokens=550, reply_tokens=120)

_QUOTED_SLOT = re.compile(r"[\"'“‘`](<\w+>)[\"'”’`]")
"""Placeholder with quotation marks of its own, which its value brings."""
_METHOD_NAMES = ("enumerate", "free_form", "random", "authentic")
_METHODS = (
    "You describe the data of an app, so that a world of the same form can be made for another person. For each field "
    "choose how its values are made: `enumerate` (drawn from a fixed set), `free_form` (a short text that you would "
    "make up), `random` (an id, a time or a number of a certain form), or `authentic` (a long text that must be real)."
)
_REALISM = (
    "You judge whether a person could want several things together from an assistant that works in their apps. The "
    "steps must make sense in this order, and each must need what was found before it."
)
_PROTOTYPE = (
    "You write skeletons of requests to an assistant that works in a person's apps, from steps that the assistant will "
    "take. Write one or two sentences as the person would say them, without names of tools. Every placeholder <…> "
    "stands exactly once in them, as it is; what was found in an earlier step is not repeated, but referred to, such "
    "as `just the phone number`, so that it is clear which text is written. In place of a placeholder will stand a "
    "name with its kind, such as `the channel random`, the name of a person, or a text in quotation marks: write no "
    "article, kind or quotation marks around it. A request never says how to proceed."
)
_TEXTS = (
    "You make up texts for requests of a person to an assistant that works in their apps. Write for each placeholder a "
    "text that fits the request and the thing that it is for: one short sentence, or a few words for a title, without "
    "quotation marks."
)
_REWRITING = (
    "You rewrite requests to an assistant as a busy person would type them. Keep every text in quotation marks and "
    "every name as it is, keep all that is asked, and add nothing. Say no ids, addresses or other values that the "
    "assistant can look up. You also see the steps that the assistant is to take. Judge whether somebody who reads "
    "only the request knows for certain that exactly these are wanted: what is to be done, with which things, and "
    "which value is asked for."
)


class _Methods(BaseModel):
    methods: dict[str, str] = Field(description="field -> enumerate, free_form, random or authentic")


class _Verdict(BaseModel):
    is_realistic: bool
    reason: str = Field("", description="one sentence")


class _Prototype(BaseModel):
    request: str


class _Texts(BaseModel):
    texts: dict[str, str] = Field(description="placeholder without brackets -> text")


class _Rewriting(BaseModel):
    request: str
    is_decidable: bool
    reason: str = ""


@dataclass(frozen=True)
class PersonaModelWriter:
    """Steps that ask the model of a run."""

    setup: Setup
    questions: Questions

    async def choose_methods(self, tree: TreeCandidate) -> Outcome:
        """Return the tree with the methods that the model chooses; where it names none, that of the rules stays."""
        if not tree.methods:
            return [tree]
        examples = {
            path: next(
                (value for each in tree.lookups for record in each.records if (value := record.fields.get(path))), ""
            )
            for path in tree.methods
        }
        reply = await self.questions.ask(
            _METHODS, f"{app_name(tree.server)}:\n{json.dumps(examples, ensure_ascii=False)}", _Methods
        )
        chosen = {path: name for path, name in reply.methods.items() if path in tree.methods and name in _METHOD_NAMES}
        return [tree.model_copy(update={"methods": {**tree.methods, **chosen}})]

    async def judge_realism(self, chain: UnitChain) -> Outcome:
        """Drop a chain that no person would want; a single unit needs no judgment."""
        if len(chain.units) == 1:
            return [chain]
        reply = await self.questions.ask(_REALISM, self._steps(chain), _Verdict)
        return [chain] if reply.is_realistic else Drop("realism: no person would want these units", reply.reason)

    async def write_prototype(self, chain: UnitChain) -> Outcome:
        """Return the chain with the skeleton that the model writes; it must have the placeholders of the units."""
        steps = self._steps(chain)
        reply = await self.questions.ask(_PROTOTYPE, steps, _Prototype)
        prototype = _QUOTED_SLOT.sub(r"\1", reply.request)
        fault = prototype_fault(prototype, steps, [f"{at + 1}_{slot.name}" for at, slot in slots_of(chain)])
        return fault or [PrototypeCandidate(**chain.model_dump(), prototype=prototype)]

    async def inject(self, candidate: PrototypeCandidate) -> Outcome:
        """Return the prototype with things of the person's world and texts of the model."""
        injected = await inject(self.setup, candidate)
        free = [f"{at + 1}_{slot.name}" for at, slot in slots_of(candidate) if slot.role in ("text", "title")]
        if isinstance(injected, Drop) or not free:
            return injected
        (situation,) = injected
        assert isinstance(situation, SituationCandidate), "the stage makes situations"
        prompt = f"Request: {situation.instruction}\nSkeleton: {candidate.prototype}\nPlaceholders: {', '.join(free)}"
        reply = await self.questions.ask(_TEXTS, prompt, _Texts)
        return with_texts(situation, {key: reply.texts.get(key, "") for key in free})

    async def rewrite(self, candidate: FuzzyRequest) -> Outcome:
        """Return the request in the words of a person; drop one that the model cannot decide, or that lost a value."""
        prompt = f"Request: {candidate.request}\n\nSteps:\n{self._steps(candidate)}"
        reply = await self.questions.ask(_REWRITING, prompt, _Rewriting)
        if not reply.is_decidable:
            return Drop("the request is not decidable", reply.reason)
        return rewriting_fault(candidate, reply.request) or [candidate.model_copy(update={"request": reply.request})]

    def _steps(self, chain: UnitChain) -> str:
        """Return the steps of a chain, with the documentation of their tools and their placeholders."""
        lines = []
        for at, unit in enumerate(chain.units):
            about = first_sentence(self.setup.tool(unit.server, unit.tool))
            lines.append(f"{at + 1}. {app_name(unit.server)}, {unit.tool}: {about}")
            flowing = {flow.slot: flow.source + 1 for flow in chain.flows if flow.target == at}
            for slot in unit.slots:
                source = flowing.get(slot.name)
                said = (
                    f"what step {source} found"
                    if source
                    else f"{placeholder(at, slot.name)}, a {slot.noun or slot.role}"
                )
                lines.append(f"   {slot.role}: {said}")
            lines += [f"   It finds: {unit.field}"] if unit.kind == "read" else []
        return "\n".join(lines)


def prototype_fault(prototype: str, steps: str, placeholders: Sequence[str]) -> Drop | None:
    """Return what is wrong with a skeleton: other placeholders than those, or a value that the steps do not have."""
    if sorted(SLOT.findall(prototype)) != sorted(placeholders):
        return Drop("the prototype has other placeholders than the units", prototype)
    made_up = [value for value in _values_said(SLOT.sub("", prototype)) if value not in steps]
    return Drop("the prototype has a value that nobody gave", made_up[0]) if made_up else None


def with_texts(situation: SituationCandidate, texts: Mapping[str, str]) -> Outcome:
    """Return the situation with the texts of the model; none may be empty, be read as a placeholder or tell an id."""
    written = {key: " ".join(text.split()).strip('"') for key, text in texts.items()}
    unusable = next((key for key, text in written.items() if not text or re.search('["<>]', text)), None)
    if unusable is not None:
        return Drop("the model has no text for a placeholder", f"{unusable}: {written[unusable]}")
    # A name may be told, an id or an address may not.
    text = " ".join(written.values())
    values = ((str(situation.values[key]), thing.label) for key, thing in situation.things.items())
    secret = (value for value, label in values if value and value not in label)
    told = next((value for value in secret if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text)), None)
    if told is not None:
        return Drop("the text of the model tells what can be looked up", told)
    return [situation.model_copy(update={"values": {**situation.values, **written}})]


def rewriting_fault(candidate: FuzzyRequest, rewritten: str) -> Drop | None:
    """Return what is wrong with the words of the model: a value that is lost, told or made up."""
    names = [
        record.label.split()[0] if record.label in candidate.people else record.label
        for record in candidate.things.values()
    ]
    quoted = re.findall(r'"[^"]+"', candidate.request)
    kept = [*quoted, *(name for name in names if name in candidate.request)]
    # The values of things are ids and addresses; those that the request does not tell must be looked up.
    values = [str(candidate.values[key]) for key in candidate.things if key in candidate.values]
    left_out = [value for value in values if value and value not in candidate.request]
    faults = {
        "the rewritten request lacks a value": [text for text in kept if text not in rewritten],
        "the rewritten request tells what can be looked up": [text for text in left_out if text in rewritten],
        "the rewritten request has a value that nobody gave": [
            value for value in _values_said(rewritten) if value not in candidate.request
        ],
    }
    return next((Drop(reason, found[0]) for reason, found in faults.items() if found), None)


def _values_said(request: str) -> list[str]:
    """Return the texts in quotation marks, and the numbers, ids and addresses: words with a digit or an at sign."""
    words = (word.strip("\"'.,;:!?()") for word in re.findall(r"\S*[\d@]\S*", request))
    return [*re.findall(r'["“]([^"“”]+)["”]', request), *words]
