"""Changes of a reference attempt, as functions from a script to a script."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from pytest_mcpbench.agents.script import Script, ScriptedCall, ScriptedStep
from pytest_mcpbench.text.json_reading import Location, replace_at, without

Edit = Callable[[Script], Script]


def argument(tool: str, at: str, value: Any, *, nth: int = -1) -> Edit:
    """Give a call another value at a dotted path; the ``nth`` call of the tool, by default the last one."""
    return _arguments(tool, nth, lambda arguments: replace_at(arguments, _location(at), value))


def no_argument(tool: str, at: str, *, nth: int = -1) -> Edit:
    """Leave out the argument at a dotted path."""
    return _arguments(tool, nth, lambda arguments: without(arguments, _location(at)))


def answer(text: str) -> Edit:
    """End the attempt with another text."""
    return lambda script: _without_answer(script).with_step(_end(script), ScriptedStep(_turn(script), text=text))


def added(tool: str, arguments: dict[str, Any], *, before: str = "", nth: int = 0) -> Edit:
    """Make a further call, as the last one or before the ``nth`` call of another tool."""

    def edit(script: Script) -> Script:
        name = next((call.name for call in script.calls if _is_of(call.name, tool)), tool)
        position = _places(script, before)[nth][0] if before else _end(script)
        turn = script.steps[position].turn if position < len(script.steps) else _turn(script)
        return script.with_step(position, ScriptedStep(turn, (ScriptedCall(name, arguments),)))

    return edit


def dropped(tool: str, *, nth: int = -1) -> Edit:
    """Leave out a call."""

    def edit(script: Script) -> Script:
        position, index = _places(script, tool)[nth]
        calls = script.steps[position].calls
        return script.with_calls(position, (*calls[:index], *calls[index + 1 :]))

    return edit


def renamed(tool: str, other: str, arguments: dict[str, Any] | None = None, *, nth: int = -1) -> Edit:
    """Call another tool in place of a call."""
    return _call(tool, nth, lambda call: ScriptedCall(other, call.arguments if arguments is None else arguments))


def moved(tool: str, *, before: str) -> Edit:
    """Make the last call of a tool before the first one of another."""

    def edit(script: Script) -> Script:
        position, index = _places(script, tool)[-1]
        call = script.steps[position].calls[index]
        return added(call.name, call.arguments, before=before)(dropped(tool)(script))

    return edit


def _arguments(tool: str, nth: int, change: Callable[[Any], Any]) -> Edit:
    return _call(tool, nth, lambda call: replace(call, arguments=change(call.arguments)))


def _call(tool: str, nth: int, change: Callable[[ScriptedCall], ScriptedCall]) -> Edit:
    def edit(script: Script) -> Script:
        position, index = _places(script, tool)[nth]
        calls = list(script.steps[position].calls)
        calls[index] = change(calls[index])
        return script.with_calls(position, calls)

    return edit


def _places(script: Script, tool: str) -> list[tuple[int, int]]:
    found = [
        (position, index)
        for position, step in enumerate(script.steps)
        for index, call in enumerate(step.calls)
        if _is_of(call.name, tool)
    ]
    assert found, f"no call of {tool}, there are {[call.name for call in script.calls]}"
    return found


def _is_of(name: str, tool: str) -> bool:
    return name == tool or name.endswith(f"_{tool}")


def _location(at: str) -> Location:
    return tuple(int(part) if part.isdecimal() else part for part in at.split("."))


def _without_answer(script: Script) -> Script:
    return Script(tuple(_silent(script.steps)))


def _silent(steps: tuple[ScriptedStep, ...]) -> Iterator[ScriptedStep]:
    last = max((index for index, step in enumerate(steps) if step.text.strip()), default=-1)
    for index, step in enumerate(steps):
        if index != last:
            yield step
        elif step.calls:
            yield replace(step, text="")


def _end(script: Script) -> int:
    """Return the place behind the last call."""
    return 1 + max((index for index, step in enumerate(script.steps) if step.calls), default=-1)


def _turn(script: Script) -> int:
    return script.steps[-1].turn if script.steps else 0
