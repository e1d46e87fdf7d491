"""Metrics ``checkpoints`` and ``sr``: share of a task's checkpoints that a judge finds reached (MCP-Persona 3.4)."""

from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.judged import mean_of_grades
from pytest_mcpbench.metrics.world_state.evidence_text import MOST_CHARACTERS, calls_with_results
from pytest_mcpbench.text.numbered_steps import split_steps


@dataclass(frozen=True)
class Checkpoints:
    """Mean over the checkpoints of 1, 0.5 or 0; over tasks the mean of these means. Without any it does not apply."""

    official: bool = False
    """As the authors' code: a text ``Step 1: … Step 10: …`` stays whole, the answer is not shown, and a verdict that
    failed counts as 0."""

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return one question per checkpoint."""
        text = calls_with_results(evidence)
        if not self.official:
            text += f"\n\nAnswer: {evidence.answer or '(none)'}"
        lines = []
        for number, call in enumerate(task.expected.flat_calls, 1):
            name = f"{call.server}:{call.tool}" if call.server else call.tool
            lines.append(f"{number}. {name}: {call.arguments}" if call.arguments else f"{number}. {name}")
        statements = [checkpoint.text for checkpoint in task.expected.checkpoints]
        if not self.official:
            statements = [step for statement in statements for step in split_steps(statement)]
        context = {"request": task.prompt, "reference calls": "\n".join(lines)[:MOST_CHARACTERS] or "(none)"}
        return tuple(
            Question(kind="checkpoint", statement=statement, evidence=text, context=context) for statement in statements
        )

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if not task.expected.checkpoints:
            return Score.not_applicable("the task has no checkpoints")
        return mean_of_grades(evidence, self.questions(task, evidence), official=self.official)


@dataclass(frozen=True)
class SuccessRate:
    """Score of 1 if the mean of the checkpoints exceeds the threshold (it must be greater, not equal), else 0."""

    threshold: float = 0.8
    official: bool = False
    """As in :class:`Checkpoints`."""

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return the questions of :class:`Checkpoints`, which are asked once for both metrics."""
        return Checkpoints(self.official).questions(task, evidence)

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        accuracy = Checkpoints(self.official)(task, evidence)
        if accuracy.value is None:
            return accuracy
        reason = f"checkpoints is {accuracy.value:.4g}, must be greater than {self.threshold:g}"
        return Score.verdict(accuracy.value > self.threshold, [reason, *accuracy.reasons])
