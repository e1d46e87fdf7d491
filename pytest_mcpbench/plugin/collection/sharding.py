"""One part of the tasks (``--mcpbench-shard=i/n``); the others are another machine's."""

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.shards import Shard
from pytest_mcpbench.plugin.collection import jobs

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.output.recorder import Recorder

_COUNTS = "mcpbench_shard"


class Sharding:
    """Deselects the tasks of other shards and says how many; tests that are no tasks run in every shard."""

    def __init__(self, config: pytest.Config, shard: Shard, recorder: "Recorder") -> None:
        self._config = config
        self._shard = shard
        self._recorder = recorder
        self._ours = self._others = 0

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        tasks = [(item, job.loaded.id) for item in items if (job := jobs.of_item(item)) is not None]
        others = {item for item, task_id in tasks if not self._shard.has(task_id)}
        self._ours, self._others = len(tasks) - len(others), len(others)
        if others:
            config.hook.pytest_deselected(items=[item for item in items if item in others])
            items[:] = [item for item in items if item not in others]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        """A shard without tasks is done, and says so on disk. A worker of xdist tells its controller what there is."""
        workeroutput: dict[str, Any] | None = getattr(self._config, "workeroutput", None)
        if workeroutput is not None:
            workeroutput[_COUNTS] = [self._ours, self._others]
        if self._others and not self._ours and not self._config.option.collectonly:
            self._recorder.write_facts()
        yield
        if self._others and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Every worker collects the same."""
        self._ours, self._others = getattr(node, "workeroutput", {}).get(_COUNTS, [self._ours, self._others])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        total = self._ours + self._others
        terminalreporter.write_line(
            f"mcpbench: shard {self._shard} has {self._ours} of {total} attempts; "
            f"{self._others} were deselected, they belong to other shards"
        )
