"""Metric ``tools_described``: condition for a verdict on tasks whose tools are replayed from names only."""

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task

_MOST_NAMES = 5


def tools_described(_task: Task, evidence: AttemptEvidence) -> Score:
    """Return 1 if every tool that the agent saw has a description; otherwise unscored, with the names of the tools.

    No model can be expected to choose among tools that it knows by name only, so that such an attempt is neither
    passed nor failed.
    """
    if not evidence.tools:
        return Score.missing("the agent saw no tool")
    names = [tool.name for tool in evidence.tools if not tool.description.strip()]
    if not names:
        return Score.of(1.0)
    more = ", …" if len(names) > _MOST_NAMES else ""
    return Score.missing(
        f"{len(names)} of the {len(evidence.tools)} tools that the agent saw have no description, because the public "
        f"files list names only: {', '.join(names[:_MOST_NAMES])}{more}"
    )
