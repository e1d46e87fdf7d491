"""Templates from files that people write, and combinations of them."""

import re
from collections.abc import Sequence
from itertools import permutations
from typing import Any

from pydantic import Field, JsonValue

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.slots import with_values
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.templates.candidates import TemplateCall, TemplateGroup, ValueSource
from pytest_mcpbench.generation.source.calls import ReferenceCall, Step
from pytest_mcpbench.generation.source.files import SourceEntry, SourceValue, read_entries
from pytest_mcpbench.text.suggestions import hint

MOST_COMBINED = 3
"""Templates that one request combines at most."""
_RESULT = re.compile(r"<(\d+)_result")


class _Source(SourceValue):
    call: ReferenceCall
    field: str = ""


class _Template(SourceEntry):
    """One entry of a file of templates."""

    id: str = Field(pattern=r"^[A-Za-z0-9_.-]+$")
    ask: str
    calls: tuple[Step, ...]
    values: dict[str, tuple[JsonValue, ...] | _Source] = Field(default_factory=dict)
    answer: str | None = None
    combine: bool = False
    """Whether requests may combine the template with others of the file."""
    tags: dict[str, str] = Field(default_factory=dict)


def read_templates(setup: Setup) -> Selection:
    """Return the templates of all files, and requests that combine those which may be combined."""
    single: list[TemplateGroup] = []
    chained: list[TemplateGroup] = []
    for file in setup.inputs:
        entries = read_entries(file, _Template)
        candidates: list[TemplateGroup] = []
        for entry in entries:
            sources = {slot: source for slot, source in entry.values.items() if isinstance(source, _Source)}
            candidates.append(
                TemplateGroup(
                    id=entry.id,
                    asks=(entry.ask,),
                    steps=tuple(tuple(_call(setup, entry, call) for call in step) for step in entry.calls),
                    sources={
                        slot: ValueSource(call=_call(setup, entry, source.call), field=source.field)
                        for slot, source in sources.items()
                    },
                    values={slot: tuple(pool) for slot, pool in entry.values.items() if not isinstance(pool, _Source)},
                    answers=() if entry.answer is None else (entry.answer,),
                    tags=entry.tags,
                )
            )
        single += candidates
        own = {each.id: each for each in single[len(single) - len(entries) :]}
        chained += _combinations(setup, [own[entry.id] for entry in entries if entry.combine])
    return Selection([*single, *chained])


def _combinations(setup: Setup, templates: Sequence[TemplateGroup]) -> list[TemplateGroup]:
    """Return one template that asks for all, in a drawn order, for each set of two or three templates."""
    chosen: dict[frozenset[str], TemplateGroup] = {}
    orders = [order for size in range(2, MOST_COMBINED + 1) for order in permutations(templates, size)]
    setup.random("combinations").shuffle(orders)
    for order in orders:
        parts: list[TemplateGroup] = []
        for number, template in enumerate(order, 1):
            parts.append(_with_own_names(template, number, sum(len(step) for part in parts for step in part.steps)))
        joined = TemplateGroup(
            id="-then-".join(each.id for each in order),
            asks=tuple(ask for part in parts for ask in part.asks),
            steps=tuple(step for part in parts for step in part.steps),
            sources={slot: source for part in parts for slot, source in part.sources.items()},
            values={slot: values for part in parts for slot, values in part.values.items()},
            answers=tuple(answer for part in parts for answer in part.answers),
            tags=order[0].tags,
        )
        chosen.setdefault(frozenset(each.id for each in order), joined)
    return sorted(chosen.values(), key=lambda each: each.id)


def _with_own_names(template: TemplateGroup, number: int, calls_before: int) -> TemplateGroup:
    """Return a template whose slots have a number of their own, and whose calls follow those of other templates."""
    slots = {slot: f"<{slot}_{number}>" for slot in (*template.sources, *template.values)}

    def renamed(value: Any) -> Any:
        return _with_later_calls(with_values(value, slots), calls_before)

    return template.model_copy(
        update={
            "asks": tuple(map(renamed, template.asks)),
            "answers": tuple(map(renamed, template.answers)),
            "steps": tuple(
                tuple(call.model_copy(update={"arguments": renamed(call.arguments)}) for call in step)
                for step in template.steps
            ),
            "sources": {f"{slot}_{number}": source for slot, source in template.sources.items()},
            "values": {f"{slot}_{number}": values for slot, values in template.values.items()},
        }
    )


def _with_later_calls(value: Any, before: int) -> Any:
    """Return a value whose references to results are to calls that stand behind others."""
    if isinstance(value, dict):
        return {name: _with_later_calls(part, before) for name, part in value.items()}
    if isinstance(value, list):
        return [_with_later_calls(part, before) for part in value]
    return _RESULT.sub(lambda found: f"<{int(found[1]) + before}_result", value) if isinstance(value, str) else value


def _call(setup: Setup, entry: _Template, call: ReferenceCall) -> TemplateCall:
    """Return the call with its server, which ``server.tool`` names where several have the tool."""
    tools = [(server, tool.name) for server, definition in setup.servers.items() for tool in definition.tools]
    found = [(server, tool) for server, tool in tools if call.tool in (tool, f"{server}.{tool}")]
    if not found:
        names = {tool for _, tool in tools}
        raise TaskError(f"no server has a tool {call.tool!r}.", entry.place, remedy=hint(call.tool, names))
    if len(found) > 1:
        names = {f"{server}.{tool}" for server, tool in found}
        raise TaskError(
            f"several servers have a tool {call.tool!r}.", entry.place, remedy=f"Write {' or '.join(sorted(names))}."
        )
    ((server, tool),) = found
    return TemplateCall(server=server, tool=tool, arguments=dict(call.arguments))
