"""Loads MCPToolBench++ tasks: one request with reference calls on recorded tools (arXiv 2508.07575).

A file repeats its list of tools in each record, nine tenths of its size; the list is kept once.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import CallGroup, Context, Expected, ExpectedCall, SimilarTool, Source, Task, Turn
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.loaders.complaint import FieldError, kind_of
from pytest_mcpbench.loaders.identity import Ids, clean_id, place_id
from pytest_mcpbench.loaders.recorded_schema import Checker, checker_of
from pytest_mcpbench.loaders.settings import options_of
from pytest_mcpbench.loaders.task_making import task_of
from pytest_mcpbench.loaders.text_records import TextRecord, read_records

_ARGUMENTS = ("input", "arguments", "parameters")
_SCHEMA = ("input_schema", "inputSchema", "parameters")
_CATEGORIES = {"file_system": "filesystem", "file system": "filesystem", "payment": "pay"}
_CALL_TYPES = {"single": "single", "multiple": "multiple", "multi": "multiple"}


class ToolbenchOptions(FrozenModel):
    """Options of ``loader = "toolbench"``."""

    tools: Literal["recorded", "live"] = "recorded"
    """Whether the agent may use the tools that the record lists, or all that the servers offer today."""
    files: str | None = None
    """Directory, relative to the suite, with whose content an attempt begins (the parent of ``test_project_root``)."""


def load(content: bytes, options: LoadOptions) -> Iterator[LoadedTask]:
    """Tasks of a JSON array, JSON lines, concatenated objects or one object; ids are the records' ``uuid``."""
    file = _File(options_of(options, ToolbenchOptions))
    for record in read_records(content, options.file):
        yield file.loaded(record)


def recorded_tools(content: bytes, file: str = "") -> dict[str, tuple[ToolSpec, ...]]:
    """Server -> the tools that the records list for it, in their order; a broken record adds none."""
    found: dict[str, dict[str, ToolSpec]] = {}
    catalogues = _Catalogues()
    for record in read_records(content, file):
        if not isinstance(record.value, dict):
            continue
        try:
            catalogue = catalogues.of(record.value)
        except FieldError:
            continue
        for tool in catalogue.specs:
            found.setdefault(tool.server, {}).setdefault(tool.tool, tool)
    return {server: tuple(tools.values()) for server, tools in found.items()}


@dataclass(frozen=True)
class _Catalogue:
    """The tools that a record lists, and which server has which."""

    written: tuple[Any, Any]
    names: tuple[str, ...]
    servers: dict[str, tuple[str, ...]]
    schemas: dict[str, dict[str, Any]]
    descriptions: dict[str, str]
    _checkers: dict[str, Checker] = field(default_factory=dict)

    @property
    def specs(self) -> Iterator[ToolSpec]:
        """Each tool with each server that has it; those of no server under an empty name are left out."""
        for server, names in self.servers.items():
            for name in names:
                if name in self.schemas:
                    yield self._spec(name, server)

    def _spec(self, name: str, server: str) -> ToolSpec:
        schema = self.schemas[name] or {"type": "object"}
        return ToolSpec(name=name, server=server, tool=name, description=self.descriptions[name], input_schema=schema)

    def violation(self, tool: str, arguments: dict[str, Any]) -> str | None:
        """What in the arguments does not fit the tool's schema."""
        if tool not in self._checkers:
            self._checkers[tool] = checker_of(self.schemas.get(tool, {}))
        return self._checkers[tool](arguments)

    def server_of(self, tool: str) -> str | None:
        """The only server that has the tool."""
        holders = [server for server, names in self.servers.items() if tool in names]
        return holders[0] if len(holders) == 1 else None


@dataclass
class _Catalogues:
    """The different lists of tools of a file; records that repeat one share it."""

    known: list[_Catalogue] = field(default_factory=list)

    def of(self, row: Mapping[str, Any]) -> _Catalogue:
        written = (row.get("tools"), row.get("mcp_tools_dict"))
        for catalogue in reversed(self.known):
            if catalogue.written == written:
                return catalogue
        self.known.append(_catalogue(*written))
        return self.known[-1]


