"""The scheduler of xdist for runs with tasks; to be imported where xdist is at work."""

import os
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from xdist.scheduler import LoadScheduling  # type: ignore[import-untyped]
from xdist.workermanage import WorkerController  # type: ignore[import-untyped]

from pytest_mcpbench.plugin.execution import lookahead
from pytest_mcpbench.plugin.options.settings import SETTINGS
from pytest_mcpbench.plugin.xdist import server_sets
from pytest_mcpbench.plugin.xdist.work_partition import WorkPartition

_OTHERS_THAN_THESE = ("dsession", "mcpbench-lookahead")


def scheduler(config: pytest.Config, log: Any) -> "TaskScheduling | None":
    """The scheduler, or ``None`` where it is for the user, another plugin or xdist to say."""
    window = lookahead.window(config, config.stash[SETTINGS])
    is_default = config.getoption("dist") == "load" and config.getoption("maxschedchunk") is None
    if not window or not is_default or _is_chosen(config) or _is_given_by_others(config):
        return None
    return TaskScheduling(config, log, window=window)


class TaskScheduling(LoadScheduling):  # type: ignore[misc]  # xdist is not typed
    """Gives the items by :class:`WorkPartition`. None is taken from a worker again: its attempt may have begun.

    In a run without tasks it becomes xdist's own scheduler.
    """

    collection: list[str] | None

    def __init__(self, config: pytest.Config, log: Any, *, window: int) -> None:
        super().__init__(config, log)
        self._window = window
        self._stretches: WorkPartition[WorkerController] | None = None

    @property
    def tests_finished(self) -> bool:
        return not self._left and super().tests_finished

    @property
    def has_pending(self) -> bool:
        return bool(self._left) or super().has_pending

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        super().add_node_collection(node, collection)
        if self._stretches is None and not any(map(server_sets.is_task, collection)):
            self.__class__ = LoadScheduling  # its state is untouched so far

    def schedule(self) -> None:
        if self.collection is None:
            if not self._check_nodes_have_same_collection():
                return
            collection = self.collection = list(next(iter(self.node2collection.values())))
            self._stretches = self._divided(collection)
        for node in self.nodes:
            self.check_schedule(node)

    def check_schedule(self, node: WorkerController, duration: float = 0) -> None:  # noqa: ARG002 - as in xdist
        """Give the worker more; when no item is left, tell all that they have their last."""
        if self._stretches is not None and not node.shutting_down:
            more = list(self._stretches.take(node, self.node2pending))
            if more:
                self.node2pending[node].extend(more)
                node.send_runtest_some(more)
        if not self._left:
            self._shut_down()

    def mark_test_pending(self, item: str) -> None:
        assert self.collection is not None
        self._give_again([self.collection.index(item)])

    def remove_node(self, node: WorkerController) -> str | None:
        """What the worker had is for the others, but for the item that it was at when it crashed."""
        given = self.node2pending.pop(node)
        if self._stretches is not None:
            self._stretches.lose(node)
        if not given or self.collection is None:
            return None
        self._give_again(given[1:])
        return str(self.collection[given[0]])

    @property
    def _left(self) -> int:
        return self._stretches.left if self._stretches is not None else 0

    def _divided(self, collection: Sequence[str]) -> WorkPartition[WorkerController]:
        return WorkPartition(
            self.nodes,
            is_task=[server_sets.is_task(node_id) for node_id in collection],
            sets=server_sets.of(self.config, collection),
            in_flight=self.config.stash[SETTINGS].concurrency,
            window=self._window,
        )

    def _give_again(self, items: Sequence[int]) -> None:
        assert self._stretches is not None
        self._stretches.put_back(items)
        for node in self.nodes:
            self.check_schedule(node)

    def _shut_down(self) -> None:
        for node in self.nodes:
            if not node.shutting_down:
                node.shutdown()


def _is_chosen(config: pytest.Config) -> bool:
    """Whether the user has asked for a distribution in so many words; ``-n`` alone does not."""
    return any(argument == "-d" or argument.startswith("--dist") for argument in _arguments(config))


def _arguments(config: pytest.Config) -> Iterator[str]:
    yield from map(str, config.invocation_params.args)
    yield from config.getini("addopts")
    yield from shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))


def _is_given_by_others(config: pytest.Config) -> bool:
    givers = config.hook.pytest_xdist_make_scheduler.get_hookimpls()
    return any(giver.plugin_name not in _OTHERS_THAN_THESE for giver in givers)
