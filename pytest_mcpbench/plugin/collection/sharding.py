"""Deselection of the tasks of other shards (``--mcpbench-shard=i/n``)."""

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.shards import Shard
from pytest_mcpbench.plugin.collection import jobs
from pytest_mcpbench.plugin.collection.deselection import deselect
from pytest_mcpbench.plugin.worker_channel import receive_output

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.worker_channel import WorkerChannel


class Sharding:
    """Deselects the tasks of other shards and shows how many; tests without a task run in every shard."""

    def __init__(self, shard: Shard, channel: "WorkerChannel", write_facts: Callable[[], None]) -> None:
        self._shard = shard
        self._channel = channel
        self._write_facts = write_facts
        self._own = self._others = 0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Deselect after the samples of suites, which are the same in every shard."""
        tasks = [(item, job.loaded.id) for item in items if (job := jobs.job_of_item(item)) is not None]
        others = {item for item, task_id in tasks if not self._shard.has(task_id)}
        self._own, self._others = len(tasks) - len(others), len(others)
        self._channel.output.shard_sizes = (self._own, self._others)
        deselect(others, items, config)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        """Let a shard without tasks succeed, and write its facts: merging needs them from every shard."""
        if self._others and not self._own and not session.config.option.collectonly:
            self._write_facts()
        yield
        if self._others and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the numbers of any worker: all collect the same items, and the controller collects none."""
        self._own, self._others = receive_output(node).shard_sizes or (self._own, self._others)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        total = self._own + self._others
        terminalreporter.write_line(
            f"mcpbench: shard {self._shard} has {self._own} of {total} attempts; "
            f"{self._others} were deselected, they belong to other shards"
        )
