"""End of a run: why it ended before all of its attempts had run, what failed, and the exit code."""

import re
import sys
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.options.option import only_lists
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.options.worker_channel import WorkerChannel, receive_output
from pytest_mcpbench.options.workers import is_worker
from pytest_mcpbench.plugin.collection.item_state import SELECTED
from pytest_mcpbench.plugin.collection.jobs import job_of_attempt
from pytest_mcpbench.plugin.collection.known_secrets import cleaned_usage_error, known_secrets
from pytest_mcpbench.plugin.execution.session_door import SessionDoor
from pytest_mcpbench.plugin.output.report_entry import has_entry
from pytest_mcpbench.plugin.output.run_results import RunResults
from pytest_mcpbench.reporting.forms.number_formats import quantity

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.scheduler import PendingAttempt
    from pytest_mcpbench.plugin.execution.session import Session


_LONGEST_REASON = 300
_OF_ARGUMENTS = re.compile(r"^.*?: error: (?P<text>.*)$", re.MULTILINE)
"""What is wrong, in a message that begins with the usage of pytest."""
_UNEXPECTED_PASS = "[XPASS(strict)]"
_OWN_CLASS = re.compile(r"^pytest_mcpbench(\.\w+)+: ")


class RunEnd:
    """Counts attempts and tests, and stores why the run ended before all of them had run."""

    def __init__(self, config: pytest.Config, channel: "WorkerChannel", results: RunResults, door: SessionDoor) -> None:
        self._config = config
        self._channel = channel
        self._results = results
        self._door = door
        self._interruption: str | None = None
        self.internal_errors: list[tuple[str, str]] = []
        """Class and text of each error of pytest or of a plugin that ended the run, or a worker of it."""
        self._ended: set[str] = set()
        """Node ids of the tests that ended, attempts or not."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Count after ``-k`` and the other options that deselect, and before the facts of the run are written."""
        count = sum(job_of_attempt(item) is not None for item in items)
        self._config.stash[SELECTED] = self._channel.output.selected = count

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the tests with the gates that were added to them."""
        self._channel.output.tests = len(session.items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "setup":
            self._ended.add(report.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the numbers of any worker: all collect the same items, and the controller collects none."""
        output = receive_output(node)
        if output.selected is not None:
            self._config.stash[SELECTED] = output.selected
        self._channel.output.tests = output.tests or self._channel.output.tests

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self._interruption = str(excinfo.value) or "Ctrl-C"

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self.internal_errors.append((excinfo.typename, str(excinfo.value)[:_LONGEST_REASON]))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Store the end; first, because the reports state it."""
        if not self._channel.is_worker and self._results.has_begun:
            with self._results.writing("the end of the run"):
                self._results.stored.store_end(self._end(session))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say of a run that was interrupted before any attempt had ended that it leaves nothing."""
        selected = self._config.stash.get(SELECTED, None)
        if self._interruption is not None and selected and not self._results.exist and not self._channel.is_worker:
            # Imported here: only interrupted runs need it, and it brings the models of records.
            from pytest_mcpbench.runs.records import has_records

            is_kept = self._results.is_stored and has_records(self._results.directory)
            told = f"attempts that had ended are kept in {self._results.directory}"
            told = told if is_kept else "no attempt had ended, so that nothing is recorded"
            terminalreporter.write_line(
                f"mcpbench: interrupted: 0 of {quantity(selected, 'attempt')} ran ({self._interruption}); {told}",
                red=True,
            )

    def _end(self, session: pytest.Session) -> dict[str, Any] | None:
        """Return why the run ended and how many attempts it has; ``None`` if nothing kept them from running."""
        opened = self._door.opened
        budget_reason = opened.budget_stop.reason if opened is not None else None
        if self._interruption is not None:
            cause, reason = "interrupted", self._interruption
        elif self.internal_errors:
            cause, reason = "internal error", ": ".join(self.internal_errors[-1])[:_LONGEST_REASON]
        elif session.shouldfail:
            cause, reason = "stopped", str(session.shouldfail)
        elif budget_reason is not None:
            cause, reason = "budget", budget_reason
        else:
            return None
        output = self._channel.output
        # What finished ahead of its test is recorded, so that nothing of it is missing.
        ended = len(self._ended) + output.unreported_attempts
        left = max(0, output.tests - ended) if output.tests is not None else None
        selected = self._config.stash.get(SELECTED, None)
        return {"cause": cause, "reason": reason, "selected": selected, "tests_left": left}


