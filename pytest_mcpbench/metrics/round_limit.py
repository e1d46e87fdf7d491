"""Check that an attempt kept to its number of rounds, K (MCP-RADAR 4.1: exceeding it fails the task)."""

from collections import Counter

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.task import Task


def excess_rounds(task: Task, evidence: AttemptEvidence, rounds: int | None = None) -> str | None:
    """Return the reason why an attempt used too many rounds (model calls for one user message); ``None`` if it did not.

    Args:
        task: Task whose limit applies unless ``rounds`` is set.
        evidence: Attempt to check.
        rounds: Largest number of rounds that is allowed.
    """
    allowed = rounds or (task.limits.rounds if task.limits else None)
    used = max(Counter(step.turn for step in evidence.trajectory.steps).values(), default=0)
    if evidence.trajectory.stop != "round_limit" and (allowed is None or used <= allowed):
        return None
    return f"more rounds than allowed ({used} made{f', {allowed} allowed' if allowed else ''})"
