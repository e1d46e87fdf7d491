"""Attempts that are lost with a worker of xdist: errors in records and tables, as pytest counts them too."""

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.output.recorder import Recorder

if TYPE_CHECKING:
    from pytest_mcpbench.core.record import RunRecord


class CrashRecovery:
    """A worker leaves beside the records what it is at; of one that has crashed the controller takes it from there.

    The controller collects nothing, so that of a lost item it knows the node id only.
    """

    def __init__(self, config: pytest.Config, recorder: Recorder) -> None:
        self._recorder = recorder
        self._worker: str | None = getattr(config, "workerinput", {}).get("workerid")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        if self._worker is None:
            return (yield)
        file = self._file(self._worker)
        _leave(item, self._worker, file)
        try:
            return (yield)
        finally:
            file.unlink(missing_ok=True)

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any) -> None:
        """Record the attempt, unless the worker has recorded it before it crashed."""
        lost = self._taken(report.node.gateway.id)
        if lost is not None and lost.node_id == crashitem and not self._recorder.has_entry(crashitem):
            report.mcpbench = self._recorder.keep_lost(lost).as_json()

    def _taken(self, worker: str) -> "RunRecord | None":
        """What the worker was at; ``None`` where that was no task, or lies on another machine."""
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
        return self._recorder.directory / f".at-{worker}.json"


def _leave(item: pytest.Item, worker: str, file: Path) -> None:
    """Write down what will be the record of the item's attempt if the worker crashes now."""
    from pytest_mcpbench.plugin.collection import jobs
    from pytest_mcpbench.plugin.output import item_records

    job = jobs.of_item(item)
    if job is None:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    lost = item_records.record_of_lost(item, job, worker)
    file.write_text(lost.model_dump_json(exclude_defaults=True), encoding="utf-8")
