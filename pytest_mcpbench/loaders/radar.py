"""Loads MCP-RADAR tasks: precise ones with an answer, fuzzy ones with calls (arXiv 2505.16700, appendix A.1)."""

import json
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import CallGroup, Context, ExecCheckpoint, Expected, ExpectedCall, Source, Turn
from pytest_mcpbench.loaders.complaint import FieldError, kind_of
from pytest_mcpbench.loaders.identity import Ids, clean_id
from pytest_mcpbench.loaders.settings import options_of
from pytest_mcpbench.loaders.task_making import task_of
from pytest_mcpbench.loaders.text_records import TextRecord, read_records

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
    """The server that all tasks of the file work on; default: all servers of the suite."""
    files: str | None = None
    """Directory that each attempt's own directory begins with, relative to the suite."""


def load(content: bytes, options: LoadOptions) -> Iterator[LoadedTask]:
    """Tasks of a JSON array or JSON lines; ids are made of the file's name and the index, as ``unique_id`` repeats."""
    chosen = options_of(options, RadarOptions)
    stem = clean_id(PurePath(options.file).stem) or "radar"
    domain = chosen.domain or re.split(r"[_.-]", stem)[0].lower()
    ids = Ids()
    for index, record in enumerate(read_records(content, options.file), start=1):
        made = ids.take(f"{stem}-{index:03d}", record.place)
        try:
            yield _loaded(record, made, domain, chosen)
        except FieldError as wrong:
            yield LoadedTask(record.place, id=made, error=wrong.at(record.place))


