"""The HTML page of a report: sections with charts and tables, and the attempts of all records."""

from collections.abc import Iterator, Mapping

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.page.attempt_blocks import AttemptBlocks
from pytest_mcpbench.reporting.page.document import page
from pytest_mcpbench.reporting.page.sections.report_sections import report_sections

TITLE = "mcpbench report"


def report_page(
    report: Report, attempts: AttemptBlocks, *, descriptions: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Yield the parts of the page.

    Args:
        report: The results.
        attempts: The data of the attempts, see :mod:`~pytest_mcpbench.reporting.page.attempt_blocks`.
        descriptions: Those of metrics, for the glossary.
    """
    before, after = report_sections(report, descriptions=descriptions)
    yield from page(title=TITLE, sections=before, attempts=attempts(report.entries), closing=after)
