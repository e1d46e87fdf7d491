"""Handwritten requests, the actions that fulfil them, and the checkpoints by which an action is verified."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

GENERIC_SERVERS = frozenset(
    (
        *("amap-maps", "baidu-maps", "context7", "deep-research", "deepseek", "mcp-monitor", "mcpollinations"),
        *("medical-mcp", "tushare", "websearch"),
    )
)
"""Servers that look something up for anybody, without an account: nine of the paper (Table 8), and the small web."""

Fact = str | tuple[str, ...]
"""A fact that a text must state: one spelling, or several accepted spellings."""


@dataclass(frozen=True)
class ReferenceCall:
    """One reference call. ``<prev_result.path>`` in an argument refers to the result of the previous call."""

    server: str
    tool: str
    arguments: Mapping[str, Any]
    purpose: str
    """Purpose of the call as an infinitive phrase, to be put after "to"."""


@dataclass(frozen=True)
class Action:
    """One or several reference calls that belong together, with execution checkpoints in the benchmark's format."""

    calls: tuple[ReferenceCall, ...]
    checkpoints: tuple[Mapping[str, Any], ...] = ()

    def __add__(self, other: "Action") -> "Action":
        return Action(self.calls + other.calls, self.checkpoints + other.checkpoints)


@dataclass(frozen=True)
class Request:
    """One task: the user's prompt, the context about the user, and the actions that fulfil the prompt."""

    kind: str
    """The record's ``query_type``."""
    prompt: str
    actions: tuple[Action, ...]
    necessary_context: Mapping[str, str] = field(default_factory=dict)
    """Facts about the user that the agent needs, by label."""
    seeds: Mapping[str, Any] = field(default_factory=dict)
    """Server -> name of the seed of its world, or its contexts, for servers that do not start with the default seed."""
    person: str = "Siyuan Chen (陈思远), product manager at Northlight in Shanghai (UTC+8)"
    """Name and occupation of the user, and the time zone."""
    claims: tuple[str, ...] = ()
    """Statements that the answer must make, for a request that only asks a question."""

    def with_claims(self, *claims: str) -> "Request":
        """Return the request with statements that the answer must make."""
        return replace(self, claims=claims)

    @property
    def calls(self) -> tuple[ReferenceCall, ...]:
        return tuple(call for action in self.actions for call in action.calls)

    @property
    def checkpoints(self) -> tuple[Mapping[str, Any], ...]:
        return tuple(checkpoint for action in self.actions for checkpoint in action.checkpoints)


def request(kind: str, prompt: str, *actions: Action, **necessary_context: str) -> Request:
    """Return a request. Keywords are the necessary context; an underscore in a keyword becomes a space."""
    context = {label.replace("_", " "): text for label, text in necessary_context.items()}
    return Request(kind, prompt, actions, context)


def lookup(server: str, tool: str, arguments: Mapping[str, Any], purpose: str, *values: Any) -> Action:
    """Return an action that looks something up.

    The values, if there are any, must appear in the results of the agent's lookups or in its answer.
    """
    kind = "generic_search" if server in GENERIC_SERVERS else "personalized_search"
    call = ReferenceCall(server, tool, arguments, purpose)
    if not values:
        return Action((call,))
    value = values[0] if len(values) == 1 else list(values)
    expected = json.dumps(value, ensure_ascii=False)
    return Action((call,), ({"checkpoint_type": kind, "tool": f"{server}:{tool}", "GT_value": expected},))


def plain_call(server: str, tool: str, arguments: Mapping[str, Any], purpose: str) -> Action:
    """Return an action of which only the success can be checked: it neither finds nor changes anything."""
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
    """Return an action that creates, modifies or deletes an entity. ``before`` holds calls that must precede it."""
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
    """Return an execution checkpoint of type ``operate``."""
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
    """Return the accepted spellings of a fact. Nouns of ``_NOUNS`` are accepted in singular and plural."""
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
"""Nouns that are accepted in singular and plural wherever they occur as a fact."""
