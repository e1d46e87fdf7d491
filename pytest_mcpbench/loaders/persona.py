"""Loads MCP-Persona tasks: requests with a personal context, worlds and checkpoints (arXiv 2606.02470)."""

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, Literal

from pydantic import ValidationError

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.numbered_steps import split_steps
from pytest_mcpbench.core.task import CallGroup, Checkpoint, Context, ExecCheckpoint, Expected, Source, Task, Turn
from pytest_mcpbench.loaders.complaint import FieldError, complaint, kind_of
from pytest_mcpbench.loaders.identity import Ids, clean_id
from pytest_mcpbench.loaders.lenient_values import decoded_or_text
from pytest_mcpbench.loaders.persona_calls import written_calls
from pytest_mcpbench.loaders.settings import options_of
from pytest_mcpbench.loaders.task_making import task_of
from pytest_mcpbench.loaders.text_records import TextRecord, read_records

_ALIASES = {"feishu": "lark_mcp", "lark": "lark_mcp", "lark-mcp": "lark_mcp"}
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
_OF_SINGLE_RECORDS = frozenset({"obsidian", "notion"})


class PersonaOptions(FrozenModel):
    """Options of ``loader = "persona"``."""

    files: str | None = None
    """Directory, relative to the suite's, that each attempt's own begins with."""
    official: bool = False
    """Whether ``Step 1: … Step 2: …`` in one text stays one checkpoint, as in the authors' code."""


def load(content: bytes, options: LoadOptions) -> Iterator[LoadedTask]:
    """Tasks of a JSON array or JSON lines; ids are made of the file's name and the record's ``id``."""
    chosen = options_of(options, PersonaOptions)
    stem = clean_id(PurePath(options.file).stem.removesuffix("_release_data")) or "persona"
    ids = Ids()
    for index, record in enumerate(read_records(content, options.file), start=1):
        given = record.value.get("id") if isinstance(record.value, dict) else None
        wanted = f"{stem}-{clean_id(str(given)) if isinstance(given, str | int) else f'record-{index}'}"
        made = ids.take(wanted, record.place)
        warnings = () if made == wanted else (f"the id {given!r} is also that of {ids.holder(wanted)}",)
        try:
            task, more = _task(record, made, chosen)
        except FieldError as wrong:
            yield LoadedTask(record.place, id=made, error=wrong.at(record.place), warnings=record.warnings)
        else:
            yield LoadedTask(record.place, id=made, task=task, warnings=(*record.warnings, *warnings, *more))


def server_name(written: str) -> str:
    """The name of a server; ``feishu`` is ``lark_mcp``."""
    name = written.strip()
    return _ALIASES.get(name.lower(), name)


def _task(record: TextRecord, made: str, options: PersonaOptions) -> tuple[Task, list[str]]:
    row = record.value
    if record.problem is not None:
        raise FieldError(None, record.problem + ".")
    if not isinstance(row, dict):
        raise FieldError(None, f"a record must be an object, not {kind_of(row)}.")
    warnings: list[str] = []
    instruction = _instruction(row, warnings)
    servers, tools = _chain(row.get("chains"))
    annotation = row.get("gt_annotation")
    checkpoints = _checkpoints(annotation, official=options.official)
    execs = tuple(_exec_checkpoints(row.get("gt"), warnings))
    if not checkpoints:
        warnings.append("gt_annotation.summary holds no checkpoint")
    fields = {
        "id": made,
        "turns": (Turn(user=instruction),),
        "servers": servers,
        "context": _context(row, options, warnings),
        "expected": Expected(calls=_reference_calls(annotation), checkpoints=checkpoints, exec=execs),
        "tags": _tags(row, servers, tools),
        "source": Source(file=record.place.file, place=str(record.place), upstream_id=str(row.get("id"))),
    }
    return task_of(fields), warnings


