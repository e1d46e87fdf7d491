"""Attempts begun ahead of the item that pytest is at, so that their waiting overlaps."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

import pytest

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pytest_mcpbench.core.sandbox import Sandbox
    from pytest_mcpbench.plugin.collection import TaskItem
    from pytest_mcpbench.plugin.session import Session
    from pytest_mcpbench.runtime.attempt import Made

_OURS = "pytest_mcpbench."


@dataclass
class Begun:
    """An attempt that was begun before its item."""

    future: "Future[Made]"
    sandbox: "Sandbox"
    exits: ExitStack
    """Closes the sandbox."""


class LookAhead:
    """Keeps a window of attempts begun; each item waits for its own only, in pytest's order.

    Looking ahead is off for the items of a file as soon as one of them has used a function-scoped fixture that is not
    ours: what it sets up must be there before the attempt begins, and for another item it is not there yet. It is off
    for the whole run where a fixture of ours is overridden for more than one test.
    """

    def __init__(self, session: "Session", *, window: int) -> None:
        self._session = session
        self._window = window
        self._items: list[pytest.Item] = []
        self._position: dict[str, int] = {}
        self._begun: dict[str, Begun] = {}
        self._kept_in_step: dict[str, str] = {}
        """File -> the fixture because of which its attempts are made one at a time."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._items = session.items
        self._position = {item.nodeid: index for index, item in enumerate(session.items)}

    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest) -> None:
        if fixturedef.func.__module__.startswith(_OURS):
            return
        if fixturedef.argname.startswith("mcp_"):
            self._window = 0
        if fixturedef.scope == "function" and _is_task(request.node):
            self._keep_in_step(request.node, fixturedef.argname)

    def begin_after(self, item: pytest.Item) -> None:
        """Begin the attempts of the items behind this one, as far as the window goes."""
        for upcoming in self._upcoming(item):
            if upcoming.nodeid not in self._begun:
                self._begun[upcoming.nodeid] = self._session.begin(upcoming.job)

    def sandbox(self, item: pytest.Item, exits: ExitStack) -> "Sandbox | None":
        """The sandbox of the attempt that was begun for the item, closed by ``exits``."""
        begun = self._begun.get(item.nodeid)
        if begun is None:
            return None
        exits.push(begun.exits)
        return begun.sandbox

    def take(self, item: pytest.Item) -> Begun | None:
        """The attempt that was begun for the item; it is the item's from now on."""
        return self._begun.pop(item.nodeid, None)

    def pytest_sessionfinish(self) -> None:
        """Cancel what nobody will ask for any more."""
        while self._begun:
            _, begun = self._begun.popitem()
            begun.future.cancel()
            begun.exits.close()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where attempts could not overlap, and why."""
        for file, fixture in self._kept_in_step.items():
            why = f"its tasks use {fixture!r}, which is set up for each"
            terminalreporter.write_line(f"mcpbench: attempts of {file} were made one at a time: {why}")

    def _upcoming(self, item: pytest.Item) -> "Iterator[TaskItem]":
        here = self._position[item.nodeid]
        for upcoming in self._items[here + 1 : here + self._window]:
            if _is_task(upcoming) and self._may_begin(upcoming):
                yield upcoming

    def _may_begin(self, item: "TaskItem") -> bool:
        if item.job.loaded.task is None or _file(item) in self._kept_in_step:
            return False
        return self._session.resumed(item.job) is None

    def _keep_in_step(self, item: "TaskItem", fixture: str) -> None:
        self._kept_in_step.setdefault(_file(item), fixture)


def _is_task(node: object) -> "TypeGuard[TaskItem]":
    """Told by its job: the class is imported only where there are tasks."""
    return hasattr(node, "job")


def _file(item: "TaskItem") -> str:
    return item.parent.nodeid if item.parent else ""
