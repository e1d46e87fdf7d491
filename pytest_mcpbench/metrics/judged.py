"""Scores from a judge's verdicts, with one rule for missing verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import NO_JUDGE_ASKED, POINTS, Background, Question, Verdict
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task


@dataclass(frozen=True)
class QuestionScore:
    """Points for one question, with the reason."""

    points: float
    reason: str

    @property
    def is_full(self) -> bool:
        """Return whether no point is lost; reasons of such questions stand last."""
        return self.points >= 1


def background_of(task: Task, evidence: AttemptEvidence, statements: Sequence[str] = ()) -> Background:
    """Return the request, what else the agent has read, and other statements of the reference."""
    results = [call.result.text for call in evidence.calls if call.result is not None and not call.is_error]
    read = [task.system, *results] if task.system else results
    return Background(request=task.request, results=tuple(read), statements=tuple(statements))


def score_question(evidence: AttemptEvidence, question: Question, *, official: bool) -> QuestionScore | str:
    """Return the question's grade, or the reason why there is none.

    ``official`` counts a judge's failure as 0, as the benchmarks' released evaluators do; a judge that was never
    asked still counts as missing.
    """
    verdict = evidence.verdict(question)
    if verdict is None:
        return NO_JUDGE_ASKED
    points = _points(verdict)
    if points is not None:
        return QuestionScore(points, _sentence(question, verdict, points))
    problem = verdict.error or f"the judge's label is {verdict.label!r}"
    if official:
        return QuestionScore(
            0.0, f"0 for {question.statement!r}: no verdict ({problem}), which the official rule counts as 0"
        )
    return f"judge {verdict.judge!r} gave no verdict for {question.statement!r}: {problem}"


def mean_of_grades(evidence: AttemptEvidence, questions: Sequence[Question], *, official: bool) -> Score:
    """Return the mean over at least one question, with ``part`` and ``whole``; unscored if any has no points."""
    grades = [score_question(evidence, question, official=official) for question in questions]
    for missing in grades:
        if isinstance(missing, str):
            return Score.missing(missing)
    known = [one for one in grades if isinstance(one, QuestionScore)]
    by_loss = sorted(known, key=lambda one: one.is_full)
    return Score.share(sum(one.points for one in known), len(known), [one.reason for one in by_loss])


def _points(verdict: Verdict) -> float | None:
    if verdict.label is None or not verdict.is_decided:
        return None
    return verdict.score if verdict.score is not None else POINTS.get(verdict.label)


def _sentence(question: Question, verdict: Verdict, points: float) -> str:
    because = f": {verdict.reason}" if verdict.reason else ""
    return f"{points:g} for {question.statement!r} ({verdict.judge}){because}"