def _instruction(row: Mapping[str, Any], warnings: list[str]) -> str:
    """What the user asks; the steps of the annotation where a shortened record has only them."""
    instruction = row.get("instruction")
    if isinstance(instruction, str) and instruction.strip():
        return instruction
    if instruction not in (None, ""):
        raise FieldError("instruction", f"must be text, not {kind_of(instruction)}.")
    steps = [checkpoint.text for checkpoint in _checkpoints(row.get("gt_annotation"), official=False)]
    if not steps:
        raise FieldError("instruction", "is missing.")
    warnings.append("instruction is missing; the steps of gt_annotation stand for it")
    return "\n".join(steps)


def _chain(value: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The servers of a chain, each once, and its tools in order."""
    if value is None:
        return (), ()
    if not isinstance(value, list) or not all(isinstance(step, str) for step in value):
        raise FieldError("chains", f"must be a list of `server:tool`, not {kind_of(value)}.")
    parts = [step.partition(":") for step in value]
    servers = dict.fromkeys(clean_id(server_name(server)) for server, _, _ in parts if server.strip())
    return tuple(servers), tuple(tool for _, _, tool in parts if tool)


def _tags(row: Mapping[str, Any], servers: tuple[str, ...], tools: tuple[str, ...]) -> dict[str, str]:
    kind = row.get("query_type")
    tags = {"tools": str(len(tools))} if tools else {}
    if isinstance(kind, str) and kind:
        tags["query_type"] = kind
        tags["scope"] = "single" if "single" in kind else "cross"
    elif servers:
        tags["scope"] = "single" if len(servers) == 1 else "cross"
    return tags


def _context(row: Mapping[str, Any], options: PersonaOptions, warnings: list[str]) -> Context:
    written = row.get("context")
    if written is not None and not isinstance(written, dict):
        raise FieldError("context", f"must be an object, not {kind_of(written)}.")
    return Context(
        necessary=_necessary((written or {}).get("necessary_context")),
        unnecessary=tuple(_statements((written or {}).get("unnecessary_context"))),
        seeds=_seeds(row.get("sampled_contexts"), warnings),
        files=options.files,
        now=row["now"] if isinstance(row.get("now"), str) else None,
    )


def _necessary(value: Any) -> dict[str, str]:
    if value is None:
        return {}
    if isinstance(value, list):
        return {str(number): str(part).strip() for number, part in enumerate(value, start=1)}
    if not isinstance(value, dict):
        raise FieldError("context.necessary_context", f"must map labels to texts, not be {kind_of(value)}.")
    return {label: part.strip() if isinstance(part, str) else str(part) for label, part in value.items()}


def _statements(value: Any) -> Iterator[str]:
    parts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return (part.strip() for part in parts if isinstance(part, str) and part.strip())


def _seeds(value: Any, warnings: list[str]) -> dict[str, Any]:
    """Server -> the tree that its world begins with.

    One sampled context is the tree of its user or app. Several, and the single notes and pages of Obsidian and Notion,
    are a tree of contexts by id. A text in place of the contexts is the name of a seed that the server knows.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise FieldError("sampled_contexts", f"must map servers to contexts, not be {kind_of(value)}.")
    seeds = {server_name(server): _seed(server_name(server), contexts, warnings) for server, contexts in value.items()}
    return {server: seed for server, seed in seeds.items() if seed is not None}


def _seed(server: str, contexts: Any, warnings: list[str]) -> Any:
    """``None`` where there is no usable context: the server then begins as it usually does."""
    if isinstance(contexts, str | dict):
        return contexts
    if not isinstance(contexts, list) or not all(isinstance(each, dict) and "data" in each for each in contexts):
        raise FieldError(f"sampled_contexts.{server}", "must be a list of objects with `id` and `data`.")
    trees = {str(each.get("id", index)): decoded_or_text(each["data"]) for index, each in enumerate(contexts)}
    for name in [name for name, tree in trees.items() if not isinstance(tree, dict | list)]:
        warnings.append(f"sampled_contexts.{server}: the data of {name!r} is no object; left out")
        del trees[name]
    if len(trees) == 1 and server not in _OF_SINGLE_RECORDS:
        return next(iter(trees.values()))
    return trees or None


def _checkpoints(annotation: Any, *, official: bool) -> tuple[Checkpoint, ...]:
    """The summary as checkpoints: a list as it is, a text split at ``Step n:``."""
    summary = annotation.get("summary") if isinstance(annotation, dict) else None
    if isinstance(summary, str):
        parts = [summary] if official else list(split_steps(summary))
    elif isinstance(summary, list) and all(isinstance(part, str) for part in summary):
        parts = summary
    elif summary is None:
        parts = []
    else:
        raise FieldError("gt_annotation.summary", f"must be a text or a list of texts, not {kind_of(summary)}.")
    return tuple(Checkpoint(text=part.strip()) for part in parts if part.strip(" \n\t…"))


def _reference_calls(annotation: Any) -> tuple[CallGroup, ...]:
    """The calls of the annotation's sequence, one after the other."""
    sequence = annotation.get("tool_calling_sequence") if isinstance(annotation, dict) else None
    calls = written_calls(sequence) if isinstance(sequence, str) else ()
    named = (each.model_copy(update={"server": server_name(each.server or "")}) for each in calls)
    return tuple(CallGroup(calls=(each,)) for each in named)


def _exec_checkpoints(value: Any, warnings: list[str]) -> Iterator[ExecCheckpoint]:
    if value is None:
        return
    if not isinstance(value, list):
        raise FieldError("gt", f"must be a list of checkpoints, not {kind_of(value)}.")
    for index, written in enumerate(value):
        if not isinstance(written, dict):
            raise FieldError(f"gt[{index}]", f"must be an object, not {kind_of(written)}.")
        kind = str(written.get("checkpoint_type") or "").strip().lower().replace(" ", "_").replace("-", "_")
        if kind in ("personalized_search", "generic_search", "personalised_search"):
            yield _search(written, "generic_search" if kind == "generic_search" else "personalized_search")
        elif kind == "other":
            yield from _other(written)
        elif kind == "operate":
            yield _operate(written, f"gt[{index}]", warnings)
        else:
            warnings.append(
                f"gt[{index}]: the checkpoint type {written.get('checkpoint_type')!r} is not known; left out"
            )


def _search(written: Mapping[str, Any], kind: Literal["personalized_search", "generic_search"]) -> ExecCheckpoint:
    value = decoded_or_text(written.get("GT_value", written.get("gt_value")))
    return ExecCheckpoint(kind=kind, value=value, tool=_tool(written), summary=_text(written.get("summary")))


def _other(written: Mapping[str, Any]) -> Iterator[ExecCheckpoint]:
    """A checkpoint without a reference value (paper, B.2.2): calls are judged; one that names a tool asks for it."""
    tool = _tool(written)
    if tool:
        yield ExecCheckpoint(kind="other", tool=tool, summary=_text(written.get("summary")))


def _operate(written: Mapping[str, Any], where: str, warnings: list[str]) -> ExecCheckpoint:
    told = _text(written.get("operate_type")).strip().lower()
    operation = _OPERATIONS.get(told, "other")
    if told not in _OPERATIONS:
        warnings.append(f"{where}: the operation {written.get('operate_type')!r} is not known; taken as other")
    fields = {
        "kind": "operate",
        "tool": _tool(written),
        "operation": operation,
        "summary": _text(written.get("summary")),
        "contexts": tuple(_contexts(written.get("context"))),
        "collection": written.get("collection"),
        "entity": written.get("entity"),
        "fields": written.get("fields") or {},
        "contains": written.get("contains") or (),
    }
    try:
        return ExecCheckpoint.model_validate(fields)
    except ValidationError as error:
        raise complaint(error, ExecCheckpoint, lambda location: ".".join([where, *map(str, location)])) from None


def _contexts(value: Any) -> Iterator[tuple[str, str]]:
    for entry in [value] if isinstance(value, dict) else value if isinstance(value, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("server_name"), str):
            yield server_name(entry["server_name"]), str(entry.get("context_id", ""))


def _tool(written: Mapping[str, Any]) -> str | None:
    """``server:tool`` with the server's usual name."""
    tool = written.get("tool")
    if not isinstance(tool, str) or not tool.strip():
        return None
    server, colon, name = tool.strip().partition(":")
    return f"{server_name(server)}:{name}" if colon else server


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
