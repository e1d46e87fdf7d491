"""The HTML page of a report: sections with charts, the attempts of all records, and every table."""

from collections.abc import Iterator

from markupsafe import Markup

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.page.attempt_blocks import ReadRecord, attempt_blocks
from pytest_mcpbench.reporting.page.document import page
from pytest_mcpbench.reporting.page.section import Section, table_markup
from pytest_mcpbench.reporting.sections.report_sections import report_sections
from pytest_mcpbench.reporting.tables import detail_tables, main_tables

TITLE = "mcpbench report"


def report_page(report: Report, read: ReadRecord) -> Iterator[str]:
    """Yield the parts of the page; each record is read when its attempt is written."""
    before, after = page_sections(report)
    yield from page(title=TITLE, sections=before, attempts=attempt_blocks(report.entries, read), closing=after)


def page_sections(report: Report) -> tuple[tuple[Section, ...], tuple[Section, ...]]:
    """Return the sections before the list of attempts and those after it."""
    before, after = report_sections(report)
    tables = Markup().join(map(table_markup, (*main_tables(report), *detail_tables(report))))
    return before, (*((Section("tables", "Tables", tables),) if tables else ()), *after)
