"""A report as JSON: a stable shape for scripts and dashboards."""

import dataclasses
import json
from collections.abc import Iterable, Sequence
from typing import Any

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.model_comparison import Paired, against_best, efficiencies, ranks
from pytest_mcpbench.reporting.summary import Summary, by_tag, summaries
from pytest_mcpbench.reporting.tables import shown_tags
from pytest_mcpbench.reporting.tool_statistics import causes, definition_sizes, tool_rates

VERSION = 1


def text(report: Report) -> str:
    """The whole report; the keys are in docs/reference/reports.md."""
    made = summaries(report)
    content = {
        "version": VERSION,
        "facts": report.facts,
        "directory": report.directory,
        "summaries": _summaries(made),
        "tags": {tag: _values(report, tag) for tag in shown_tags(report)},
        "comparisons": [_pair(pair) for pair in against_best(report, made)],
        "efficiency": _plain(efficiencies(report)),
        "tools": _plain(tool_rates(report)),
        "root_causes": _plain(causes(report)),
        "definitions": _plain(definition_sizes(report)),
        "entries": [entry.as_json() for entry in report.entries],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def comparison(pairs: Iterable[Paired]) -> str:
    """``{version, comparisons: [...]}``."""
    content = {"version": VERSION, "comparisons": [_pair(pair) for pair in pairs]}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _summaries(made: Sequence[Summary]) -> list[dict[str, Any]]:
    places = ranks(made)
    return [{**_summary(summary), "rank": places.get((summary.suite, summary.model))} for summary in made]


def _summary(summary: Summary) -> dict[str, Any]:
    derived = {"pass_rate": summary.pass_rate, "verdicts": summary.verdicts, "made": summary.made}
    used = {"usage": summary.usage.model_dump(), "judge_usage": summary.judge_usage.model_dump()}
    return {**dataclasses.asdict(summary), **used, **derived}


def _values(report: Report, tag: str) -> dict[str, list[dict[str, Any]]]:
    return {value: [_summary(summary) for summary in group] for value, group in by_tag(report, tag).items()}


def _pair(pair: Paired) -> dict[str, Any]:
    changed = [{"task": task, "left": left, "right": right} for task, left, right in pair.changed]
    made = dataclasses.asdict(pair.comparison)
    means = {"left_mean": made.pop("left"), "right_mean": made.pop("right")}
    names = {"suite": pair.suite, "metric": pair.metric, "left": pair.left, "right": pair.right}
    return {**names, **means, **made, "is_significant": pair.comparison.is_significant, "changed": changed}


def _plain(values: Iterable[Any]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(value) for value in values]
