"""A report as Markdown, short enough for a comment on a pull request."""

from collections.abc import Callable, Iterable, Sequence

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting import numbers
from pytest_mcpbench.reporting.summary import Summary, summaries

MARK = "<!-- pytest-mcpbench -->"
"""First line of every report, by which a comment that is to be replaced can be found."""
_TASKS_SHOWN = 50


def text(report: Report) -> str:
    """Results of each suite and model, metrics, then the tasks that failed or could not be run."""
    made = summaries(report)
    failed = [entry for entry in report.entries if entry.outcome == "failed"]
    broken = [entry for entry in report.entries if entry.outcome == "error"]
    parts = [MARK, "## mcpbench", _table(_HEADINGS, map(_row, made)), _table(_METRIC_HEADINGS, _metric_rows(made))]
    parts += _tasks("Failed", failed, _shortfalls) + _tasks("Errors", broken, lambda entry: entry.error or "")
    return "\n\n".join(parts) + "\n"


_HEADINGS = ("suite", "model", "n", "passed", "failed", "errors", "unscored", "pass rate", "95 % interval", "cost")
_METRIC_HEADINGS = ("suite", "model", "metric", "mean", "n", "unscored")


def _row(summary: Summary) -> tuple[str, ...]:
    counted = (summary.attempts, summary.passed, summary.failed, summary.errors, summary.unscored)
    rate = "n/a" if summary.pass_rate is None else numbers.percent(summary.pass_rate)
    bounds = " – ".join(map(numbers.percent, summary.pass_interval)) if summary.pass_interval else ""
    return (summary.suite, summary.model, *map(str, counted), rate, bounds, numbers.money(summary.usage.cost_usd))


def _metric_rows(made: Iterable[Summary]) -> list[tuple[str, ...]]:
    return [
        (summary.suite, summary.model, name, numbers.score(metric.macro), str(metric.n), str(metric.unscored))
        for summary in made
        for name, metric in summary.metrics.items()
    ]


def _tasks(title: str, entries: Sequence[Entry], why: Callable[[Entry], str]) -> list[str]:
    if not entries:
        return []
    rows = [(entry.task_id, entry.model, why(entry)) for entry in entries[:_TASKS_SHOWN]]
    more = f"\n\n… and {len(entries) - _TASKS_SHOWN} more." if len(entries) > _TASKS_SHOWN else ""
    heading = f"<details><summary>{title}: {len(entries)}</summary>"
    return [f"{heading}\n\n{_table(('task', 'model', 'why'), rows)}{more}\n\n</details>"]


def _shortfalls(entry: Entry) -> str:
    short = (name for name, floor in entry.floors.items() if _is_below(entry.scores.get(name), floor))
    return ", ".join(f"{name} {numbers.score(entry.scores[name])} < {entry.floors[name]:g}" for name in short)


def _is_below(value: float | None, floor: float) -> bool:
    return value is not None and value < floor


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(value: str) -> str:
    """One line without what Markdown or HTML would read as markup."""
    flat = " ".join(value.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
    return flat if len(flat) <= 300 else flat[:299] + "…"
