"""Recording of attempts: each is stored in the process that ran it, and its entry kept in the one that reports."""

from collections.abc import Generator
from datetime import UTC, datetime
from typing import Any

import pytest

from pytest_mcpbench.core.arm import fresh_arm
from pytest_mcpbench.core.errors import McpBenchError, StorageError, error_with_place
from pytest_mcpbench.core.planning import AttemptDescription
from pytest_mcpbench.core.record import ErrorFacts, Outcome, RunRecord
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.score import Scorecard
from pytest_mcpbench.core.usage import NO_USAGE
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.options.workers import is_worker
from pytest_mcpbench.plugin.collection.failures import AttemptError, ShortfallError
from pytest_mcpbench.plugin.collection.item_state import ITEM_STATE, ItemState
from pytest_mcpbench.plugin.collection.jobs import Job, describe_item
from pytest_mcpbench.plugin.output.report_entry import attach_entry, read_entry, shorten_entry
from pytest_mcpbench.plugin.output.run_results import RunResults
from pytest_mcpbench.runs.attempt_records import make_record

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
    ) -> Entry:
        """Store the record of an item, and return its entry, which the report has too.

        An exception of a hook of pytest would end the run, and with it all other attempts.
        """
        try:
            entry = self._results.stored.append(record_of_item(item, call, report, state))
        except StorageError:
            raise
        except Exception as failure:
            entry = self._results.stored.append(record_without_evidence(item, state, failure))
        try:
            show(item, call, report, entry)
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
        # End the run in order if the attempt of the report cannot be stored, in the process that has all reports.
        problem: str | None = getattr(report, _UNSTORED, None)
        # pytest-xdist's own session checks its attribute, pytest's session the one of that name.
        manager = self._config.pluginmanager
        session: Any = manager.get_plugin("dsession") or manager.get_plugin("session")
        if problem is not None and session is not None and not is_worker(self._config):
            session.shouldstop = problem
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


# Records of items: the evidence of an attempt with its scores, outcome and error.


def record_of_item(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport, state: ItemState
) -> RunRecord:
    """Return the record of an item that pytest has reported."""
    error = _error(call, report)
    record = _record(_description(item, state), state, _outcome(call, report, state, error), error)
    return record.model_copy(update={"is_xfail": _is_xfailed(report) or _is_xpassed(report)})


def record_without_evidence(item: pytest.Item, state: ItemState, failure: Exception) -> RunRecord:
    """Return the record of an item whose own record cannot be made or written."""
    error = ErrorFacts(kind="internal", message=f"the record could not be written: {error_with_place(failure)}")
    return make_record(_describe(item.nodeid, state), None, None, outcome="error", error=error, seconds=state.seconds)


def record_of_unreported(item: pytest.Item, state: ItemState) -> RunRecord:
    """Return the record of a finished attempt whose item pytest did not reach; its scores decide the outcome."""
    card = state.scorecard or Scorecard(scores={})
    return _record(_description(item, state), state, card.verdict, None)


def record_of_fresh_trial(node_id: str, state: ItemState, error: McpBenchError | None) -> RunRecord:
    """Return the record of an attempt that is no item of pytest: a fresh trial of a gate."""
    facts = ErrorFacts(kind=error.kind, message=str(error)) if error is not None else None
    outcome = "error" if error is not None else (state.scorecard or Scorecard(scores={})).verdict
    record = _record(_describe(node_id, state), state, outcome, facts)
    # Apart from the first trials, because only tasks that changed have fresh ones.
    return record.model_copy(update={"arm": fresh_arm(record.arm)})


def record_of_crash(item: pytest.Item, job: Job, worker: str) -> RunRecord:
    """Return the record of an attempt during which its worker of pytest-xdist crashed."""
    error = ErrorFacts(kind="worker", message=f"the worker {worker} crashed during the attempt")
    state = ItemState(job, datetime.now(UTC).isoformat(timespec="milliseconds"))
    return _record(_describe(item.nodeid, state), state, "error", error)


