"""Messages between the controller of pytest-xdist and its workers arrive as they were sent."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pytest_mcpbench.options.worker_channel import (
    WorkerChannel,
    WorkerInput,
    WorkerOutput,
    receive_output,
    send_input,
)
from pytest_mcpbench.options.workers import is_further_worker


def _worker(**workerinput: Any) -> pytest.Config:
    return cast("pytest.Config", SimpleNamespace(workerinput=workerinput, workeroutput={}))


def test_a_worker_receives_what_the_controller_sends() -> None:
    node = SimpleNamespace(workerinput={"workerid": "gw0"})
    send_input(node, WorkerInput(records_directory="records", running_file="running"))
    channel = WorkerChannel(_worker(**node.workerinput))
    assert channel.is_worker
    assert channel.worker_id == "gw0"
    assert channel.input == WorkerInput(records_directory="records", running_file="running")


def test_the_controller_receives_what_a_worker_sends() -> None:
    config = _worker(workerid="gw0")
    channel = WorkerChannel(config)
    channel.output.serial_files["notes.mcpbench.yaml"] = "database"
    channel.output.shard_sizes = (2, 3)
    channel.pytest_sessionfinish()
    node = SimpleNamespace(workeroutput=cast("Any", config).workeroutput)
    assert receive_output(node) == channel.output


def test_a_worker_that_crashed_sends_nothing() -> None:
    assert receive_output(SimpleNamespace()) == WorkerOutput()


def test_the_controller_is_no_worker_and_sends_nothing() -> None:
    channel = WorkerChannel(cast("pytest.Config", SimpleNamespace()))
    channel.pytest_sessionfinish()
    assert (channel.is_worker, channel.worker_id, channel.input) == (False, None, WorkerInput())


@pytest.mark.parametrize(("worker_id", "expected"), [("gw0", False), ("gw1", True), ("gw12", True), ("mine", False)])
def test_every_local_worker_but_the_first_is_a_further_one(worker_id: str, *, expected: bool) -> None:
    assert is_further_worker(_worker(workerid=worker_id)) is expected
