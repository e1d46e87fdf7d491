"""Rules that decide execution checkpoints from results and state (MCP-Persona 3.4, App. B.2.2)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.context.path import Path, PathSyntaxError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.placeholders import decode_json, payloads
from pytest_mcpbench.core.task import ExecCheckpoint, Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.world import Change, WorldRecord
from pytest_mcpbench.metrics.comparison.containment import (
    MOST_LISTED,
    contains,
    contains_id,
    disagreements,
    find_ids,
    format_json,
    mentions,
    normalize,
)
from pytest_mcpbench.metrics.comparison.unix_times import is_zone_of_unix_time
from pytest_mcpbench.metrics.world_state.bookkeeping import is_bookkeeping
from pytest_mcpbench.metrics.world_state.changes import changed_fields, entity_path, entity_value

KIND_OF_OPERATION = {"create": "created", "modify": "updated", "delete": "deleted"}

_SAME_SERVER = {"feishu": "lark_mcp", "lark": "lark_mcp"}
_QUOTED = re.compile(r"[\"“]([^\"”]{2,}?)[\"”]|(?<!\w)['‘]([^'’]{2,}?)['’](?!\w)|「([^」]+)」|《([^》]+)》")
_FIELD = re.compile(r"\b\w+\s*=\s*['‘\"]([^'‘’\"]+)['‘’\"]")


@dataclass(frozen=True)
class RuleDecision:
    """Decision of a rule; ``points`` is ``None`` if the rule cannot decide, with the reason."""

    points: float | None
    reason: str


def decide_by_rule(checkpoint: ExecCheckpoint, task: Task, evidence: AttemptEvidence) -> RuleDecision:
    """Decide a checkpoint as 1, 0.5 or 0 by rule, or return the reason why a judge is needed."""
    if checkpoint.kind in ("personalized_search", "generic_search"):
        return _search(checkpoint, evidence, is_public=task.context.is_public)
    if checkpoint.kind == "operate" and checkpoint.operation in KIND_OF_OPERATION:
        return _operation(checkpoint, task, evidence)
    if not checkpoint.tool:
        return RuleDecision(None, "the checkpoint names no tool")
    calls = _calls_of(checkpoint, evidence)
    if not calls:
        return RuleDecision(0.0, f"{checkpoint.tool} was not called successfully")
    if checkpoint.kind == "operate" and _is_prose(checkpoint):
        return _prose(checkpoint, [], evidence)
    quoted_values = [
        normalize(next(part for part in match.groups() if part)) for match in _QUOTED.finditer(checkpoint.summary)
    ]
    missing = [text for text in quoted_values if not any(contains(call.arguments, text) for call in calls)]
    if missing:
        return RuleDecision(None, f"{checkpoint.tool} was called, but no call holds {', '.join(map(repr, missing))}")
    return RuleDecision(1.0, f"{checkpoint.tool} was called successfully")


def changes_requested_by(checkpoint: ExecCheckpoint, task: Task, world: WorldRecord) -> Iterator[Change]:
    """Yield the changes that a checkpoint asks for; ``other`` operations may change anything in their contexts."""
    if checkpoint.kind != "operate" or _is_prose(checkpoint) or not _is_about(checkpoint, world):
        return
    for change in _in_contexts(checkpoint, task, world):
        if checkpoint.operation not in KIND_OF_OPERATION or not _objections(checkpoint, change):
            yield change


def leaves_changes_open(task: Task, world: WorldRecord) -> bool:
    """Return whether a checkpoint describes the changes that it asks for in words only."""
    operations = (checkpoint for checkpoint in task.expected.exec if checkpoint.kind == "operate")
    return any(_is_prose(checkpoint) and _is_about(checkpoint, world) for checkpoint in operations)


def _search(checkpoint: ExecCheckpoint, evidence: AttemptEvidence, *, is_public: bool) -> RuleDecision:
    """Return 1 if the reference value is in a result or the answer, 0.5 if only some of its ids are.

    The reference values of public records come from other simulators, which have more fields: if only a part of such a
    value is found, a judge must read it.
    """
    value = checkpoint.value
    # An object or list that is written as JSON text is decoded.
    inside = decode_json(value) if isinstance(value, str) else value
    wanted = inside if isinstance(inside, dict | list) else value
    if wanted in (None, "", [], {}):
        return RuleDecision(None, "the checkpoint has no reference value")
    places = list(_places(evidence))
    if not places:
        return RuleDecision(0.0, "no call succeeded, and there is no answer")
    # A text such as ``id='F1'; name='a.pdf'`` is found with every value, under whatever names.
    fields = _FIELD.findall(wanted) if isinstance(wanted, str) else []
    for name, found in places:
        if contains(found, wanted) or (fields and all(contains(found, field) for field in fields)):
            return RuleDecision(1.0, f"{format_json(wanted)} is in {name}")
    known = find_ids(wanted)
    if not known:
        decision = RuleDecision(None, f"{format_json(wanted)} is in no result as it stands and has no ids to look for")
    else:
        ids = {one for one in known for _, found in places if contains_id(found, one)}
        missing = ", ".join(sorted(known - ids)) or "none, but other values differ"
        decision = RuleDecision(0.5 if ids else 0.0, f"{len(ids)} of {len(known)} ids were found; lacking: {missing}")
    if is_public and decision.points:
        return RuleDecision(None, f"{decision.reason}, in a record of other simulators")
    return decision


def _places(evidence: AttemptEvidence) -> Iterator[tuple[str, Any]]:
    for number, call in enumerate(evidence.calls, 1):
        if call.result is not None and not call.is_error:
            for value in payloads(call.result):
                yield f"the result of call {number} ({call.called})", value
    if evidence.answer:
        yield "the answer", decode_json(evidence.answer)


def _operation(checkpoint: ExecCheckpoint, task: Task, evidence: AttemptEvidence) -> RuleDecision:
    worlds = [world for world in evidence.worlds if _is_about(checkpoint, world)]
    if not worlds:
        return RuleDecision(None, f"no world of {_server_names(checkpoint)} was observed")
    kind = KIND_OF_OPERATION[checkpoint.operation or ""]
    changes = [change for world in worlds for change in _in_contexts(checkpoint, task, world)]
    if _is_prose(checkpoint):
        return _prose(checkpoint, changes, evidence)
    of_kind = [change for change in changes if change.kind == kind]
    if not of_kind:
        return RuleDecision(0.0, f"nothing was {kind} in {_server_names(checkpoint)}")
    right = [change for change in of_kind if not _objections(checkpoint, change)]
    left_open = [sentence for change in right for sentence in _unsaid(checkpoint, change)]
    if left_open:
        right = [change for change in right if not _unsaid(checkpoint, change)]
        if not right:
            # It may be said in words that nobody thought of.
            return RuleDecision(None, f"{kind} as asked, but {left_open[0]} in a known spelling")
    if not right:
        why = "; ".join(
            f"{entity_path(change)}: {', '.join(_objections(checkpoint, change))}" for change in of_kind[:MOST_LISTED]
        )
        return RuleDecision(0.0, f"no entity was {kind} as asked ({why})")
    said = f"{right[0].kind} {entity_path(right[0])}"
    if checkpoint.fields or checkpoint.contains or (checkpoint.collection and checkpoint.entity):
        return RuleDecision(1.0, f"{said} with what was asked for")
    if checkpoint.collection or not checkpoint.tool or _calls_of(checkpoint, evidence):
        return RuleDecision(1.0, said)
    return RuleDecision(None, f"{said}, but {checkpoint.tool!r} was not called successfully")


def _is_prose(checkpoint: ExecCheckpoint) -> bool:
    """Return whether only the summary says what is right, as in the public records of MCP-Persona."""
    names_place = checkpoint.collection and (checkpoint.entity or "[" in checkpoint.collection)
    return bool(checkpoint.summary) and not (checkpoint.fields or checkpoint.contains or names_place)


def _prose(checkpoint: ExecCheckpoint, changes: list[Change], evidence: AttemptEvidence) -> RuleDecision:
    """Return 0 if nothing was done; else a judge must read it, as the kinds in public records are not reliable."""
    done = [f"{change.kind} {entity_path(change)}" for change in changes[:1]]
    done += [f"{checkpoint.tool} was called"] if _calls_of(checkpoint, evidence) else []
    if not done:
        not_called = f" and {checkpoint.tool} was not called successfully" if checkpoint.tool else ""
        return RuleDecision(0.0, f"nothing was changed in {_server_names(checkpoint)}{not_called}")
    return RuleDecision(None, f"{done[0]}, but only the checkpoint's text says what is right")


def _objections(checkpoint: ExecCheckpoint, change: Change) -> tuple[str, ...]:
    """Return the reasons why a change is not the requested one; empty if it is."""
    if change.kind != KIND_OF_OPERATION[checkpoint.operation or ""]:
        return (f"was {change.kind}",)
    if checkpoint.collection and not _in_collection(checkpoint.collection, change):
        return (f"is not in {checkpoint.collection}",)
    if checkpoint.entity and change.id != checkpoint.entity:
        return (f"is not {checkpoint.entity}",)
    if change.kind != "updated" or not checkpoint.fields:
        beyond: list[str] = []
    else:
        named = {name for path in checkpoint.fields for name in (path, path.partition(".")[0])}
        beyond = [
            f"{name} was changed too"
            for name in changed_fields(change)
            if name not in named
            and not is_bookkeeping(name)
            and not is_zone_of_unix_time(name, checkpoint.fields, change.after)
        ]
    return (*disagreements(checkpoint.fields, entity_value(change)), *beyond)


def _unsaid(checkpoint: ExecCheckpoint, change: Change) -> tuple[str, ...]:
    """Return a sentence for each text that the entity has in none of its spellings."""
    value = entity_value(change)
    return tuple(
        f"does not say {spellings[0]!r}"
        for spellings in checkpoint.contains
        if not any(mentions(value, spelling) for spelling in spellings)
    )


def _in_collection(wanted: str, change: Change) -> bool:
    """Return whether the change lies in the collection: same names; selectors only where the checkpoint gives an id."""
    try:
        left, right = Path.parse(wanted).segments, Path.parse(change.collection).segments
    except PathSyntaxError:
        return wanted == change.collection
    if len(left) > len(right):
        return False
    return all(
        one.name == other.name and one.selector in (None, "*", "primary", other.selector)
        for one, other in zip(left, right[-len(left) :], strict=True)
    )


def _is_about(checkpoint: ExecCheckpoint, world: WorldRecord) -> bool:
    servers = {_server(name) for name, _ in checkpoint.contexts}
    return not servers or _server(world.name) in servers


def _in_contexts(checkpoint: ExecCheckpoint, task: Task, world: WorldRecord) -> list[Change]:
    """Return the world's changes in the checkpoint's contexts; all changes if the server's tree has no contexts."""
    seed: Any = task.context.seeds.get(world.name)
    wanted = {context for server, context in checkpoint.contexts if _server(server) == _server(world.name)}
    named = {context for context in wanted if _keeps(seed, context)}
    if not named:
        return list(world.changes)
    # The server may have converted the contexts of the seed to a tree without contexts.
    holds_contexts = isinstance(seed, Mapping) and not named.isdisjoint(seed)
    if holds_contexts and not any(_in_context(change, each) for change in world.changes for each in seed):
        return list(world.changes)
    return [change for change in world.changes if any(_in_context(change, one) for one in named)]


