"""Recording of attempts: each is stored in the process that ran it, and its entry kept in the one that reports."""

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.errors import McpBenchError, StorageError, error_with_place
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.options.workers import is_worker
from pytest_mcpbench.plugin.collection.item_state import ITEM_STATE, ItemState
from pytest_mcpbench.plugin.output.report_entry import attach_entry, read_entry, shorten_entry
from pytest_mcpbench.plugin.output.run_results import RunResults

if TYPE_CHECKING:
    from pytest_mcpbench.core.report import Entry

_UNSTORED = "mcpbench_unstored"
"""Attribute of the report of an attempt that cannot be stored, with the reason."""


class Recorder:
    """Recorder of the items of pytest."""

    def __init__(self, config: pytest.Config, settings: Settings, results: RunResults) -> None:
        self._config = config
        self._settings = settings
        self._results = results

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Lock a directory that others may know, before workers start and a model is asked."""
        is_run = not session.config.option.collectonly and not self._settings.runs_nothing
        if self._settings.out is not None and is_run:
            self._results.stored.lock()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        state = item.stash.get(ITEM_STATE, None)
        # The report of the call or, if there is no call, of the failed setup decides.
        if state is None or not (report.when == "call" or (report.when == "setup" and not report.passed)):
            return report
        try:
            entry = self._append(item, call, report, state)
            problem = str(entry.error) if entry.error_kind == StorageError.kind else None
        except StorageError as error:
            problem = str(error)
        except Exception as error:
            problem = f"the record could not be written: {error_with_place(error)}"
        if problem is not None:
            report.outcome, report.longrepr = "failed", problem
            setattr(report, _UNSTORED, problem)
        return report

    def _append(
        self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport, state: ItemState
    ) -> "Entry":
        """Store the record of an item, and return its entry, which the report has too.

        An exception of a hook of pytest would end the run, and with it all other attempts.
        """
        # Imported here: only runs with tasks need it, and it brings the models of records.
        from pytest_mcpbench.plugin.output import item_records

        try:
            entry = self._results.stored.append(item_records.record_of_item(item, call, report, state))
        except StorageError:
            raise
        except Exception as failure:
            entry = self._results.stored.append(item_records.record_without_evidence(item, state, failure))
        try:
            item_records.show(item, call, report, entry)
        except Exception as error:
            problem = f"the attempt is recorded, and missing in the report of JUnit: {error_with_place(error)}"
            report.outcome, report.longrepr = "failed", problem
        attach_entry(report, entry)
        if entry.error_kind == McpBenchError.kind and not report.failed:
            report.outcome, report.longrepr = "failed", entry.error
        return entry

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Release the evidence once the item is done: pytest keeps its items, and with them their stash, to the end."""
        try:
            return (yield)
        finally:
            if ITEM_STATE in item.stash:
                del item.stash[ITEM_STATE]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
        """Keep the entry; a wrapper, because pytest-xdist sends it to the controller in the same hook."""
        self._stop_if_unstored(report)
        entry = read_entry(report)
        if entry is not None:
            self._results.stored.lock()
            if not self._results.entries and not is_worker(self._config):
                with self._results.writing("that the run goes on"):
                    self._results.stored.mark_as_running()
            self._results.keep(entry)
        yield
        shorten_entry(report)

    def pytest_unconfigure(self) -> None:
        if self._results.is_stored:
            with self._results.writing("the end of the run"):
                self._results.stored.close(self._results.entries)

    def _stop_if_unstored(self, report: pytest.TestReport) -> None:
        """End the run in order if the attempt of the report cannot be stored, in the process that has all reports."""
        problem: str | None = getattr(report, _UNSTORED, None)
        # pytest-xdist's own session checks its attribute, pytest's session the one of that name.
        manager = self._config.pluginmanager
        session: Any = manager.get_plugin("dsession") or manager.get_plugin("session")
        if problem is not None and session is not None and not is_worker(self._config):
            session.shouldstop = problem
