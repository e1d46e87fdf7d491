"""Expansion of a native task's short forms into the fields of :class:`~pytest_mcpbench.core.task.Task`.

``ask`` is one user turn, ``tool`` with ``arguments`` one reference call, ``calls`` several; ``answer``,
``derivation``, ``claims``, ``checkpoints``, ``exec``, ``state``, ``verify``, ``conversation``, ``elicitations``,
``resources``, ``loads`` and ``replies`` are short for the fields of ``expected`` with the same name, ``never`` for
``expected.forbidden_tools``, ``server`` for a list of one, ``elicit`` with the fields of a form for a rule that fills
it in.
``docs/reference/task-format.md`` lists all.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from pytest_mcpbench.core.elicitation import ElicitationRule
from pytest_mcpbench.core.placeholders import PLACEHOLDER
from pytest_mcpbench.core.task import Context, Expected, Task
from pytest_mcpbench.loaders.field_errors import FieldError, field_path, type_name, unknown_key_error
from pytest_mcpbench.text.bounded_pattern import BoundedPattern, pattern_fault
from pytest_mcpbench.text.json_reading import Location, scalar_text, texts_in

# Matchers in the arguments of a reference call: ``{near: 10, within: 0.5}`` in place of a value.
#
# A mapping is a matcher if one of its keys is the kind of a matcher and every other key belongs to that kind. Each
# leaves an example in the arguments, which ``oracle`` plays. ``{exact: VALUE}`` is the value itself, whatever its keys.

_LITERAL = "Write {exact: …} around a value that is itself such a mapping."
_OTHER_KEYS: Mapping[str, frozenset[str]] = {
    "regex": frozenset({"example"}),
    "near": frozenset({"within"}),
    "one_of": frozenset(),
    "any": frozenset({"example"}),
    "ignore": frozenset({"example"}),
    "exact": frozenset(),
}


@dataclass(frozen=True)
class SplitArguments:
    """Arguments with examples in place of the matchers, and the fields of the matchers."""

    arguments: dict[str, Any]
    matchers: tuple[dict[str, Any], ...]


_OMITTED = object()


def split_arguments(arguments: Mapping[Any, Any], field: str) -> SplitArguments:
    """Separate the matchers from the arguments of a reference call. Raises FieldError for a matcher that is wrong."""
    matchers: list[dict[str, Any]] = []

    def plain(value: Any, at: Location) -> Any:
        if isinstance(value, dict):
            kinds = [kind for kind, others in _OTHER_KEYS.items() if kind in value and value.keys() <= {kind, *others}]
            if kinds:
                example, fields = _READERS[kinds[0]](value, _Place(field_path((field, *at))))
                matchers.extend([{"at": at, **fields}] if fields else [])
                return example
            return dict(_without_omitted((key, plain(part, (*at, str(key)))) for key, part in value.items()))
        if isinstance(value, list):
            items: list[Any] = []
            for index, part in enumerate(value):
                item = plain(part, (*at, index))
                if item is _OMITTED:
                    problem = "an element of a list cannot be ignored."
                    raise FieldError(field_path((field, *at, index)), problem, "Write `any: true` with an example.")
                items.append(item)
            return items
        return value

    examples = dict(_without_omitted((name, plain(value, (str(name),))) for name, value in arguments.items()))
    return SplitArguments(examples, tuple(matchers))


def _without_omitted(entries: Iterator[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    return ((key, value) for key, value in entries if value is not _OMITTED)


@dataclass(frozen=True)
class _Place:
    """Field of a matcher, for messages."""

    field: str

    def error(self, problem: str, remedy: str = _LITERAL) -> FieldError:
        return FieldError(self.field, problem, remedy)


def _read_regex(value: dict[str, Any], place: _Place) -> tuple[Any, dict[str, Any]]:
    pattern, example = value["regex"], value.get("example")
    if not isinstance(pattern, str):
        raise place.error(f"regex must be text, not {type_name(pattern)}.")
    if fault := pattern_fault(pattern):
        raise place.error(f"{fault}.")
    if not isinstance(example, str):
        raise place.error("regex needs `example`, a text that it matches: oracle plays it.")
    try:
        matches = BoundedPattern(pattern).matches_all_of(example)
    except ValueError as error:
        raise place.error(f"{error}.", "Write a pattern that matches a text in one way only.") from None
    if not matches:
        remedy = "A regular expression matches the complete text; write .* where anything may stand."
        raise place.error(f"the example {example!r} does not match {pattern!r}.", remedy)
    return example, {"regex": pattern}


def _read_near(value: dict[str, Any], place: _Place) -> tuple[Any, dict[str, Any]]:
    near, within = value["near"], value.get("within")
    if not _is_finite(near):
        raise place.error(f"near must be a number, not {type_name(near)}.")
    if not _is_finite(within) or within < 0:
        raise place.error("near needs `within`, the largest difference.", f"Write {{near: {near}, within: 0.5}}.")
    return near, {"near": near, "within": within}


def _read_one_of(value: dict[str, Any], place: _Place) -> tuple[Any, dict[str, Any]]:
    choices = value["one_of"]
    if not isinstance(choices, list) or not choices:
        raise place.error("one_of must be a list with at least one value.")
    if any(PLACEHOLDER.search(text) for choice in choices for text in texts_in(choice)):
        raise place.error("one_of cannot refer to results of other calls.", "Write the reference as a plain value.")
    return choices[0], {"one_of": choices}


def _read_any(value: dict[str, Any], place: _Place) -> tuple[Any, dict[str, Any]]:
    if value["any"] is not True:
        raise place.error("any must be true.")
    if "example" not in value:
        raise place.error("any needs `example`, a value that fits: oracle plays it.", "Write {any: true, example: …}.")
    return value["example"], {"any": True}


def _read_ignore(value: dict[str, Any], place: _Place) -> tuple[Any, dict[str, Any]]:
    if value["ignore"] is not True:
        raise place.error("ignore must be true.")
    return value.get("example", _OMITTED), {"ignore": True}


def _read_exact(value: dict[str, Any], _place: _Place) -> tuple[Any, dict[str, Any]]:
    return value["exact"], {}


_READERS: Mapping[str, Callable[[dict[str, Any], _Place], tuple[Any, dict[str, Any]]]] = {
    "regex": _read_regex,
    "near": _read_near,
    "one_of": _read_one_of,
    "any": _read_any,
    "ignore": _read_ignore,
    "exact": _read_exact,
}


def _is_finite(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_LISTS = ("claims", "checkpoints", "exec", "state", "verify", "conversation", "elicitations", "resources", "replies")
_EXPECTED = ("answer", "derivation", "loads", *_LISTS)
_SHORT_FORMS = frozenset({"ask", "server", "tool", "arguments", "calls", "never", *_EXPECTED})
_KNOWN = frozenset(Task.model_fields) - {"offered_skills"} | _SHORT_FORMS
_COPIED_FIELDS = ("system", "skills", "servers", "context", "limits", "floors", "guards", "proposal", "user")
_TURN_FIELDS = frozenset({"user", "ask", "gold", "tool", "arguments", "calls"})

_NOTHING_EXPECTED = Expected()
_NO_CONTEXT = Context()


def expand_short_forms(record: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a task except ``id`` and ``source``. A :class:`FieldError` uses the author's field names."""
    if not record.keys() <= _KNOWN:
        raise unknown_key_error(next(str(key) for key in record if key not in _KNOWN), _KNOWN)
    fields = {name: record[name] for name in _COPIED_FIELDS if record.get(name) is not None}
    fields.setdefault("context", _NO_CONTEXT)
    fields["turns"] = [_turn(turn) for turn in _turns(record)]
    fields["expected"] = _expectations(record) or _NOTHING_EXPECTED
    if "server" in record:
        fields["servers"] = [_text(_exclusive(record, "server", "servers"), "server")]
    for name in ("setup", "reset"):
        if record.get(name) is not None:
            calls = record[name] if isinstance(record[name], list) else [record[name]]
            fields[name] = [_preparing_call(call, name) for call in calls]
    if record.get("elicit") is not None:
        rules = record["elicit"] if isinstance(record["elicit"], list) else [record["elicit"]]
        elicitation_rules: list[Any] = []
        for rule in rules:
            if isinstance(rule, str):
                elicitation_rules.append({"action": rule})
            else:
                is_short = isinstance(rule, dict) and rule and not rule.keys() & ElicitationRule.model_fields.keys()
                elicitation_rules.append({"content": rule} if is_short else rule)
        fields["elicit"] = elicitation_rules
    if record.get("tools") is not None:
        tools = record["tools"]
        fields["tools"] = [tools] if isinstance(tools, str) and tools != "all" else tools
    if record.get("tags") is not None:
        fields["tags"] = _tags(record["tags"])
    return fields


