"""Validation of the options that refer to something by its name, before the first task runs.

It follows the collection, because only then every ``conftest.py`` is known, whose hooks may define the name.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pytest

from pytest_mcpbench.options.settings import SETTINGS, Settings
from pytest_mcpbench.options.worker_channel import WorkerChannel, receive_output
from pytest_mcpbench.plugin.collection.file_names import LOCK_ENDING
from pytest_mcpbench.plugin.collection.item_state import SUITES
from pytest_mcpbench.plugin.execution.session_door import SessionDoor


class OptionValidation:
    """Validator that ends the run with a usage error if an option is wrong.

    A worker of pytest-xdist cannot end the run. It collects nothing and sends the error to the controller.
    """

    def __init__(
        self, config: pytest.Config, door: SessionDoor, channel: WorkerChannel, *prepare: Callable[[], None]
    ) -> None:
        self._config = config
        self._door = door
        self._channel = channel
        self._prepare = prepare
        self._error_of_worker: str | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        problem = None if session.testsfailed else self._problem(items)
        if problem is None:
            return
        if not self._channel.is_worker:
            raise pytest.UsageError(problem)
        self._channel.output.usage_error = problem
        items.clear()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._error_of_worker = receive_output(node).usage_error or self._error_of_worker

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Raise the error of a worker after all workers have ended."""
        result = yield
        if self._error_of_worker is not None:
            raise pytest.UsageError(self._error_of_worker)
        return result

    def _problem(self, items: list[pytest.Item]) -> str | None:
        """Return the first error, ``None`` if there is none."""
        if not _has_something_to_check(self._config, items):
            return None
        # Imported here, because the checks need what attempts need.
        from pytest_mcpbench.plugin.execution.option_checks import OptionChecks

        return OptionChecks(self._config, self._door, self._prepare).problem(items)


def _has_something_to_check(config: pytest.Config, items: list[pytest.Item]) -> bool:
    """Return whether there are tasks, locks, or options that are wrong or right without any."""
    if SUITES in config.stash or any(item.nodeid.partition("::")[0].endswith(LOCK_ENDING) for item in items):
        return True
    settings: Settings = config.stash[SETTINGS]
    names = settings.metrics or settings.floors or settings.by_metrics
    files = (settings.markdown, settings.json, settings.page, settings.resume, settings.data)
    is_other = settings.isolation != "none" or settings.compares_arms
    return bool(names) or is_other or any(value is not None for value in files)
