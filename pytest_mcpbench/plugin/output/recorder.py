"""Records of attempts on disk, and the report of the run."""

import time
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.errors import StorageError
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.plugin.collection.item_state import ITEM_STATE, ItemState
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
from pytest_mcpbench.plugin.execution.resume import forget_lost_workers
from pytest_mcpbench.plugin.output.report_entry import attach_entry, read_entry, shorten_entry

if TYPE_CHECKING:
    from pytest_mcpbench.core.gate.result import GateResult
    from pytest_mcpbench.core.record import RunRecord
    from pytest_mcpbench.core.report import Entry, Report
    from pytest_mcpbench.options.worker_channel import WorkerChannel

# End of a run whose evidence or records cannot be written any more.

_ATTRIBUTE = "mcpbench_unstored"


def fail_unstored(report: pytest.TestReport, problem: str) -> None:
    """Turn the report of an attempt that cannot be stored into a failure which ends the run."""
    report.outcome, report.longrepr = "failed", problem
    setattr(report, _ATTRIBUTE, problem)


def stop_if_unstored(config: pytest.Config, report: pytest.TestReport) -> None:
    """End the run in order if the attempt of the report cannot be stored, in the process that has all reports."""
    problem: str | None = getattr(report, _ATTRIBUTE, None)
    # pytest-xdist's own session checks its attribute, pytest's session the one of that name.
    session: Any = config.pluginmanager.get_plugin("dsession") or config.pluginmanager.get_plugin("session")
    if problem is not None and session is not None and not hasattr(config, "workerinput"):
        session.shouldstop = problem


