"""Mutants: reference attempts with one mistake each."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from pytest_mcpbench.agents.script import Script, ScriptedCall
from pytest_mcpbench.audit import answers, calls, texts
from pytest_mcpbench.audit.subject import Subject
from pytest_mcpbench.audit.values import text_locations, wrong_arguments
from pytest_mcpbench.core.task import ExpectedCall
from pytest_mcpbench.metrics.comparison.matchers import are_accepted
from pytest_mcpbench.text.json_reading import Location, replace_at

KINDS = (
    "wrong_value",
    "extra_argument",
    "missing_call",
    "doubled_call",
    "harmful_call",
    "reordered",
    "text_negated",
    "text_capitals",
    "text_addition",
    "text_numbers",
    "text_names",
    *(f"answer_{kind}" for kind in answers.KINDS),
)
"""The kinds of mistake, in the order in which they are tried."""


@dataclass(frozen=True)
class Mutant:
    """One wrong attempt at a task."""

    kind: str
    description: str
    """The mistake in a few words, with the call or argument that it affects."""
    script: Script


def mutants_of(subject: Subject) -> Iterator[Mutant]:
    """Yield every mutant of the subject's reference attempt, grouped by step and kind."""
    script = subject.script
    for position, step in enumerate(script.steps):
        for index, call in enumerate(step.calls):
            for kind, described, made_instead in call_mistakes(subject, call, subject.reference(position, index)):
                changed = (*step.calls[:index], *made_instead, *step.calls[index + 1 :])
                yield Mutant(kind, described, script.with_calls(position, changed))
    for donor in subject.donors:
        described = f"{donor.name} of another task is called, too"
        yield Mutant("harmful_call", described, calls.with_call_before_the_end(script, donor))
    for first, second, reordered in calls.reorderings(script):
        yield Mutant("reordered", f"{second} is called before {first}", reordered)
    if answers.applies(subject):
        for kind, text in answers.wrong_answers(script.answer):
            yield Mutant(f"answer_{kind}", f"the answer is {kind.replace('_', ' ')}", script.with_answer(text))


def call_mistakes(
    subject: Subject, call: ScriptedCall, reference: ExpectedCall | None
) -> Iterator[tuple[str, str, tuple[ScriptedCall, ...]]]:
    """Yield the kind and description of each mistake in a call, and the calls that are made in its place."""
    for kind, location, changed in _changed_arguments(subject, call):
        if reference is not None and are_accepted(reference.matchers, changed, location):
            continue  # what the task accepts is no mistake
        where = f"{call.name}: {'.'.join(map(str, location))}"
        yield kind, where, (ScriptedCall(call.name, changed, call.server),)
    yield "missing_call", f"{call.name} is not called", ()
    yield "doubled_call", f"{call.name} is called twice", (call, call)


def _changed_arguments(subject: Subject, call: ScriptedCall) -> Iterator[tuple[str, Location, dict[str, JsonValue]]]:
    tool = subject.tool(call)
    schema = tool.input_schema if tool else {}
    for location, changed in wrong_arguments(call.arguments, schema, subject):
        yield "wrong_value", location, changed
    for name, changed in calls.with_extra_arguments(call, schema):
        yield "extra_argument", (name,), changed
    for location, text in text_locations(call.arguments):
        wrong_texts = {"text_negated": texts.negate(text), "text_addition": texts.with_false_addition(text)}
        # Capitals count as wrong only for text that the request dictates.
        if text in subject.request and text.upper() != text:
            wrong_texts["text_capitals"] = text.upper()
        exchanged = {"text_numbers": texts.with_numbers_exchanged(text), "text_names": texts.with_names_exchanged(text)}
        wrong_texts |= {kind: wrong for kind, wrong in exchanged.items() if wrong is not None}
        for kind, wrong in wrong_texts.items():
            yield kind, location, replace_at(call.arguments, location, wrong)