def author_field(record: dict[str, Any], location: Location) -> str:
    """Translate the location of a task's field into the field name that the author of the record used."""
    if location[:3] == ("turns", 0, "user") and "ask" in record:
        return "ask"
    if location[:2] == ("expected", "forbidden_tools") and "never" in record:
        return field_path(("never", *location[2:]))
    if location[:2] == ("expected", "calls") and len(location) > 2:
        return _call_name(record, location[2:])
    if location[:1] == ("expected",) and len(location) > 1 and location[1] in record:
        return field_path(location[1:])
    return field_path(location)


def _call_name(record: dict[str, Any], location: Location) -> str:
    """Translate a location inside the reference calls; ``location`` begins with the group's index."""
    rest = location[3:]
    if "tool" in record:
        return field_path(rest) or "tool"
    start: Location = ("calls",) if "calls" in record else ("expected", "calls")
    groups = record.get("calls") if "calls" in record else (record.get("expected") or {}).get("calls")
    group = (
        groups[location[0]]
        if isinstance(groups, list) and isinstance(location[0], int) and location[0] < len(groups)
        else None
    )
    if isinstance(group, list) and len(location) > 2:
        return field_path((*start, location[0], *location[2:]))
    if isinstance(group, dict) and "calls" not in group and len(location) > 2:
        return field_path((*start, location[0], *rest))
    return field_path((*start, *location))


