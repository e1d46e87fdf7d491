"""Loader of MCPToolBench++ tasks: one request with reference calls on recorded tools (arXiv 2508.07575).

Every record repeats the list of tools, which is nine tenths of a file; records that repeat a list share one copy.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError

from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import (
    ArgumentMatcher,
    CallGroup,
    Context,
    Expected,
    ExpectedCall,
    SimilarTool,
    Source,
    Task,
    Turn,
)
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.loaders.field_errors import FieldError, field_path, to_field_error, type_name
from pytest_mcpbench.loaders.json_records import JsonRecord, read_json_records
from pytest_mcpbench.loaders.loader_options import parse_options
from pytest_mcpbench.loaders.task_building import build_task
from pytest_mcpbench.loaders.task_ids import TaskIds, id_from_place, normalize_id
from pytest_mcpbench.loaders.tool_schemas import ArgumentChecker, argument_checker
from pytest_mcpbench.text.json_reading import Location, read_json

_ARGUMENTS = ("input", "arguments", "parameters")
_SCHEMA = ("input_schema", "inputSchema", "parameters")
_LONGEST_STEP = 20
"""Digits of the number of a step."""
_CATEGORIES = {"file_system": "filesystem", "file system": "filesystem", "payment": "pay"}
_CALL_TYPES = {"single": "single", "multiple": "multiple", "multi": "multiple"}


class ToolbenchOptions(FrozenModel):
    """Options of ``loader = "toolbench"``."""

    tools: Literal["recorded", "live"] = "recorded"
    """Tools that the agent may use: those that the record lists, or all that the servers offer now."""
    files: str | None = None
    """Directory, relative to the suite, that is copied for each attempt (the parent of ``test_project_root``)."""


def load(content: bytes, options: LoadOptions) -> Iterator[LoadedTask]:
    """Load a JSON array, JSON lines, concatenated objects or one object; a task's id is the record's ``uuid``."""
    file = _FileLoader(parse_options(options, ToolbenchOptions))
    for record in read_json_records(content, options.file):
        yield file.load_record(record)


def recorded_tools(content: bytes, file: str = "") -> dict[str, tuple[ToolSpec, ...]]:
    """Return the tools that the records list for each server, in order; broken records are skipped."""
    tools_by_server: dict[str, dict[str, ToolSpec]] = {}
    tool_lists = _ToolLists()
    for record in read_json_records(content, file):
        if not isinstance(record.value, dict):
            continue
        try:
            tool_list = tool_lists.of(record.value)
        except FieldError:
            continue
        for tool in tool_list.specs:
            tools_by_server.setdefault(tool.server, {}).setdefault(tool.tool, tool)
    return {server: tuple(tools.values()) for server, tools in tools_by_server.items()}


@dataclass(frozen=True)
class _ToolList:
    """Tools that a record lists, and their assignment to servers."""

    source: tuple[Any, Any]
    names: tuple[str, ...]
    servers: dict[str, tuple[str, ...]]
    schemas: dict[str, dict[str, Any]]
    descriptions: dict[str, str]
    _checkers: dict[str, ArgumentChecker] = field(default_factory=dict)

    @property
    def specs(self) -> Iterator[ToolSpec]:
        """Yield each tool once per server that has it; tools without a server are left out."""
        for server, names in self.servers.items():
            for name in names:
                if name in self.schemas:
                    schema = self.schemas[name] or {"type": "object"}
                    yield ToolSpec(
                        name=name, server=server, tool=name, description=self.descriptions[name], input_schema=schema
                    )

    def violation(self, tool: str, arguments: dict[str, Any]) -> str | None:
        """Return the first violation of the tool's schema, or ``None`` if the arguments are valid."""
        if tool not in self._checkers:
            self._checkers[tool] = argument_checker(self.schemas.get(tool, {}))
        return self._checkers[tool](arguments)

    def server_of(self, tool: str) -> str | None:
        """Return the server of a tool, or ``None`` unless exactly one server has it."""
        holders = [server for server, names in self.servers.items() if tool in names]
        return holders[0] if len(holders) == 1 else None


@dataclass
class _ToolLists:
    """Cache of the distinct tool lists of a file."""

    known: list[_ToolList] = field(default_factory=list)

    def of(self, row: Mapping[str, Any]) -> _ToolList:
        source = (row.get("tools"), row.get("mcp_tools_dict"))
        for tool_list in reversed(self.known):
            if tool_list.source == source:
                return tool_list
        self.known.append(_parse_tool_list(*source))
        return self.known[-1]


