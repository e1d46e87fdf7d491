"""Loads MCP-Atlas tasks: one prompt, an allow-list of tools, claims that the answer must cover (arXiv 2602.00933)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import CallGroup, Context, Expected, ExpectedCall, Source, Task, Turn
from pytest_mcpbench.loaders import atlas_servers, tables
from pytest_mcpbench.loaders.atlas_claims import claims_of
from pytest_mcpbench.loaders.chat_messages import conversation, groups_of
from pytest_mcpbench.loaders.complaint import FieldError, kind_of
from pytest_mcpbench.loaders.identity import Ids, clean_id, place_id
from pytest_mcpbench.loaders.settings import options_of
from pytest_mcpbench.loaders.task_making import task_of

_NAMES = {
    "task": "TASK",
    "taskid": "TASK",
    "id": "TASK",
    "prompt": "PROMPT",
    "enabledtools": "ENABLED_TOOLS",
    "gtfaclaims": "GTFA_CLAIMS",
    "claims": "GTFA_CLAIMS",
    "trajectory": "TRAJECTORY",
    "gtfa": "GTFA",
    "split": "SPLIT",
    "requiredtools": "REQUIRED_TOOLS",
    "requiredservers": "REQUIRED_SERVERS",
    "image": "IMAGE",
}
_NEEDED = ("PROMPT", "ENABLED_TOOLS")


class AtlasOptions(FrozenModel):
    """Options of ``loader = "atlas"``."""

    official: bool = False
    """Whether claims go through the cleaner of the authors' scorer, which damages some that begin with a number."""
    results: bool = False
    """Whether reference calls keep the recorded results, up to 0.7 MB a task, for replay."""
    files: str | None = None
    """Directory that each attempt gets a copy of, relative to the suite: what the benchmark has under ``/data``."""


def load(content: bytes, options: LoadOptions) -> Iterator[LoadedTask]:
    """Tasks of a parquet file (needs ``pyarrow``), a CSV file, JSON lines or a JSON array; column names in any case.

    Tools name their servers; a task asks for none by itself, so that it can be run on those that there are: tools of
    others are reported as unavailable.
    """
    chosen = options_of(options, AtlasOptions)
    ids = Ids()
    for row in tables.read_rows(content, options.file):
        yield _loaded(row, chosen, ids)


def _loaded(row: tables.Row, options: AtlasOptions, ids: Ids) -> LoadedTask:
    values = _columns(row.values)
    upstream = str(values.get("TASK") or "").strip()
    wanted = clean_id(upstream) or place_id(row.place)
    made = ids.take(wanted, row.place)
    warnings = list(row.warnings)
    if made != wanted:
        warnings.append(f"the id {upstream!r} is also that of {ids.holder(wanted)}; this task is {made}")
    try:
        if row.problem is not None:
            raise FieldError(None, row.problem)
        task, more = _task(values, made, row.place, options)
    except FieldError as wrong:
        return LoadedTask(row.place, id=made, error=wrong.at(row.place), warnings=tuple(warnings))
    return LoadedTask(row.place, id=made, task=task, warnings=(*warnings, *more))


def _columns(values: Mapping[str, Any]) -> dict[str, Any]:
    """The known columns under their official names."""
    squeezed = ((str(name).strip().lower().replace("_", "").replace(" ", ""), value) for name, value in values.items())
    return {_NAMES[name]: value for name, value in squeezed if name in _NAMES}


