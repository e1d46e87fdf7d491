"""Writes the short forms of a native task out into the fields of :class:`~pytest_mcpbench.core.task.Task`.

``ask`` is one user turn, ``tool`` with ``arguments`` one reference call, ``calls`` several; ``answer``, ``claims``,
``checkpoints``, ``exec``, ``state`` and ``verify`` stand for the parts of ``expected`` of that name, ``never`` for
``expected.forbidden_tools``, ``server`` for a list of one. ``docs/reference/task-format.md`` shows them all.
"""

from collections.abc import Iterator
from typing import Any

from pytest_mcpbench.core.task import Context, Expected, Task
from pytest_mcpbench.loaders.complaint import FieldError, Location, dotted, kind_of, unknown_key

_EXPECTED = ("answer", "claims", "checkpoints", "exec", "state", "verify")
_SHORT = frozenset({"ask", "server", "tool", "arguments", "calls", "never", *_EXPECTED})
_KNOWN = frozenset(Task.model_fields) | _SHORT
_AS_IT_IS = ("system", "skills", "servers", "context", "limits", "floors")
_IN_A_TURN = frozenset({"user", "ask", "gold", "tool", "arguments", "calls"})

_NOTHING_EXPECTED = Expected()
_NO_CONTEXT = Context()


def written_out(record: dict[str, Any]) -> dict[str, Any]:
    """The fields of a task, all but ``id`` and ``source``. A :class:`FieldError` has the name that the author used."""
    if not record.keys() <= _KNOWN:
        raise unknown_key(next(str(key) for key in record if key not in _KNOWN), _KNOWN)
    fields = {name: record[name] for name in _AS_IT_IS if record.get(name) is not None}
    fields.setdefault("context", _NO_CONTEXT)
    fields["turns"] = [_turn(turn) for turn in _turns(record)]
    fields["expected"] = _expected(record) or _NOTHING_EXPECTED
    if "server" in record:
        fields["servers"] = [_text(_alone(record, "server", "servers"), "server")]
    if record.get("tools") is not None:
        fields["tools"] = _tools(record["tools"])
    if record.get("tags") is not None:
        fields["tags"] = _tags(record["tags"])
    return fields


def author_name(record: dict[str, Any], location: Location) -> str:
    """The name of a field of the task in the words of the record that it was written out from."""
    if location[:3] == ("turns", 0, "user") and "ask" in record:
        return "ask"
    if location[:2] == ("expected", "forbidden_tools") and "never" in record:
        return dotted(("never", *location[2:]))
    if location[:2] == ("expected", "calls") and len(location) > 2:
        return _call_name(record, location[2:])
    if location[:1] == ("expected",) and len(location) > 1 and location[1] in record:
        return dotted(location[1:])
    return dotted(location)


def _call_name(record: dict[str, Any], inside: Location) -> str:
    """The name of something in the groups of reference calls; ``inside`` begins with the group's index."""
    rest = inside[3:]
    if "tool" in record:
        return dotted(rest) or "tool"
    start: Location = ("calls",) if "calls" in record else ("expected", "calls")
    groups = record.get("calls") if "calls" in record else (record.get("expected") or {}).get("calls")
    group = (
        groups[inside[0]]
        if isinstance(groups, list) and isinstance(inside[0], int) and inside[0] < len(groups)
        else None
    )
    if isinstance(group, list) and len(inside) > 2:
        return dotted((*start, inside[0], *inside[2:]))
    if isinstance(group, dict) and "calls" not in group and len(inside) > 2:
        return dotted((*start, inside[0], *rest))
    return dotted((*start, *inside))


def _turns(record: dict[str, Any]) -> list[Any]:
    if "ask" in record:
        return [{"user": _text(_alone(record, "ask", "turns"), "ask")}]
    turns = record.get("turns")
    if turns is None:
        raise FieldError("ask", "is missing.", "Write the user's message as `ask:`, or several as `turns:`.")
    if isinstance(turns, str):
        return [turns]
    if not isinstance(turns, list) or not turns:
        raise FieldError("turns", f"must be a list of user messages, not {kind_of(turns)}.")
    return turns


def _turn(turn: Any) -> Any:
    """``user`` and ``gold`` of a turn; what it says of reference calls is for ``expected``."""
    if isinstance(turn, str):
        return {"user": turn}
    if not isinstance(turn, dict):
        raise FieldError("turns", f"each must be a text or a mapping with `user`, not {kind_of(turn)}.")
    if not turn.keys() <= _IN_A_TURN:
        key = next(str(key) for key in turn if key not in _IN_A_TURN)
        raise unknown_key(key, _IN_A_TURN, field=f"turns: {key}")
    fields = {"user": turn.get("user", turn.get("ask"))} if "user" in turn or "ask" in turn else {}
    return fields if turn.get("gold") is None else {**fields, "gold": turn["gold"]}


def _expected(record: dict[str, Any]) -> dict[str, Any]:
    expected = record.get("expected")
    if expected is not None and not isinstance(expected, dict):
        raise FieldError("expected", f"must be a mapping, not {kind_of(expected)}.")
    fields = dict(expected or {})
    for name in _EXPECTED:
        if record.get(name) is not None:
            fields[name] = _alone_in_expected(record, name, fields)
    if "never" in record:
        fields["forbidden_tools"] = _forbidden(record["never"])
    groups = list(_groups(record, fields))
    if groups:
        fields["calls"] = groups
        _number(groups)
    elif "tool" in record:
        fields["forbidden_tools"] = "all"
    return _with_lists(fields)


