"""Order of the sections on the page of a report."""

from collections.abc import Iterator, Mapping

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.page.sections.costs import costs_section
from pytest_mcpbench.reporting.page.sections.downloads import downloads_section
from pytest_mcpbench.reporting.page.sections.failures import failures_section
from pytest_mcpbench.reporting.page.sections.glossary import glossary_section
from pytest_mcpbench.reporting.page.sections.leaderboard import leaderboard_section
from pytest_mcpbench.reporting.page.sections.matrix import matrix_section
from pytest_mcpbench.reporting.page.sections.profile import profile_section
from pytest_mcpbench.reporting.page.sections.suite_results import suite_results
from pytest_mcpbench.reporting.page.sections.sweep import sweep_section
from pytest_mcpbench.reporting.page.sections.tools import tools_section
from pytest_mcpbench.reporting.page.sections.verdict import verdict_section
from pytest_mcpbench.reporting.tables.breakdown import requested_breakdowns, suite_grids
from pytest_mcpbench.reporting.tables.grid import as_table
from pytest_mcpbench.reporting.tables.section import Section, table_section

# Sections with the tables of metrics by tags that the settings of a run ask for.


def breakdown_sections(report: Report) -> Iterator[Section]:
    """Yield a section for each table, with a tab for each suite."""
    for number, breakdown in enumerate(requested_breakdowns(report.facts), 1):
        for index, each in enumerate(suite_grids(report, breakdown), 1):
            anchor = f"by-tags-{number}-{index}"
            yield table_section(anchor, breakdown.title, as_table(each.grid), suite=each.suite)


_OF_A_SUITE = (
    leaderboard_section,
    costs_section,
    sweep_section,
    profile_section,
    matrix_section,
    failures_section,
    tools_section,
)


def report_sections(
    report: Report, *, descriptions: Mapping[str, str] | None = None
) -> tuple[tuple[Section, ...], tuple[Section, ...]]:
    """Return the sections before the list of attempts and those after it.

    Args:
        report: The results.
        descriptions: First sentences about metrics, for the glossary; a metric without one is named all the same.
    """
    results = suite_results(report)
    before = [verdict_section(report, results)]
    for section in _OF_A_SUITE:
        made = [section(each) for each in results]
        before += [each for each in made if each is not None]
    before += breakdown_sections(report)
    return tuple(before), (glossary_section(results, descriptions or {}), downloads_section(report, results))
