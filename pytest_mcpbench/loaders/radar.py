"""Loader of MCP-RADAR tasks: precise ones with an answer, fuzzy ones with calls (arXiv 2505.16700, appendix A.1)."""

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from pydantic import ValidationError

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import CallGroup, Context, ExecCheckpoint, Expected, ExpectedCall, Source, Turn
from pytest_mcpbench.loaders.field_errors import FieldError, field_path, to_field_error, type_name
from pytest_mcpbench.loaders.json_records import JsonRecord, read_json_records
from pytest_mcpbench.loaders.loader_options import parse_options
from pytest_mcpbench.loaders.short_forms import split_arguments
from pytest_mcpbench.loaders.task_building import build_task
from pytest_mcpbench.loaders.task_ids import TaskIds, normalize_id
from pytest_mcpbench.text.json_reading import read_json

_DEFAULT = re.compile(r"^\s*\(default\)\s*", re.IGNORECASE)
_UPSTREAM = ("unique_id", "uniqueid", "id")
_PROMPT = ("prompt", "question", "query")
_ANSWER = ("answer", "groundtruth")
_TOOL = ("toolname", "toolnames", "tool", "tools")
_ARGUMENTS = ("toolargs", "toolarguments", "arguments", "args")


class RadarOptions(FrozenModel):
    """Options of ``loader = "radar"``."""

    domain: str | None = None
    """Tag ``domain``; default: the first word of the file's name (``email`` of ``email_multi.jsonl``)."""
    server: str | None = None
    """Server that all tasks of the file use; default: all servers of the suite."""
    files: str | None = None
    """Directory, relative to the suite, that is copied for each attempt."""


def load(content: bytes, options: LoadOptions) -> Iterator[LoadedTask]:
    """Load a JSON array or JSON lines; ids use the file's name and the index because ``unique_id`` is not unique."""
    radar_options = parse_options(options, RadarOptions)
    stem = normalize_id(PurePath(options.file).stem) or "radar"
    domain = radar_options.domain or re.split(r"[_.-]", stem)[0].lower()
    ids = TaskIds()
    for index, record in enumerate(read_json_records(content, options.file), start=1):
        task_id, _ = ids.take(f"{stem}-{index:03d}", record.place)
        try:
            yield _load_record(record, task_id, domain, radar_options)
        except FieldError as error:
            yield LoadedTask(record.place, id=task_id, error=error.at(record.place))


def _load_record(record: JsonRecord, task_id: str, domain: str, options: RadarOptions) -> LoadedTask:
    record = _repair_printed_record(record)
    if record.problem is not None:
        raise FieldError(None, record.problem + ".")
    value = record.value
    if not isinstance(value, dict):
        raise FieldError(None, f"a record must be an object, not {type_name(value)}.")
    # ``Toolname`` and ``tool_name`` are the same key.
    row = {str(key).lower().replace("_", ""): entry for key, entry in value.items()}
    prompt = _required_value(row, _PROMPT, "Prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise FieldError(
            "Prompt", "is empty." if isinstance(prompt, str) else f"must be text, not {type_name(prompt)}."
        )
    expected, kind = _expectations(row)
    stated = {"exec": expected.exec, "answer": expected.answer is not None} if expected.calls else {}
    count = len(expected.calls)
    size = {"tools": str(count), "steps": "multi" if count > 1 else "single"} if count else {}
    upstream_id = _first_value(row, _UPSTREAM)
    fields = {
        "id": task_id,
        "turns": (Turn(user=prompt),),
        "servers": (options.server,) if options.server else (),
        "context": Context(files=options.files),
        "expected": expected,
        # The paper compares the call; that a message or an answer says what it was to say is this project's guard.
        "floors": {"operation": 1.0} if expected.calls else {"answer": 1.0},
        "guards": {name: 1.0 for name, is_stated in stated.items() if is_stated},
        "tags": {"domain": domain, "kind": kind, **size},
        "source": Source(
            file=record.place.file,
            place=str(record.place),
            upstream_id=None if upstream_id is None else str(upstream_id),
        ),
    }
    return LoadedTask(record.place, id=task_id, task=build_task(fields), warnings=record.warnings)