def _parse_tool_list(tools: Any, servers: Any) -> _ToolList:
    tools_in_record = _decode_json(tools) if tools is not None else []
    if not isinstance(tools_in_record, list) or not all(
        isinstance(tool, dict) and _is_name(tool.get("name")) for tool in tools_in_record
    ):
        raise FieldError("tools", f"must be a list of tools with names, not {type_name(tools_in_record)}.")
    by_server = _decode_json(servers) if servers is not None else {}
    if not isinstance(by_server, dict):
        raise FieldError("mcp_tools_dict", f"must map servers to tool names, not be {type_name(by_server)}.")
    names_by_server: dict[str, tuple[str, ...]] = {}
    for server, value in by_server.items():
        names = _decode_json(value)
        is_list = isinstance(names, list)
        names_by_server[server] = tuple(name for name in names if isinstance(name, str)) if is_list else ()
    schemas: dict[str, dict[str, Any]] = {}
    for tool in tools_in_record:
        schema = _decode_json(next((tool[key] for key in _SCHEMA if tool.get(key) is not None), None))
        schemas[tool["name"]] = schema if isinstance(schema, dict) else {}
    return _ToolList(
        source=(tools, servers),
        names=tuple(dict.fromkeys(tool["name"] for tool in tools_in_record)),
        servers=names_by_server,
        schemas=schemas,
        descriptions={tool["name"]: str(tool.get("description") or "") for tool in tools_in_record},
    )


@dataclass
class _FileLoader:
    """Loader of one file, with the state that earlier records leave for later ones."""

    options: ToolbenchOptions
    ids: TaskIds = field(default_factory=TaskIds)
    tool_lists: _ToolLists = field(default_factory=_ToolLists)
    labels: dict[str, tuple[str, SourceLocation]] = field(default_factory=dict)
    context: Context = field(init=False)

    def __post_init__(self) -> None:
        self.context = Context(files=self.options.files)

    def load_record(self, record: JsonRecord) -> LoadedTask:
        value = record.value
        upstream_id = str(value.get("uuid") or "") if isinstance(value, dict) else ""
        preferred_id = normalize_id(upstream_id) or id_from_place(record.place)
        task_id, repetition = self.ids.take(preferred_id, record.place)
        warnings = (*record.warnings, *repetition)
        try:
            task, more = self._task(record, task_id, upstream_id)
        except FieldError as error:
            return LoadedTask(record.place, id=task_id, error=error.at(record.place), warnings=warnings)
        return LoadedTask(record.place, id=task_id, task=task, warnings=(*warnings, *more))

    def _task(self, record: JsonRecord, task_id: str, upstream_id: str) -> tuple[Task, list[str]]:
        if record.problem is not None:
            raise FieldError(None, record.problem + ".")
        row = record.value
        if not isinstance(row, dict):
            raise FieldError(None, f"a record must be an object, not {type_name(row)}.")
        tool_list = self.tool_lists.of(row)
        query = row.get("query")
        if not isinstance(query, str) or not query.strip():
            raise FieldError(
                "query", "is missing." if query in (None, "") else f"must be text, not {type_name(query)}."
            )
        calls = _calls(row, tool_list)
        tags = {"call_type": "single" if len(calls) == 1 else "multiple", "calls": str(len(calls))}
        if language := _text_or_none(row.get("language")):
            tags["language"] = language
        category = _text_or_none(row.get("category"))
        if category:
            tags["category"] = _CATEGORIES.get(category.lower(), category.lower())
        fields = {
            "id": task_id,
            "turns": (Turn(user=query),),
            "servers": tuple(tool_list.servers),
            "tools": tool_list.names if self.options.tools == "recorded" and tool_list.names else "all",
            "context": self.context,
            "expected": Expected(calls=_groups(calls)),
            "tags": tags,
            "source": Source(file=record.place.file, place=str(record.place), upstream_id=upstream_id or None),
        }
        return build_task(fields), [
            *_inconsistencies(row, calls, tool_list),
            *self._repetition(query, calls, record.place),
        ]

    def _repetition(self, query: str, calls: list["_Call"], place: SourceLocation) -> Iterator[str]:
        """Yield a warning if an earlier record has the same query."""
        label = json.dumps([[call.expected.tool, call.expected.arguments] for call in calls], sort_keys=True)
        first_label, first = self.labels.setdefault(query.strip(), (label, place))
        if first is place:
            return
        if first_label == label:
            yield f"repeats the query and the label of {first}"
        else:
            yield f"the same query has another label at {first}"


@dataclass(frozen=True)
class _Call:
    """Reference call with the step that it belongs to."""

    expected: ExpectedCall
    step: str


