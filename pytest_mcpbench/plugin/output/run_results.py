"""Results of a run as far as they are known: entries of attempts, and gates."""

import functools
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.errors import StorageError, error_with_place
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.options.worker_channel import WorkerChannel
from pytest_mcpbench.plugin.collection.known_secrets import known_secrets

if TYPE_CHECKING:
    from pytest_mcpbench.core.gate.result import GateResult
    from pytest_mcpbench.core.report import Entry, Report
    from pytest_mcpbench.plugin.output.run_directory import RunDirectory


class RunResults:
    """Results in the process that reports, with the directory in which every process of the run stores its own."""

    def __init__(self, config: pytest.Config, settings: Settings, channel: WorkerChannel) -> None:
        self._config = config
        self._channel = channel
        if channel.input.records_directory is not None:
            # A worker has the directory of its controller.
            self.directory = Path(channel.input.records_directory)
        elif settings.out is not None:
            self.directory = settings.out
        else:
            name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
            self.directory = config.rootpath / ".mcpbench" / "runs" / name
        self._is_first = not (self.directory / "run.json").exists()
        self._started_seconds = time.time()
        self._entries: dict[str, Entry] = {}
        self._gates: dict[str, GateResult] = {}
        self._lacks_report = False

    @functools.cached_property
    def stored(self) -> "RunDirectory":
        """The directory of the run, for those who write into it."""
        # Imported here: only runs with tasks need it, and it brings the models of records.
        from pytest_mcpbench.plugin.output.run_directory import RunDirectory

        return RunDirectory(
            self._config,
            self._channel,
            self.directory,
            started_seconds=self._started_seconds,
        )

    @property
    def is_stored(self) -> bool:
        """Return whether this process has used the directory."""
        return "stored" in self.__dict__

    @contextmanager
    def writing(self, report: str, arguments: str | None = None) -> Iterator[None]:
        """Let a part of the end of a run fail alone: say what is missing, and fail the run.

        An exception would keep pytest from writing everything that follows, with the reports of other plugins.

        Args:
            report: The part as a subject, such as ``the page``.
            arguments: Arguments with which ``mcpbench report`` writes it from the records, which are stored already;
                ``None`` if it does not.
        """
        try:
            yield
        except Exception as error:
            reason = str(error) if isinstance(error, OSError) else error_with_place(error)
            command = " ".join(filter(None, ("mcpbench report", str(self.directory), arguments)))
            remedy = f"; {command} writes it from the records" if arguments is not None else ""
            self.fail(f"{report} could not be written: {reason}{remedy}")

    def fail(self, problem: str) -> None:
        """Say in the terminal why a report is missing, and fail the run."""
        self._lacks_report = True
        self.say(problem, red=True)

    def say(self, text: str, **markup: bool) -> None:
        """Write a line to the terminal."""
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            # Not ensure_newline(): it knows nothing of the dots that pytest writes for workers of pytest-xdist.
            if self._config.get_terminal_writer().width_of_current_line:
                reporter.write_line("")
            reporter.write_line(f"mcpbench: {known_secrets(self._config).remove(text)}", **markup)

    def exit_code(self, code: int) -> int:
        """Return the exit code of the run: a missing report fails one that nothing else fails."""
        return pytest.ExitCode.INTERNAL_ERROR if self._lacks_report and code == pytest.ExitCode.OK else code

    def keep(self, entry: "Entry") -> None:
        """Keep the entry of an attempt; the last one of a node id counts."""
        self._entries[entry.node_id] = entry

    def add_unreported(self) -> int:
        """Add the attempts that have no report of pytest, so that all reports count what the directory has.

        Workers have written theirs too. Returns how many only a journal had, and have a record now.
        """
        recorded = 0
        for entry in self.stored.entries():
            if entry.node_id in self._entries:
                continue
            try:
                written = self.stored.record_unreported(entry)
            except StorageError:  # the disk is full, which has ended the run; what the journal has is kept
                continue
            recorded += written is not None
            self._entries[entry.node_id] = written or entry
        return recorded

    def keep_gate(self, result: "GateResult") -> None:
        """Keep the result of a gate, and store it."""
        self._gates[result.node_id] = self.stored.write_gates(result, self.gates)

    @property
    def entries(self) -> "tuple[Entry, ...]":
        """The entries of all attempts so far."""
        return tuple(self._entries.values())

    @property
    def gates(self) -> "tuple[GateResult, ...]":
        """The results of the gates so far."""
        return tuple(self._gates.values())

    def has_entry(self, node_id: str) -> bool:
        """Return whether an attempt of that node id was reported."""
        return node_id in self._entries

    @property
    def exist(self) -> bool:
        """True if any attempt or gate was reported."""
        return bool(self._entries or self._gates)

    @property
    def has_begun(self) -> bool:
        """True if ``run.json`` is that of this run: an attempt was reported, or one could have begun."""
        return self.exist or (self._is_first and (self.directory / "run.json").exists())

    def store_facts(self, facts: dict[str, Any]) -> None:
        """Store facts that are known at the end of the run, if there is a result."""
        if self.exist:
            self.stored.store_facts(facts)

    def report(self) -> "Report":
        """Return the report of all attempts so far."""
        return self.stored.report(self._entries.values(), self.gates)
