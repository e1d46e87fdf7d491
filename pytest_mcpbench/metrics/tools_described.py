"""Metric ``tools_described``: condition for a verdict on tasks whose tools are replayed from names only."""

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task


def tools_described(_task: Task, evidence: AttemptEvidence) -> Score:
    """Return 1 if every tool that the agent saw has a description; otherwise unscored.

    No model can be expected to choose among tools that it knows by name only, so that such an attempt is neither
    passed nor failed.
    """
    if not evidence.tools:
        return Score.missing("the agent saw no tool")
    if all(tool.description.strip() for tool in evidence.tools):
        return Score.of(1.0)
    return Score.missing("the agent saw tools without a description: the public files list their names only")