def _task(values: Mapping[str, Any], made: str, place: SourceLocation, options: AtlasOptions) -> tuple[Task, list[str]]:
    for name in _NEEDED:
        if name not in values:
            raise FieldError(
                name, "there is no such column.", f"There are: {', '.join(values) or 'none that is known'}."
            )
    prompt = values["PROMPT"]
    if not isinstance(prompt, str) or not prompt.strip():
        raise FieldError("PROMPT", "is empty." if prompt in (None, "") else f"must be text, not {kind_of(prompt)}.")
    tools = enabled_tools(values["ENABLED_TOOLS"])
    claims = claims_of(values.get("GTFA_CLAIMS"), official=options.official)
    groups, warnings = _reference(values.get("TRAJECTORY"), options)
    fields = {
        "id": made,
        "turns": (Turn(user=prompt),),
        "tools": tools,
        "context": Context(files=options.files),
        "expected": Expected(calls=groups, claims=claims),
        "tags": _tags(values, tools, groups),
        "source": Source(file=place.file, place=str(place), upstream_id=str(values.get("TASK") or "") or None),
    }
    if not claims:
        warnings.append("GTFA_CLAIMS holds no claim: the task cannot be scored by coverage")
    if gone := atlas_servers.dead(tools):
        warnings.append(f"enables tools of servers that are gone: {', '.join(gone)}")
    return task_of(fields), warnings


def enabled_tools(value: Any) -> tuple[str, ...]:
    """The names of an allow-list: a JSON array of names or of objects with ``name``, a list, or names with commas.

    Raises:
        FieldError: it is empty, which must not mean all tools, or an element has no name.
    """
    listed = _listed(value)
    names = [tool.get("name") if isinstance(tool, dict) else tool for tool in listed]
    if not names:
        raise FieldError("ENABLED_TOOLS", "is empty; that does not stand for all tools.")
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise FieldError("ENABLED_TOOLS", "an element is no tool's name.")
    return tuple(dict.fromkeys(atlas_servers.current_name(str(name).strip()) for name in names))


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    if value is None:
        return []
    if not isinstance(value, str):
        raise FieldError("ENABLED_TOOLS", f"must be a list of tool names, not {kind_of(value)}.")
    text = value.strip()
    if not text.startswith("["):
        return [name for name in text.split(",") if name.strip()]
    for spelling in (text, text.replace('""', '"'), text.replace("'", '"')):
        try:
            parsed = json.loads(spelling)
        except (ValueError, RecursionError):
            continue
        if isinstance(parsed, list):
            return parsed
    raise FieldError("ENABLED_TOOLS", "begins like a JSON array and is none.")


def _reference(value: Any, options: AtlasOptions) -> tuple[tuple[CallGroup, ...], list[str]]:
    """The calls of the recorded run; a warning and none where it cannot be read, as only diagnostics need it."""
    if value is None or value == "":
        return (), []
    try:
        messages = json.loads(value) if isinstance(value, str) else value
        read = conversation(messages, "TRAJECTORY", results=options.results)
    except (ValueError, RecursionError) as wrong:
        return (), [f"TRAJECTORY cannot be read, the task has no reference calls: {wrong}"]
    groups = tuple(CallGroup(calls=tuple(map(_on_server, calls))) for calls in groups_of(read.messages))
    return _numbered(groups), list(read.warnings)


def _on_server(call: ExpectedCall) -> ExpectedCall:
    """The call with ``<server>_<tool>`` taken apart."""
    server, tool = atlas_servers.parts(atlas_servers.current_name(call.tool))
    return call.model_copy(update={"server": server, "tool": tool})


def _numbered(groups: tuple[CallGroup, ...]) -> tuple[CallGroup, ...]:
    numbers = iter(range(1, 1 + sum(len(group.calls) for group in groups)))
    return tuple(
        CallGroup(calls=tuple(call.model_copy(update={"id": str(next(numbers))}) for call in group.calls))
        for group in groups
    )


def _tags(values: Mapping[str, Any], tools: tuple[str, ...], groups: tuple[CallGroup, ...]) -> dict[str, str]:
    called = {str(call.server) for group in groups for call in group.calls} or _required_servers(values)
    marks = atlas_servers.marks(tools, called)
    split = values.get("SPLIT")
    return {**({"split": split} if isinstance(split, str) and split else {}), **{mark: mark for mark in marks}}


def _required_servers(values: Mapping[str, Any]) -> set[str]:
    """The servers that the reference uses, as a column says where there is no trajectory."""
    written = values.get("REQUIRED_SERVERS")
    try:
        listed = json.loads(written) if isinstance(written, str) else written
    except ValueError:
        return set()
    return {server for server in listed if isinstance(server, str)} if isinstance(listed, list) else set()
