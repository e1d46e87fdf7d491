"""Channel between the controller of pytest-xdist and its workers.

pytest-xdist transports two dictionaries: ``workerinput`` from the controller to a worker when the worker starts, and
``workeroutput`` back to the controller when the worker's session ends. Only this module and ``workers.py`` read or
write them.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

import pytest

from pytest_mcpbench.options.workers import is_worker, workerinput

_KEY = "mcpbench"


@dataclass(frozen=True)
class WorkerInput:
    """Message from the controller to a worker that starts."""

    records_directory: str | None = None
    provider_address: str | None = None
    """Socket of the process that calls the models for all workers; ``None`` for a worker on another machine."""
    scratch_directory: str | None = None
    """Directory of the run's temporary files."""
    running_file: str | None = None
    """File that exists until the run is to stop."""
    local_tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Tables of the local models, by the alias or name that refers to them."""
    local_facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Facts of them for ``run.json``."""


@dataclass
class WorkerOutput:
    """Message from a worker to the controller at the end of its session; each part of the plugin sets its own field.

    The fields hold plain values only, because execnet, which pytest-xdist sends them with, serializes nothing else.
    """

    usage_error: str | None = None
    serial_files: dict[str, str] = field(default_factory=dict)
    """Task file -> the fixture because of which its attempts cannot overlap."""
    unreported_attempts: int = 0
    """Number of attempts that finished before pytest reached their items, and were recorded."""
    local_attempts: dict[str, int] = field(default_factory=dict)
    """Reason -> number of attempts that the worker ran itself although there is a shared engine."""
    gates: dict[str, list[str]] = field(default_factory=dict)
    """File, arm and model of each gate by its node id, which the controller decides when all workers have ended."""
    selected: int | None = None
    """Number of attempts that the run selects."""
    tests: int | None = None
    """Number of all tests that the run selects, attempts or not."""
    shard_sizes: tuple[int, int] | None = None
    """Number of attempts in this shard, and in the others."""


class WorkerChannel:
    """Channel as one process sees it: a worker has received ``input`` and sends ``output`` when its session ends."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.is_worker = is_worker(config)
        self.worker_id: str | None = workerinput(config).get("workerid")
        self.process = self.worker_id or "main"
        """Name of this process in the files of the run."""
        self.input = WorkerInput(**workerinput(config).get(_KEY, {}))
        self.output = WorkerOutput()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Hand the output to pytest-xdist.

        Last, because other parts complete the output in the same hook. pytest-xdist sends it in a hook wrapper, after
        all plain implementations.
        """
        if self.is_worker:
            self._config.workeroutput[_KEY] = asdict(self.output)  # type: ignore[attr-defined]  # pytest-xdist adds it


def send_input(node: Any, message: WorkerInput) -> None:
    """Send a message to a worker that starts; to be called in ``pytest_configure_node``."""
    node.workerinput[_KEY] = asdict(message)


def receive_output(node: Any) -> WorkerOutput:
    """Return the message of a worker that has ended, empty if it crashed; for ``pytest_testnodedown``."""
    return WorkerOutput(**getattr(node, "workeroutput", {}).get(_KEY, {}))
