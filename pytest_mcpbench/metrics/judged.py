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


def without_verdict(verdict: Verdict | None, about: str = "") -> Score:
    """Return the missing score of a question without a label that counts, or that no judge was asked."""
    if verdict is None:
        return Score.missing(NO_JUDGE_ASKED, "needs_reader")
    problem = verdict.error or f"the judge's label is {verdict.label!r}"
    why = f"judge {verdict.judge!r} gave no verdict{about}: {problem}"
    return Score.missing(why, "needs_reader" if verdict.needs_reader else None)


def score_question(evidence: AttemptEvidence, question: Question, *, official: bool) -> QuestionScore | Score:
    """Return the question's grade, or a missing score if there is none.

    ``official`` counts a judge's failure as 0, as the benchmarks' released evaluators do; a judge that was never
    asked still counts as missing.
    """
    verdict = evidence.verdict(question)
    if verdict is None:
        return without_verdict(None)
    if verdict.label is None or not verdict.is_decided:
        points = None
    else:
        points = verdict.score if verdict.score is not None else POINTS.get(verdict.label)
    if points is not None:
        because = f": {verdict.reason}" if verdict.reason else ""
        return QuestionScore(points, f"{points:g} for {question.statement!r} ({verdict.judge}){because}")
    if official:
        problem = verdict.error or f"the judge's label is {verdict.label!r}"
        return QuestionScore(
            0.0, f"0 for {question.statement!r}: no verdict ({problem}), which the official rule counts as 0"
        )
    return without_verdict(verdict, f" for {question.statement!r}")


def mean_of_grades(evidence: AttemptEvidence, questions: Sequence[Question], *, official: bool) -> Score:
    """Return the mean over at least one question, with ``part`` and ``whole``; unscored if any has no points."""
    grades = [score_question(evidence, question, official=official) for question in questions]
    for missing in grades:
        if isinstance(missing, Score):
            return missing
    known = [one for one in grades if isinstance(one, QuestionScore)]
    by_loss = sorted(known, key=lambda one: one.is_full)
    return Score.share(sum(one.points for one in known), len(known), [one.reason for one in by_loss])
