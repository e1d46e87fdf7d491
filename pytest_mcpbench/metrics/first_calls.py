"""Metric ``first_calls``: the tools and arguments of the first message are right, whatever the calls would return.

It is the score of route mode, which executes no call.
"""

from dataclasses import dataclass

from pytest_mcpbench.core.call_text import format_call
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.planning import first_groups
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.metrics.ast import Ast
from pytest_mcpbench.metrics.comparison.calls import match_calls
from pytest_mcpbench.metrics.route import forbidden_calls


@dataclass(frozen=True)
class FirstCalls(Ast):
    """Score of 1 if the first message makes the calls of the reference's first step, as a set; otherwise 0.

    Calls of later steps may be made at once, too; any other call is wrong. Values are compared as by
    :class:`~pytest_mcpbench.metrics.ast.Ast`, whose settings it has.
    """

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        groups = first_groups(task)
        wrong = forbidden_calls(task, evidence)
        if not groups and not task.expected.forbidden_tools:
            return Score.not_applicable("the task says nothing about the calls of the first message")
        if groups:
            calls = evidence.trajectory.steps[0].calls if evidence.trajectory.steps else ()
            tools = ToolIndex.of(evidence.tools)
            comparison = self.comparison(task)
            step = match_calls(groups[0].calls, calls, tools, comparison)
            complete = match_calls([call for group in groups for call in group.calls], calls, tools, comparison)
            extra = () if self.extra_calls == "ignore" else complete.extra
            unexpected = [f"call {index + 1} is not expected: {format_call(calls[index])}" for index in extra]
            wrong += list(step.reasons(with_extra=False)) or unexpected
        return Score.verdict(not wrong, wrong)

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:  # noqa: ARG002 (as in Ast)
        """Return nothing: route mode asks no judge."""
        return ()