def _catalogue(tools: Any, servers: Any) -> _Catalogue:
    listed = _decoded(tools) if tools is not None else []
    if not isinstance(listed, list) or not all(
        isinstance(tool, dict) and _is_name(tool.get("name")) for tool in listed
    ):
        raise FieldError("tools", f"must be a list of tools with names, not {kind_of(listed)}.")
    held = _decoded(servers) if servers is not None else {}
    if not isinstance(held, dict):
        raise FieldError("mcp_tools_dict", f"must map servers to tool names, not be {kind_of(held)}.")
    return _Catalogue(
        written=(tools, servers),
        names=tuple(dict.fromkeys(tool["name"] for tool in listed)),
        servers={server: _names(names) for server, names in held.items()},
        schemas={tool["name"]: _schema(tool) for tool in listed},
        descriptions={tool["name"]: str(tool.get("description") or "") for tool in listed},
    )


def _names(value: Any) -> tuple[str, ...]:
    names = _decoded(value)
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


def _schema(tool: Mapping[str, Any]) -> dict[str, Any]:
    schema = _decoded(next((tool[key] for key in _SCHEMA if tool.get(key) is not None), None))
    return schema if isinstance(schema, dict) else {}


@dataclass
class _File:
    """What must be known of a file's earlier records to load the next one."""

    options: ToolbenchOptions
    ids: Ids = field(default_factory=Ids)
    catalogues: _Catalogues = field(default_factory=_Catalogues)
    labels: dict[str, tuple[str, SourceLocation]] = field(default_factory=dict)
    context: Context = field(init=False)

    def __post_init__(self) -> None:
        self.context = Context(files=self.options.files)

    def loaded(self, record: TextRecord) -> LoadedTask:
        value = record.value
        upstream = str(value.get("uuid") or "") if isinstance(value, dict) else ""
        wanted = clean_id(upstream) or place_id(record.place)
        made = self.ids.take(wanted, record.place)
        warnings = list(record.warnings)
        if made != wanted:
            warnings.append(f"uuid {upstream!r} is also that of {self.ids.holder(wanted)}; this task is {made}")
        try:
            task, more = self._task(record, made, upstream)
        except FieldError as wrong:
            return LoadedTask(record.place, id=made, error=wrong.at(record.place))
        return LoadedTask(record.place, id=made, task=task, warnings=(*warnings, *more))

    def _task(self, record: TextRecord, made: str, upstream: str) -> tuple[Task, list[str]]:
        if record.problem is not None:
            raise FieldError(None, record.problem + ".")
        row = record.value
        if not isinstance(row, dict):
            raise FieldError(None, f"a record must be an object, not {kind_of(row)}.")
        catalogue = self.catalogues.of(row)
        query = row.get("query")
        if not isinstance(query, str) or not query.strip():
            raise FieldError("query", "is missing." if query in (None, "") else f"must be text, not {kind_of(query)}.")
        calls = _calls(row, catalogue)
        fields = {
            "id": made,
            "turns": (Turn(user=query),),
            "servers": tuple(catalogue.servers),
            "tools": catalogue.names if self.options.tools == "recorded" and catalogue.names else "all",
            "context": self.context,
            "expected": Expected(calls=_groups(calls)),
            "tags": _tags(row, calls),
            "source": Source(file=record.place.file, place=str(record.place), upstream_id=upstream or None),
        }
        return task_of(fields), [*_doubts(row, calls, catalogue), *self._repetition(query, calls, record.place)]

    def _repetition(self, query: str, calls: list["_Call"], place: SourceLocation) -> Iterator[str]:
        """A warning where an earlier record asks the same."""
        label = json.dumps([[call.expected.tool, call.expected.arguments] for call in calls], sort_keys=True)
        earlier, first = self.labels.setdefault(query.strip(), (label, place))
        if first is place:
            return
        if earlier == label:
            yield f"repeats the query and the label of {first}"
        else:
            yield f"the same query has another label at {first}"


@dataclass(frozen=True)
class _Call:
    """A reference call with the step that it belongs to."""

    expected: ExpectedCall
    step: str


