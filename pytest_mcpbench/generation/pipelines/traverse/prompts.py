"""Prompts for the model that writes a simulation."""

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files

from pytest_mcpbench.core.fidelity.comparison import Fidelity, Pair, canonical_json
from pytest_mcpbench.core.fidelity.trace import Trace, to_wire_result
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.definitions.canonical import ServerDefinition

_MOST_CHARACTERS = 24_000
"""Length of all traces in a prompt."""
_MOST_OF_A_RESULT = 1500
_MOST_DIFFERENCES = 12
_OTHER = ("fp", "fn")
"""Cells of calls that only one of both servers accepts."""
INSTRUCTIONS = files(__package__).joinpath("instructions.md").read_text(encoding="utf-8")
"""What a simulation is, with an example."""


def first_version(definition: ServerDefinition, traces: Sequence[Trace]) -> str:
    """Return the question for the first version; without traces, from the documentation alone."""
    tools = json.dumps([tool.canonical for tool in definition.tools], ensure_ascii=False)
    parts = [f"Tools of the real server:\n{tools}"]
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
    differences = "\n".join(list(differences_of(fidelity))[:_MOST_DIFFERENCES])
    return "\n\n".join(
        (
            first_version(definition, traces),
            f"Your files so far:\n\n{own}",
            f"They answer these calls differently:\n{differences}",
            "Write both files again, with these differences mended.",
        )
    )


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


def differences_of(fidelity: Fidelity) -> Iterator[str]:
    """Yield each reason for calls without an answer, then the calls of another outcome and of another response."""
    unanswered: dict[str, list[Pair]] = {}
    for pair in fidelity.errors:
        unanswered.setdefault(pair.error, []).append(pair)
    for error, pairs in unanswered.items():
        yield f"{len(pairs)} calls without your answer, such as {_call(pairs[0])}: {error[:_MOST_OF_A_RESULT]}"
    yield from (_difference(pair, pair.simulated) for pair in fidelity.pairs if pair.simulated and pair.cell in _OTHER)
    for pair in fidelity.pairs:
        if pair.simulated and pair.cell not in _OTHER and canonical_json(pair.real) != canonical_json(pair.simulated):
            yield _difference(pair, pair.simulated)


def _difference(pair: Pair, simulated: ToolResult) -> str:
    real, own = (_text(to_wire_result(each))[:_MOST_OF_A_RESULT] for each in (pair.real, simulated))
    return f"{_call(pair)}: real {real}, yours {own}"


def _call(pair: Pair) -> str:
    return f"{pair.tool}({_text(pair.arguments)})"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
