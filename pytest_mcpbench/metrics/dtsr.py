"""Metric ``dtsr``: share of the tool-calling rounds that succeeded (MCP-RADAR 4.2, Dialogue Turn Success Rate)."""

from dataclasses import dataclass

from pytest_mcpbench.core.call_text import LONGEST_VALUE
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.metrics.comparison.schema import schema_violations
from pytest_mcpbench.metrics.valid_tools import is_valid_tool


@dataclass(frozen=True)
class Dtsr:
    """Successful rounds / rounds that call tools; 0 if none does.

    A round is one assistant message. It succeeds if each of its calls names a tool of the task, validates against
    the tool's schema and returns without error. Not applicable to precise tasks, which have an answer and no reference
    calls: the paper states the rate of fuzzy tasks only (Tables 2 and 3).
    """

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if task.expected.answer is not None and not task.expected.calls:
            return Score.not_applicable("the task has an answer and no reference calls")
        rounds = evidence.trajectory.rounds
        if not rounds:
            return Score.of(0.0, ["no tool was called"], part=0, whole=0)
        problems = [[problem for call in step.calls for problem in _problems(task, evidence, call)] for step in rounds]
        reasons = [f"round {number}: {'; '.join(found)}" for number, found in enumerate(problems, 1) if found]
        return Score.share(sum(not found for found in problems), len(rounds), reasons)


def _problems(task: Task, evidence: AttemptEvidence, call: CallRecord) -> tuple[str, ...]:
    """Return what is wrong with a call, the first kind of fault alone."""
    if not is_valid_tool(task, call, evidence):
        return (f"{call.name} is not a tool of the task",)
    if call.problem == "malformed_arguments":
        return (f"{call.called}: the arguments are not a JSON object",)
    tool = evidence.tool(call)
    violations = schema_violations(call.arguments, tool.input_schema) if tool else ()
    if violations:
        return tuple(f"{call.called}: {violation}" for violation in violations)
    if call.result is None:
        return (f"{call.called} was not sent",)
    return (f"{call.called} failed: {call.result.text[:LONGEST_VALUE]}",) if call.result.is_error else ()
