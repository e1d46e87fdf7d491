"""The HTML page of a report: sections with charts and tables, and the attempts of all records."""

from collections.abc import Iterator, Mapping

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.page.attempt_blocks import ReadRecord, attempt_blocks
from pytest_mcpbench.reporting.page.document import page
from pytest_mcpbench.reporting.sections.report_sections import report_sections

TITLE = "mcpbench report"


def report_page(report: Report, read: ReadRecord, *, descriptions: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield the parts of the page; each record is read when its attempt is written.

    ``descriptions`` are those of metrics, for the glossary.
    """
    before, after = report_sections(report, descriptions=descriptions)
    yield from page(title=TITLE, sections=before, attempts=attempt_blocks(report.entries, read), closing=after)
