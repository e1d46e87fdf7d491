"""Tasks as they are written in source files, and the requests that they become."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, JsonValue, PositiveInt, model_validator

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.persona.names import Names, UnknownNameError
from pytest_mcpbench.generation.persona.request import Request, RequestCall, summary_of
from pytest_mcpbench.generation.source.files import SourceEntry, SourceValue, read_entry, source_directory
from pytest_mcpbench.generation.spelling import spellings
from pytest_mcpbench.simulated.cast import CAST

# Execution checkpoints in the benchmark's format, by which the calls of an agent are verified.

GENERIC_SERVERS = frozenset(
    (
        *("amap-maps", "baidu-maps", "context7", "deep-research", "deepseek", "mcp-monitor", "mcpollinations"),
        *("medical-mcp", "tushare", "websearch"),
    )
)
"""Servers that look something up for anybody, without an account: nine of the paper (Table 8), and the small web."""

Checkpoint = dict[str, Any]


def search_checkpoint(server: str, tool: str, values: Sequence[Any]) -> Checkpoint:
    """Return the checkpoint of a lookup: the values must be in the results of lookups or in the answer."""
    kind = "generic_search" if server in GENERIC_SERVERS else "personalized_search"
    expected = values[0] if len(values) == 1 else list(values)
    return {
        "checkpoint_type": kind,
        "tool": f"{server}:{tool}",
        "GT_value": json.dumps(expected, ensure_ascii=False),
    }


def other_checkpoint(server: str, tool: str, purpose: str) -> Checkpoint:
    """Return the checkpoint of a call that neither finds nor changes anything: only its success can be checked."""
    return {
        "checkpoint_type": "other",
        "tool": f"{server}:{tool}",
        "summary": summary_of(server, tool, purpose, is_demanded=True),
    }


def operate_checkpoint(  # noqa: PLR0913 (each is a keyword of its own)
    operation: str,
    call: tuple[str, str],
    purpose: str,
    *,
    collection: str,
    entity: str | None,
    fields: Mapping[str, Any],
    facts: Iterable[Sequence[str]],
    context: tuple[str, str],
) -> Checkpoint:
    """Return the checkpoint of a call that creates, modifies or deletes an entity.

    ``call`` is the server and its tool, ``context`` the server whose world changes and the key of the person.
    """
    server, tool = call
    expected = {
        "collection": collection,
        "entity": entity,
        "fields": dict(fields),
        "contains": [with_plurals(each) for each in facts],
    }
    return {
        "checkpoint_type": "operate",
        "tool": f"{server}:{tool}",
        "operate_type": operation,
        "summary": summary_of(server, tool, purpose, is_demanded=False),
        "context": [{"server_name": context[0], "context_id": context[1]}],
        **{name: value for name, value in expected.items() if value},
    }


def with_plurals(spellings: Sequence[str]) -> list[str]:
    """Return the spellings of a fact and, of nouns in ``source/nouns.yaml``, both singular and plural."""
    forms = [form for each in spellings for pair in _nouns() if each in pair for form in pair]
    return list(dict.fromkeys((*spellings, *forms)))


class _Nouns(SourceEntry):
    plurals: Mapping[str, str]


@cache
def _nouns() -> tuple[tuple[str, str], ...]:
    return tuple(read_entry(source_directory("persona") / "nouns.yaml", _Nouns).plurals.items())


_OPERATIONS = {"creates": "create", "changes": "modify", "deletes": "delete"}


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


class WrittenChange(SourceValue):
    """A change that a call makes to a world."""

    to: str
    """Purpose as an infinitive phrase."""
    creates: str | None = None
    changes: str | None = None
    deletes: str | None = None
    """Collection of the entity that is created, changed or deleted."""
    entity: str | int | None = None
    fields: Mapping[str, JsonValue] = {}
    says: tuple[JsonValue, ...] = ()
    """Facts that the entity states: one spelling, or a list of accepted ones."""
    world: str | None = None
    """Server whose world changes, if it is not the called one."""

    @model_validator(mode="after")
    def _makes_one_change(self) -> Self:
        if len(self._changes) > 1:
            raise ValueError(f"a call has one of {', '.join(_OPERATIONS)}; write further changes in `also`")
        return self

    @property
    def operation(self) -> tuple[str, str] | None:
        """Return the type of the change and its collection; ``None`` if nothing is changed."""
        return next(iter(self._changes), None)

    @property
    def _changes(self) -> list[tuple[str, str]]:
        found = ((_OPERATIONS[name], getattr(self, name)) for name in _OPERATIONS)
        return [(operation, collection) for operation, collection in found if collection is not None]


class WrittenStep(WrittenChange):
    """One reference call with its purpose and what it finds or changes."""

    server: str
    tool: str
    arguments: Mapping[str, JsonValue]
    finds: Annotated[tuple[JsonValue, ...], BeforeValidator(_as_list)] = ()
    """Values that must be in the results of lookups or in the answer."""
    also: tuple[WrittenChange, ...] = ()
    """Further changes that the call makes."""
    is_only_made: bool = False
    """True if only the success of the call can be checked."""

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, value: Any) -> Any:
        if not isinstance(value, dict) or "tool" in value:
            return value
        calls = [key for key in value if " " in key]
        if len(calls) != 1:
            raise ValueError(f"a step has one key `server tool` with the arguments, not {calls or 'none'}")
        server, _, tool = calls[0].partition(" ")
        others = {key: each for key, each in value.items() if key != calls[0]}
        return {"server": server, "tool": tool, "arguments": value[calls[0]] or {}, **others}


class WrittenTask(SourceEntry):
    """One task."""

    number: PositiveInt
    """Number in the task's id, which it keeps while other tasks come and go; the number of no other task."""
    kind: str
    """The record's ``query_type``."""
    ask: str
    knows: Mapping[str, str] = {}
    """Facts about the user that the agent needs, by label."""
    steps: tuple[WrittenStep, ...]
    claims: tuple[str, ...] = ()
    """Statements that the answer must make, for a request that asks a question."""
    seeds: Mapping[str, str] = {}
    """Server -> name of the seed of its world, for servers that do not start with the default seed."""


