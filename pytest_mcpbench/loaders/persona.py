"""Loader of MCP-Persona tasks: requests with a personal context, worlds and checkpoints (arXiv 2606.02470)."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import PurePath
from typing import Any, Literal

from pydantic import ValidationError

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import (
    CallGroup,
    Checkpoint,
    Context,
    ExecCheckpoint,
    Expected,
    ExpectedCall,
    Source,
    Task,
    Turn,
)
from pytest_mcpbench.loaders.field_errors import FieldError, to_field_error, type_name
from pytest_mcpbench.loaders.json_records import JsonRecord, read_json_records
from pytest_mcpbench.loaders.literal_parsing import parse_literal_or_text
from pytest_mcpbench.loaders.loader_options import parse_options
from pytest_mcpbench.loaders.persona_holes import fill_moments, find_holes
from pytest_mcpbench.loaders.task_building import build_task
from pytest_mcpbench.loaders.task_ids import TaskIds, normalize_id
from pytest_mcpbench.text.numbered_steps import split_steps

# Parser of MCP-Persona's ``tool_calling_sequence``: ``1. server:tool: text="x", params={"a": 1}``.

_LINE = re.compile(r"^\s*(\d+)\s*[.)、]\s*`?([\w-]+)\s*:\s*([\w.-]+)`?\s*[:：]?\s*(.*)$")
_ARGUMENT = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.*)", re.DOTALL)
_HOLE = re.compile(r'(?<=[:\[,=])\s*(<[^<>"]+>)\s*(?=[,}\]]|$)')
_ID = re.compile(r"\d{10}\.\d+|\d{15,}|\d+e\d{3,}")
"""Unquoted ids that look like numbers: of Slack's messages, of Instagram's objects, and hexadecimal ones."""
_OPENING, _CLOSING = "([{", ")]}"


def parse_calls(sequence: str) -> tuple[ExpectedCall, ...]:
    """Parse the calls, one per numbered line, with the line's number as id; lines without a call are skipped.

    A value is JSON, a Python literal or plain text. Placeholders (``<timestamp_for_now>``) and values abbreviated with
    ``…`` stay text; text without a name (``[No parameters required]``) is ignored.
    """
    calls: list[ExpectedCall] = []
    for line in filter(None, map(_LINE.match, sequence.splitlines())):
        arguments: dict[str, Any] = {}
        for part in _parts(line[4]):
            if argument := _ARGUMENT.fullmatch(part):
                arguments[argument[1]] = _value(argument[2].strip())
        calls.append(ExpectedCall(id=line[1], server=line[2], tool=line[3], arguments=arguments))
    return tuple(calls)


def _value(text: str) -> Any:
    """Parse a value; unquoted placeholders are quoted only if the value cannot be parsed otherwise."""
    if _ID.fullmatch(text):
        return text
    value = parse_literal_or_text(text)
    if value != text:
        return value
    quoted = _HOLE.sub(r'"\1"', f"={text}")[1:]
    requoted = parse_literal_or_text(quoted)
    return text if requoted == quoted else requoted


def _parts(text: str) -> Iterator[str]:
    """Split a text at the commas that are outside brackets and quotes."""
    start = depth = 0
    quote = ""
    position = 0
    while position < len(text):
        character = text[position]
        if quote:
            position += character == "\\"
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif character == "," and depth == 0:
            yield text[start:position]
            start = position + 1
        position += 1
    yield text[start:]


_ALIASES = {"feishu": "lark_mcp", "lark": "lark_mcp", "lark-mcp": "lark_mcp", "universal-email": "universal_email"}
_OPERATIONS = {
    "create": "create",
    "add": "create",
    "modify": "modify",
    "update": "modify",
    "edit": "modify",
    "delete": "delete",
    "remove": "delete",
    "other": "other",
}
_CATEGORIES = {
    "lark_mcp": "collaboration-platform",
    "slack": "collaboration-platform",
    "wecome": "collaboration-platform",
    "wecom": "collaboration-platform",
    "notion": "content-management",
    "obsidian": "content-management",
    "xiaohongshu": "social-media",
    "reddit": "social-media",
    "instagram": "social-media",
    "telegram": "social-media",
    "discord": "social-media",
    "universal_email": "email",
    "gmail": "email",
}
"""Category of each personal app (Table 8), as a column of Table 3."""
_CENTRES = {
    "lark_mcp": "lark-centric",
    "feishu": "lark-centric",
    "lark": "lark-centric",
    "xiaohongshu": "rednote-centric",
}
_OF_SINGLE_RECORDS = frozenset({"obsidian", "notion"})


class PersonaOptions(FrozenModel):
    """Options of ``loader = "persona"``."""

    files: str | None = None
    """Directory, relative to the suite, that is copied for each attempt."""
    official: bool = False
    """Keep ``Step 1: … Step 2: …`` in one text as one checkpoint, as the authors' code does."""
    now: datetime | None = None
    """Clock of the records that have none of their own, with its offset; moments of their references follow from it."""
    public: bool = False
    """True for the benchmark's own records: fields of contexts that a server does not read are warnings."""


