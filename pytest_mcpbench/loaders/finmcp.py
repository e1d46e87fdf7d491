"""Loads FinMCP-Bench conversations: gold turns with groups of parallel calls (arXiv 2603.24943, section 2.5)."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from pydantic import Field

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import CallGroup, Expected, Message, Source, Task, Turn
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.loaders.chat_messages import ChatMessage, conversation
from pytest_mcpbench.loaders.complaint import FieldError, kind_of
from pytest_mcpbench.loaders.identity import Ids, clean_id
from pytest_mcpbench.loaders.recorded_schema import json_type
from pytest_mcpbench.loaders.settings import options_of
from pytest_mcpbench.loaders.task_making import task_of
from pytest_mcpbench.loaders.text_records import TextRecord, read_records

STOP = "###STOP###"
"""What the simulated user of the authors' generator ends a conversation with; no turn."""

_KINDS = {"single step": "single_tool", "multi step": "multi_tool", "multi turn": "multi_turn"}
_CODES = ("PTS", "MAR", "FP", "PSC", "IE", "IPA", "OC", "ASM", "CLA", "TEO")
_SCENARIOS = {
    "平台技术支持": "PTS",
    "市场分析与研究": "MAR",
    "产品与策略咨询": "PSC",
    "投资规划与配置": "IPA",
    "账户与服务管理": "ASM",
}
_WORD = re.compile(r"[A-Z]?[a-z]+")
_SMALL_WORDS = frozenset({"and", "of", "the", "for"})
_LEVELS = ((5, "easy"), (10, "medium"))


class FinmcpOptions(FrozenModel):
    """Options of ``loader = "finmcp"``."""

    split: str | None = None
    """First part of the ids of records that have none; default: the file's name without ``benchmark_``."""
    server: str | None = None
    """The server that all tasks work on; default: all servers of the suite."""
    scenarios: dict[str, str] = Field(default_factory=dict)
    """Further names of scenarios -> code."""


def load(content: bytes, options: LoadOptions) -> Iterator[LoadedTask]:
    """Conversations of a JSON array or JSON lines, in the dialects of the release and of the repository's demo."""
    chosen = options_of(options, FinmcpOptions)
    split = chosen.split or PurePath(options.file).stem.removeprefix("benchmark_")
    ids = Ids()
    for index, record in enumerate(read_records(content, options.file)):
        wanted = _wanted_id(record.value, clean_id(split) or "finmcp", index)
        made = ids.take(wanted, record.place)
        warnings = () if made == wanted else (f"the id {wanted!r} is also that of {ids.holder(wanted)}",)
        try:
            task, more = _task(record, made, chosen)
        except FieldError as wrong:
            yield LoadedTask(record.place, id=made, error=wrong.at(record.place), warnings=record.warnings)
        else:
            yield LoadedTask(record.place, id=made, task=task, warnings=(*record.warnings, *warnings, *more))


def recorded_tools(content: bytes, file: str = "", server: str = "qieman") -> dict[str, tuple[ToolSpec, ...]]:
    """The tools that the conversations call, under one server: their schema is the union of the arguments seen."""
    seen: dict[str, dict[str, set[str]]] = {}
    for record in load(content, LoadOptions(file or "records.json")):
        for call in record.task.expected.flat_calls if record.task else ():
            keys = seen.setdefault(call.tool, {})
            for key, value in call.arguments.items():
                keys.setdefault(key, set()).add(json_type(value))
    return {server: tuple(_recorded_tool(name, server, seen[name]) for name in sorted(seen))} if seen else {}


def _recorded_tool(name: str, server: str, keys: Mapping[str, set[str]]) -> ToolSpec:
    properties = {key: {"type": min(kinds)} if len(kinds) == 1 else {} for key, kinds in sorted(keys.items())}
    return ToolSpec(name=name, server=server, tool=name, input_schema={"type": "object", "properties": properties})


def _wanted_id(value: Any, split: str, index: int) -> str:
    given = value.get("id") if isinstance(value, dict) else None
    cleaned = clean_id(str(given)) if isinstance(given, str | int) and not isinstance(given, bool) else ""
    return cleaned or f"{split}-{index}"


def _task(record: TextRecord, made: str, options: FinmcpOptions) -> tuple[Task, list[str]]:
    row = record.value
    if record.problem is not None:
        raise FieldError(None, record.problem + ".")
    if not isinstance(row, dict):
        raise FieldError(None, f"a record must be an object, not {kind_of(row)}.")
    if row.get("messages") is None:
        raise FieldError("messages", "is missing.", "The reference calls are read from the conversation.")
    read = conversation(row["messages"], "messages")
    messages = _without_stop(read.messages)
    turns, groups = _turns(messages)
    given = row.get("id")
    fields = {
        "id": made,
        "turns": turns,
        "system": "\n\n".join(message.text for message in messages if message.role == "system") or None,
        "servers": (options.server,) if options.server else (),
        "expected": Expected(calls=groups),
        "tags": _tags(row, groups, options.scenarios),
        "source": Source(
            file=record.place.file, place=str(record.place), upstream_id=None if given is None else str(given)
        ),
    }
    return task_of(fields), [*read.warnings, *_doubts(row, messages, groups)]


