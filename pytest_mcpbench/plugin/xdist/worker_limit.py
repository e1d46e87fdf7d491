"""Limit of the number of workers in a run of suites on few processors."""

import os

import pytest

from pytest_mcpbench.options.option import OptionReader
from pytest_mcpbench.options.parallelism import is_crowded
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.options.workers import is_worker, worker_count


class WorkerLimit:
    """Part of a run that starts fewer workers than ``-n`` asks for: says so in the header."""

    def __init__(self, requested: int, started: int) -> None:
        self._requested = requested
        self._started = started

    def pytest_report_header(self) -> str:
        reason = "attempts wait in one process, and more workers than processors would only load the suites more often"
        return f"mcpbench: {self._started} workers instead of {self._requested}: {reason}"


def limit_workers(config: pytest.Config, settings: Settings) -> WorkerLimit | None:
    """Have pytest-xdist start one worker a processor, each with more attempts at once, if more would gain nothing.

    Attempts overlap in each process while they wait, so that further workers add only their own imports and collection
    of the suites. They are of use to code that blocks its process: to ordinary tests, to fixtures and hooks of a
    ``conftest.py``, and to one attempt after the other in each process. A run with any of these, or with an explicit
    engine, keeps its workers.

    Returns:
        The part that tells the user; ``None`` if all workers start.
    """
    cores = os.cpu_count() or 1
    specs = config.getoption("tx", None) or []
    if is_worker(config) or not is_crowded(config) or any(spec != "popen" for spec in specs):
        return None
    has_only_tasks = bool(settings.suites) and config.args_source is not pytest.Config.ArgsSource.ARGS
    if (
        not has_only_tasks
        or _has_code_of_conftests(config)
        or settings.concurrency == 1
        or OptionReader(config).value("engine")
    ):
        return None
    requested = worker_count(config)
    # Workers read the options of this process; syrupy reads the number of them.
    config.option.tx = specs[:cores]
    config.option.numprocesses = cores
    config.option.mcpbench_concurrency = -(-settings.concurrency * requested // cores)
    return WorkerLimit(requested, cores)


def _has_code_of_conftests(config: pytest.Config) -> bool:
    """Return whether a ``conftest.py`` that is loaded defines or imports any function or class."""
    plugins = config.pluginmanager.list_name_plugin()
    conftests = [plugin for name, plugin in plugins if name.endswith("conftest.py")]
    return any(callable(value) for plugin in conftests for value in vars(plugin).values())