def load(content: bytes, options: LoadOptions) -> Iterator[LoadedTask]:
    """Load a JSON array or JSON lines; a task id consists of the file's name and the record's ``id``."""
    persona_options = parse_options(options, PersonaOptions)
    stem = normalize_id(PurePath(options.file).stem.removesuffix("_release_data")) or "persona"
    ids = TaskIds()
    for index, record in enumerate(read_json_records(content, options.file), start=1):
        upstream_id = record.value.get("id") if isinstance(record.value, dict) else None
        preferred_id = (
            f"{stem}-{normalize_id(str(upstream_id)) if isinstance(upstream_id, str | int) else f'record-{index}'}"
        )
        task_id, repetition = ids.take(preferred_id, record.place)
        warnings = (*record.warnings, *repetition)
        try:
            task, task_warnings = _task(record, task_id, persona_options)
        except FieldError as error:
            yield LoadedTask(record.place, id=task_id, error=error.at(record.place), warnings=warnings)
        else:
            yield LoadedTask(record.place, id=task_id, task=task, warnings=(*warnings, *task_warnings))


def server_name(raw: str) -> str:
    """Return the canonical name of a server: ``feishu`` becomes ``lark_mcp``."""
    name = raw.strip()
    return _ALIASES.get(name.lower(), name)


def _task(record: JsonRecord, task_id: str, options: PersonaOptions) -> tuple[Task, list[str]]:
    row = record.value
    if record.problem is not None:
        raise FieldError(None, record.problem + ".")
    if not isinstance(row, dict):
        raise FieldError(None, f"a record must be an object, not {type_name(row)}.")
    warnings: list[str] = []
    instruction = _instruction(row, warnings)
    servers, tools = _chain(row.get("chains"))
    annotation = row.get("gt_annotation")
    checkpoints = _checkpoints(annotation, official=options.official)
    now = None if options.now is None else options.now.isoformat()
    if isinstance(row.get("now"), str):
        now = str(row["now"])
    calls = _reference_calls(annotation, now)
    execs = tuple(_exec_checkpoints(row.get("gt"), warnings))
    if not checkpoints:
        warnings.append("gt_annotation.summary contains no checkpoint")
    fields = {
        "id": task_id,
        "turns": (Turn(user=instruction),),
        "servers": servers,
        "context": _context(row, options, now, warnings),
        "expected": Expected(
            calls=calls,
            open_reference=_open_reference(calls),
            checkpoints=checkpoints,
            exec=execs,
            claims=_claims(row),
        ),
        "guards": {"coverage": 1.0} if _claims(row) else {},
        "tags": _tags(row, servers, tools),
        "source": Source(file=record.place.file, place=str(record.place), upstream_id=str(row.get("id"))),
    }
    return build_task(fields), warnings


def _instruction(row: Mapping[str, Any], warnings: list[str]) -> str:
    """Return the user's request, or the steps of the annotation if a shortened record has no instruction."""
    instruction = row.get("instruction")
    if isinstance(instruction, str) and instruction.strip():
        return instruction
    if instruction not in (None, ""):
        raise FieldError("instruction", f"must be text, not {type_name(instruction)}.")
    steps = [checkpoint.text for checkpoint in _checkpoints(row.get("gt_annotation"), official=False)]
    if not steps:
        raise FieldError("instruction", "is missing.")
    warnings.append("instruction is missing; the steps of gt_annotation replace it")
    return "\n".join(steps)


