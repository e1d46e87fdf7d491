"""Requests of one person: the steps of a task in YAML become calls and checkpoints."""

import json
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from pytest_mcpbench.generation.persona.people.profile import Profile
from pytest_mcpbench.generation.persona.people.references import resolve
from pytest_mcpbench.generation.persona.people.worlds import World, people_names, worlds_of
from pytest_mcpbench.generation.persona.request import (
    Action,
    Fact,
    ReferenceCall,
    Request,
    lookup,
    operate_checkpoint,
    plain_call,
)
from pytest_mcpbench.generation.spelling import clock, day, number

_OPERATIONS = {"creates": "create", "changes": "modify", "deletes": "delete"}


def _number(text: str) -> tuple[str, ...]:
    return number(int(text))


_SPELLINGS: Mapping[str, Callable[[str], tuple[str, ...]]] = MappingProxyType(
    {"day": day, "clock": clock, "number": _number}
)


def requests_of(profile: Profile) -> Iterator[Request]:
    """Yield the requests of a person, in the order of the file."""
    worlds = worlds_of(profile)
    names = people_names(profile) | {name: each for world in worlds.values() for name, each in world.names.items()}
    for place, task in enumerate(profile.tasks, 1):
        where = f"{profile.file}: task {place}"
        yield _request(profile, resolve(task, names, where), worlds, where)


def _request(profile: Profile, task: Mapping[str, Any], worlds: Mapping[str, World], where: str) -> Request:
    actions = tuple(_action(step, profile.me.key, where) for step in task["steps"])
    used = {call.server for action in actions for call in action.calls}
    seeds = {app: world.contexts for app, world in worlds.items() if app in used}
    return Request(
        kind=task["kind"],
        prompt=task["ask"],
        actions=actions,
        necessary_context=task.get("knows", {}),
        seeds={**seeds, **task.get("seeds", {})},
        claims=tuple(task.get("claims", ())),
        person=profile.about,
    )


def _action(step: Mapping[str, Any], person: str, where: str) -> Action:
    """Return the action of one step; its first key is ``server tool``, with the arguments as the value."""
    (call, arguments), *_ = step.items()
    server, _, tool = call.partition(" ")
    if not tool or "to" not in step:
        raise ValueError(f"{where}: a step begins with `server tool` and has a purpose, `to`; got: {list(step)}.")
    written = next((name for name in _OPERATIONS if name in step), None)
    if written is not None:
        return _change(written, step, (server, tool, arguments), person)
    if step.get("is_only_made"):
        return plain_call(server, tool, arguments or {}, step["to"])
    found = step.get("finds", [])
    values = found if isinstance(found, list) else [found]
    return lookup(server, tool, arguments or {}, step["to"], *values)


def _change(written: str, step: Mapping[str, Any], call: tuple[str, str, Any], person: str) -> Action:
    """Return the action of a step that ``creates``, ``changes`` or ``deletes`` something."""
    server, tool, arguments = call
    checkpoint = operate_checkpoint(
        _OPERATIONS[written],
        server,
        tool,
        step["to"],
        *map(_fact, step.get("says", ())),
        collection=step[written],
        entity=step.get("entity"),
        fields=step.get("fields"),
        context=person,
    )
    if "world" in step:
        checkpoint["context"] = [{"server_name": step["world"], "context_id": person}]
    return Action((ReferenceCall(server, tool, json.loads(json.dumps(arguments)), step["to"]),), (checkpoint,))


def _fact(written: Any) -> Fact:
    """Return the accepted spellings of a fact; ``day:``, ``clock:`` and ``number:`` write all of them out."""
    spellings = [written] if isinstance(written, str | int) else written
    return tuple(dict.fromkeys(form for each in spellings for form in _forms(str(each))))


def _forms(text: str) -> tuple[str, ...]:
    kind, colon, value = text.partition(":")
    return _SPELLINGS[kind](value) if colon and kind in _SPELLINGS else (text,)
