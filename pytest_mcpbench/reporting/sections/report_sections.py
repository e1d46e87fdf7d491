"""Order of the sections on the page of a report."""

from collections.abc import Mapping

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.page.section import Section
from pytest_mcpbench.reporting.sections.breakdowns import breakdown_sections
from pytest_mcpbench.reporting.sections.costs import costs_section
from pytest_mcpbench.reporting.sections.downloads import downloads_section
from pytest_mcpbench.reporting.sections.failures import failures_section
from pytest_mcpbench.reporting.sections.glossary import glossary_section
from pytest_mcpbench.reporting.sections.leaderboard import leaderboard_section
from pytest_mcpbench.reporting.sections.matrix import matrix_section
from pytest_mcpbench.reporting.sections.profile import profile_section
from pytest_mcpbench.reporting.sections.suite_results import suite_results
from pytest_mcpbench.reporting.sections.sweep import sweep_section
from pytest_mcpbench.reporting.sections.tools import tools_section
from pytest_mcpbench.reporting.sections.verdict import verdict_section

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