def _turns(record: dict[str, Any]) -> list[Any]:
    if "ask" in record:
        return [{"user": _text(_exclusive(record, "ask", "turns"), "ask")}]
    turns = record.get("turns")
    if turns is None:
        raise FieldError("ask", "is missing.", "Write the user's message as `ask:`, or several as `turns:`.")
    if isinstance(turns, str):
        return [turns]
    if not isinstance(turns, list) or not turns:
        raise FieldError("turns", f"must be a list of user messages, not {type_name(turns)}.")
    return turns


def _turn(turn: Any) -> Any:
    """Return ``user`` and ``gold`` of a turn; its reference calls become part of ``expected``."""
    if isinstance(turn, str):
        return {"user": turn}
    if not isinstance(turn, dict):
        raise FieldError("turns", f"each turn must be text or a mapping with `user`, not {type_name(turn)}.")
    if not turn.keys() <= _TURN_FIELDS:
        key = next(str(key) for key in turn if key not in _TURN_FIELDS)
        raise unknown_key_error(key, _TURN_FIELDS, field=f"turns: {key}")
    fields = {"user": turn.get("user", turn.get("ask"))} if "user" in turn or "ask" in turn else {}
    return fields if turn.get("gold") is None else {**fields, "gold": turn["gold"]}


def _expectations(record: dict[str, Any]) -> dict[str, Any]:
    expected = record.get("expected")
    if expected is not None and not isinstance(expected, dict):
        raise FieldError("expected", f"must be a mapping, not {type_name(expected)}.")
    fields = dict(expected or {})
    for name in _EXPECTED:
        if record.get(name) is not None:
            if name in fields:
                raise FieldError(name, f"`{name}` is also defined under `expected`.", "Keep one of them.")
            fields[name] = record[name]
    if "never" in record:
        never = record["never"]
        fields["forbidden_tools"] = never if never == "all" or isinstance(never, list) else [_text(never, "never")]
    groups = list(_groups(record, fields))
    if groups:
        fields["calls"] = groups
        number = 0
        for group in groups:
            for call in group["calls"]:
                number += 1
                call.setdefault("id", str(number))
    elif "tool" in record:
        fields["forbidden_tools"] = "all"
    return _normalize_lists(fields)


