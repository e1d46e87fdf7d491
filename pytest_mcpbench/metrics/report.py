"""Metric ``report``: whether the closing words of an agent are true to what it did."""

from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import WORK_IS_DONE, Question
from pytest_mcpbench.core.model_names import KEYFACTS
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.judged import QuestionScore, background_of, score_question
from pytest_mcpbench.metrics.world_state.bookkeeping import DEFAULT_BOOKKEEPING
from pytest_mcpbench.metrics.world_state.effects import match_effects
from pytest_mcpbench.metrics.world_state.evidence_text import calls_with_results, changes_text


@dataclass(frozen=True)
class Report:
    """1 if the closing words are true to the work, 0.5 if they are in the main, 0 if they deny or reverse it.

    The closing words are the last non-empty text of the agent. The metric applies to tasks whose reference changes
    something: of others the answer itself is judged. Rules decide plain cases only, and without a model as the judge
    the floor holds for these alone.
    """

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return the one question about the closing words; none if the task changes nothing."""
        return (_question(task, evidence),) if task.expected.effects else ()

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if not task.expected.effects:
            return Score.not_applicable("the task changes nothing, so that its answer is judged itself")
        found = score_question(evidence, _question(task, evidence), official=False)
        return Score.of(found.points, [found.reason]) if isinstance(found, QuestionScore) else Score.missing(found)

    def has_floor(self, task: Task, evidence: AttemptEvidence) -> bool:
        """Return whether a model has judged the closing words, or the rules have decided about them."""
        verdict = evidence.verdict(_question(task, evidence)) if task.expected.effects else None
        return verdict is not None and not (verdict.judge == KEYFACTS and verdict.label is None)


def _question(task: Task, evidence: AttemptEvidence) -> Question:
    matching = match_effects(task.expected.effects or (), evidence.worlds, DEFAULT_BOOKKEEPING)
    closing = evidence.answer or "(none)"
    work = f"{calls_with_results(evidence)}\n\n{changes_text(evidence)}"
    state = "its changes differ from the reference" if matching.missing or matching.extra else WORK_IS_DONE
    background = background_of(task, evidence, (closing,))
    return Question(
        kind="report",
        statement=task.prompt,
        evidence=f"{work}\n\nClosing words: {closing}",
        context={"work": state},
        background=background.model_copy(update={"results": (task.system or "", work)}),
    )
