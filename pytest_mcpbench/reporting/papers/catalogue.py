"""The papers by the name of their suite."""

from importlib import import_module

from pytest_mcpbench.reporting.papers.items import Paper

SUITES = ("toolbench", "finmcp", "radar", "atlas", "persona")


def paper_of(suite: str) -> Paper:
    """Return the paper of a suite."""
    paper: Paper = import_module(f"pytest_mcpbench.reporting.papers.{suite}").PAPER
    return paper
