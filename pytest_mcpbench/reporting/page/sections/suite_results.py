"""Results of one suite, which several sections show and which take a moment to compute."""

import re
from dataclasses import dataclass

from pytest_mcpbench.core.model_names import compared_models
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.aggregates.summary import Summary, summaries
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.natural_order import natural_key


@dataclass(frozen=True)
class SuiteResults:
    """Entries of one suite and their summaries by model."""

    suite: str
    slug: str
    """Name of the suite for ids and addresses, unique in the report."""
    entries: tuple[Entry, ...]
    summaries: tuple[Summary, ...]
    """One per model, in natural order, agents without a model last; sections have this order and these colours."""

    @property
    def report(self) -> Report:
        """Return the entries as a report of their own, for tables."""
        return Report(entries=self.entries)

    @property
    def compared(self) -> tuple[Summary, ...]:
        """Return the summaries of the models; those of agents without a model if there are no others."""
        models = compared_models(self.models)
        return tuple(summary for summary in self.summaries if summary.model in models)

    @property
    def references(self) -> tuple[Summary, ...]:
        """Return the summaries of agents without a model beside models."""
        return tuple(summary for summary in self.summaries if summary not in self.compared)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(summary.model for summary in self.summaries)

    def section_id(self, section: str) -> str:
        """Return the id of this suite's part of a section."""
        return f"{section}-{self.slug}"


def suite_results(report: Report) -> tuple[SuiteResults, ...]:
    """Return the results of each suite, in natural order."""
    groups = group_by(report.entries, lambda entry: entry.series)
    names = sorted(groups, key=natural_key)
    slugs: list[str] = []
    for name in names:
        slug = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-") or "suite"
        slugs.append(slug if slug not in slugs else f"{slug}-{len(slugs)}")
    return tuple(
        SuiteResults(name, slug, tuple(groups[name]), summaries(Report(entries=tuple(groups[name]))))
        for name, slug in zip(names, slugs, strict=True)
    )
