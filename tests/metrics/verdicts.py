"""Verdicts for a run, by label, in the order of a metric's questions."""

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.score import JudgedMetric
from pytest_mcpbench.core.task import Task

LABELS = {1: "fulfilled", 0.5: "partially_fulfilled", 0: "not_fulfilled"}


def a_verdict(points: float | None, error: str | None = None) -> Verdict:
    label = None if points is None else LABELS[points]
    return Verdict(label=label, score=points, error=error, judge="a-judge", prompt_version="1")


def judged(metric: JudgedMetric, task: Task, evidence: AttemptEvidence, *points: float | None) -> AttemptEvidence:
    """The run with one verdict a question; ``None`` is a judge that failed."""
    questions = metric.questions(task, evidence)
    assert len(questions) == len(points)
    verdicts = (a_verdict(one, error="it was silent" if one is None else None) for one in points)
    return evidence.model_copy(update={"verdicts": dict(zip((q.key for q in questions), verdicts, strict=True))})
