"""What an agent is to do in an app, as the author of a task writes it down: calls, and what can be checked of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Fact = str | tuple[str, ...]
"""Something that must be said: a text, or several spellings of which any will do."""


@dataclass(frozen=True)
class ReferenceCall:
    """A reference call. ``<prev_result.path>`` in an argument stands for what the call before gave back."""

    server: str
    tool: str
    arguments: Mapping[str, Any]
    purpose: str
    """What the call is for; follows ``to``."""


@dataclass(frozen=True)
class Action:
    """One or several calls that belong together, with execution checkpoints in the public format."""

    calls: tuple[ReferenceCall, ...]
    checkpoints: tuple[Mapping[str, Any], ...] = ()

    def __add__(self, other: "Action") -> "Action":
        return Action(self.calls + other.calls, self.checkpoints + other.checkpoints)


@dataclass(frozen=True)
class Request:
    """A task: what the user asks for, what is known of the user, and the deeds that answer it."""

    kind: str
    """The record's ``query_type``."""
    prompt: str
    actions: tuple[Action, ...]
    necessary_context: Mapping[str, str] = field(default_factory=dict)
    """The necessary context."""
    seeds: Mapping[str, str] = field(default_factory=dict)
    """Server -> the name of the seed in which its world begins, where that is not the usual one."""

    @property
    def calls(self) -> tuple[ReferenceCall, ...]:
        return tuple(call for action in self.actions for call in action.calls)

    @property
    def checkpoints(self) -> tuple[Mapping[str, Any], ...]:
        return tuple(checkpoint for action in self.actions for checkpoint in action.checkpoints)


def request(kind: str, prompt: str, *actions: Action, **necessary_context: str) -> Request:
    """A task; keywords are the necessary context, an underscore in a label is a space."""
    context = {label.replace("_", " "): text for label, text in necessary_context.items()}
    return Request(kind, prompt, actions, context)


def lookup(server: str, tool: str, arguments: Mapping[str, Any], purpose: str, *values: Any) -> Action:
    """Looking something up; with ``values`` these must be among what was found, or in the answer."""
    kind = "generic_search" if server == "websearch" else "personalized_search"
    call = ReferenceCall(server, tool, arguments, purpose)
    if not values:
        return Action((call,))
    value = values[0] if len(values) == 1 else list(values)
    expected = json.dumps(value, ensure_ascii=False)
    return Action((call,), ({"checkpoint_type": kind, "tool": f"{server}:{tool}", "GT_value": expected},))


def plain_call(server: str, tool: str, arguments: Mapping[str, Any], purpose: str) -> Action:
    """A call that neither finds nor leaves anything: that it succeeds is all that can be checked."""
    summary = f"Call `{server}:{tool}` to {purpose}."
    checkpoint = {"checkpoint_type": "other", "tool": f"{server}:{tool}", "summary": summary}
    return Action((ReferenceCall(server, tool, arguments, purpose),), (checkpoint,))


def change(  # noqa: PLR0913 (each is a keyword of its own)
    operation: str,
    server: str,
    tool: str,
    arguments: Mapping[str, Any],
    purpose: str,
    *facts: Fact,
    collection: str,
    entity: str | None = None,
    fields: Mapping[str, Any] | None = None,
    before: tuple[ReferenceCall, ...] = (),
) -> Action:
    """A call that creates, modifies or deletes an entity; ``before`` are calls that it needs."""
    checkpoint = operate_checkpoint(
        operation, server, tool, purpose, *facts, collection=collection, entity=entity, fields=fields
    )
    return Action((*before, ReferenceCall(server, tool, arguments, purpose)), (checkpoint,))


def operate_checkpoint(  # noqa: PLR0913 (each is a keyword of its own)
    operation: str,
    server: str,
    tool: str,
    purpose: str,
    *facts: Fact,
    collection: str,
    entity: str | None = None,
    fields: Mapping[str, Any] | None = None,
    context: str = "siyuan.chen",
) -> dict[str, Any]:
    """An execution checkpoint of the type ``operate``."""
    expected = {
        "collection": collection,
        "entity": entity,
        "fields": dict(fields or {}),
        "contains": [spellings(each) for each in facts],
    }
    return {
        "checkpoint_type": "operate",
        "tool": f"{server}:{tool}",
        "operate_type": operation,
        "summary": f"Call `{server}:{tool}` to {purpose}.",
        "context": [{"server_name": server, "context_id": context}],
        **{name: value for name, value in expected.items() if value},
    }


def spellings(fact: Fact) -> list[str]:
    """The spellings of a fact; a noun that is one of ``_NOUNS`` in the singular and in the plural."""
    forms_of_fact = [fact] if isinstance(fact, str) else list(fact)
    forms = [form for each in forms_of_fact for pair in _NOUNS if each in pair for form in pair]
    return list(dict.fromkeys((*forms_of_fact, *forms)))


_NOUNS = (
    ("bag", "bags"),
    ("build", "builds"),
    ("cake", "cakes"),
    ("change", "changes"),
    ("chestnut", "chestnuts"),
    ("comment", "comments"),
    ("demo", "demos"),
    ("drawer", "drawers"),
    ("drill", "drills"),
    ("fern", "ferns"),
    ("folder", "folders"),
    ("form", "forms"),
    ("interview", "interviews"),
    ("juniper", "junipers"),
    ("list", "lists"),
    ("map", "maps"),
    ("meal", "meals"),
    ("noodle", "noodles"),
    ("number", "numbers"),
    ("passport", "passports"),
    ("phone", "phones"),
    ("review", "reviews"),
    ("room", "rooms"),
    ("rope", "ropes"),
    ("sample", "samples"),
    ("slide", "slides"),
    ("teapot", "teapots"),
    ("tin", "tins"),
)
"""Nouns of the facts that people write in either number."""
