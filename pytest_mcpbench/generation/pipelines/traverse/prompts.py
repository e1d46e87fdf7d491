"""Prompts for the model that writes a simulation."""

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files

from pytest_mcpbench.core.fidelity.comparison import Fidelity, Pair, canonical_json
from pytest_mcpbench.core.fidelity.trace import Trace, to_wire_result
from pytest_mcpbench.definitions.canonical import ServerDefinition

_MOST_CHARACTERS = 24_000
"""Length of all traces in a prompt."""
_MOST_OF_A_RESULT = 1500
_MOST_DIFFERENCES = 12
INSTRUCTIONS = files(__package__).joinpath("instructions.md").read_text(encoding="utf-8")
"""What a simulation is, with an example."""


def first_version(definition: ServerDefinition, traces: Sequence[Trace]) -> str:
    """Return the question for the first version; without traces, from the documentation alone."""
    parts = [f"Tools of the real server:\n{_tools(definition)}"]
    found = next((trace.files for trace in traces if trace.files), None)
    if found:
        parts.append(f"Files in the server's directory before each call:\n{_text(found)[:_MOST_OF_A_RESULT]}")
    if traces:
        parts.append(f"Calls of the real server, each from a fresh state:\n{_calls(traces)}")
    return "\n\n".join([*parts, "Write world.py and server.py."])


def next_version(
    definition: ServerDefinition, traces: Sequence[Trace], code: Mapping[str, str], fidelity: Fidelity
) -> str:
    """Return the question for a version that mends the differences of the last one."""
    own = "\n\n".join(f"{name}:\n{text}" for name, text in code.items())
    differences = "\n".join(list(_differences(fidelity))[:_MOST_DIFFERENCES])
    return "\n\n".join(
        (
            first_version(definition, traces),
            f"Your files so far:\n\n{own}",
            f"They answer these calls differently:\n{differences}",
            "Write both files again, with these differences mended.",
        )
    )


def _tools(definition: ServerDefinition) -> str:
    return json.dumps([tool.canonical for tool in definition.tools], ensure_ascii=False)


def _calls(traces: Sequence[Trace]) -> str:
    lines: list[str] = []
    for trace in traces:
        before = [f"{call.tool}({_text(call.arguments)})" for call in trace.given]
        head = f"[after {', '.join(before)}] " if before else ""
        lines += [
            f"{head}{call.tool}({_text(call.arguments)}) -> {_text(to_wire_result(call.result))}"
            for call in trace.calls
            if call.result is not None
        ]
    cut = [line[:_MOST_OF_A_RESULT] for line in lines]
    share = _MOST_CHARACTERS // max(1, len(cut))
    return "\n".join(line if sum(map(len, cut)) <= _MOST_CHARACTERS else line[: max(share, 200)] for line in cut)


def _differences(fidelity: Fidelity) -> Iterator[str]:
    """Yield the calls of another outcome first, then those of another response."""
    of_outcome = [pair for pair in fidelity.pairs if pair.cell in ("fp", "fn", None)]
    yield from map(_difference, of_outcome)
    others = (pair for pair in fidelity.pairs if pair not in of_outcome and pair.simulated is not None)
    yield from (_difference(pair) for pair in others if _has_other_response(pair))


def _has_other_response(pair: Pair) -> bool:
    return pair.simulated is not None and canonical_json(pair.real) != canonical_json(pair.simulated)


def _difference(pair: Pair) -> str:
    own = pair.error if pair.simulated is None else _text(to_wire_result(pair.simulated))
    real = _text(to_wire_result(pair.real))[:_MOST_OF_A_RESULT]
    return f"{pair.tool}({_text(pair.arguments)}): real {real}, yours {own[:_MOST_OF_A_RESULT]}"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