def _claims(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the statements that the answer must make: a field of this project's own suites."""
    claims = row.get("claims") or []
    if not isinstance(claims, list) or not all(isinstance(claim, str) and claim.strip() for claim in claims):
        raise FieldError("claims", "must be a list of statements.")
    return tuple(claims)


def _chain(value: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the distinct servers of a chain, and its tools in order."""
    if value is None:
        return (), ()
    if not isinstance(value, list) or not all(isinstance(step, str) for step in value):
        raise FieldError("chains", f"must be a list of `server:tool`, not {type_name(value)}.")
    parts = [step.partition(":") for step in value]
    servers = dict.fromkeys(normalize_id(server_name(server)) for server, _, _ in parts if server.strip())
    return tuple(servers), tuple(tool for _, _, tool in parts if tool)


def _tags(row: Mapping[str, Any], servers: tuple[str, ...], tools: tuple[str, ...]) -> dict[str, str]:
    kind = row.get("query_type")
    tags = {"tools": str(len(tools))} if tools else {}
    if isinstance(kind, str) and kind:
        tags["query_type"] = kind
        tags["scope"] = "single" if "single" in kind else "cross"
    elif servers:
        tags["scope"] = "single" if len(servers) == 1 else "cross"
    # The column of the paper's Table 3; a task that uses no known personal app has none.
    if tags.get("scope") == "cross":
        prefix = kind if isinstance(kind, str) else ""
        category = next((centre for name, centre in _CENTRES.items() if prefix.startswith(f"{name}_")), "hodgepodge")
    else:
        category = next((_CATEGORIES[server] for server in servers if server in _CATEGORIES), "")
    return {**tags, "category": category} if category else tags


def _context(row: Mapping[str, Any], options: PersonaOptions, now: str | None, warnings: list[str]) -> Context:
    raw = row.get("context")
    if raw is not None and not isinstance(raw, dict):
        raise FieldError("context", f"must be an object, not {type_name(raw)}.")
    value = (raw or {}).get("unnecessary_context")
    parts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    statements = (part.strip() for part in parts if isinstance(part, str) and part.strip())
    labelled = (raw or {}).get("necessary_context")
    if isinstance(labelled, list):
        necessary = {str(number): str(part).strip() for number, part in enumerate(labelled, start=1)}
    elif isinstance(labelled, dict):
        necessary = {label: part.strip() if isinstance(part, str) else str(part) for label, part in labelled.items()}
    elif labelled is None:
        necessary = {}
    else:
        raise FieldError("context.necessary_context", f"must map labels to texts, not be {type_name(labelled)}.")
    return Context(
        necessary=necessary,
        unnecessary=tuple(statements),
        seeds=_seeds(row.get("sampled_contexts"), warnings),
        files=options.files,
        now=now,
        is_public=options.public,
    )


def _seeds(value: Any, warnings: list[str]) -> dict[str, Any]:
    """Return the initial world of each server as a tree; a server without a usable context starts with its default.

    A single sampled context is itself the tree of its user or app. Several contexts, and single notes and pages of
    Obsidian and Notion, become a tree of contexts by id. A string is the name of a seed that the server provides.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise FieldError("sampled_contexts", f"must map servers to contexts, not be {type_name(value)}.")
    seeds: dict[str, Any] = {}
    for server, contexts in ((server_name(name), contexts) for name, contexts in value.items()):
        field = f"sampled_contexts.{server}"
        if isinstance(contexts, str | dict):
            seeds[server] = contexts
            continue
        if not isinstance(contexts, list) or not all(isinstance(each, dict) and "data" in each for each in contexts):
            raise FieldError(field, "must be a list of objects with `id` and `data`.")
        trees = {str(each.get("id", index)): parse_literal_or_text(each["data"]) for index, each in enumerate(contexts)}
        for name in [name for name, tree in trees.items() if not isinstance(tree, dict | list)]:
            warnings.append(f"{field}: the data of {name!r} is not an object and was left out")
            del trees[name]
        is_tree = len(trees) == 1 and server not in _OF_SINGLE_RECORDS
        seeds[server] = next(iter(trees.values())) if is_tree else trees or None
    return {server: seed for server, seed in seeds.items() if seed is not None}


def _checkpoints(annotation: Any, *, official: bool) -> tuple[Checkpoint, ...]:
    """Return the checkpoints of the summary: the elements of a list, or a text split at ``Step n:``."""
    summary = annotation.get("summary") if isinstance(annotation, dict) else None
    if isinstance(summary, str):
        parts = [summary] if official else list(split_steps(summary))
    elif isinstance(summary, list) and all(isinstance(part, str) for part in summary):
        parts = summary
    elif summary is None:
        parts = []
    else:
        raise FieldError("gt_annotation.summary", f"must be a text or a list of texts, not {type_name(summary)}.")
    return tuple(Checkpoint(text=part.strip()) for part in parts if part.strip(" \n\t…"))


def _reference_calls(annotation: Any, now: str | None) -> tuple[CallGroup, ...]:
    """Return the calls of the annotation's sequence, each as a separate group because they are sequential."""
    sequence = annotation.get("tool_calling_sequence") if isinstance(annotation, dict) else None
    calls = parse_calls(sequence) if isinstance(sequence, str) else ()
    renamed = [call.model_copy(update={"server": server_name(call.server or "")}) for call in calls]
    try:
        clock = None if now is None else datetime.fromisoformat(now)
    except ValueError:
        clock = None
    filled = renamed if clock is None else [fill_moments(call, clock) for call in renamed]
    return tuple(CallGroup(calls=(call,)) for call in filled)


def _open_reference(groups: tuple[CallGroup, ...]) -> str | None:
    """Return the reason why the reference cannot be played, if it leaves values open."""
    for call in (call for group in groups for call in group.calls):
        holes = list(dict.fromkeys(find_holes(call)))
        if holes:
            return f"the reference cannot be played: its call {call.id} ({call.tool}) leaves {', '.join(holes)} open"
    return None


def _exec_checkpoints(value: Any, warnings: list[str]) -> Iterator[ExecCheckpoint]:
    if value is None:
        return
    if not isinstance(value, list):
        raise FieldError("gt", f"must be a list of checkpoints, not {type_name(value)}.")
    for index, raw in enumerate(value):
        if not isinstance(raw, dict):
            raise FieldError(f"gt[{index}]", f"must be an object, not {type_name(raw)}.")
        kind = str(raw.get("checkpoint_type") or "").strip().lower().replace(" ", "_").replace("-", "_")
        if kind in ("personalized_search", "generic_search", "personalised_search"):
            search: Literal["personalized_search", "generic_search"]
            search = "generic_search" if kind == "generic_search" else "personalized_search"
            reference = parse_literal_or_text(raw.get("GT_value", raw.get("gt_value")))
            yield ExecCheckpoint(kind=search, value=reference, tool=_tool(raw), summary=_text(raw.get("summary")))
        elif kind == "other":
            # A checkpoint without a reference value (paper, B.2.2) if it specifies the tool that must be called.
            tool = _tool(raw)
            if tool:
                yield ExecCheckpoint(kind="other", tool=tool, summary=_text(raw.get("summary")))
        elif kind == "operate":
            yield _operate(raw, f"gt[{index}]", warnings)
        else:
            warnings.append(
                f"gt[{index}]: the checkpoint type {raw.get('checkpoint_type')!r} is unknown and was left out"
            )


def _operate(raw: Mapping[str, Any], where: str, warnings: list[str]) -> ExecCheckpoint:
    operation_name = _text(raw.get("operate_type")).strip().lower()
    operation = _OPERATIONS.get(operation_name, "other")
    if operation_name not in _OPERATIONS:
        warnings.append(f"{where}: the operation {raw.get('operate_type')!r} is unknown and is treated as other")
    context = raw.get("context")
    contexts = [
        (server_name(entry["server_name"]), str(entry.get("context_id", "")))
        for entry in ([context] if isinstance(context, dict) else context if isinstance(context, list) else [])
        if isinstance(entry, dict) and isinstance(entry.get("server_name"), str)
    ]
    fields = {
        "kind": "operate",
        "tool": _tool(raw),
        "operation": operation,
        "summary": _text(raw.get("summary")),
        "contexts": tuple(contexts),
        "collection": raw.get("collection"),
        "entity": raw.get("entity"),
        "fields": raw.get("fields") or {},
        "contains": raw.get("contains") or (),
    }
    try:
        return ExecCheckpoint.model_validate(fields)
    except ValidationError as error:
        raise to_field_error(error, ExecCheckpoint, lambda location: ".".join([where, *map(str, location)])) from None


def _tool(raw: Mapping[str, Any]) -> str | None:
    """Return ``server:tool`` with the server's canonical name."""
    tool = raw.get("tool")
    if not isinstance(tool, str) or not tool.strip():
        return None
    server, colon, name = tool.strip().partition(":")
    return f"{server_name(server)}:{name}" if colon else server


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
