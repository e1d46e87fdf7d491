"""Attachments and labels of attempts in the results of allure-pytest, with ``--alluredir``."""

from collections.abc import Generator

import allure
import pytest

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.plugin.output.report_entry import read_entry
from pytest_mcpbench.plugin.output.run_results import RunResults
from pytest_mcpbench.reporting.data.columns import SCORES
from pytest_mcpbench.reporting.data.table import AttemptRow, csv_lines, table_of
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.texts.attempt_text import attempt_lines, comparison_lines
from pytest_mcpbench.runs.records import read_record


class AllureAttachments:
    """Attaches the record of each attempt to its test case; with workers, each worker does so for its own."""

    def __init__(self, results: RunResults) -> None:
        self._results = results

    # First, so that the recorder, which is a wrapper too, has written the record when this one goes on.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        entry = read_entry(report)
        if entry is not None and entry.record is not None:
            record = read_record(self._results.directory, entry.record)
            _add_labels(record)
            _attach_texts(record)
        return report


def _add_labels(record: RunRecord) -> None:
    """Add what Allure groups and filters by, on one line each and without control characters."""
    allure.dynamic.parent_suite(one_line(record.suite))
    allure.dynamic.suite(one_line(record.model))
    allure.dynamic.label("model", one_line(record.model))
    allure.dynamic.label("outcome", record.outcome)
    for name, value in record.tags.items():
        allure.dynamic.tag(one_line(f"{name}: {value}"))
    for taxonomy, labels in record.failures.items():
        for label in labels:
            allure.dynamic.label(f"failure.{taxonomy}", label)


def _attach_texts(record: RunRecord) -> None:
    allure.attach("\n".join(attempt_lines(record)), "attempt", allure.attachment_type.TEXT)
    comparison = "\n".join(comparison_lines(record))
    if comparison:
        allure.attach(comparison, "expected and actual calls", allure.attachment_type.TEXT)
    scores = tuple(SCORES.rows(AttemptRow("", record, {})))
    if scores:
        allure.attach("".join(csv_lines(table_of(SCORES, scores))), "scores", allure.attachment_type.CSV)
