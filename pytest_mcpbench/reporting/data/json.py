"""Report as JSON, with stable keys for scripts and dashboards."""

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_mcpbench.core.gate.result import Explanation
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.core.score_changes import AttemptComparison, changed_outcomes, changes_by_metric
from pytest_mcpbench.reporting.aggregates.model_comparison import (
    PairedComparison,
    compare_with_best,
    efficiencies,
    ranks,
)
from pytest_mcpbench.reporting.aggregates.regressions import RunComparison
from pytest_mcpbench.reporting.aggregates.run_end import end_facts
from pytest_mcpbench.reporting.aggregates.spending import spending
from pytest_mcpbench.reporting.aggregates.summary import KnownSum, Summary, by_tag, summaries
from pytest_mcpbench.reporting.aggregates.tool_choices import ModelChoices, model_choices, selection_cells
from pytest_mcpbench.reporting.aggregates.tool_statistics import (
    category_sizes,
    definition_sizes,
    root_causes,
    task_definition_sizes,
    tool_rates,
)
from pytest_mcpbench.reporting.tables.breakdown import json_content, requested_breakdowns
from pytest_mcpbench.reporting.tables.judge_panels import panels
from pytest_mcpbench.reporting.tables.models import model_ranges
from pytest_mcpbench.reporting.tables.tags import all_tags

VERSION = 2
"""Version 2 counts the trials of ``entries`` from 1, version 1 from 0."""


def text(report: Report) -> str:
    """Return the complete report; docs/reference/reports.md describes the keys."""
    summary_list = summaries(report)
    places = ranks(summary_list)
    content = {
        "version": VERSION,
        "facts": report.facts,
        "end": end_facts(report),
        "damaged": report.damaged,
        "spending": _spending(report),
        "directory": report.directory,
        "gates": [gate.model_dump(mode="json") for gate in report.gates],
        "summaries": [
            {**_summary(summary), "rank": places.get((summary.suite, summary.model))} for summary in summary_list
        ],
        "tags": {
            tag: {value: [_summary(summary) for summary in group] for value, group in by_tag(report, tag).items()}
            for tag in all_tags(report)
        },
        "breakdowns": [json_content(report, wanted) for wanted in requested_breakdowns(report.facts)],
        "comparisons": [_pair(pair) for pair in compare_with_best(report, summary_list)],
        "tool_selection": [{**dataclasses.asdict(cells), "other": cells.other} for cells in selection_cells(report)],
        "tool_choices": [_choices(choices) for choices in model_choices(report)],
        "judge_panels": _plain(panels(report)),
        "ranges_over_models": _plain(model_ranges(summary_list)),
        "efficiency": _plain(efficiencies(report)),
        "tools": _plain(tool_rates(report)),
        "root_causes": _plain(root_causes(report)),
        "definitions": _plain(definition_sizes(report)),
        "definitions_by_category": _plain(category_sizes(report)),
        "definitions_by_task": _plain(task_definition_sizes(report)),
        "entries": [entry.as_json() for entry in report.entries],
    }
    return as_text(content)


def _choices(choices: ModelChoices) -> dict[str, Any]:
    """Return the confusion matrix as a list of cells, with the accuracy of each tool and the mistakes in arguments."""
    return {
        "suite": choices.suite,
        "model": choices.model,
        "confusion": [
            {"expected": expected, "called": called, "calls": weight}
            for (expected, called), weight in choices.cells.items()
        ],
        "tools": [
            {**dataclasses.asdict(tool), "recall": tool.recall, "precision": tool.precision} for tool in choices.tools
        ],
        "arguments": _plain(choices.arguments),
    }


def comparison(runs: RunComparison, explanations: Mapping[tuple[str, str], Explanation]) -> str:
    """Return the comparison as JSON: ``{version, comparisons, lost, worse_tasks, has_regression, …}``."""
    content = {
        "version": VERSION,
        "comparisons": [_pair(pair) for pair in runs.pairs],
        "lost": _plain(runs.lost),
        "worse_tasks": runs.worse_tasks,
        "has_regression": runs.has_regression,
        "ends": list(runs.ends),
        "only_before": list(runs.only_before),
        "only_after": list(runs.only_after),
        "explanations": [
            {"suite": suite, "model": model, **explanation.model_dump(mode="json")}
            for (suite, model), explanation in explanations.items()
        ],
    }
    return as_text(content)


def score_changes(comparisons: Sequence[AttemptComparison]) -> dict[str, Any]:
    """Return ``{version, attempts, changed, outcomes: [...], metrics: [...], tasks: [...]}``."""
    changed = [each for each in comparisons if each.is_changed]
    outcomes = [
        {"before": before, "after": after, "attempts": count}
        for (before, after), count in changed_outcomes(comparisons).items()
    ]
    changed_attempts: list[dict[str, Any]] = []
    for each in changed:
        outcome = {"before": each.before, "after": each.after}
        changed_attempts.append({**each.attempt._asdict(), "outcome": outcome, "scores": _plain(each.changes)})
    return {
        "version": VERSION,
        "attempts": len(comparisons),
        "changed": len(changed),
        "outcomes": outcomes,
        "metrics": [{**dataclasses.asdict(row), "changed": row.changed} for row in changes_by_metric(comparisons)],
        "tasks": changed_attempts,
    }


def as_text(content: Mapping[str, Any]) -> str:
    """Return indented JSON that ends with a line break."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _spending(report: Report) -> dict[str, Any] | None:
    divided = spending(report)
    if divided is None:
        return None
    return {
        "attempts": len(divided.own),
        "cost_usd": _known(divided.own_sum),
        "taken_over": len(divided.taken_over),
        "whole_cost_usd": _known(divided.whole_sum),
    }


def _known(cost: KnownSum) -> float | None:
    return None if cost.unknown else cost.known


def _summary(summary: Summary) -> dict[str, Any]:
    rate = {"pass_rate": summary.pass_rate, "pass_range": summary.rate.range}
    derived = {**rate, "verdicts": summary.verdicts, "made": summary.completed_attempts}
    used = {"usage": summary.usage.model_dump(), "judge_usage": summary.judge_usage.model_dump()}
    used["user_usage"] = summary.user_usage.model_dump()
    fields = dataclasses.asdict(summary)
    # The key that scripts know.
    fields["rounds"] = fields.pop("steps")
    rate = fields.pop("rate")
    fields["rates"] = {
        scoring: {"pass_rate": each.value, "pass_range": each.range, **dataclasses.asdict(each)}
        for scoring, each in summary.rates.items()
    }
    outcomes = {name: rate[name] for name in ("passed", "failed", "unscored")}
    return {**fields, **outcomes, "pass_interval": summary.pass_interval, **used, **derived}


def _pair(pair: PairedComparison) -> dict[str, Any]:
    changed = [{"task": task, "left": left, "right": right} for task, left, right in pair.changed]
    comparison = dataclasses.asdict(pair.comparison)
    means: dict[str, Any] = {"left_mean": comparison.pop("left"), "right_mean": comparison.pop("right")}
    if pair.rates is not None:
        left, right = pair.rates
        means |= {"left_range": left.range, "right_range": right.range}
        means |= {"left_unscored": left.unscored, "right_unscored": right.unscored}
    names = {"suite": pair.suite, "metric": pair.metric, "left": pair.left, "right": pair.right}
    return {**names, **means, **comparison, "is_significant": pair.comparison.is_significant, "changed": changed}


def _plain(values: Iterable[Any]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(value) for value in values]
