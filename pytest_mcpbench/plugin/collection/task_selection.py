"""Deselection of tasks: outside of a sample, of a shard or of the chosen tags."""

from collections.abc import Callable, Generator, Sequence
from typing import Any

import pytest

from pytest_mcpbench.core.selection import Shard, TagSelection, TaskSample, unknown_tag
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.options.worker_channel import WorkerChannel, receive_output
from pytest_mcpbench.plugin.collection import jobs
from pytest_mcpbench.plugin.collection.deselection import deselect, refuse
from pytest_mcpbench.reporting.tables.breakdown import split_names
from pytest_mcpbench.text.natural_order import natural_key

# Deselection of the tasks that are not in the sample (``--mcpbench-sample``).


class SampleSelection:
    """Deselects the tasks outside of the sample; tests without a task and broken lines of task files stay."""

    def __init__(self, sample: TaskSample, channel: WorkerChannel) -> None:
        self._sample = sample
        self._channel = channel

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect after ``--mcpbench-tag``, whose tasks are sampled, and before ``-k`` and ``--mcpbench-shard``."""
        owners = {item: (job, job.loaded.task) for item in items if (job := jobs.job_of_item(item)) and job.loaded.task}
        if not owners:
            return
        problem = self._sample.find_problem(task.tags for _, task in owners.values())
        if problem is not None and not session.testsfailed:
            refuse(f"--mcpbench-sample: {problem}", items, self._channel)
            return
        tasks = {
            item: self._sample.sampled(f"{job.suite.directory}/{job.suite.name}", job.loaded.id, task.tags)
            for item, (job, task) in owners.items()
        }
        drawn = self._sample.draw(tasks.values())
        dropped = {item for item, task in tasks.items() if task not in drawn}
        deselect(dropped, items, config)


# Deselection of the tasks of other shards (``--mcpbench-shard=i/n``).


class Sharding:
    """Deselects the tasks of other shards and shows how many; tests without a task run in every shard."""

    def __init__(self, shard: Shard, channel: WorkerChannel, write_facts: Callable[[], None]) -> None:
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


# Deselection of the tasks that lack a tag (``--mcpbench-tag``).


class TagFilter:
    """Deselects tasks by their tags.

    Tests without a task stay, and so does a broken line of a task file: its tags are unknown.
    """

    def __init__(self, selection: TagSelection, channel: WorkerChannel) -> None:
        self._selection = selection
        self._channel = channel

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect before ``-k`` and ``--mcpbench-shard``: a tag is unknown only if no collected task has it."""
        tasks = {item: job.loaded.task for item in items if (job := jobs.job_of_item(item)) and job.loaded.task}
        problem = self._selection.find_problem(task.tags for task in tasks.values()) if tasks else None
        if problem is not None and not session.testsfailed:
            refuse(f"--mcpbench-tag: {problem}", items, self._channel)
            return
        dropped = {item for item, task in tasks.items() if not self._selection.selects(task.tags)}
        deselect(dropped, items, config)


# Check of the tags of ``--mcpbench-by`` against those of the collected tasks.


class BreakdownTags:
    """Ends a run before its first task if a table is wanted by a tag that no task has."""

    def __init__(self, tags: Sequence[str], channel: WorkerChannel) -> None:
        self._tags = tags
        self._channel = channel

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Look before any task is deselected."""
        tasks = [job.loaded.task for item in items if (job := jobs.job_of_item(item)) and job.loaded.task]
        known = sorted({tag for task in tasks for tag in task.tags}, key=natural_key)
        unknown = next((tag for tag in self._tags if tag not in known), None)
        if not tasks or session.testsfailed or unknown is None:
            return
        refuse(f"--mcpbench-by: {unknown_tag(unknown, known)}", items, self._channel)


def parts(settings: Settings, channel: WorkerChannel, write_facts: Callable[[], None]) -> dict[str, object | None]:
    """Return the parts that the options ask for, by plugin name; pytest calls them in this order."""
    tags = [tag for text in settings.by for tag in split_names(text)]
    return {
        "shard": Sharding(settings.shard, channel, write_facts) if settings.shard is not None else None,
        "sample": SampleSelection(settings.sample, channel) if settings.sample is not None else None,
        "tags": TagFilter(TagSelection.parse(settings.tags), channel) if settings.tags else None,
        "breakdown-tags": BreakdownTags(tags, channel) if settings.by else None,
    }
