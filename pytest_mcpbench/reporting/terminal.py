"""The table that ends a run in the terminal."""

from collections.abc import Sequence
from itertools import groupby

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.numbers import count, money, percent, score, seconds
from pytest_mcpbench.reporting.summary import Summary, by_tag, summaries

_HEADINGS = (
    "suite",
    "model",
    "n",
    "passed",
    "failed",
    "errors",
    "unscored",
    "pass rate (95 %)",
    "tokens",
    "cost",
    "time",
)
_FAILURES_SHOWN = 8


def lines(report: Report, *, verbosity: int = 0) -> list[str]:
    """Results of each suite and model, then the mean of each metric; with ``-v`` also by tag and what went wrong."""
    made = summaries(report)
    shown = table([_HEADINGS, *map(_row, made)])
    for _, group in groupby(made, key=lambda summary: summary.suite):
        shown += ["", *_metrics(tuple(group))]
    if verbosity > 0:
        shown += [line for tag in _tags(report) for line in _tag_table(report, tag)]
        shown += [line for summary in made for line in _failures(summary)]
    return shown


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as their widest cell; the first two to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(_aligned(cell, index, widths[index]) for index, cell in enumerate(row)).rstrip() for row in rows]


def _aligned(cell: str, column: int, width: int) -> str:
    return cell.ljust(width) if column < 2 else cell.rjust(width)


def _row(summary: Summary) -> tuple[str, ...]:
    numbers = (summary.attempts, summary.passed, summary.failed, summary.errors, summary.unscored)
    return (
        summary.suite,
        summary.model,
        *(str(number) for number in numbers),
        _rate(summary),
        count(summary.usage),
        money(summary.usage.cost_usd),
        seconds(summary.seconds),
    )


def _rate(summary: Summary) -> str:
    if summary.pass_rate is None or summary.pass_interval is None:
        return "n/a"
    low, high = summary.pass_interval
    return f"{percent(summary.pass_rate)} [{percent(low)}, {percent(high)}]"


def _metrics(group: tuple[Summary, ...]) -> list[str]:
    """One line a metric, one column a model."""
    names = dict.fromkeys(name for summary in group for name in summary.metrics)
    heading = ("metric", "", *(summary.model for summary in group))
    rows = [(name, "", *(_metric(summary, name) for summary in group)) for name in names]
    trials = dict.fromkeys(name for summary in group for name in summary.trials)
    rows += [(name, "", *(score(summary.trials.get(name)) for summary in group)) for name in trials]
    return table([heading, *rows]) if rows else []


def _metric(summary: Summary, name: str) -> str:
    metric = summary.metrics.get(name)
    if metric is None:
        return "-"
    micro = f", micro {score(metric.micro)}" if metric.micro is not None else ""
    unscored = f", {metric.unscored} unscored" if metric.unscored else ""
    return f"{score(metric.macro)} (n={metric.n}{unscored}{micro})"


def _tags(report: Report) -> list[str]:
    """Tags with few enough values to be a table."""
    values: dict[str, set[str]] = {}
    for entry in report.entries:
        for tag, value in entry.tags.items():
            values.setdefault(tag, set()).add(value)
    return [tag for tag, found in values.items() if 1 < len(found) <= 20]


def _tag_table(report: Report, tag: str) -> list[str]:
    rows = [
        (value, summary.model, str(summary.attempts), _rate(summary))
        for value, group in by_tag(report, tag).items()
        for summary in group
    ]
    return ["", *table([(tag, "model", "n", "pass rate (95 %)"), *rows])]


def _failures(summary: Summary) -> list[str]:
    """The most frequent labels of what went wrong, in shares of the attempts."""
    labels = summary.failures.get("rules", {})
    if not labels:
        return []
    ranked = sorted(labels.items(), key=lambda pair: (-pair[1], pair[0]))[:_FAILURES_SHOWN]
    shares = ", ".join(f"{label} {percent(number / summary.attempts)}" for label, number in ranked)
    return ["", f"what went wrong ({summary.suite}, {summary.model}, share of {summary.attempts} attempts): {shares}"]