def _groups(record: dict[str, Any], expected: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The groups of parallel calls that the record asks for, wherever it says so."""
    if "calls" in expected:
        yield from _calls(expected["calls"], "expected.calls")
    yield from _calls_here(record, None)
    turns = record.get("turns")
    for index, turn in enumerate(turns if isinstance(turns, list) else ()):
        if isinstance(turn, dict):
            yield from _calls_here(turn, index)


def _calls_here(holder: dict[str, Any], turn: int | None) -> Iterator[dict[str, Any]]:
    """The calls of a record or of one of its turns: ``tool`` with ``arguments``, or ``calls``."""
    prefix = "" if turn is None else f"turns[{turn}]."
    groups: Iterator[dict[str, Any]] = iter(())
    if "tool" in holder:
        _alone(holder, "tool", "calls")
        groups = iter(_one_call(holder, prefix))
    elif "arguments" in holder:
        raise FieldError(prefix + "arguments", "there is no `tool` that they belong to.")
    elif holder.get("calls") is not None:
        groups = _calls(holder["calls"], prefix + "calls")
    for group in groups:
        yield group if turn is None else {**group, "turn": turn}


def _one_call(holder: dict[str, Any], prefix: str) -> list[dict[str, Any]]:
    if holder["tool"] is None:
        return []
    arguments = holder.get("arguments")
    if arguments is not None and not isinstance(arguments, dict):
        raise FieldError(prefix + "arguments", f"must be a mapping, not {kind_of(arguments)}.")
    return [{"calls": [{"tool": _text(holder["tool"], prefix + "tool"), "arguments": arguments or {}}]}]


def _calls(value: Any, field: str) -> Iterator[dict[str, Any]]:
    """Groups from a list in which an element is one call, a list of parallel calls, or a group written out."""
    if not isinstance(value, list):
        raise FieldError(field, f"must be a list of calls, not {kind_of(value)}.")
    for index, element in enumerate(value):
        if isinstance(element, list):
            yield {"calls": [_call(call, f"{field}[{index}]") for call in element]}
        elif isinstance(element, dict) and "calls" in element:
            calls = element["calls"] if isinstance(element["calls"], list) else [element["calls"]]
            yield {**element, "calls": [_call(call, f"{field}[{index}]") for call in calls]}
        else:
            yield {"calls": [_call(element, f"{field}[{index}]")]}


def _call(value: Any, field: str) -> dict[str, Any]:
    if isinstance(value, str):
        return {"tool": value}
    if not isinstance(value, dict):
        raise FieldError(field, f"must be a call (`tool:` with `arguments:`), not {kind_of(value)}.")
    call = {key: entry for key, entry in value.items() if entry is not None}
    if isinstance(call.get("id"), int):
        call["id"] = str(call["id"])
    similar = call.get("similar_tools")
    if isinstance(similar, list):
        call["similar_tools"] = [{"tool": tool} if isinstance(tool, str) else tool for tool in similar]
    return call


def _number(groups: list[dict[str, Any]]) -> None:
    """Gives each call without an id its number, from 1."""
    number = 0
    for group in groups:
        for call in group["calls"]:
            number += 1
            call.setdefault("id", str(number))


def _with_lists(expected: dict[str, Any]) -> dict[str, Any]:
    """Single values of what may be several as lists of one, plain texts as checkpoints."""
    if "answer" in expected:
        expected["answer"] = _scalar_text(expected["answer"])
    for name in ("claims", "checkpoints", "exec", "state", "verify"):
        if name in expected and not isinstance(expected[name], list | tuple):
            expected[name] = [expected[name]]
    if "checkpoints" in expected:
        expected["checkpoints"] = [
            {"text": part} if isinstance(part, str) else part for part in expected["checkpoints"]
        ]
    return expected


def _forbidden(value: Any) -> Any:
    if value == "all" or isinstance(value, list):
        return value
    return [_text(value, "never")]


def _tools(value: Any) -> Any:
    return [value] if isinstance(value, str) and value != "all" else value


def _tags(value: Any) -> Any:
    """A mapping with its values as text; a list of words tags the task with each of them."""
    if isinstance(value, list):
        return {str(word): str(word) for word in value}
    return {key: _scalar_text(entry) for key, entry in value.items()} if isinstance(value, dict) else value


def _scalar_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def _text(value: Any, field: str) -> str:
    if not isinstance(value, str) or not value.strip():
        wrong = "must not be empty." if isinstance(value, str) else f"must be text, not {kind_of(value)}."
        raise FieldError(field, wrong)
    return value


def _alone(record: dict[str, Any], name: str, other: str) -> Any:
    """The value of a field that excludes another one."""
    if record.get(other) is not None:
        raise FieldError(name, f"`{name}` and `{other}` say the same thing in two ways.", "Keep one of them.")
    return record[name]


def _alone_in_expected(record: dict[str, Any], name: str, expected: dict[str, Any]) -> Any:
    if name in expected:
        raise FieldError(name, f"`{name}` is also given under `expected`.", "Keep one of them.")
    return record[name]
