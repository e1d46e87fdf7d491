"""Estimate of a run as text and as JSON."""

import json
from collections.abc import Iterator
from typing import Any

from pytest_mcpbench.core.run_estimate import RunEstimate, SeriesEstimate
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.forms.number_formats import UNKNOWN, money, seconds, tokens
from pytest_mcpbench.reporting.tables.table import Table, filled_table

_HEADINGS = ("suite", "model", "attempts", "requests", "read", "written", "about", "at most", "time")


def estimate_table(estimate: RunEstimate) -> Table:
    """Return the table with a row for each suite and model, for each judge and for each model that plays users."""
    rows: list[tuple[str, ...]] = []
    for series in estimate.series:
        load, duration = series.typical, series.seconds
        unknown = f", {len(series.unknown)} not estimated" if series.unknown else ""
        rows.append(
            (
                one_line(series.suite, 40),
                _model(series),
                "" if series.role != "agent" else f"{len(series.attempts)}{unknown}",
                f"{load.requests:.0f}",
                tokens(load.read),
                tokens(load.written),
                money(series.cost_usd),
                money(series.most_cost_usd),
                ""
                if series.role != "agent"
                else seconds(duration / estimate.concurrency)
                if duration is not None
                else UNKNOWN,
            )
        )
    return filled_table("Estimate", _HEADINGS, rows, 2)


def estimate_lines(estimate: RunEstimate) -> Iterator[str]:
    """Yield the sums, and where each number comes from."""
    if estimate.cost_usd is None:
        cost = "unknown, because a price or an agent is unknown"
    elif not estimate.cost_usd and not estimate.most_cost_usd:
        cost = "$0"
    else:
        most = "without a limit" if estimate.most_cost_usd is None else f"at most {money(estimate.most_cost_usd)}"
        cost = f"about {money(estimate.cost_usd)}, {most}"
    yield f"cost: {cost}"
    if estimate.seconds:
        yield f"time: about {seconds(estimate.seconds)} with {estimate.concurrency} attempts at once"
    if estimate.reused:
        yield f"taken over from the run that is resumed, and not counted: {estimate.reused} attempts"
    for series in estimate.series:
        yield f"{_name(series)}: {series.source}"
        for reason in dict.fromkeys(series.unknown):
            yield f"{_name(series)}: {series.unknown.count(reason)} attempts are not estimated: {one_line(reason, 300)}"


def budget_line(estimate: RunEstimate, budget_usd: float) -> str:
    """Return whether the estimated cost exceeds a budget."""
    option = f"--mcpbench-max-cost={budget_usd:g}"
    if estimate.cost_usd is None:
        return f"{option}: the cost is unknown, so that the budget may not suffice"
    if estimate.cost_usd > budget_usd:
        return f"{option}: the estimate of {money(estimate.cost_usd)} exceeds this budget; the run would end early"
    if estimate.most_cost_usd is None or estimate.most_cost_usd > budget_usd:
        return f"{option}: the estimate keeps to this budget, the most of {money(estimate.most_cost_usd)} does not"
    return f"{option}: the estimate and the most keep to this budget"


def estimate_json(estimate: RunEstimate) -> str:
    """Return the estimate as JSON; a number that is not known is ``null``."""
    every_series: list[dict[str, Any]] = []
    for series in estimate.series:
        load = series.typical
        every_series.append(
            {
                "suite": series.suite,
                "model": series.model,
                "is_judge": series.is_judge,
                "role": series.role,
                "attempts": len(series.attempts),
                "unknown": list(series.unknown),
                "requests": round(load.requests, 1),
                "input_tokens": round(load.read),
                "output_tokens": round(load.written),
                "cost_usd": series.cost_usd,
                "most_cost_usd": series.most_cost_usd,
                "seconds": series.seconds,
                "source": series.source,
            }
        )
    content = {
        "estimate": {
            "cost_usd": estimate.cost_usd,
            "most_cost_usd": estimate.most_cost_usd,
            "seconds": estimate.seconds,
            "reused": estimate.reused,
            "series": every_series,
        }
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _name(series: SeriesEstimate) -> str:
    return f"{one_line(series.suite, 40)}, {_model(series)}"


def _model(series: SeriesEstimate) -> str:
    model = one_line(series.model, 60)
    return model if series.role == "agent" else f"{series.role} {model}"
