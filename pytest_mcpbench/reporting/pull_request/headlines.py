"""One line per suite and model: pass rate before and after, interval, cost, and tasks that changed."""

from collections.abc import Sequence

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.statistics.intervals import Interval
from pytest_mcpbench.reporting.model_comparison import PairedComparison
from pytest_mcpbench.reporting.number_formats import money, quantity

MOST = 5
"""Suites that are shown openly."""


def headline(pair: PairedComparison, cost: str = "", lost: int = 0) -> str:
    """Return ``89.9 → 85.6 % (−4.3, interval −8.2 … −0.4), cost +6 %, 42 tasks worse, 64 better``.

    Args:
        pair: Passes of both sides.
        cost: Text of :func:`cost_change`; may be empty.
        lost: Number of tasks without a verdict on the second side; they count as worse.
    """
    result = pair.comparison
    rates = f"{result.left * 100:.1f} → {result.right * 100:.1f} %"
    change = f"{_points(result.difference)}, interval {_interval(result.interval)}"
    worse = f"{quantity(result.worse + lost, 'task')} worse" + (f" ({lost} of them without a verdict)" if lost else "")
    return ", ".join(part for part in (f"{rates} ({change})", cost, worse, f"{result.better} better") if part)


def significance(pair: PairedComparison) -> str:
    """Return ``fewer passes`` or ``more passes``, with a note if one task decides; empty if not significant."""
    if not pair.comparison.is_significant:
        return ""
    one = ", but not without one of the tasks" if pair.comparison.is_decided_by_one_task else ""
    return f"{'more' if pair.comparison.difference > 0 else 'fewer'} passes{one}"


def cost_change(before: Sequence[Entry], after: Sequence[Entry]) -> str:
    """Return the change of the mean cost of an attempt on the tasks of both sides; empty without cost.

    Attempts whose price is unknown are left out.
    """
    common = {entry.task_id for entry in before} & {entry.task_id for entry in after}
    left, right = (_mean_cost(each, common) for each in (before, after))
    if left is None or right is None:
        return "cost unknown"
    if left == 0:
        return f"cost $0 → {money(right)} an attempt" if right else ""
    return f"cost {_signed(round((right / left - 1) * 100))} %"


def _mean_cost(entries: Sequence[Entry], tasks: set[str]) -> float | None:
    costs = [entry.usage.cost_usd for entry in entries if entry.task_id in tasks and entry.outcome != "error"]
    known = [cost for cost in costs if cost is not None]
    return sum(known) / len(known) if known else None


def _interval(interval: Interval) -> str:
    return f"{_points(interval.low)} … {_points(interval.high)}"


def _points(share: float) -> str:
    return f"{share * 100:+.1f}".replace("-", "−")


def _signed(number: int) -> str:
    return f"{number:+d}".replace("-", "−")