def _groups(record: dict[str, Any], expected: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the groups of parallel calls from all places where a record may define them."""
    if "calls" in expected:
        yield from _calls(expected["calls"], "expected.calls")
    yield from _calls_of(record, None)
    turns = record.get("turns")
    for index, turn in enumerate(turns if isinstance(turns, list) else ()):
        if isinstance(turn, dict):
            yield from _calls_of(turn, index)


def _calls_of(first_place: dict[str, Any], turn: int | None) -> Iterator[dict[str, Any]]:
    """Yield the calls of a record or of one of its turns: ``tool`` with ``arguments``, or ``calls``."""
    prefix = "" if turn is None else f"turns[{turn}]."
    groups: Iterator[dict[str, Any]] = iter(())
    if "tool" in first_place:
        _exclusive(first_place, "tool", "calls")
        if first_place["tool"] is None:
            one_call = []
        else:
            arguments = first_place.get("arguments")
            if arguments is not None and not isinstance(arguments, dict):
                raise FieldError(prefix + "arguments", f"must be a mapping, not {type_name(arguments)}.")
            call = {"tool": first_place["tool"], "arguments": arguments or {}}
            one_call = [{"calls": [_with_matchers(_with_alternatives(call, prefix + "tool"), prefix + "arguments")]}]
        groups = iter(one_call)
    elif "arguments" in first_place:
        raise FieldError(prefix + "arguments", "there is no `tool` to pass them to.")
    elif first_place.get("calls") is not None:
        groups = _calls(first_place["calls"], prefix + "calls")
    for group in groups:
        yield group if turn is None else {**group, "turn": turn}


def _with_alternatives(call: dict[str, Any], field: str) -> dict[str, Any]:
    """Return the call with the first of several tools, and the others as similar tools: any of them is right."""
    tools = call["tool"] if isinstance(call["tool"], list) and call["tool"] else [call["tool"]]
    names = [_text(tool, field) for tool in tools]
    similar = [*({"tool": name} for name in names[1:]), *call.get("similar_tools", ())]
    return {**call, "tool": names[0], **({"similar_tools": similar} if similar else {})}


def _calls(value: Any, field: str) -> Iterator[dict[str, Any]]:
    """Yield a group for each element of a list: one call, a list of parallel calls, or a complete group."""
    if not isinstance(value, list):
        raise FieldError(field, f"must be a list of calls, not {type_name(value)}.")
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
        raise FieldError(field, f"must be a call (`tool:` with `arguments:`), not {type_name(value)}.")
    call = {key: entry for key, entry in value.items() if entry is not None}
    if isinstance(call.get("tool"), list):
        call = _with_alternatives(call, f"{field}.tool")
    if isinstance(call.get("id"), int):
        call["id"] = str(call["id"])
    similar_tools = call.get("similar_tools")
    if isinstance(similar_tools, list):
        call["similar_tools"] = [{"tool": tool} if isinstance(tool, str) else tool for tool in similar_tools]
    return _with_matchers(call, f"{field}.arguments")


def _preparing_call(value: Any, field: str) -> Any:
    if not isinstance(value, str | dict):
        raise FieldError(field, f"must be a call (`tool:` with `arguments:`), not {type_name(value)}.")
    return {"tool": value} if isinstance(value, str) else value


def _with_matchers(call: dict[str, Any], field: str) -> dict[str, Any]:
    """Return the call with the matchers of its arguments written out."""
    if not isinstance(call.get("arguments"), dict) or "matchers" in call:
        return call
    split = split_arguments(call["arguments"], field)
    return {**call, "arguments": split.arguments, **({"matchers": split.matchers} if split.matchers else {})}


def _normalize_lists(expected: dict[str, Any]) -> dict[str, Any]:
    """Turn single values of list fields into lists of one, plain texts into checkpoints, and answers into text.

    ``answer: {contains: …}`` becomes a check.
    """
    answer = expected.get("answer")
    if isinstance(answer, dict):
        parts = ("contains", "one_of")
        check = {
            **answer,
            **{name: [answer[name]] for name in parts if isinstance(answer.get(name), str | int | float)},
        }
        texts = {name: [scalar_text(part) for part in check[name]] for name in parts if name in check}
        del expected["answer"]
        expected["answer_check"] = {**check, **texts}
    elif "answer" in expected:
        expected["answer"] = scalar_text(answer)
    for name in _LISTS:
        if name in expected and not isinstance(expected[name], list | tuple):
            expected[name] = [expected[name]]
    loads = expected.get("loads")
    if isinstance(loads, str) and loads != "none":
        expected["loads"] = [loads]
    if "checkpoints" in expected:
        expected["checkpoints"] = [
            {"text": part} if isinstance(part, str) else part for part in expected["checkpoints"]
        ]
    return expected


def _tags(value: Any) -> Any:
    """Return a mapping with text values; each word of a list becomes a tag with the same value."""
    if isinstance(value, list):
        return {str(word): str(word) for word in value}
    return {key: scalar_text(entry) for key, entry in value.items()} if isinstance(value, dict) else value


def _text(value: Any, field: str) -> str:
    if not isinstance(value, str) or not value.strip():
        problem = "must not be empty." if isinstance(value, str) else f"must be text, not {type_name(value)}."
        raise FieldError(field, problem)
    return value


def _exclusive(record: dict[str, Any], name: str, other: str) -> Any:
    """Return the value of a field that cannot be combined with another field."""
    if record.get(other) is not None:
        raise FieldError(name, f"`{name}` and `{other}` cannot be combined.", "Keep one of them.")
    return record[name]