def _keeps(seed: Any, context: str) -> bool:
    """Return whether a tree has a context of that id at its top, or in a collection at its top."""
    if not isinstance(seed, Mapping):
        return False
    return context in seed or any(isinstance(child, Mapping) and context in child for child in seed.values())


def _in_context(change: Change, context: str) -> bool:
    at = entity_path(change)
    return at == context or at.startswith((f"{context}.", f"{context}[")) or f"[{context}]" in at


def _server(name: str) -> str:
    return _SAME_SERVER.get(name, name)


def _server_names(checkpoint: ExecCheckpoint) -> str:
    return ", ".join(f"{server} ({context})" for server, context in checkpoint.contexts) or "any server"


def _calls_of(checkpoint: ExecCheckpoint, evidence: AttemptEvidence) -> list[CallRecord]:
    """Return the successful calls of the checkpoint's tool, on its servers if they were there.

    They are that of ``server:tool`` or, without one, those of the contexts.
    """
    server, _, wanted = (checkpoint.tool or "").rpartition(":")
    servers = {_server(name) for name in ([server] if server else [name for name, _ in checkpoint.contexts])}
    is_available = not servers.isdisjoint(_server(tool.server) for tool in evidence.tools)
    return [
        call
        for call in evidence.calls
        if not call.is_error
        and wanted in (call.called, call.name)
        and (not is_available or call.server is None or _server(call.server) in servers)
    ]
