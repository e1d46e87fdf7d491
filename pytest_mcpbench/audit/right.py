"""Right variants: reference attempts that go another right way or use other words."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic import JsonValue

from pytest_mcpbench.agents.script import Script, ScriptedCall, ScriptedStep
from pytest_mcpbench.audit import answers
from pytest_mcpbench.audit.calls import RECIPIENTS, reorderings, with_call_before_the_end
from pytest_mcpbench.audit.mutants import Mutant
from pytest_mcpbench.audit.subject import Subject
from pytest_mcpbench.audit.values import EMAIL, leaves, text_locations
from pytest_mcpbench.core.placeholders import decode_json
from pytest_mcpbench.metrics.world_state.recorded_effects import text_leaves
from pytest_mcpbench.text.json_reading import Location, replace_at, value_at

KINDS = (
    "independent_order",
    "extra_read",
    "repeated_read",
    "error_mended",
    "default_stated",
    "default_left_out",
    "equal_form",
    "text_greeting",
    "text_closing",
    "text_contracted",
    "text_by_model",
    "answer_opening",
    "answer_closing",
    "answer_list",
    "answer_by_model",
)
"""The kinds of variants, in the order in which they are tried."""

BY_MODEL = ("text_by_model", "answer_by_model")
"""Kinds whose words a model writes."""

_JUDGES_ORDER = frozenset({"operation", "route", "dag_leaf", "dag_strict", "emr", "emr_flat", "emr_turn", "bfcl"})
"""Metrics with which the order of calls is part of what is asked."""
_COUNTS_CALLS = frozenset(
    {"ast", "ast_calls", "dag_leaf", "dag_strict", "emr", "emr_flat", "emr_turn", "tool_f1", "bfcl"}
)
"""Metrics of papers that count each further call as a mistake, also a harmless one."""
_SHORTEST_VALUE = 3
_MESSAGE = re.compile(r"^(?!.*(?:title|summary|subject)).*\b(?:text|body|content|message)$")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_CONTRACTIONS = {
    "I will": "I'll",
    "cannot": "can't",
    "is not": "isn't",
    "are not": "aren't",
    "I am": "I'm",
    "It is": "It's",
    "do not": "don't",
}
_CONTRACTED = re.compile(rf"\b(?:{'|'.join(_CONTRACTIONS)})\b")


class TextPlace(NamedTuple):
    """Place of a text in a script."""

    step: int
    """Number of the step."""
    call: int
    """Number of the call in the step."""
    location: Location
    """Location in the call's arguments."""
    member: str | None = None
    """Name of the member, if the argument holds a JSON object as text."""
    is_message: bool = False
    """True for a message to people, in which a greeting says nothing."""


def right_variants(subject: Subject) -> Iterator[Mutant]:
    """Yield every right variant of the subject's reference attempt that rules can write."""
    yield from _other_ways(subject)
    for position, index, call in _placed_calls(subject.script):
        for kind, location, arguments in _changed_arguments(subject, call):
            where = f"{call.name}: {'.'.join(map(str, location))}"
            yield Mutant(kind, where, _with_arguments(subject.script, position, index, arguments))
    for text, place in free_texts(subject):
        for kind, other in _other_texts(text, is_message=place.is_message):
            yield Mutant(kind, ".".join(map(str, place.location)), with_text(subject.script, place, other))
    if answers.applies(subject):
        answer = subject.script.answer
        other_answers = {"answer_opening": f"I have looked this up for you.\n\n{answer}"}
        if "<answer>" not in answer:
            other_answers["answer_closing"] = f"{answer}\n\nLet me know if you need anything else."
        if "<answer>" not in answer and "\n" in answer.strip():
            lines = (f"- {line}" for line in answer.splitlines() if line.strip())
            other_answers["answer_list"] = "\n".join(lines)
        for kind, text in other_answers.items():
            yield Mutant(kind, kind.replace("_", " "), subject.script.with_answer(text))


def free_texts(subject: Subject) -> Iterator[tuple[str, TextPlace]]:
    """Yield each argument in free words, with its place."""
    free = {
        text.strip(): effect.kind == "created" and _MESSAGE.search(path) is not None
        for effect in subject.task.expected.effects or ()
        for path, written in text_leaves(effect.fields)
        if path in (*effect.judged, *effect.any)
        for text in _texts_of(written).values()
    }
    for step, index, call in _placed_calls(subject.script):
        for location, written in text_locations(call.arguments):
            for member, text in _texts_of(written).items():
                if text.strip() in free:
                    yield text, TextPlace(step, index, location, member, is_message=free[text.strip()])


