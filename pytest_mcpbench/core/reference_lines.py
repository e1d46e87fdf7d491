"""Readable lines that describe what a task expects."""

from collections.abc import Mapping

from pytest_mcpbench.core.call_text import format_reference, format_value
from pytest_mcpbench.core.task import CallGroup, ExecCheckpoint, StateCheck, Task, VerifyCheck


def reference_lines(task: Task) -> tuple[str, ...]:
    """Return one line for each expected part, in the order of :class:`Expected`; empty if nothing is expected."""
    expected = task.expected
    loads = expected.loads if isinstance(expected.loads, str) else ", ".join(expected.loads or ())
    several_turns = len({group.turn for group in expected.calls}) > 1
    calls = [
        f"turn {group.turn + 1}: {_format_group(group)}" if several_turns else _format_group(group)
        for group in expected.calls
    ]
    answers = [] if expected.answer is None else [f"answer: {expected.answer}"]
    if (check := expected.answer_check) is not None:
        value = getattr(check, check.kind)
        shown = ", ".join(map(repr, value)) if isinstance(value, tuple) else repr(value)
        answers.append(f"answer: {check.kind} {shown}")
    forbidden = []
    if expected.forbidden_tools == "all":
        forbidden = ["no tool may be called"]
    elif expected.forbidden_tools:
        forbidden = [f"must not be called: {', '.join(expected.forbidden_tools)}"]
    return (
        *calls,
        *answers,
        *(f"claim {number}: {claim}" for number, claim in enumerate(expected.claims, 1)),
        *(f"checkpoint {number}: {checkpoint.text}" for number, checkpoint in enumerate(expected.checkpoints, 1)),
        *(f"exec {number}: {exec_line(checkpoint)}" for number, checkpoint in enumerate(expected.exec, 1)),
        *(f"state: {state_line(check)}" for check in expected.state),
        *(f"verify: {verify_line(check)}" for check in expected.verify),
        *(f"conversation: {check}" for check in expected.conversation),
        *(f"elicitation: {check}" for check in expected.elicitations),
        *(f"resource: {uri}" for uri in expected.resources),
        *([f"skills: {loads}"] if loads else []),
        *forbidden,
    )


def exec_line(checkpoint: ExecCheckpoint) -> str:
    """Return ``operate: create with add_event: …`` or ``generic_search: 42``."""
    if checkpoint.kind not in ("operate", "other"):
        return f"{checkpoint.kind}: {format_value(checkpoint.value)}"
    tool = None if checkpoint.takes_any_tool else checkpoint.tool
    what = f"{checkpoint.operation or 'other'} with {tool or 'any tool'}"
    fields = f" {_format_fields(checkpoint.fields)}" if checkpoint.fields else ""
    return f"{checkpoint.kind}: {what}{': ' + checkpoint.summary if checkpoint.summary else ''}{fields}"


def state_line(check: StateCheck) -> str:
    """Return ``created files.documents[*] with title='Plan' (2 times)``."""
    world = f"{check.world}: " if check.world else ""
    where = f" with {_format_fields(check.where)}" if check.where else ""
    value = f" is {format_value(check.value)}" if check.verb == "equals" else ""
    count = f" ({check.count} times)" if check.count is not None else ""
    return f"{world}{check.verb} {check.path}{value}{where}{count}"


def verify_line(check: VerifyCheck) -> str:
    """Return ``read(path='a') at content equals 'b'``."""
    where = f" at {check.path}" if check.path else ""
    wanted = (
        f"contains {format_value(check.contains)}"
        if check.contains is not None
        else f"equals {format_value(check.equals)}"
    )
    return f"{check.tool}({_format_fields(check.arguments)}){where} {wanted}"


def _format_group(group: CallGroup) -> str:
    """Return a group of calls as one line; similar tools follow each call in brackets."""
    calls = []
    for call in group.calls:
        similar = ", ".join(tool.tool for tool in call.similar_tools)
        calls.append(format_reference(call, limit=None) + (f" (or {similar})" if similar else ""))
    return " & ".join(calls)


def _format_fields(fields: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={format_value(value)}" for name, value in fields.items())