def _without_stop(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    end = len(messages)
    while end and messages[end - 1].role == "user" and messages[end - 1].text.strip() == STOP:
        end -= 1
    return messages[:end]


def _turns(messages: tuple[ChatMessage, ...]) -> tuple[tuple[Turn, ...], tuple[CallGroup, ...]]:
    """Each user message with what followed it; the groups are the assistant messages that called tools."""
    starts = [index for index, message in enumerate(messages) if message.role == "user"]
    if not starts:
        raise FieldError("messages", "has no user message.")
    turns: list[Turn] = []
    groups: list[CallGroup] = []
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(messages)], strict=True)):
        gold = tuple(map(_gold, (each for each in messages[start + 1 : end] if each.role != "system")))
        turns.append(Turn(user=messages[start].text, gold=gold))
        groups += [CallGroup(calls=message.calls, turn=number) for message in gold if message.calls]
    return tuple(turns), tuple(groups)


def _gold(message: ChatMessage) -> Message:
    if message.role == "assistant":
        return Message(role="assistant", text=message.text, calls=message.calls)
    if message.role in ("tool", "function"):
        return Message(role="tool", text=message.text, call_id=message.call_id)
    raise FieldError(
        "messages", f"the role {message.role!r} is not known.", "There are: assistant, system, tool, user."
    )


def _tags(row: Mapping[str, Any], groups: tuple[CallGroup, ...], scenarios: Mapping[str, str]) -> dict[str, str]:
    levels = [part.strip() for part in _text(row.get("scenery") or row.get("first-class")).split("-")]
    kind = _text(row.get("task")).strip().lower()
    tags = {
        "kind": _KINDS.get(kind, kind.replace(" ", "_")),
        "scenario": scenario_code(levels[0], scenarios),
        "scenario_name": levels[0],
        "sub_scenario": "-".join(levels[1:]) or _text(row.get("sub-class")),
        "difficulty": difficulty(_count(groups)),
        "language": _text(row.get("language")),
        "parallel": "parallel" if any(len(group.calls) > 1 for group in groups) else "",
    }
    return {name: value for name, value in tags.items() if value}


def scenario_code(name: str, further: Mapping[str, str] | None = None) -> str:
    """The code of a scenario by its Chinese name or by the initials of its English one; an unknown name as it is."""
    known = {**_SCENARIOS, **(further or {})}
    if name in known:
        return known[name]
    initials = "".join(word[0].upper() for word in _WORD.findall(name) if word.lower() not in _SMALL_WORDS)
    return initials if initials in _CODES else name


def difficulty(calls: int) -> str:
    """``easy`` up to five reference calls, ``medium`` up to ten, else ``hard``."""
    return next((level for most, level in _LEVELS if calls <= most), "hard")


def _count(groups: tuple[CallGroup, ...]) -> int:
    return sum(len(group.calls) for group in groups)


def _doubts(row: Mapping[str, Any], messages: tuple[ChatMessage, ...], groups: tuple[CallGroup, ...]) -> Iterator[str]:
    """Where the record's own summary says something else than its messages."""
    told = row.get("diff_level")
    level = told.get("level") if isinstance(told, dict) else None
    made = difficulty(_count(groups))
    if isinstance(level, str) and level != made:
        yield f"diff_level says {level}, {_count(groups)} reference calls are {made}"
    number = told.get("tool_number") if isinstance(told, dict) else None
    distinct = len({call.tool for group in groups for call in group.calls})
    if isinstance(number, int) and number not in (_count(groups), distinct):
        yield f"diff_level says {number} tools; the messages have {_count(groups)} calls of {distinct} tools"
    if not _agrees(row.get("tool_list"), groups):
        yield "tool_list differs from the calls in the messages, which count"
    if messages and messages[0].role == "assistant":
        yield "the conversation begins with the assistant; that message was left out"
    unanswered = [call.tool for group in groups for call in group.calls if call.result is None]
    if unanswered:
        yield f"no result was recorded for {', '.join(unanswered)}"


def _agrees(listed: Any, groups: tuple[CallGroup, ...]) -> bool:
    """Whether ``tool_list`` has the same groups or, where it is flat, the same distinct names or the same sequence."""
    if not isinstance(listed, list):
        return True
    names = [[call.tool for call in group.calls] for group in groups]
    if all(isinstance(group, list) for group in listed):
        return [Counter(map(str, group)) for group in listed] == [Counter(group) for group in names]
    flat = [name for group in names for name in group]
    return listed == flat or sorted(map(str, listed)) == sorted(set(flat))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