_PRINTED_ARGUMENTS = re.compile(r',\s*"Toolargs"\s*:\s*(?=")')


def _repair_printed_record(record: JsonRecord) -> JsonRecord:
    """Repair a record in the notation of the paper's appendix, which omits the braces of ``Toolargs``."""
    match = _PRINTED_ARGUMENTS.search(record.text)
    if record.problem is None or match is None:
        return record
    arguments = _parse_printed_arguments(record.text[match.end() :].strip().rstrip(",").removesuffix("}"))
    try:
        value = read_json(record.text[: match.start()] + "}")
    except ValueError:
        return record
    warning = "Toolargs is not valid JSON; it was read in the notation of the paper"
    return JsonRecord(record.place, {**value, "Toolargs": arguments}, warnings=(warning,))


def _first_value(row: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _required_value(row: dict[str, Any], names: tuple[str, ...], column: str) -> Any:
    value = _first_value(row, names)
    if value is None:
        raise FieldError(
            column, "is missing.", "A record has Prompt with Answer, or Prompt with Toolname and Toolargs."
        )
    return value


def _expectations(row: dict[str, Any]) -> tuple[Expected, str]:
    """Return the expectations of a record and its kind, ``precise`` or ``fuzzy``."""
    if _first_value(row, _TOOL) is not None:
        # An answer beside calls is an extension of the published format.
        answer = row.get("answer")
        # Each reference call is a group of its own, because the paper fixes their order.
        calls = _calls(_decode_json(_first_value(row, _TOOL)), _decode_json(_first_value(row, _ARGUMENTS)))
        if not calls:
            raise FieldError("Toolname", "contains no tool.")
        reference_calls = tuple(
            CallGroup(calls=(_call(str(number), tool, arguments),))
            for number, (tool, arguments) in enumerate(calls, start=1)
        )
        return Expected(
            calls=reference_calls,
            exec=tuple(_fact_checkpoint(_first_value(row, ("says",)))),
            answer=None if answer in (None, "") else _answer(answer),
        ), "fuzzy"
    answer = _required_value(row, _ANSWER, "Answer")
    # ``Derivation`` is an extension of the published format: the way to the answer, for ``oracle``.
    fields = {"answer": _answer(answer), "derivation": row.get("derivation")}
    try:
        return Expected.model_validate(fields), "precise"
    except ValidationError as error:
        raise to_field_error(error, Expected, lambda place: field_path(place).capitalize()) from error


def _fact_checkpoint(facts: Any) -> Iterator[ExecCheckpoint]:
    """Yield a checkpoint for one new entity (a mail, an event) that contains all facts.

    The facts come from the key ``Says``, an extension of the published format.
    """
    if facts is None:
        return
    if (
        not isinstance(facts, list)
        or not facts
        or not all(isinstance(fact, list) and fact for fact in facts)
        or not all(isinstance(spelling, str) and spelling.strip() for fact in facts for spelling in fact)
    ):
        raise FieldError("Says", "must be a list of facts, each a list of spellings.")
    yield ExecCheckpoint(
        kind="operate", operation="create", contains=tuple(map(tuple, facts)), summary="Say what was asked for."
    )


def _answer(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list) and value and all(isinstance(part, str | int | float) for part in value):
        return ", ".join(_answer(part) for part in value)
    raise FieldError("Answer", f"must be text or a number, not {type_name(value)}.")


_NAME_GAP = re.compile(r"\s*(?:,|;|->|→)\s*")


def _calls(tools: Any, arguments: Any) -> list[tuple[str, dict[str, Any]]]:
    """Pair tool names with arguments; the input is a name, a list of names, or objects that contain both."""
    names = tools if isinstance(tools, list) else _NAME_GAP.split(tools) if isinstance(tools, str) else [tools]
    objects = [name for name in names if isinstance(name, dict)]
    if objects and len(objects) == len(names):
        calls: list[tuple[str, dict[str, Any]]] = []
        for call in objects:
            row = {str(key).lower().replace("_", ""): entry for key, entry in call.items()}
            name = _first_value(row, (*_TOOL, "name"))
            if not isinstance(name, str) or not name.strip():
                raise FieldError("Toolname", "an element has no tool name.")
            calls.append((name.strip(), _arguments(_decode_json(_first_value(row, _ARGUMENTS)))))
        return calls
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise FieldError("Toolname", f"must be a tool's name or a list of names, not {type_name(tools)}.")
    if isinstance(arguments, list):
        if len(arguments) != len(names):
            raise FieldError("Toolargs", f"has {len(arguments)} elements for {len(names)} tools.")
        argument_list = [_arguments(_decode_json(element)) for element in arguments]
    elif len(names) == 1:
        argument_list = [_arguments(arguments)]
    elif isinstance(arguments, dict) and len(set(names)) == len(names) and set(arguments) <= set(names):
        argument_list = [_arguments(_decode_json(arguments.get(name))) for name in names]
    elif arguments in (None, {}):
        argument_list = [{} for _ in names]
    else:
        raise FieldError(
            "Toolargs", f"must be a list of {len(names)} objects, one per tool, not {type_name(arguments)}."
        )
    return list(zip(map(str.strip, names), argument_list, strict=True))


def _arguments(value: Any) -> dict[str, Any]:
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        raise FieldError("Toolargs", f"must be an object of arguments, not {type_name(value)}.")
    return value


def _call(number: str, tool: str, arguments: dict[str, Any]) -> ExpectedCall:
    """Return the expected call. Arguments marked ``(default)`` in their value or name are optional.

    The matchers of native tasks (``{"any": true, "example": 2000}``) are an extension of the published format.
    """
    plain: dict[str, Any] = {}
    optional: set[str] = set()
    for key, value in arguments.items():
        name = _DEFAULT.sub("", key).removesuffix("(default)").strip()
        is_optional = name != key
        if isinstance(value, str) and _DEFAULT.match(value):
            value, is_optional = _DEFAULT.sub("", value), True
        plain[name] = value
        if is_optional:
            optional.add(name)
    split = split_arguments(plain, "Toolargs")
    return ExpectedCall.model_validate(
        {"id": number, "tool": tool, "arguments": split.arguments, "matchers": split.matchers, "optional": optional}
    )


def _decode_json(value: Any) -> Any:
    """Decode a string that is JSON or in the paper's notation for arguments; return other values unchanged."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text[:1] in ("{", "["):
        try:
            return read_json(text)
        except ValueError:
            return _parse_printed_arguments(text) or value
    return _parse_printed_arguments(text) or value


_PRINTED_KEY = re.compile(r"[\"']?([A-Za-z_]\w*)[\"']?\s*:\s*")
_NEXT_PRINTED_KEY = re.compile(r",\s*[\"'][A-Za-z_]\w*[\"']\s*:\s*")


def _parse_printed_arguments(text: str) -> dict[str, Any] | None:
    """Parse arguments in the paper's notation: ``"from":(default)mock@localhost.com, "to": Lucy@gmail.com``."""
    normalized = text.removeprefix("{").removesuffix("}").strip()
    if not re.match(r"[\"'][A-Za-z_]\w*[\"']\s*:", normalized):
        return None
    starts = [0, *(match.start() + 1 for match in _NEXT_PRINTED_KEY.finditer(normalized))]
    arguments: dict[str, Any] = {}
    for start, end in zip(starts, [*starts[1:], len(normalized) + 1], strict=True):
        part = normalized[start : end - 1].strip()
        if key := _PRINTED_KEY.match(part):
            written = part[key.end() :].strip()
            try:
                arguments[key.group(1)] = read_json(written)
            except ValueError:
                arguments[key.group(1)] = written
    return arguments
