"""Rows of native task files: requests and reference arguments are read from and written to them as their author did."""

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.loaders.field_errors import FieldError

Row = dict[str, Any]


class TaskEdit(FrozenModel):
    """Texts and arguments that replace those of a row."""

    requests: tuple[str, ...]
    """The user messages in order."""
    arguments: tuple[dict[str, Any], ...]
    """Arguments of the reference calls in the order of the task."""


def edit_of(row: Row) -> TaskEdit:
    """Return what can be edited of a row, as it is."""
    own = _written_out(row)
    arguments = tuple(call.get("arguments") or {} for call in _calls(own))
    if "ask" in own:
        requests = [str(own["ask"])]
    else:
        requests = [
            str(turn.get("user", turn.get("ask", ""))) for turn in own.get("turns") or () if isinstance(turn, dict)
        ]
    return TaskEdit(requests=tuple(requests), arguments=arguments)


def edited_row(row: Row, edit: TaskEdit) -> Row:
    """Return a row with other requests and arguments; nothing else of it changes.

    Raises:
        FieldError: the edit has another number of requests or of calls.
    """
    own = _written_out(row)
    calls = list(_calls(own))
    present = edit_of(row)
    for field, old, new in (("requests", present.requests, edit.requests), ("arguments", calls, edit.arguments)):
        if len(old) != len(new):
            raise FieldError(field, f"has {len(new)} entries, and the task has {len(old)}.")
    for call, arguments in zip(calls, edit.arguments, strict=True):
        if arguments != (call.get("arguments") or {}):
            call["arguments"] = arguments
    if "ask" in own:
        (own["ask"],) = edit.requests
    else:
        turns = [turn for turn in own.get("turns") or () if isinstance(turn, dict)]
        for turn, request in zip(turns, edit.requests, strict=True):
            turn["user" if "user" in turn else "ask"] = request
    return own


def _written_out(row: Row) -> Row:
    """Return a copy in which each reference call and each turn is a mapping."""
    own = copy.deepcopy(row)
    if isinstance(own.get("turns"), str):
        own["turns"] = [own["turns"]]
    if isinstance(own.get("turns"), list):
        own["turns"] = [{"user": turn} if isinstance(turn, str) else turn for turn in own["turns"]]
    for place in _places(own):
        if isinstance(place.get("calls"), list):
            place["calls"] = [_written_out_call(call) for call in place["calls"]]
    return own


def _written_out_call(call: Any) -> Any:
    if isinstance(call, str):
        return {"tool": call}
    if isinstance(call, list):
        return [_written_out_call(each) for each in call]
    if isinstance(call, dict) and "calls" in call:
        inner = call["calls"] if isinstance(call["calls"], list) else [call["calls"]]
        return {**call, "calls": [_written_out_call(each) for each in inner]}
    return call


def _places(row: Row) -> Iterator[Row]:
    """Yield the mappings that can hold reference calls, in the order of the task's calls."""
    if isinstance(row.get("expected"), dict):
        yield row["expected"]
    yield row
    turns = row.get("turns")
    yield from (turn for turn in (turns if isinstance(turns, list) else ()) if isinstance(turn, dict))


def _calls(row: Row) -> Iterator[Row]:
    for place in _places(row):
        if place.get("tool") is not None:
            yield place
        calls = place.get("calls")
        yield from _flat_calls(calls if isinstance(calls, list) else ())


def _flat_calls(calls: Sequence[Any]) -> Iterator[Row]:
    for call in calls:
        if isinstance(call, list):
            yield from _flat_calls(call)
        elif isinstance(call, dict) and "calls" in call:
            yield from _flat_calls(call["calls"])
        elif isinstance(call, dict):
            yield call