def _describe(node_id: str, state: ItemState) -> AttemptDescription:
    """Return the description of an attempt that is no item of this process."""
    return state.job.description.model_copy(update={"node_id": node_id, "started_at": state.started_at})


def _description(item: pytest.Item, state: ItemState) -> AttemptDescription:
    return state.description or describe_item(item, state.job, state.started_at)


def _record(description: AttemptDescription, state: ItemState, outcome: Outcome, error: ErrorFacts | None) -> RunRecord:
    task = state.job.loaded.task
    record = make_record(
        description,
        state.job.task if task else None,
        state.evidence,
        outcome=outcome,
        scores=state.scorecard,
        error=error,
        seconds=state.seconds,
    )
    return record.model_copy(update={"is_taken_over": state.is_taken_over, "original_start": state.original_start})


def junit_properties(entry: Entry) -> list[tuple[str, Any]]:
    """Return what JUnit reports show of an attempt: short plain values."""
    identity = [("suite", entry.suite), ("model", entry.model), ("trial", entry.trial), ("outcome", entry.outcome)]
    scores = [
        (
            f"score.{name}",
            round(value, 6) if value is not None else "n/a" if name in entry.not_applicable else "unscored",
        )
        for name, value in entry.scores.items()
    ]
    verdicts = [(f"verdict.{scoring}", verdict) for scoring, verdict in entry.verdicts.items()]
    effort = [("rounds", entry.steps), ("tool_calls", entry.tool_calls)]
    costs = [("cost_usd", _known(entry.usage.cost_usd)), ("judge_cost_usd", _known(entry.judge_usage.cost_usd))]
    has_user = entry.user_usage != NO_USAGE
    costs += [("user_cost_usd", _known(entry.user_usage.cost_usd))] if has_user else []
    return [*identity, *verdicts, *scores, *effort, *costs]


def show(item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport, entry: Entry) -> None:
    """Add the attempt to the JUnit report, and leave the traceback of a complete message out."""
    item.user_properties.extend(junit_properties(entry))
    # pytest has copied the item's properties when it made the report.
    report.user_properties = list(item.user_properties)
    if call.excinfo is not None and isinstance(call.excinfo.value, McpBenchError | AttemptError | ShortfallError):
        report.longrepr = str(call.excinfo.value)


def _known(cost_usd: float | None) -> float | str:
    return "unknown" if cost_usd is None else cost_usd


def _error(call: pytest.CallInfo[None], report: pytest.TestReport) -> ErrorFacts | None:
    if call.excinfo is None or not (report.failed or _is_xfailed(report)):
        return None
    raised = call.excinfo.value
    if isinstance(raised, pytest.xfail.Exception):
        return None
    error = raised.error if isinstance(raised, AttemptError) else raised
    if isinstance(error, McpBenchError):
        return ErrorFacts(kind=error.kind, message=str(error))
    return ErrorFacts(kind="internal", message=call.excinfo.exconly()) if report.when == "setup" else None


def _outcome(
    call: pytest.CallInfo[None], report: pytest.TestReport, state: ItemState, error: ErrorFacts | None
) -> Outcome:
    """Return the outcome of the attempt itself; the report of an item with the mark ``xfail`` inverts it."""
    if error is not None:
        return "error"
    if _is_xfailed(report) and call.excinfo is not None:
        return "failed"
    if report.failed and not _is_xpassed(report):
        return "failed"
    is_unscored = report.skipped or (state.scorecard is not None and state.scorecard.unscored)
    return "unscored" if is_unscored else "passed"


def _is_xfailed(report: pytest.TestReport) -> bool:
    """Return whether the item is marked ``xfail`` and pytest accepts its result."""
    return hasattr(report, "wasxfail")


def _is_xpassed(report: pytest.TestReport) -> bool:
    """Return whether pytest fails the item only because it passed.

    pytest marks such a report by the text of its ``longrepr`` only.
    """
    return isinstance(report.longrepr, str) and report.longrepr.startswith("[XPASS(strict)]")
