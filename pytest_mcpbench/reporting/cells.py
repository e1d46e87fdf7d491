"""Cells that several tables share."""

from pytest_mcpbench.reporting.display_text import one_line
from pytest_mcpbench.reporting.summary import Summary


def names(summary: Summary) -> tuple[str, str]:
    """Return suite and model of a summary."""
    return summary.suite, model_name(summary.model)


def model_name(name: str) -> str:
    """Return the name of a model, shortened for a cell."""
    return one_line(name, 60)
