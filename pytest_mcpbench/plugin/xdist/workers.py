"""Workers of pytest-xdist: their setup, and the records of crashed ones."""

import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.options.worker_channel import WorkerInput, receive_output, send_input
from pytest_mcpbench.plugin.execution.lost_workers import note_lost_worker
from pytest_mcpbench.plugin.output.report_entry import attach_entry
from pytest_mcpbench.plugin.output.run_results import RunResults
from pytest_mcpbench.text.normal_forms import replace_surrogates

if TYPE_CHECKING:
    from pytest_mcpbench.core.record import RunRecord
    from pytest_mcpbench.options.worker_channel import WorkerChannel
    from pytest_mcpbench.plugin.execution.local_models import LocalModels
    from pytest_mcpbench.plugin.execution.provider_process import ProviderProcess
    from pytest_mcpbench.plugin.execution.scratch import Scratch
    from pytest_mcpbench.plugin.xdist.interruption import StopSignal


class WorkerSetup:
    """Input of each worker: where records go, which process calls the models, and how it learns that the run stops."""

    def __init__(
        self,
        results: RunResults,
        provider: "ProviderProcess",
        stop_signal: "StopSignal",
        scratch: "Scratch",
        local_models: "LocalModels",
    ) -> None:
        self._local_models = local_models
        self._scratch = scratch
        self._results = results
        self._provider = provider
        self._stop_signal = stop_signal

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, config: pytest.Config) -> None:
        """Refuse names that pytest-xdist cannot send, before it fails at them in each worker."""
        for name in (*config.invocation_params.args, *config.args, config.rootpath, Path.cwd(), *sys.path):
            if (sent := str(name)) != replace_surrogates(sent):
                problem = f"{os.fsencode(sent)!r} is not UTF-8, and pytest-xdist cannot send it to its workers"
                raise pytest.UsageError(f"{problem}. Rename the file or the directory, or run without -n")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        message = WorkerInput(
            records_directory=str(self._results.directory),
            provider_address=self._provider.address(node),
            scratch_directory=str(self._scratch.directory),
            running_file=self._stop_signal.file(),
            local_tables={key: dict(table) for key, table in self._local_models.tables.items()},
            local_facts={key: dict(facts) for key, facts in self._local_models.facts.items()},
        )
        send_input(node, message)


class SerialFiles:
    """Summary of the files whose attempts could not overlap, in this process and in its workers."""

    def __init__(self, channel: "WorkerChannel") -> None:
        self._fixtures = channel.output.serial_files

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._fixtures.update(receive_output(node).serial_files)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for file, fixture in sorted(self._fixtures.items()):
            reason = f"the fixture {fixture!r} has to be set up before each of them"
            terminalreporter.write_line(f"mcpbench: attempts of {file} ran one at a time: {reason}")


# Records of attempts whose worker of pytest-xdist crashed.


class CrashRecovery:
    """Recovery of the record of the item that a worker was running when it crashed.

    The controller collects nothing, so it knows only the node id of that item. Therefore each worker writes the record
    that its current item gets if it crashes to a file in the directory of records. The controller reads it after a
    crash.
    """

    def __init__(self, results: RunResults, channel: "WorkerChannel") -> None:
        self._results = results
        self._worker = channel.worker_id

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        if self._worker is None:
            return (yield)
        file = self._file(self._worker)
        _write_provisional_record(item, self._worker, file)
        try:
            return (yield)
        finally:
            file.unlink(missing_ok=True)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Note a crash before the items of the worker go to others, so that these find its finished attempts."""
        if error is not None and self._results.directory.is_dir():
            note_lost_worker(self._results.directory, node.gateway.id)

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any) -> None:
        """Keep what the worker stored of the attempt before it crashed; if that is nothing, record an error."""
        record = self._provisional_record(report.node.gateway.id)
        if self._results.has_entry(crashitem) or not self._results.directory.is_dir():
            return
        stored = self._results.stored.recover(crashitem)
        if stored is not None:
            # Not attached to the report, which fails because of the crash, whatever the outcome of the attempt is.
            self._results.stored.lock()
            self._results.keep(stored)
        elif record is not None and record.node_id == crashitem:
            attach_entry(report, self._results.stored.record_crash(record))

    def _provisional_record(self, worker: str) -> "RunRecord | None":
        """Return the record of the worker's item; ``None`` if that is no task, or the worker is on another machine."""
        from pydantic import ValidationError

        from pytest_mcpbench.core.record import RunRecord

        file = self._file(worker)
        try:
            text = file.read_text(encoding="utf-8")
            file.unlink()
            return RunRecord.model_validate_json(text)
        except (OSError, ValidationError):
            return None

    def _file(self, worker: str) -> Path:
        return self._results.directory / f".at-{worker}.json"


def _write_provisional_record(item: pytest.Item, worker: str, file: Path) -> None:
    # Before the imports, which take longer than most tests without a task.
    if not hasattr(item, "job") and "mcp_job" not in getattr(item, "fixturenames", ()):
        return
    from pytest_mcpbench.plugin.collection import jobs
    from pytest_mcpbench.plugin.collection.known_secrets import known_secrets
    from pytest_mcpbench.plugin.output.recorder import record_of_crash

    job = jobs.job_of_item(item)
    if job is None:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    record = known_secrets(item.config).remove_from_model(record_of_crash(item, job, worker))
    file.write_text(record.model_dump_json(exclude_defaults=True), encoding="utf-8")
