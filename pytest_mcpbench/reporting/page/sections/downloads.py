"""Section with files to download: the aggregates as CSV within the page, and commands for everything else."""

import base64
import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.core.scoring import SCORINGS
from pytest_mcpbench.reporting.forms.display_text import spreadsheet_safe
from pytest_mcpbench.reporting.page.sections.suite_results import SuiteResults
from pytest_mcpbench.reporting.tables.section import Section, plain
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.statistics.intervals import Interval
from pytest_mcpbench.text.natural_order import natural_key

Row = Sequence[str | int | float | None]


def downloads_section(report: Report, results: Sequence[SuiteResults]) -> Section:
    """Return links to CSV files that are part of the page, and the commands that write the attempts.

    The files have the aggregates only: all attempts are in the page once already, compressed, and a second copy that
    browsers can download without a script would be larger than the page.
    """
    files = {
        "results.csv": result_rows(results),
        "metrics.csv": metric_rows(results),
        "tasks.csv": task_rows(results),
    }
    links = Markup()
    for name, rows in files.items():
        text = csv_text(rows)
        content = text.encode()
        size = f"{len(content) / 1000:,.0f} kB" if len(text) >= 1000 else f"{len(content)} bytes"
        links += Markup('<li><a download="{}" href="data:text/csv;base64,{}">{}</a> ({})</li>').format(
            name, base64.b64encode(content).decode(), name, size
        )
    directory = report.directory or "DIR"
    commands = Markup().join(
        Markup("<li>{}: <code>{}</code></li>").format(what, plain(f"mcpbench {command}"))
        for what, command in (
            ("every attempt as CSV or Parquet", f"export {directory} --help"),
            ("everything in this page as JSON", f"report {directory} --format json"),
        )
    )
    body = Markup('<ul class="downloads">{}{}</ul>').format(links, commands)
    return Section("downloads", "Downloads", body)


def result_rows(results: Sequence[SuiteResults]) -> Iterator[Row]:
    """Yield the header and one row per suite and model; an unknown number is empty."""
    yield (
        "suite", "model", "tasks", "attempts", "passed", "failed", "errors", "unscored", "pass_rate",
        "least_pass_rate", "most_pass_rate", "low", "high", "paper_pass_rate", "guarded_pass_rate",
        "input_tokens", "output_tokens", "cost_usd", "seconds",
    )  # fmt: skip
    for each in results:
        for one in each.summaries:
            yield (
                each.suite, one.model, one.tasks, one.attempts, one.passed, one.failed, one.errors, one.unscored,
                one.pass_rate, *_bounds(one.rate.range), *_bounds(one.pass_interval),
                *(one.rates[scoring].value if scoring in one.rates else None for scoring in SCORINGS),
                one.usage.input_tokens, one.usage.output_tokens,
                one.usage.cost_usd, round(one.seconds, 3),
            )  # fmt: skip


def metric_rows(results: Sequence[SuiteResults]) -> Iterator[Row]:
    """Yield the header and one row per suite, metric and model."""
    yield "suite", "metric", "model", "mean", "low", "high", "micro", "n", "unscored", "not_applicable", "errors"
    for each in results:
        for one in each.summaries:
            for name, value in one.metrics.items():
                yield (
                    each.suite, name, one.model, value.macro, *_bounds(value.interval), value.micro, value.n,
                    value.unscored, value.not_applicable, value.errors,
                )  # fmt: skip


def task_rows(results: Sequence[SuiteResults]) -> Iterator[Row]:
    """Yield the header and one row per suite, task and model with the number of trials of each outcome."""
    yield "suite", "task", "model", "trials", "passed", "failed", "errors", "unscored"
    for each in results:
        trials = group_by(each.entries, lambda entry: (entry.task_id, entry.model))
        for (task, model), entries in sorted(trials.items(), key=lambda item: tuple(map(natural_key, item[0]))):
            outcomes = [entry.outcome for entry in entries]
            counts = (outcomes.count(outcome) for outcome in ("passed", "failed", "error", "unscored"))
            yield each.suite, task, model, len(entries), *counts


def csv_text(rows: Iterable[Row]) -> str:
    """Return rows as CSV in which a spreadsheet finds no formula."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(
        [spreadsheet_safe(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return file.getvalue()


def _bounds(interval: Interval | None) -> tuple[float | None, float | None]:
    return interval if interval else (None, None)
