"""Tables that compare models, or two runs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles

from pytest_mcpbench.core.model_names import compared_models
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.aggregates.model_comparison import (
    PASSED,
    PairedComparison,
    compare_with_best,
    efficiencies,
    without_repeated_criteria,
)
from pytest_mcpbench.reporting.aggregates.regressions import RunComparison
from pytest_mcpbench.reporting.aggregates.summary import Summary
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables.table import Table, filled_table, model_name
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.natural_order import natural_key

# Range and interquartile range over models of pass rates, metrics and failure labels.

PASS_RATE = "pass rate"
OF_FAILED = "failed attempts"
OF_ALL = "attempts"
_PRIMARY = ("atlas_primary", "atlas_primary_2025")
"""Taxonomies in which each attempt that failed by the paper's criterion has one label: the shares add up to 1."""


@dataclass(frozen=True)
class ModelRange:
    """Spread of one value over the models of a suite (MCP-Atlas, key findings and failure analysis)."""

    suite: str
    value: str
    """``pass rate``, the name of a metric, or the label of a failure."""
    taxonomy: str
    """Taxonomy of a failure label; empty for other values."""
    of: str
    """Denominator of a share; empty for the mean of a metric."""
    models: int
    low: float
    first_quartile: float
    median: float
    third_quartile: float
    high: float


def model_ranges(summary_list: Sequence[Summary]) -> tuple[ModelRange, ...]:
    """Return the ranges for each suite with at least two models that have the value.

    Quartiles are interpolated linearly between the models, which are regarded as the whole population. Agents without
    a model are left out where there are models.
    """
    ranges: list[ModelRange] = []
    for suite, group in group_by(summary_list, lambda summary: summary.suite).items():
        models = compared_models(summary.model for summary in group)
        ranges += _ranges_of_suite(suite, [summary for summary in group if summary.model in models])
    return tuple(ranges)


def _ranges_of_suite(suite: str, group: Sequence[Summary]) -> Iterator[ModelRange]:
    yield from _range(suite, PASS_RATE, "", "attempts with a verdict", [summary.pass_rate for summary in group])
    for metric in dict.fromkeys(name for summary in group for name in summary.metrics):
        means = [summary.metrics[metric].macro for summary in group if metric in summary.metrics]
        yield from _range(suite, metric, "", "", means)
    for taxonomy in dict.fromkeys(name for summary in group for name in summary.failures):
        is_primary = taxonomy in _PRIMARY
        of = OF_FAILED if is_primary else OF_ALL
        labels = [summary.failures.get(taxonomy, {}) for summary in group]
        # The attempts that failed by the paper's criterion have one primary mode each; guards may fail others.
        failed = [sum(each.values()) for each in labels]
        bases = failed if is_primary else [summary.completed_attempts for summary in group]
        counts = [_with_categories(each, is_primary=is_primary) for each in labels]
        for label in sorted({label for each in counts for label in each}, key=natural_key):
            shares = [each.get(label, 0) / base for each, base in zip(counts, bases, strict=True) if base]
            yield from _range(suite, label, taxonomy, of, shares)


def _with_categories(labels: Mapping[str, int], *, is_primary: bool) -> dict[str, int]:
    categories: dict[str, int] = {}
    for label, count in labels.items() if is_primary else ():
        category, colon, _ = label.partition(":")
        if colon:
            categories[category] = categories.get(category, 0) + count
    return {**categories, **labels}


def _range(suite: str, value: str, taxonomy: str, of: str, values: Sequence[float | None]) -> Iterator[ModelRange]:
    known = sorted(each for each in values if each is not None)
    if len(known) > 1:
        first, median, third = quantiles(known, n=4, method="inclusive")
        yield ModelRange(suite, value, taxonomy, of, len(known), known[0], first, median, third, known[-1])


_ONE_TASK = "(1 task)"
_PAIRED = ("suite", "model", "against", "tasks", "difference", "95 % interval", "better", "worse", "p", "detectable")


def comparison_table(report: Report, summary_list: Sequence[Summary]) -> Table:
    """Return the table that compares every model with the best of its suite, on the tasks that both have."""
    pairs = compare_with_best(report, summary_list)
    rows = [(pair.suite, model_name(pair.right), model_name(pair.left), *_comparison_cells(pair)) for pair in pairs]
    note = "difference of pass rates, * significant; p: exact paired test; detectable: smallest difference to be found"
    return filled_table("Against the best", _PAIRED, rows, 3, note=_note(pairs, note))


