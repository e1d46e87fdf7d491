"""Metric ``exec``: share of the execution checkpoints that were reached (MCP-Persona 3.4, Exec-Acc)."""

from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import ExecCheckpoint, Task
from pytest_mcpbench.metrics.judged import QuestionScore, score_question
from pytest_mcpbench.metrics.world_state.evidence_text import calls_with_results, changes_text
from pytest_mcpbench.metrics.world_state.exec_rules import decide_by_rule


@dataclass(frozen=True)
class Exec:
    """Mean over ``expected.exec`` of 1, 0.5 or 0; over tasks macro is the headline, ``part / whole`` gives micro.

    A rule decides what it can; what it cannot goes to the judge. Without checkpoints it does not apply; where one stays
    undecided it is unscored.
    """

    official: bool = False
    """True if a verdict that failed counts as 0, as in the authors' code; else the score is unscored."""

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return one question for each checkpoint that no rule decides."""
        rulings = ((checkpoint, decide_by_rule(checkpoint, task, evidence)) for checkpoint in task.expected.exec)
        return tuple(_question(checkpoint, task, evidence) for checkpoint, ruled in rulings if ruled.points is None)

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if not task.expected.exec:
            return Score.not_applicable("the task has no exec checkpoints")
        scores = []
        for number, checkpoint in enumerate(task.expected.exec, 1):
            place = f"checkpoint {number} ({checkpoint.kind})"
            ruled = decide_by_rule(checkpoint, task, evidence)
            if ruled.points is not None:
                scores.append(QuestionScore(ruled.points, f"{place}: {ruled.points:g} by rule: {ruled.reason}"))
                continue
            judged = score_question(evidence, _question(checkpoint, task, evidence), official=self.official)
            if isinstance(judged, Score):
                why = f"{place}: no rule decides it ({ruled.reason}) and {judged.unscored}"
                return Score.missing(why, judged.gap)
            scores.append(QuestionScore(judged.points, f"{place}: {judged.reason}"))
        by_loss = sorted(scores, key=lambda one: one.is_full)
        return Score.share(sum(one.points for one in scores), len(scores), [one.reason for one in by_loss])


def _question(checkpoint: ExecCheckpoint, task: Task, evidence: AttemptEvidence) -> Question:
    calls = calls_with_results(evidence)
    if checkpoint.kind in ("operate", "other"):
        texts = [calls, changes_text(evidence)]
        places = [f"in {server}, context {context}" for server, context in checkpoint.contexts if context]
        tool = f"{checkpoint.tool} or another tool" if checkpoint.takes_any_tool else f"tool {checkpoint.tool}"
        details = [checkpoint.operation or "other", tool, *places]
        what = f"The agent carried out this operation ({', '.join(details)})"
        statement = f"{what}: {checkpoint.summary}" if checkpoint.summary else f"{what}."
    else:
        texts = [calls]
        # Judges without a model compare only the first form, word for word.
        other_form = ", in any form, perhaps with fewer fields" if task.context.is_public else ""
        statement = f"The agent obtained this information{other_form}: {checkpoint.value}"
    return Question(
        kind="exec",
        statement=statement,
        evidence="\n\n".join([*texts, f"Answer: {evidence.answer or '(none)'}"]),
        context={"request": task.prompt},
    )