def _calls(row: Mapping[str, Any], catalogue: _Catalogue) -> list[_Call]:
    label = _decoded(row.get("function_call_label"))
    if isinstance(label, dict):
        label = [label]
    if not isinstance(label, list) or not label:
        problem = "has no call." if label in (None, [], "") else f"must be a list of calls, not {kind_of(label)}."
        raise FieldError("function_call_label", problem)
    return [_call(call, number, catalogue) for number, call in enumerate(label, start=1)]


def _call(value: Any, number: int, catalogue: _Catalogue) -> _Call:
    where = f"function_call_label[{number - 1}]"
    if not isinstance(value, dict):
        raise FieldError(where, f"must be an object, not {kind_of(value)}.")
    if not _is_name(value.get("name")):
        raise FieldError(f"{where}.name", "names no tool.")
    arguments = _decoded(next((value[key] for key in _ARGUMENTS if value.get(key) is not None), None))
    if arguments in (None, "", []):
        arguments = {}
    if not isinstance(arguments, dict):
        raise FieldError(f"{where}.input", f"must be an object of arguments, not {kind_of(arguments)}.")
    name = value["name"].strip()
    expected = ExpectedCall(
        id=_word(value.get("id")) or str(number),
        tool=name,
        server=_word(value.get("mcp_server")) or catalogue.server_of(name),
        arguments=arguments,
        similar_tools=_similar(value.get("similar_tools"), f"{where}.similar_tools", catalogue),
    )
    return _Call(expected, step=_word(value.get("step")) or str(number))


def _similar(value: Any, where: str, catalogue: _Catalogue) -> tuple[SimilarTool, ...]:
    similar = _decoded(value) or []
    if not isinstance(similar, list):
        raise FieldError(where, f"must be a list of tools, not {kind_of(similar)}.")
    return tuple(_similar_tool(tool, where, catalogue) for tool in similar)


def _similar_tool(value: Any, where: str, catalogue: _Catalogue) -> SimilarTool:
    tool = {"name": value} if isinstance(value, str) else value
    if not isinstance(tool, dict) or not _is_name(tool.get("name")):
        raise FieldError(where, "an element names no tool.")
    name = tool["name"].strip()
    return SimilarTool(tool=name, server=_word(tool.get("mcp_server")) or catalogue.server_of(name))


def _groups(calls: list[_Call]) -> tuple[CallGroup, ...]:
    """The calls by step, which may be made in parallel; steps in the order of their numbers where all are numbers."""
    steps: dict[str, list[ExpectedCall]] = {}
    for call in calls:
        steps.setdefault(call.step, []).append(call.expected)
    order = sorted(steps, key=int) if all(step.isdecimal() for step in steps) else list(steps)
    return tuple(CallGroup(calls=tuple(steps[step])) for step in order)


def _tags(row: Mapping[str, Any], calls: list[_Call]) -> dict[str, str]:
    tags = {"call_type": "single" if len(calls) == 1 else "multiple", "calls": str(len(calls))}
    if language := _word(row.get("language")):
        tags["language"] = language
    category = _word(row.get("category"))
    if category:
        tags["category"] = _CATEGORIES.get(category.lower(), category.lower())
    return tags


def _doubts(row: Mapping[str, Any], calls: list[_Call], catalogue: _Catalogue) -> Iterator[str]:
    """What in the record contradicts itself, without keeping it from being a task."""
    told = _CALL_TYPES.get((_word(row.get("call_type")) or "").lower())
    if told and told != ("single" if len(calls) == 1 else "multiple"):
        yield f"call_type says {told}, the label has {len(calls)} calls"
    for call in calls:
        yield from _doubts_of_call(call.expected, catalogue)


def _doubts_of_call(call: ExpectedCall, catalogue: _Catalogue) -> Iterator[str]:
    if catalogue.names and call.tool not in catalogue.schemas:
        yield f"the label calls {call.tool!r}, which is not among the record's tools"
    elif call.server in catalogue.servers and call.tool not in catalogue.servers[call.server]:
        yield f"the label calls {call.tool!r} on {call.server!r}, which does not have it"
    violation = catalogue.violation(call.tool, call.arguments)
    if violation is not None:
        yield f"the label of {call.tool} does not fit the tool's schema: {violation}"


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _word(value: Any) -> str | None:
    """A text, or a number as text."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value).strip() or None


def _decoded(value: Any) -> Any:
    """What a JSON text holds; any other value as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