class Recorder:
    """Writes records in the process that runs the attempts; gathers their entries in the one that reports."""

    def __init__(self, config: pytest.Config, settings: Settings, channel: "WorkerChannel") -> None:
        self._config = config
        self._settings = settings
        self._channel = channel
        self._writer: Any = None
        self._entries: dict[str, Entry] = {}
        self._gates: dict[str, GateResult] = {}
        self.directory = _directory(config, settings, channel)
        self._lock: Any = None
        self._facts_file = self.directory / "run.json"
        self._is_first = not self._facts_file.exists()
        """True if no run wrote into the directory before this one."""
        self._started_seconds = time.time()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Lock a directory that others may know, before workers start and a model is asked."""
        is_run = not session.config.option.collectonly and not self._settings.runs_nothing
        if self._settings.out is not None and is_run:
            self._lock_directory()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        state = item.stash.get(ITEM_STATE, None)
        if state is not None and _is_decisive(report):
            try:
                self._record(item, call, report, state)
            except StorageError as error:
                fail_unstored(report, str(error))
        return report

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
        self._keep_entry(report)
        yield
        shorten_entry(report)

    def _keep_entry(self, report: pytest.TestReport) -> None:
        stop_if_unstored(self._config, report)
        entry = read_entry(report)
        if entry is not None:
            self._lock_directory()
            if not self._entries and not self._channel.is_worker:
                self._mark_as_running()
            self._entries[entry.node_id] = entry

    def pytest_sessionfinish(self) -> None:
        """Write the reports that the options ask for, in the process that has all entries."""
        if not self.has_entries or self._channel.is_worker:
            return
        report = self.report()
        if self._settings.json is not None:
            from pytest_mcpbench.reporting.data import json

            self._settings.json.write_text(json.text(report), encoding="utf-8")
        self._config.hook.pytest_mcpbench_report(config=self._config, report=report)

    def add_unreported(self) -> None:
        """Add the attempts that have a record but no report of pytest, so that all reports count what the records do.

        Workers have written theirs too.
        """
        from pytest_mcpbench.runs.records import read_report

        for entry in read_report(self.directory).entries:
            self._entries.setdefault(entry.node_id, entry)

    def pytest_unconfigure(self) -> None:
        if self._writer is not None:
            self._writer.close()
        if not self._channel.is_worker:
            self._remove_temporary_files()
        if self._lock is not None:
            self._lock.release()

    def append(self, record: "RunRecord") -> "Entry":
        """Write the record and return its entry."""
        from pytest_mcpbench.runs import records

        if self._writer is None:
            self.write_facts()
            secrets = known_secrets(self._config)
            self._writer = records.RecordWriter(self.directory, worker=self._channel.process, secrets=secrets)
        entry: Entry = self._writer.append_entry(record)
        return entry

    def add(self, record: "RunRecord") -> "Entry":
        """Write the record of an attempt that is no item of pytest, and return its entry in the report."""
        entry = self.append(record)
        self._entries[entry.node_id] = entry
        return entry

    def add_gate(self, result: "GateResult") -> None:
        """Store the result of a gate in the directory of the run and in the report."""
        from pytest_mcpbench.runs import records

        result = known_secrets(self._config).remove_from_model(result)
        self._gates[result.node_id] = result
        self.write_facts()
        records.write_gates(self.directory, tuple(self._gates.values()))

    @property
    def gates(self) -> "tuple[GateResult, ...]":
        """The results of the gates so far."""
        return tuple(self._gates.values())

    @property
    def entries(self) -> "tuple[Entry, ...]":
        """The entries of all attempts so far."""
        return tuple(self._entries.values())

    def record_crash(self, record: "RunRecord") -> "Entry":
        """Write the record of an attempt whose process crashed; return its entry.

        Its file is read before those of the workers: if another worker repeats the attempt, that record counts.
        """
        from contextlib import closing

        from pytest_mcpbench.runs.records import RecordWriter

        with closing(RecordWriter(self.directory, worker="crashed", secrets=known_secrets(self._config))) as writer:
            return writer.append_entry(record)

    def write_facts(self) -> None:
        """Write ``run.json``, unless another process of the run has done so."""
        self._lock_directory()
        if self._facts_file.exists():
            return
        from pytest_mcpbench.plugin.collection import contents
        from pytest_mcpbench.plugin.output import run_facts
        from pytest_mcpbench.runs import records
        from pytest_mcpbench.runs.lookup import remember_run

        facts = {**run_facts.run_facts(self._config, self._settings), "contents": contents.facts(self._config)}
        records.write_start(self.directory, known_secrets(self._config).remove_from(facts))
        remember_run(self.directory, self._config.rootpath)

    def _mark_as_running(self) -> None:
        """Store that an earlier run in the directory goes on; if this process is killed, that stays."""
        from datetime import UTC, datetime

        from pytest_mcpbench.runs import records

        with suppress(OSError):
            started_at = datetime.fromtimestamp(self._started_seconds, UTC).isoformat()
            records.mark_as_running(self.directory, started_at)

    @property
    def has_begun(self) -> bool:
        """True if ``run.json`` is that of this run: an attempt was reported, or one could have begun."""
        return self.has_entries or (self._is_first and self._facts_file.exists())

    def store_end(self, end: dict[str, Any] | None) -> None:
        """Store why the run ended early in ``run.json``; with ``None``, that it did not."""
        from pytest_mcpbench.runs import records

        selected = end["selected"] if end is not None else None
        if end is not None and selected is None:
            end = {**end, "selected": records.read_facts(self.directory).get("selected")}
        # On a full disk the other reports are still worth their while.
        with suppress(OSError):
            records.write_end(self.directory, known_secrets(self._config).remove_from(end))

    def store_facts(self, facts: dict[str, Any]) -> None:
        """Store facts that are known at the end of the run in ``run.json``."""
        from pytest_mcpbench.runs import records

        # On a full disk the reports are still written.
        with suppress(OSError):
            for name, value in facts.items():
                records.replace_fact(self.directory, name, value)

    def store_speeds(self, speeds: dict[str, Any]) -> None:
        """Store the speeds of local models in ``run.json``."""
        from pytest_mcpbench.runs import records

        if not self.has_entries:
            return
        # On a full disk the other reports are still worth their while.
        with suppress(OSError):
            records.replace_fact(self.directory, "speeds", known_secrets(self._config).remove_from(speeds))

    def prepare(self) -> None:
        """Write ``run.json`` and try to write more. Raises a usage error if that is impossible."""
        from pytest_mcpbench.runs.records import check_space

        try:
            self.write_facts()
            check_space(self.directory)
        except OSError as error:
            reason = error.strerror or error
            raise pytest.UsageError(f"{self.directory}: records cannot be written there: {reason}") from None

    def has_entry(self, node_id: str) -> bool:
        """Return whether an attempt of that node id was reported."""
        return node_id in self._entries

    @property
    def has_entries(self) -> bool:
        """True if any attempt or gate was reported."""
        return bool(self._entries or self._gates)

    def report(self) -> "Report":
        """Return the report of all attempts so far."""
        from pytest_mcpbench.core.report import Report, with_distinct_suites
        from pytest_mcpbench.runs.records import read_facts

        facts = read_facts(self.directory)
        return Report(
            entries=with_distinct_suites(self._entries.values()),
            facts=facts,
            directory=str(self.directory),
            gates=self.gates,
        )

    def _remove_temporary_files(self) -> None:
        """Remove the journals of which every attempt has a record of this run, and the names of crashed workers."""
        if not self._entries:
            return
        from pytest_mcpbench.runs.evidence_journal import remove_reported

        forget_lost_workers(self.directory)
        finished = (entry for entry in self._entries.values() if entry.outcome != "error")
        remove_reported(self.directory, {entry.attempt: entry.started_at for entry in finished})

    def _lock_directory(self) -> None:
        """Lock the directory against other runs; the lock of the controller is that of its workers too."""
        if self._lock is not None or self._channel.is_worker:
            return
        from pytest_mcpbench.core.errors import UsageError
        from pytest_mcpbench.runs.lock import RunLock

        lock = RunLock(self.directory)
        try:
            lock.acquire()
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None
        self._lock = lock

    def _record(
        self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport, state: ItemState
    ) -> None:
        from pytest_mcpbench.plugin.output import item_records

        entry = self.append(item_records.record_of_item(item, call, report, state))
        if entry.error_kind == StorageError.kind:
            fail_unstored(report, str(entry.error))
        attach_entry(report, entry)
        item.user_properties.extend(item_records.junit_properties(entry))
        # pytest has copied the item's properties when it made the report.
        report.user_properties = list(item.user_properties)
        if call.excinfo is not None and item_records.is_self_explanatory(call):
            report.longrepr = str(call.excinfo.value)


def _is_decisive(report: pytest.TestReport) -> bool:
    """Return whether the report is that of the call or, if there is no call, of the failed setup."""
    return report.when == "call" or (report.when == "setup" and not report.passed)


def _directory(config: pytest.Config, settings: Settings, channel: "WorkerChannel") -> Path:
    """Return the directory of the run's records; a worker gets that of its controller."""
    if channel.input.records_directory is not None:
        return Path(channel.input.records_directory)
    if settings.out is not None:
        return settings.out
    import secrets
    from datetime import UTC, datetime

    name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
    return config.rootpath / ".mcpbench" / "runs" / name
