"""HTML of a run's summary and of one attempt, to be put into pytest-html's page; everything in it is escaped."""

import functools
import json
from typing import Any

import jinja2

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.reporting import numbers
from pytest_mcpbench.reporting.summary import metric_names, summaries

TEXT_LIMIT = 4_000
"""Characters of one text (an argument, a result, an answer) that the page shows; the record has the whole."""
STEP_LIMIT = 60
"""Steps of one attempt that the page shows."""


def columns(report: Report) -> tuple[str, ...]:
    """The headings between test id and duration: the model, each metric, the cost."""
    return ("model", *metric_names(report.entries), "cost")


def cells(entry: Entry, headings: tuple[str, ...]) -> tuple[str, ...]:
    """What stands under the headings for one attempt; plain text."""
    named = {"model": entry.model, "cost": numbers.money(entry.usage.cost_usd)}
    return tuple(named.get(heading) or _score(entry, heading) for heading in headings)


def summary(report: Report) -> str:
    """The tables above the list of tests."""
    return _template("summary.html").render(summaries=summaries(report), facts=report.facts, report=report)


def run(record: RunRecord) -> str:
    """What opens with a row: request, reference, steps with calls and results, scores with reasons."""
    steps = record.run.trajectory.steps if record.run else ()
    return _template("run.html").render(
        record=record,
        steps=steps[:STEP_LIMIT],
        steps_left_out=max(0, len(steps) - STEP_LIMIT),
        scores=record.scorecard.scores,
        floors=record.scorecard.floors,
    )


def cut(text: str | None) -> str:
    """The text up to the limit, with a note of how much is left out."""
    text = text or ""
    left_out = len(text) - TEXT_LIMIT
    return text if left_out <= 0 else f"{text[:TEXT_LIMIT]}… [{left_out:,} more characters in the record]"


def _score(entry: Entry, metric: str) -> str:
    if metric not in entry.scores:
        return "error" if entry.outcome == "error" else ""
    value = entry.scores[metric]
    return "unscored" if value is None else f"{value:.3f}"


def _arguments(call: CallRecord) -> str:
    return call.raw_arguments or json.dumps(call.arguments, ensure_ascii=False, indent=1)


def _template(name: str) -> Any:
    return _environment().get_template(name)


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pytest_mcpbench.reporting"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "cut": cut,
        "arguments": _arguments,
        "percent": numbers.percent,
        "score": numbers.score,
        "money": numbers.money,
        "tokens": numbers.count,
        "seconds": numbers.seconds,
    }
    return environment