def _calls(row: Mapping[str, Any], tool_list: _ToolList) -> list[_Call]:
    label = _decode_json(row.get("function_call_label"))
    if isinstance(label, dict):
        label = [label]
    if not isinstance(label, list) or not label:
        problem = "has no call." if label in (None, [], "") else f"must be a list of calls, not {type_name(label)}."
        raise FieldError("function_call_label", problem)
    calls: list[_Call] = []
    for number, call in enumerate(label, start=1):
        field = f"function_call_label[{number - 1}]"
        if not isinstance(call, dict):
            raise FieldError(field, f"must be an object, not {type_name(call)}.")
        if not _is_name(call.get("name")):
            raise FieldError(f"{field}.name", "must be the name of a tool.")
        arguments = _decode_json(next((call[key] for key in _ARGUMENTS if call.get(key) is not None), None))
        if arguments in (None, "", []):
            arguments = {}
        if not isinstance(arguments, dict):
            raise FieldError(f"{field}.input", f"must be an object of arguments, not {type_name(arguments)}.")
        name = call["name"].strip()
        expected = ExpectedCall(
            id=_text_or_none(call.get("id")) or str(number),
            tool=name,
            server=_text_or_none(call.get("mcp_server")) or tool_list.server_of(name),
            arguments=arguments,
            matchers=_matchers(call.get("matchers"), f"{field}.matchers"),
            similar_tools=_similar(call.get("similar_tools"), f"{field}.similar_tools", tool_list),
        )
        calls.append(_Call(expected, step=_text_or_none(call.get("step")) or str(number)))
    return calls


def _matchers(value: Any, field: str) -> tuple[ArgumentMatcher, ...]:
    def name_of(location: Location) -> str:
        return f"{field}.{path}" if (path := field_path(location)) else field

    if not isinstance(value, list | None):
        raise FieldError(field, f"must be a list of matchers, not {type_name(value)}.")
    try:
        return tuple(ArgumentMatcher.model_validate(each) for each in value or ())
    except ValidationError as error:
        raise to_field_error(error, ArgumentMatcher, name_of) from None


def _similar(value: Any, field: str, tool_list: _ToolList) -> tuple[SimilarTool, ...]:
    similar = _decode_json(value) or []
    if not isinstance(similar, list):
        raise FieldError(field, f"must be a list of tools, not {type_name(similar)}.")
    tools: list[SimilarTool] = []
    for element in similar:
        tool = {"name": element} if isinstance(element, str) else element
        if not isinstance(tool, dict) or not _is_name(tool.get("name")):
            raise FieldError(field, "an element has no tool name.")
        name = tool["name"].strip()
        tools.append(SimilarTool(tool=name, server=_text_or_none(tool.get("mcp_server")) or tool_list.server_of(name)))
    return tuple(tools)


def _groups(calls: list[_Call]) -> tuple[CallGroup, ...]:
    """Group the calls by step, whose calls are parallel; steps are sorted if all of them are numbers."""
    steps: dict[str, list[ExpectedCall]] = {}
    for call in calls:
        steps.setdefault(call.step, []).append(call.expected)
    order = (
        sorted(steps, key=int)
        if all(step.isdecimal() and len(step) <= _LONGEST_STEP for step in steps)
        else list(steps)
    )
    return tuple(CallGroup(calls=tuple(steps[step])) for step in order)


def _inconsistencies(row: Mapping[str, Any], calls: list[_Call], tool_list: _ToolList) -> Iterator[str]:
    """Yield a warning for each contradiction in a record that can still be loaded."""
    declared = _CALL_TYPES.get((_text_or_none(row.get("call_type")) or "").lower())
    if declared and declared != ("single" if len(calls) == 1 else "multiple"):
        yield f"call_type is {declared}, but the label has {len(calls)} calls"
    for call in (call.expected for call in calls):
        if tool_list.names and call.tool not in tool_list.schemas:
            yield f"the label calls {call.tool!r}, which is not among the record's tools"
        elif call.server in tool_list.servers and call.tool not in tool_list.servers[call.server]:
            yield f"the label calls {call.tool!r} on {call.server!r}, which does not have this tool"
        violation = tool_list.violation(call.tool, call.arguments)
        if violation is not None:
            yield f"the label of {call.tool} does not fit the tool's schema: {violation}"


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _text_or_none(value: Any) -> str | None:
    """Return a non-empty string or a number as text, and ``None`` for any other value."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value).strip() or None


def _decode_json(value: Any) -> Any:
    """Decode a string that is valid JSON; return any other value unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return read_json(value)
    except ValueError:
        return value
