"""Range and interquartile range over models of pass rates, metrics and failure labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles

from pytest_mcpbench.core.model_names import compared_models
from pytest_mcpbench.core.natural_order import natural_key
from pytest_mcpbench.core.statistics.groups import group_by
from pytest_mcpbench.reporting.summary import Summary

PASS_RATE = "pass rate"
OF_FAILED = "failed attempts"
OF_ALL = "attempts"
_PRIMARY = ("atlas_primary", "atlas_primary_2025")
"""Taxonomies in which each failed attempt has one label, so that its shares add up to 1."""


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
    return tuple(
        each
        for suite, group in group_by(summary_list, lambda summary: summary.suite).items()
        for each in _ranges_of_suite(suite, _of_models(group))
    )


def _of_models(group: Sequence[Summary]) -> Sequence[Summary]:
    models = compared_models(summary.model for summary in group)
    return [summary for summary in group if summary.model in models]


def _ranges_of_suite(suite: str, group: Sequence[Summary]) -> Iterator[ModelRange]:
    yield from _range(suite, PASS_RATE, "", "attempts with a verdict", [summary.pass_rate for summary in group])
    for metric in dict.fromkeys(name for summary in group for name in summary.metrics):
        means = [summary.metrics[metric].macro for summary in group if metric in summary.metrics]
        yield from _range(suite, metric, "", "", means)
    for taxonomy in dict.fromkeys(name for summary in group for name in summary.failures):
        yield from _ranges_of_taxonomy(suite, taxonomy, group)


def _ranges_of_taxonomy(suite: str, taxonomy: str, group: Sequence[Summary]) -> Iterator[ModelRange]:
    """Yield the range of each label and, where labels are ``category:pattern``, of each category of primary modes."""
    is_primary = taxonomy in _PRIMARY
    of = OF_FAILED if is_primary else OF_ALL
    bases = [summary.failed if is_primary else summary.completed_attempts for summary in group]
    counts = [_with_categories(summary.failures.get(taxonomy, {}), is_primary=is_primary) for summary in group]
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
