"""Attachments, labels and times of attempts in the results of allure-pytest, with ``--alluredir``."""

from collections.abc import Callable, Generator
from datetime import datetime
from typing import Any

import allure
import allure_commons
import pytest
from allure_commons.logger import AllureFileLogger

from pytest_mcpbench.core.errors import error_with_place
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.plugin.collection.known_secrets import is_active, known_secrets
from pytest_mcpbench.plugin.output.report_entry import read_entry
from pytest_mcpbench.plugin.output.run_results import RunResults
from pytest_mcpbench.reporting.data.columns import SCORES
from pytest_mcpbench.reporting.data.table import AttemptRow, csv_lines, table_of
from pytest_mcpbench.reporting.forms.display_text import one_line, visible
from pytest_mcpbench.reporting.texts.attempt_text import attempt_lines, comparison_lines
from pytest_mcpbench.runs.records import read_record

_OWN_MODULES = "pytest_mcpbench."
"""Beginning of the names of the plugin's classes, with which the message of one of its errors begins."""
_FIXTURES = "pytest_mcpbench.plugin.fixtures"
"""Module of the plugin's fixtures, which imports this one in the end."""


class AllureAttachments:
    """Attaches the record of each attempt to its test case; with workers, each worker does so for its own."""

    def __init__(self, config: pytest.Config, results: RunResults) -> None:
        self._listener: Any = config.pluginmanager.get_plugin("allure_listener")
        self._results = results
        for plugin in allure_commons.plugin_manager.get_plugins():
            if isinstance(plugin, AllureFileLogger):
                _clean_files(plugin, lambda text: known_secrets(config).remove(text) if is_active(config) else text)

    # First, so that the recorder, which is a wrapper too, has written the record when this one goes on.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        entry = read_entry(report)
        if entry is not None and entry.record is not None:
            try:
                self._attach(read_record(self._results.directory, entry.record))
            except Exception as error:
                # An exception of a hook of pytest would end the run.
                text = f"the attempt is recorded, and missing in Allure's report: {error_with_place(error)}"
                report.outcome, report.longrepr = "failed", text
        return report

    def _attach(self, record: RunRecord) -> None:
        test_case = self._listener.allure_logger.get_test(None)
        _add_labels(record)
        # A test that people wrote keeps its docstring; that of the plugin's own says nothing about the task.
        if not record.test:
            allure.dynamic.description("\n\n".join(map(visible, record.turns or (record.prompt,))))
            # Allure 3 groups by it; allure-pytest puts the path of the task file there.
            test_case.titlePath = [one_line(record.suite), one_line(record.model)]
            details = test_case.statusDetails
            if details is not None and details.message.startswith(_OWN_MODULES):
                details.message = details.trace  # the same text without the class of the exception
        _attach_texts(record)
        if record.begin:
            # Set begin and end to those of the attempt, which runs before pytest calls its item: alone or
            # beside others.
            begin = datetime.fromisoformat(record.begin).timestamp()
            test_case.start, test_case.stop = round(begin * 1000), round((begin + record.seconds) * 1000)

    # First, so that allure-pytest finds nothing to write afterwards.
    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_post_finalizer(self, fixturedef: "pytest.FixtureDef[Any]") -> None:
        """Drop the container of this plugin's own fixture: each attempt would write eight files that show nothing."""
        if getattr(fixturedef.func, "__module__", "") == _FIXTURES:
            # allure-pytest has no public way to leave a fixture out.
            container = self._listener._cache.pop(fixturedef)
            if container is not None:
                self._listener.allure_logger.drop_test(container)


def _clean_files(writer: Any, clean: Callable[[str], str]) -> None:
    """Let Allure's writer of files remove secrets first: it reads exceptions and captured output, and not reports."""
    write_item, write_data = writer._report_item, writer.report_attached_data

    @allure_commons.hookimpl
    def report_attached_data(body: str | bytes, file_name: str) -> None:
        write_data(clean(body) if isinstance(body, str) else body, file_name)

    writer._report_item = lambda item: write_item(_without_secrets(item, clean))
    # The manager of plugins knows the methods that a plugin had when it was registered.
    manager, name = allure_commons.plugin_manager, allure_commons.plugin_manager.get_name(writer)
    manager.unregister(writer)
    writer.report_attached_data = report_attached_data
    manager.register(writer, name)


def _without_secrets(value: Any, clean: Callable[[str], str]) -> Any:
    """Return a value without secrets in its texts; the objects of Allure's model are changed."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_without_secrets(each, clean) for each in value]
    for field in getattr(value, "__attrs_attrs__", ()):
        setattr(value, field.name, _without_secrets(getattr(value, field.name), clean))
    return value


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