def _texts_of(written: str) -> dict[str | None, str]:
    """Return the text, or those of the members of a JSON object, as some apps write their messages."""
    inside = decode_json(written)
    if not isinstance(inside, Mapping):
        return {None: written}
    return {name: text for name, text in inside.items() if isinstance(text, str)}


def with_text(script: Script, place: TextPlace, text: str) -> Script:
    """Return the script with another text at a place."""
    arguments: Any = script.steps[place.step].calls[place.call].arguments
    if place.member is not None:
        inside = decode_json(value_at(arguments, place.location))
        text = json.dumps({**inside, place.member: text}, ensure_ascii=False)
    changed = replace_at(arguments, place.location, text)
    return _with_arguments(script, place.step, place.call, changed)


def _placed_calls(script: Script) -> Iterator[tuple[int, int, ScriptedCall]]:
    return (
        (position, index, call) for position, step in enumerate(script.steps) for index, call in enumerate(step.calls)
    )


def _with_arguments(script: Script, position: int, index: int, arguments: dict[str, JsonValue]) -> Script:
    calls = list(script.steps[position].calls)
    calls[index] = replace(calls[index], arguments=arguments)
    return script.with_calls(position, calls)


# Other ways to the same end.


def _other_ways(subject: Subject) -> Iterator[Mutant]:
    script = subject.script
    if not _JUDGES_ORDER & subject.floors:
        for first, second, reordered in reorderings(script):
            if {first, second} <= subject.reads and _is_independent(subject, first, second):
                yield Mutant("independent_order", f"{second} is called before {first}", reordered)
    if _COUNTS_CALLS & subject.floors:
        return
    for position, _, call in _placed_calls(script):
        if call.name in subject.reads:
            yield Mutant("repeated_read", f"{call.name} is called twice", _before(script, position, call))
    for position, _, call in _placed_calls(script):
        tool = subject.tool(call)
        missing = next((name for name in tool.required if name in call.arguments), None) if tool else None
        if missing is not None:
            failing = replace(call, arguments={k: v for k, v in call.arguments.items() if k != missing})
            yield Mutant("error_mended", f"{call.name} without {missing} first", _before(script, position, failing))
            break
    for read in subject.further_reads:
        yield Mutant("extra_read", f"{read.name} is called, too", with_call_before_the_end(script, read))


def _is_independent(subject: Subject, first: str, second: str) -> bool:
    """Return whether no value in the calls of the second tool can come from a result of the first."""
    results = " ".join(call.result.text for call in subject.evidence.calls if call.name == first and call.result)
    values = (
        str(value)
        for call in subject.script.calls
        if call.name == second
        for _, value in leaves(call.arguments)
        if len(str(value)) >= _SHORTEST_VALUE
    )
    return first != second and not any(value in results for value in values)


def _before(script: Script, position: int, call: ScriptedCall) -> Script:
    return script.with_step(position, ScriptedStep(script.steps[position].turn, (call,)))


# Other arguments with the same effect.


def _changed_arguments(subject: Subject, call: ScriptedCall) -> Iterator[tuple[str, Location, dict[str, JsonValue]]]:
    tool = subject.tool(call)
    for name, schema in tool.properties.items() if tool else ():
        default = schema.get("default") if isinstance(schema, Mapping) else None
        if default is not None and name not in call.arguments:
            yield "default_stated", (name,), {**call.arguments, name: default}
        elif default is not None and call.arguments.get(name) == default:
            yield "default_left_out", (name,), {k: v for k, v in call.arguments.items() if k != name}
    for location, value in leaves(call.arguments):
        forms: list[JsonValue] = []
        if isinstance(value, int) and not isinstance(value, bool):
            forms = [float(value)]
        elif isinstance(value, str) and not RECIPIENTS.isdisjoint(location) and EMAIL.fullmatch(value):
            forms = [value.title()]
        elif isinstance(value, str) and _MOMENT.fullmatch(value):
            forms = [value.replace("T", " ", 1), *([value.removesuffix(":00")] if value.endswith(":00") else [])]
        for form in forms:
            yield "equal_form", location, replace_at(call.arguments, location, form)


# Other words that say the same.


def _other_texts(text: str, *, is_message: bool) -> Iterator[tuple[str, str]]:
    if is_message:
        yield "text_greeting", f"Hello,\n\n{text}"
        yield "text_closing", f"{text}\n\nBest regards"
    contracted = _CONTRACTED.sub(lambda found: _CONTRACTIONS[found[0]], text)
    if contracted != text:
        yield "text_contracted", contracted
