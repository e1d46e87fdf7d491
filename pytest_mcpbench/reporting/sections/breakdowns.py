"""Sections with the tables of metrics by tags that the settings of a run ask for."""

from collections.abc import Iterator

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.breakdown import requested_breakdowns, suite_grids
from pytest_mcpbench.reporting.grid import as_table
from pytest_mcpbench.reporting.page.section import Section, table_section


def breakdown_sections(report: Report) -> Iterator[Section]:
    """Yield a section for each table, with a tab for each suite."""
    for number, breakdown in enumerate(requested_breakdowns(report.facts), 1):
        for index, each in enumerate(suite_grids(report, breakdown), 1):
            anchor = f"by-tags-{number}-{index}"
            yield table_section(anchor, breakdown.title, as_table(each.grid), suite=each.suite)
