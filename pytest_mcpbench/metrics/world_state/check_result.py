"""Results of single checks, and their score."""

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.score import Score


@dataclass(frozen=True)
class CheckResult:
    """Result of a check; ``passed`` is ``None`` if no observation can decide it."""

    passed: bool | None
    reason: str


def score_of_checks(results: Sequence[CheckResult]) -> Score:
    """Return the share of checks that passed, with failed ones first; unscored if one is undecided."""
    unknown = [result.reason for result in results if result.passed is None]
    if unknown:
        return Score.missing("; ".join(unknown))
    ordered = sorted(results, key=lambda result: result.passed is True)
    reasons = [("holds: " if result.passed else "does not hold: ") + result.reason for result in ordered]
    return Score.share(sum(result.passed is True for result in ordered), len(ordered), reasons)
