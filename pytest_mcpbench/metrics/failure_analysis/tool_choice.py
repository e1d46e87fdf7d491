"""Choices of an attempt: the tool called for each reference call, and the kind of mistake of each argument.

The cells are those of a confusion matrix with one row for each expected tool. Whatever made a passed attempt pass was
right, so only its expected calls are counted; the other calls of a failed one are counted as not expected.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_mcpbench.core.context.journal import ABSENT
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.planning import first_groups
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.tool_choice import (
    NO_TOOL,
    UNKNOWN_TOOL,
    ArgumentCheck,
    ChosenTool,
    Mistake,
    ToolChoice,
)
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.metrics.comparison.calls import CallMatching, Mismatch
from pytest_mcpbench.metrics.comparison.schema import Parameters, parameters, schema_violations, type_violations
from pytest_mcpbench.metrics.reference_matching import MatchReferences


def tool_choice(
    task: Task, evidence: AttemptEvidence, match: MatchReferences, *, is_passed: bool, is_routed: bool
) -> ToolChoice | None:
    """Return the choices of an attempt; ``None`` if the task says nothing about calls.

    Args:
        task: Task with its reference calls.
        evidence: Evidence of the attempt.
        match: Matching that decides which calls are right.
        is_passed: Whether the attempt passed: then what differs from the reference is no mistake.
        is_routed: Whether only the first message was asked for (route mode).
    """
    groups = first_groups(task)[:1] if is_routed else task.expected.calls
    expected = [call for group in groups for call in group.calls]
    if not expected and task.expected.forbidden_tools != "all":
        return None
    tools = ToolIndex.of(evidence.tools)
    matching = match(expected, task, evidence)
    same_tool = {**matching.pairs, **matching.nearest()}
    # A similar tool that the reference accepts has a row of its own.
    names = [_called_name(matching.calls[index], tools) for index in same_tool.values()]
    chosen = [ChosenTool(expected=name, called=name) for name in names]
    if not is_passed:
        later = [call for group in first_groups(task)[1:] for call in group.calls] if is_routed else []
        chosen += _wrong(matching, same_tool, tools, later)
    elif not expected:
        chosen = [ChosenTool(expected=NO_TOOL, called=NO_TOOL)]
    arguments = []
    for reference, index in same_tool.items():
        wanted, call = matching.expected[reference], matching.calls[index]
        mistakes = {} if is_passed else _mistakes(wanted, call, tools, matching.mismatches[reference][index])
        name = _called_name(call, tools)
        for parameter in dict.fromkeys((*wanted.arguments, *mistakes)):
            arguments.append(ArgumentCheck(tool=name, parameter=parameter, mistake=mistakes.get(parameter)))
    return ToolChoice(tools=tuple(chosen), arguments=tuple(arguments))


def _wrong(
    matching: CallMatching, same_tool: dict[int, int], tools: ToolIndex, later: Sequence[ExpectedCall]
) -> Iterator[ChosenTool]:
    """Yield the reference calls without a call of their tool, each with the next call that has no reference."""
    missing = [matching.expected[index] for index in range(len(matching.expected)) if index not in same_tool]
    used = set(same_tool.values())
    left = [
        call
        for index, call in enumerate(matching.calls)
        if index not in used and not any(tools.accepts(call, expected) for expected in later)
    ]
    for position, expected in enumerate(missing):
        called = _called_name(left[position], tools) if position < len(left) else NO_TOOL
        similar = ((each.tool, each.server) for each in expected.similar_tools)
        wanted = ((expected.tool, expected.server), *similar)
        found = ((name, tools.tool_of_reference(name, server)) for name, server in wanted)
        names = tuple(dict.fromkeys(tool.name if tool else name for name, tool in found))
        yield from (ChosenTool(expected=name, called=called, weight=1 / len(names)) for name in names)
    for call in left[len(missing) :]:
        tool = tools.tool_of_call(call)
        is_read = tool is not None and tool.annotations.get("readOnlyHint") is True
        yield ChosenTool(expected=NO_TOOL, called=_called_name(call, tools), is_read=is_read)


def _called_name(call: CallRecord, tools: ToolIndex) -> str:
    tool = tools.tool_of_call(call)
    return tool.name if tool else UNKNOWN_TOOL


def _mistakes(
    expected: ExpectedCall, call: CallRecord, tools: ToolIndex, mismatches: Sequence[Mismatch]
) -> dict[str, Mistake]:
    """Return the mistake of each wrong argument of a call that differs from its reference."""
    if not mismatches:
        return {}
    if call.problem == "malformed_arguments":
        return dict.fromkeys(expected.arguments, "malformed")
    # By parameter; the path of a difference may go on inside its value.
    differences = [each.difference for each in mismatches if each.difference is not None]
    differing = {each.path.partition(".")[0].partition("[")[0]: each for each in differences}
    is_accepted = call.result is not None and not call.is_error and all(each.difference for each in mismatches)
    suspects = call.arguments.keys() & differing.keys() if is_accepted else call.arguments.keys()
    tool = tools.tool_of_call(call)
    schema = tool.input_schema if tool else {}
    known = parameters(schema)
    found: dict[str, Mistake] = {} if is_accepted else dict.fromkeys(known.required - call.arguments.keys(), "missing")
    for name, difference in differing.items():
        found[name] = "missing" if difference.actual is ABSENT and name not in call.arguments else "wrong value"
    for name, value in call.arguments.items():
        if name not in suspects:
            continue
        mistake = _mistake_of_value(name, value, schema, known)
        starts = (f"{name}:", f"{name!r} ")
        is_invented = name not in expected.arguments and any(each.reason.startswith(starts) for each in mismatches)
        if mistake or is_invented:
            found[name] = mistake or "invented"
    return found


def _mistake_of_value(name: str, value: object, schema: Mapping[str, Any], known: Parameters) -> Mistake | None:
    """Return the mistake that the schema alone shows; ``known`` are its parameters."""
    if known.are_known and not known.accepts_others and name not in known.properties:
        return "invented"
    if schema and type_violations(name, value, schema):
        return "wrong type"
    own = known.properties.get(name)
    if not isinstance(own, dict) or not ("enum" in own or "const" in own):
        return None
    return "outside the enum" if schema_violations(value, own) else None