class RunVerdict:
    """Stores what else than attempts failed, with the exit code, and writes the comment that begins with them."""

    def __init__(
        self, config: pytest.Config, settings: Settings, channel: WorkerChannel, results: RunResults, end: RunEnd
    ) -> None:
        self._config = config
        self._settings = settings
        self._channel = channel
        self._results = results
        self._end = end
        self._failed: list[tuple[str, str, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the failure of a test that is no attempt, of which the entry tells, and a pass that was not expected."""
        is_unexpected_pass = report.failed and report.longreprtext.startswith(_UNEXPECTED_PASS)
        if report.failed and (not has_entry(report) or report.when == "teardown" or is_unexpected_pass):
            self._failed.append(_failed_test(report))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._failed.append(_failed_test(report))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        """Store them last: other wrappers change the exit code. The exception of another plugin costs no report."""
        self._failed += [("internal error", *error) for error in self._end.internal_errors]
        usage_error = sys.exception()
        if isinstance(usage_error, pytest.UsageError) and not self._results.exist:
            self._failed.append(early_failure(self._config, usage_error))
        if not self._channel.is_worker:
            # Reports that are written before the end tell of them, too.
            with self._results.writing("the tests that failed"):
                self._results.store_facts({"failed_tests": self._failed})
        try:
            yield
        except Exception as error:
            self._failed.append(("internal error", type(error).__name__, str(error)[:_LONGEST_REASON]))
            # Python's own for an exception that nobody handles, as pytest leaves this one.
            session.exitstatus = session.exitstatus or 1
            raise
        finally:
            self._store(session)

    def _store(self, session: pytest.Session) -> None:
        session.exitstatus = self._results.exit_code(session.exitstatus)
        # A run without an attempt has a comment too: that of the run before must not stay.
        if self._channel.is_worker or (only_lists(self._config.option) and not session.exitstatus):
            return
        facts = {"exit_code": int(session.exitstatus), "failed_tests": self._failed}
        if self._results.exist:
            with self._results.writing("the exit code"):
                self._results.stored.store_facts(facts)
        if self._settings.markdown is not None:
            with self._results.writing("the comment of --mcpbench-markdown", "--format markdown --out FILE"):
                # Imported here: only runs with this option need it.
                from pytest_mcpbench.core.report import Report
                from pytest_mcpbench.reporting.pull_request import report

                visible = known_secrets(self._config).remove_from(facts)
                whole = self._results.report() if self._results.exist else Report(facts=visible)
                self._settings.markdown.write_text(report.text(whole), encoding="utf-8", errors="backslashreplace")
            session.exitstatus = self._results.exit_code(session.exitstatus)


def _failed_test(report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str, str]:
    """Return the kind of the test, its node id and the first line of its message that says something."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else report.longreprtext
    kind = "collection" if isinstance(report, pytest.CollectReport) else "test"
    # syrupy compares with ``- snapshot``.
    named = [(kind, f"::{kind}[" in report.nodeid) for kind in ("lock", "lint", "findability")]
    named.append(("snapshot", "snapshot" in text))
    kind = next((name for name, applies in named if applies), kind)
    # pytest-xdist puts a line with the worker before a text.
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("[gw")]
    if kind == "snapshot" and lines[0].endswith("[- snapshot]"):
        told = lines[1:]  # what is new stands behind the comparison, which is the same for all snapshots
    elif kind == "collection":
        # pytest marks the error; before it stands the traceback, which begins in pytest's own files.
        told = [line.removeprefix("E").strip() for line in lines if line.startswith("E ")][-1:] or lines
    else:
        told = lines
    # What an exception of ours says is a sentence without its class.
    reason = _OWN_CLASS.sub("", next(iter(told), ""))
    return kind, report.nodeid, reason[:_LONGEST_REASON]


def early_failure(config: pytest.Config, error: Exception) -> tuple[str, str, str]:
    """Return kind, name and text of an error, as the facts of a run have them, without secrets."""
    is_usage = isinstance(error, pytest.UsageError)
    told = cleaned_usage_error(config, pytest.UsageError(*(error.args if is_usage else (error,))))
    text = "\n".join(told.args)
    if not is_usage:
        return "internal error", type(error).__name__, text
    wrong = _OF_ARGUMENTS.search(text)
    return "usage error", "pytest", wrong["text"] if wrong else text


# Attempts that finished ahead of the item at which the run ended: recorded, although pytest does not report them.


class UnreportedAttempts:
    """Ends look-ahead with the session and records what has finished, so that a resumed run need not repeat it."""

    def __init__(self, door: SessionDoor, results: RunResults, channel: "WorkerChannel") -> None:
        self._door = door
        self._results = results
        self._channel = channel

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Record and cancel; first, so that nothing that is discarded runs on while others write their reports."""
        opened = self._door.opened
        if opened is not None:
            for each in opened.scheduler.drain():
                with self._results.writing("an attempt that finished ahead of the end of the run"):
                    self._channel.output.unreported_attempts += self._record(opened, *each)
        nodes = getattr(session.config.pluginmanager.get_plugin("dsession"), "nodemanager", None)
        if exitstatus == pytest.ExitCode.INTERRUPTED and nodes is not None:
            # Workers record until they end, and what they say of it is not heard any more.
            nodes.teardown_nodes()
            before = len(self._results.entries)
            with self._results.writing("the attempts of workers that ended with the run"):
                self._results.add_unreported()
            self._channel.output.unreported_attempts = len(self._results.entries) - before
        elif self._channel.output.unreported_attempts and not self._channel.is_worker:
            with self._results.writing("the attempts that finished ahead of the end of the run"):
                self._channel.output.unreported_attempts += self._results.add_unreported()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._channel.output.unreported_attempts += receive_output(node).unreported_attempts

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        count = self._channel.output.unreported_attempts
        if count:
            attempts = "1 attempt" if count == 1 else f"{count} attempts"
            terminalreporter.write_line(
                f"mcpbench: {attempts} finished ahead of the end of the run: recorded for --mcpbench-resume"
            )

    def _record(self, session: "Session", item: pytest.Item, job: "Job", pending: "PendingAttempt") -> bool:
        """Record the attempt unless it is an error; return whether it is recorded."""
        if pending.future.exception() is not None or pending.future.result().error is not None:
            return False
        from pytest_mcpbench.core.errors import MetricError, StorageError
        from pytest_mcpbench.plugin.collection.item_state import ItemState
        from pytest_mcpbench.plugin.output.recorder import record_of_unreported

        result = pending.future.result()
        try:
            scorecard = session.scorer.scorecard(job, job.task, result.evidence)
        except MetricError:
            return False
        started_at = pending.description.started_at
        state = ItemState(job, started_at, result.seconds, result.evidence, scorecard, pending.description)
        try:
            self._results.stored.append(record_of_unreported(item, state))
        except StorageError:  # the disk is full, which has ended the run; what the journal has is kept
            return False
        return True


class UnscoredAttempts:
    """Fails a run in which nothing was decided and, with ``--mcpbench-unscored=fail``, one with an unscored attempt."""

    def __init__(self, settings: Settings, results: RunResults) -> None:
        self._settings = settings
        self._results = results

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        """Set the exit code; failures and interruptions keep theirs."""
        yield
        if session.exitstatus == pytest.ExitCode.OK and not is_worker(session.config) and self._problem() is not None:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        problem = self._problem()
        if problem is not None and not is_worker(terminalreporter.config):
            terminalreporter.write_line(f"mcpbench: {problem}", red=True)

    def _problem(self) -> str | None:
        """Return why the attempts without a verdict fail the run, or ``None``."""
        entries = self._results.entries
        # A test that skips itself is unscored without lacking a score.
        unscored = [
            each
            for each in entries
            if each.outcome == "unscored" and any(name in each.unscored for name in each.floors)
        ]
        if unscored and not any(entry.outcome in ("passed", "failed") for entry in entries):
            return "the run fails, because none of its attempts has a verdict; --mcpbench-judge=MODEL may decide them"
        # The gate decides about the attempts of a comparison.
        counted = [entry for entry in unscored if not entry.arm]
        if counted and self._settings.unscored == "fail":
            attempts = "1 attempt is" if len(counted) == 1 else f"{len(counted):,} attempts are"
            return f"the run fails, because {attempts} unscored (--mcpbench-unscored=fail)"
        return None


def write_early_comment(config: pytest.Config, file: Path) -> None:
    """Write the comment if an exception is being handled that ended the run, unless the session has written one."""
    error = sys.exception()
    if not isinstance(error, Exception) or is_worker(config):
        return
    from pytest_mcpbench.core.report import Report
    from pytest_mcpbench.reporting.pull_request import report

    facts = {"failed_tests": [list(early_failure(config, error))]}
    code = {"exit_code": int(pytest.ExitCode.USAGE_ERROR)} if isinstance(error, pytest.UsageError) else {}
    # pytest tells the error in any case.
    with suppress(OSError):
        if file.exists():
            return
        text = report.text(Report(facts={**facts, **code}))
        file.write_text(text, encoding="utf-8", errors="backslashreplace")