def request_of(
    task: WrittenTask, names: Names, *, person: str, about: str, worlds: Mapping[str, Any] = MappingProxyType({})
) -> Request:
    """Return the request that a task becomes. Raises ``TaskError``.

    ``worlds`` are contexts of the person's own apps, of which a request gets those that it uses.
    """
    try:
        calls = tuple(
            RequestCall(
                step.server,
                step.tool,
                names.resolve(json.loads(json.dumps(step.arguments))),
                str(names.resolve(step.to)),
                step.is_only_made,
            )
            for step in task.steps
        )
        return Request(
            number=task.number,
            kind=task.kind,
            prompt=str(names.resolve(task.ask)),
            calls=calls,
            checkpoints=tuple(each for step in task.steps for each in _checkpoints(step, names, person)),
            necessary_context=names.resolve(task.knows),
            seeds={
                **{app: world for app, world in worlds.items() if app in {each.server for each in calls}},
                **task.seeds,
            },
            claims=tuple(names.resolve(task.claims)),
            person=about,
            place=task.place,
        )
    except UnknownNameError as error:
        raise TaskError(str(error), task.place) from error


def _checkpoints(step: WrittenStep, names: Names, person: str) -> Iterator[Checkpoint]:
    changes = [change for change in (step, *step.also) if change.operation]
    if changes:
        change_checkpoints: list[Checkpoint] = []
        for change in changes:
            assert change.operation is not None
            operation, collection = change.operation
            change_checkpoints.append(
                operate_checkpoint(
                    operation,
                    (step.server, step.tool),
                    str(names.resolve(change.to)),
                    collection=str(names.resolve(collection)),
                    entity=None if change.entity is None else str(names.resolve(change.entity)),
                    fields=names.resolve(change.fields),
                    facts=[spellings(fact, {"name": _name}) for fact in names.resolve(change.says)],
                    context=(change.world or step.server, person),
                )
            )
        yield from change_checkpoints
    elif step.is_only_made:
        yield other_checkpoint(step.server, step.tool, step.to)
    elif step.finds:
        yield search_checkpoint(step.server, step.tool, names.resolve(step.finds))


def _name(key: str) -> tuple[str, ...]:
    """Return the names of a person that an answer may use: full name, given name, name in Chinese."""
    person = CAST.person(key)
    return (person.name, person.given_name, person.local_name)
