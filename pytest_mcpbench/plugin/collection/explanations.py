"""Explanations of failing items and assertions, as text for pytest."""

import shutil
from typing import Any

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score, Scorecard
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.comparison.table import comparison_rows
from pytest_mcpbench.metrics.reference_matching import MatchReferences
from pytest_mcpbench.reporting.texts import failures


def explain_shortfalls(task: Task, evidence: AttemptEvidence, scorecard: Scorecard, *, match: MatchReferences) -> str:
    """Return an explanation whose first line is a summary; the other lines are as wide as the terminal."""
    columns = max(80, min(160, shutil.get_terminal_size((120, 24)).columns))
    rows = comparison_rows(match(task.expected.flat_calls, task, evidence))
    return failures.shortfall_message(task, evidence, scorecard, rows, columns=columns)


def explain_unscored(scorecard: Scorecard) -> str:
    """Return which metrics could not be computed, and why."""
    return failures.unscored_message(scorecard)


def explain_comparison(operator: str, left: Any, right: Any, *, verbosity: int) -> list[str] | None:
    """Return the lines below ``assert mcp_scorecard["ast"] >= 0.9``; ``None`` if two scores are compared."""
    if isinstance(left, Score) and isinstance(right, Score):
        return None
    score = left if isinstance(left, Score) else right
    numbers = [failures.value(side) if isinstance(side, Score) else str(side) for side in (left, right)]
    reasons = failures.flat_reasons(score)
    shown = reasons if verbosity > 0 else reasons[: failures.REASONS_SHOWN]
    more = len(reasons) - len(shown)
    unscored = [score.unscored] if score.unscored else []
    return [
        f"{numbers[0]} {operator} {numbers[1]}",
        *unscored,
        *shown,
        *([f"… and {more} more reasons; use -v"] if more else []),
    ]