def _loaded(record: TextRecord, made: str, domain: str, options: RadarOptions) -> LoadedTask:
    record = _as_printed(record)
    if record.problem is not None:
        raise FieldError(None, record.problem + ".")
    row = _row(record.value)
    prompt = _wanted(row, _PROMPT, "Prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise FieldError("Prompt", "is empty." if isinstance(prompt, str) else f"must be text, not {kind_of(prompt)}.")
    expected, kind = _expected(row)
    fields = {
        "id": made,
        "turns": (Turn(user=prompt),),
        "servers": (options.server,) if options.server else (),
        "context": Context(files=options.files),
        "expected": expected,
        "floors": _floors(expected),
        "tags": {"domain": domain, "kind": kind, **_size(expected)},
        "source": Source(file=record.place.file, place=str(record.place), upstream_id=_upstream_id(row)),
    }
    return LoadedTask(record.place, id=made, task=task_of(fields), warnings=record.warnings)


_PRINTED_ARGUMENTS = re.compile(r',\s*"Toolargs"\s*:\s*(?=")')


def _as_printed(record: TextRecord) -> TextRecord:
    """A record that is written as in the paper's appendix, where the braces of ``Toolargs`` are left out."""
    found = _PRINTED_ARGUMENTS.search(record.text)
    if record.problem is None or found is None:
        return record
    arguments = _bare_arguments(record.text[found.end() :].strip().rstrip(",").removesuffix("}"))
    try:
        value = json.loads(record.text[: found.start()] + "}")
    except ValueError:
        return record
    warning = "Toolargs is no JSON; it was read as the paper prints it"
    return TextRecord(record.place, {**value, "Toolargs": arguments}, warnings=(warning,))


def _row(value: Any) -> dict[str, Any]:
    """The record by its keys in small letters without underscores: ``Toolname``, ``tool_name``, ``toolName``."""
    if not isinstance(value, dict):
        raise FieldError(None, f"a record must be an object, not {kind_of(value)}.")
    return {str(key).lower().replace("_", ""): entry for key, entry in value.items()}


def _found(row: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _wanted(row: dict[str, Any], names: tuple[str, ...], shown: str) -> Any:
    value = _found(row, names)
    if value is None:
        raise FieldError(shown, "is missing.", "A record has Prompt with Answer, or Prompt with Toolname and Toolargs.")
    return value


def _upstream_id(row: dict[str, Any]) -> str | None:
    given = _found(row, _UPSTREAM)
    return None if given is None else str(given)


def _floors(expected: Expected) -> dict[str, float]:
    if not expected.calls:
        return {"answer": 1.0}
    return {"operation": 1.0, "exec": 1.0} if expected.exec else {"operation": 1.0}


def _size(expected: Expected) -> dict[str, str]:
    """Tags on the number of reference calls of a fuzzy task."""
    count = len(expected.calls)
    return {"tools": str(count), "steps": "multi" if count > 1 else "single"} if count else {}


def _expected(row: dict[str, Any]) -> tuple[Expected, str]:
    """What the record expects, and whether it is ``precise`` or ``fuzzy``."""
    if _found(row, _TOOL) is not None:
        return Expected(
            calls=_groups(row),
            exec=tuple(_said(_found(row, ("says",)))),
        ), "fuzzy"
    answer = _wanted(row, _ANSWER, "Answer")
    return Expected(answer=_answer(answer)), "precise"


def _said(facts: Any) -> Iterator[ExecCheckpoint]:
    """A checkpoint that asks for one new entity (a mail, an event) that says all facts; our own key ``Says``."""
    if facts is None:
        return
    if not isinstance(facts, list) or not facts or not all(map(_is_fact, facts)):
        raise FieldError("Says", "must be a list of facts, each a list of spellings.")
    yield ExecCheckpoint(
        kind="operate", operation="create", contains=tuple(map(tuple, facts)), summary="Say what was asked for."
    )


def _is_fact(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) and each.strip() for each in value)


def _answer(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list) and value and all(isinstance(part, str | int | float) for part in value):
        return ", ".join(_answer(part) for part in value)
    raise FieldError("Answer", f"must be text or a number, not {kind_of(value)}.")


def _groups(row: dict[str, Any]) -> tuple[CallGroup, ...]:
    """Each reference call as a group of its own: the paper fixes their order."""
    calls = _calls(_decoded(_found(row, _TOOL)), _decoded(_found(row, _ARGUMENTS)))
    if not calls:
        raise FieldError("Toolname", "names no tool.")
    return tuple(
        CallGroup(calls=(_call(str(number), tool, arguments),))
        for number, (tool, arguments) in enumerate(calls, start=1)
    )


_NAME_GAP = re.compile(r"\s*(?:,|;|->|→)\s*")


def _calls(tools: Any, arguments: Any) -> list[tuple[str, dict[str, Any]]]:
    """Tool names paired with their arguments, from a name, a list of names, or objects that hold both."""
    names = tools if isinstance(tools, list) else _NAME_GAP.split(tools) if isinstance(tools, str) else [tools]
    if names and all(isinstance(name, dict) for name in names):
        return [_call_object(name) for name in names if isinstance(name, dict)]
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise FieldError("Toolname", f"must be a tool's name or a list of names, not {kind_of(tools)}.")
    return list(zip(map(str.strip, names), _argument_list(names, arguments), strict=True))


def _call_object(value: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A call that was written as one object."""
    inner = {str(key).lower().replace("_", ""): entry for key, entry in value.items()}
    name = _found(inner, (*_TOOL, "name"))
    if not isinstance(name, str) or not name.strip():
        raise FieldError("Toolname", "an element names no tool.")
    arguments = _decoded(_found(inner, _ARGUMENTS))
    return name.strip(), _arguments(arguments)


def _argument_list(names: list[str], arguments: Any) -> list[dict[str, Any]]:
    """One mapping of arguments a tool: from a list in the same order, by tool name, or the only one."""
    if isinstance(arguments, list):
        if len(arguments) != len(names):
            raise FieldError("Toolargs", f"has {len(arguments)} elements for {len(names)} tools.")
        return [_arguments(_decoded(element)) for element in arguments]
    if len(names) == 1:
        return [_arguments(arguments)]
    if isinstance(arguments, dict) and len(set(names)) == len(names) and set(arguments) <= set(names):
        return [_arguments(_decoded(arguments.get(name))) for name in names]
    if arguments in (None, {}):
        return [{} for _ in names]
    raise FieldError("Toolargs", f"must be a list of {len(names)} objects, one a tool, not {kind_of(arguments)}.")


def _arguments(value: Any) -> dict[str, Any]:
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        raise FieldError("Toolargs", f"must be an object of arguments, not {kind_of(value)}.")
    return value


def _call(number: str, tool: str, arguments: dict[str, Any]) -> ExpectedCall:
    """The call; an argument marked ``(default)`` in its value or its name may be left out."""
    plain: dict[str, Any] = {}
    optional: set[str] = set()
    for key, value in arguments.items():
        name = _DEFAULT.sub("", key).removesuffix("(default)").strip()
        marked = name != key
        if isinstance(value, str) and _DEFAULT.match(value):
            value, marked = _DEFAULT.sub("", value), True
        plain[name] = value
        if marked:
            optional.add(name)
    return ExpectedCall(id=number, tool=tool, arguments=plain, optional=frozenset(optional))


def _decoded(value: Any) -> Any:
    """A JSON text decoded; the paper's own way of writing arguments repaired; other text as it is."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text[:1] in ("{", "["):
        try:
            return json.loads(text)
        except ValueError:
            return _bare_arguments(text) or value
    return _bare_arguments(text) or value


_BARE_KEY = re.compile(r"[\"']?([A-Za-z_]\w*)[\"']?\s*:\s*")
_NEXT_BARE_KEY = re.compile(r",\s*[\"'][A-Za-z_]\w*[\"']\s*:\s*")


def _bare_arguments(text: str) -> dict[str, Any] | None:
    """Arguments as the paper prints them, ``"from":(default)mock@localhost.com, "to": Lucy@gmail.com``."""
    inner = text.removeprefix("{").removesuffix("}").strip()
    if not re.match(r"[\"'][A-Za-z_]\w*[\"']\s*:", inner):
        return None
    starts = [0, *(match.start() + 1 for match in _NEXT_BARE_KEY.finditer(inner))]
    arguments: dict[str, Any] = {}
    for start, end in zip(starts, [*starts[1:], len(inner) + 1], strict=True):
        part = inner[start : end - 1].strip()
        if key := _BARE_KEY.match(part):
            arguments[key.group(1)] = _bare_value(part[key.end() :].strip())
    return arguments


def _bare_value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