def run_comparison_table(comparison: RunComparison) -> Table:
    """Return the table that compares two runs: passes with the tasks that are lost, then metrics."""
    rows: list[tuple[str, ...]] = []
    for pair in without_repeated_criteria(comparison.pairs):
        cells = _comparison_cells(pair)
        lost_tasks = (
            number_formats.count(len(comparison.lost_by(pair.suite, pair.left))) if pair.metric == PASSED else ""
        )
        means = number_formats.score(pair.comparison.left), number_formats.score(pair.comparison.right)
        start = pair.suite, model_name(pair.right), one_line(pair.metric, 40)
        rows.append((*start, *means, *cells[:5], lost_tasks, *cells[5:]))
    compared = {(pair.suite, pair.left) for pair in comparison.pairs if pair.metric == PASSED}
    every = Counter((lost.suite, lost.model) for lost in comparison.lost)
    nothing = (number_formats.NONE,) * 2 + ("0",) + (number_formats.NONE,) * 2 + ("", "")
    rows += [
        (suite, model_name(model), PASSED, *nothing, number_formats.count(count), "", "")
        for (suite, model), count in every.items()
        if (suite, model) not in compared
    ]
    headings = ("suite", "model", "value", "before", "after", *_PAIRED[3:8], "lost", *_PAIRED[8:])
    lost = "lost: tasks with a verdict before that now end in an error, have no score or are missing"
    note = _note(comparison.pairs, "* significant", *([lost] if comparison.lost else []))
    return filled_table("Comparison", headings, rows, 3, ("lost",), note)


def efficiency_table(report: Report) -> Table:
    """Return the table of tokens per task and CRE by domain; it requires two models."""
    rows = [
        (
            each.suite,
            one_line(each.domain, 40),
            model_name(each.model),
            number_formats.tokens(each.tokens),
            number_formats.score(each.cre),
        )
        for each in efficiencies(report)
    ]
    note = "CRE: 1 is the cheapest of these models, 0 the dearest (MCP-RADAR 4.2)"
    return filled_table("Efficiency", ("suite", "domain", "model", "tokens a task", "CRE"), rows, 3, note=note)


def range_table(summary_list: Sequence[Summary]) -> Table:
    """Return the range and the interquartile range over models of pass rate, metrics and failures (MCP-Atlas)."""
    rows = [
        (
            each.suite,
            one_line(f"{each.taxonomy} {each.value}" if each.taxonomy else each.value, 80),
            each.of,
            str(each.models),
            *(
                number_formats.percent(value) if each.of else number_formats.score(value)
                for value in (each.low, each.first_quartile, each.median, each.third_quartile, each.high)
            ),
        )
        for each in model_ranges(summary_list)
    ]
    headings = ("suite", "value", "share of", "models", "lowest", "25 %", "median", "75 %", "highest")
    note = "the interquartile range is from 25 % to 75 %: half of the models are in it"
    return filled_table("Ranges over models", headings, rows, 3, note=note)


def _comparison_cells(pair: PairedComparison) -> tuple[str, ...]:
    comparison = pair.comparison
    detectable = comparison.smallest_detectable
    return (
        number_formats.count(comparison.tasks),
        number_formats.difference(comparison.difference) + (" *" if comparison.is_robust else ""),
        number_formats.difference_interval(comparison.interval),
        number_formats.count(comparison.better),
        number_formats.count(comparison.worse),
        number_formats.p_value(comparison.p_value) + (f" {_ONE_TASK}" if comparison.is_decided_by_one_task else ""),
        number_formats.NONE if detectable is None else f"{detectable:.3f}",
    )


def _note(pairs: Sequence[PairedComparison], *notes: str) -> str:
    """Return the notes, the meaning of :data:`_ONE_TASK` if a row has it, and unscored shares that differ."""
    has_one = any(pair.comparison.is_decided_by_one_task for pair in pairs)
    differing = [
        f"{pair.suite}, {one_line(pair.right, 40)}: {one_line(pair.unscored_difference, 200)}"
        for pair in pairs
        if pair.unscored_difference
    ]
    meaning = f"{_ONE_TASK}: without one of the tasks the difference would not be significant, so that it has no *"
    return "; ".join([*notes, *([meaning] if has_one else []), *differing])
