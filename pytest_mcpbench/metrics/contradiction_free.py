"""Metric ``contradiction_free``: no claim of the reference is contradicted by the agent's answer."""

from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task

_RULES = "keyfacts"


@dataclass(frozen=True)
class ContradictionFree:
    """1 if the judge with rules finds no claim that the answer replaces or denies; else the share of other claims.

    The rules call a claim not fulfilled only if something else stands in its place, while a model also calls one so
    that the answer leaves out. Verdicts of models therefore say nothing here. ``coverage`` asks the questions.
    """

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        claims = task.expected.claims
        if not claims:
            return Score.of(1.0, ["the task has no claims"])
        found = {}
        for verdict in evidence.verdicts.values():
            for stage in verdict.stages or (verdict,):
                if stage.judge == _RULES and verdict.statement in claims:
                    found[verdict.statement] = stage.model_copy(update={"statement": verdict.statement})
        contradicted = [verdict for verdict in found.values() if verdict.label == "not_fulfilled"]
        reasons = [f"contradicted: {verdict.statement!r}: {verdict.reason}" for verdict in contradicted]
        return Score.share(len(claims) - len(contradicted), len(claims), reasons)
