"""Directory of a run: its lock, its facts in ``run.json``, and the files of records and gates."""

import functools
import warnings
from collections.abc import Iterable
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import to_json

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.gate.result import GateResult
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry, Report, with_distinct_suites
from pytest_mcpbench.options.settings import SETTINGS
from pytest_mcpbench.options.worker_channel import WorkerChannel
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
from pytest_mcpbench.plugin.collection.suites import contents_of_suites
from pytest_mcpbench.plugin.execution.lost_workers import forget_lost_workers
from pytest_mcpbench.plugin.output.run_facts import facts_of_suites, run_facts
from pytest_mcpbench.runs import records
from pytest_mcpbench.runs.evidence_journal import is_journal, remove_reported
from pytest_mcpbench.runs.lock import RunLock
from pytest_mcpbench.runs.lookup import remember_run

_LONGEST_DIFFERENCE = 200
"""Characters of two values that a message shows; a system prompt may have more."""


class RunDirectory:
    """The directory as one process of the run writes into it.

    Args:
        config: Configuration of the run.
        channel: Messages between the processes of the run.
        path: The directory.
        started_seconds: Moment at which the run began.
    """

    def __init__(self, config: pytest.Config, channel: WorkerChannel, path: Path, *, started_seconds: float) -> None:
        self._config = config
        self._channel = channel
        self.path = path
        self._started_seconds = started_seconds
        self._lock: RunLock | None = None

    # Records of attempts, which each process writes to a file of its own.

    def append(self, record: RunRecord) -> Entry:
        """Write the record and return its entry. Raises StorageError if it cannot be written."""
        return self._writer.append_entry(record)

    @functools.cached_property
    def _writer(self) -> records.RecordWriter:
        self.write_facts()
        return records.RecordWriter(self.path, worker=self._channel.process, secrets=known_secrets(self._config))

    def record_crash(self, record: RunRecord) -> Entry:
        """Write the record of an attempt whose process crashed before it did so; return its entry.

        Its file is read before those of the workers: if another worker repeats the attempt, that record counts.
        """
        secrets = known_secrets(self._config)
        with closing(records.RecordWriter(self.path, worker="crashed", secrets=secrets)) as writer:
            return writer.append_entry(record)

    def recover(self, node_id: str) -> Entry | None:
        """Return the entry of an attempt that a worker stored in this run, and did not report because it crashed.

        ``None`` if none did. Of an attempt that had ended and had no record, the scores of its evidence are recorded.
        """
        started_at = datetime.fromtimestamp(self._started_seconds, UTC).isoformat(timespec="milliseconds")
        found = None
        with warnings.catch_warnings():
            # The crash may have cut off the last line; whoever reads the whole directory is warned of others.
            warnings.simplefilter("ignore")
            for ref, record in records.read_records(self.path, containing=to_json(node_id)):
                if record.node_id == node_id and record.started_at >= started_at:
                    found = ref, record
        if found is None:
            return None
        ref, record = found
        # An entry refers to a record: a journal is removed at the end of the run.
        return self.record_crash(record) if is_journal(ref) else Entry.of(record, ref)

    def write_gates(self, result: GateResult, others: Iterable[GateResult]) -> GateResult:
        """Write the result of a gate beside those of others; return it as it is written."""
        result = known_secrets(self._config).remove_from_model(result)
        self.write_facts()
        records.write_gates(self.path, (*(each for each in others if each.node_id != result.node_id), result))
        return result

    def report(self, entries: Iterable[Entry], gates: tuple[GateResult, ...]) -> Report:
        """Return the report of attempts and gates of the run."""
        return Report(
            entries=with_distinct_suites(entries),
            facts=records.read_facts(self.path),
            directory=str(self.path),
            gates=gates,
        )

    def entries(self) -> tuple[Entry, ...]:
        """Return the entries of all attempts in the directory."""
        return records.read_report(self.path).entries

    def record_unreported(self, entry: Entry) -> Entry | None:
        """Write the record of an attempt that only a journal has and return its entry; ``None`` if it has a record.

        Such an attempt had ended while the run did, so that nobody took its result.
        """
        if entry.record is None or not is_journal(entry.record):
            return None
        return self.append(records.read_record(self.path, entry.record))

    # Facts of the run, which the first process that has something to say writes.

    def prepare(self) -> None:
        """Write ``run.json`` and try to write more.

        Raises a usage error if that is impossible, or if the directory has attempts under other conditions.
        """
        try:
            self.lock()
            # Remove the `run.json` of an earlier run that ended before its first attempt.
            earlier = str(records.read_facts(self.path).get("started_at", self._started_at))
            # Workers prepare the directory at the same time: one may have written this run's already.
            if earlier < self._started_at and not records.has_records(self.path):
                (self.path / "run.json").unlink(missing_ok=True)
            if (self.path / "run.json").exists():
                self._require_same_conditions()
            self.write_facts()
            records.check_space(self.path)
        except OSError as error:
            reason = error.strerror or error
            raise pytest.UsageError(f"{self.path}: records cannot be written there: {reason}") from None

    @property
    def _started_at(self) -> str:
        """Return the moment of the run's start, not of its first record: attempts ahead of it belong to the run."""
        return datetime.fromtimestamp(self._started_seconds, UTC).isoformat(timespec="seconds")

    def write_facts(self) -> None:
        """Write ``run.json``, unless another process of the run has done so."""
        self.lock()
        if (self.path / "run.json").exists():
            return
        about = run_facts(self._config, self._config.stash[SETTINGS])
        facts = {**about, "started_at": self._started_at, "contents": contents_of_suites(self._config)}
        records.write_start(self.path, known_secrets(self._config).remove_from(facts))
        remember_run(self.path, self._config.rootpath)

    def _require_same_conditions(self) -> None:
        """Raise a usage error if ``run.json`` has other conditions: all records would be reported under those.

        A condition that only one version of this package has cannot differ.
        """
        earlier = records.read_facts(self.path).get("suites", {})
        suites = facts_of_suites(self._config, self._config.stash[SETTINGS])
        for suite, facts in known_secrets(self._config).remove_from(suites).items():
            conditions = facts["conditions"]
            for name, value in earlier.get(suite, {}).get("conditions", {}).items():
                if name in conditions and conditions[name] != value:
                    values = f"{name} = {value}, and in this run it is {conditions[name]}"
                    difference = values if len(values) <= _LONGEST_DIFFERENCE else f"another {name} than this run"
                    problem = f"{self.path} has attempts at {suite} with {difference}"
                    raise pytest.UsageError(f"{problem}; name another directory with --mcpbench-out")

    def mark_as_running(self) -> None:
        """Store that an earlier run in the directory goes on; if this process is killed, that stays."""
        with suppress(OSError):
            started_at = datetime.fromtimestamp(self._started_seconds, UTC).isoformat()
            records.mark_as_running(self.path, started_at)

    def store_end(self, end: dict[str, Any] | None) -> None:
        """Store why the run ended early in ``run.json``; with ``None``, that it did not."""
        if end is not None and end["selected"] is None:
            end = {**end, "selected": records.read_facts(self.path).get("selected")}
        # If the disk is full, the other reports are written all the same.
        with suppress(OSError):
            records.write_end(self.path, known_secrets(self._config).remove_from(end))

    def store_facts(self, facts: dict[str, Any]) -> None:
        """Store facts that are known at the end of the run in ``run.json``."""
        with suppress(OSError):
            for name, value in known_secrets(self._config).remove_from(facts).items():
                records.replace_fact(self.path, name, value)

    # The lock, and what does not outlive the run.

    def lock(self) -> None:
        """Lock the directory against other runs; the lock of the controller is that of its workers too."""
        if self._lock is not None or self._channel.is_worker:
            return
        lock = RunLock(self.path)
        try:
            lock.acquire()
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None
        self._lock = lock

    def close(self, entries: Iterable[Entry]) -> None:
        """Close the files, and remove the journals of which every attempt has a record of this run."""
        if "_writer" in self.__dict__:
            self._writer.close()
        reported = tuple(entries)
        if reported and not self._channel.is_worker:
            forget_lost_workers(self.path)
            finished = (entry for entry in reported if entry.outcome != "error")
            remove_reported(self.path, {entry.attempt: entry.started_at for entry in finished})
        if self._lock is not None:
            self._lock.release()
