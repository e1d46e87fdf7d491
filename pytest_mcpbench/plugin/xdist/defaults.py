"""Number of workers and scheduler of a run with pytest-xdist, where the user leaves them to the plugin."""

import os
import shlex
from typing import Any

import pytest

from pytest_mcpbench.options.option import OptionReader
from pytest_mcpbench.options.parallelism import is_crowded, window_size
from pytest_mcpbench.options.settings import SETTINGS, Settings
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
    if not has_only_tasks:
        return None
    plugins = config.pluginmanager.list_name_plugin()
    conftests = [plugin for name, plugin in plugins if name.endswith("conftest.py")]
    # A function or class, defined or imported.
    has_own_code = any(callable(value) for plugin in conftests for value in vars(plugin).values())
    if has_own_code or settings.concurrency == 1 or OptionReader(config).value("engine"):
        return None
    requested = worker_count(config)
    # Workers read the options of this process; syrupy reads the number of them.
    config.option.tx = specs[:cores]
    config.option.numprocesses = cores
    config.option.mcpbench_concurrency = -(-settings.concurrency * requested // cores)
    return WorkerLimit(requested, cores)


_DEFAULT_PROVIDERS = ("dsession", "mcpbench-scheduler")
"""Plugins whose scheduler nobody has asked for: pytest-xdist's own session, and this one."""


class SchedulerChoice:
    """Provider of the scheduler for tasks, unless the user or another plugin has chosen one."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Return the scheduler, or ``None`` to leave the choice to other plugins."""
        concurrency = config.stash[SETTINGS].concurrency
        is_default = config.getoption("dist") == "load" and config.getoption("maxschedchunk") is None
        providers = {each.plugin_name for each in config.hook.pytest_xdist_make_scheduler.get_hookimpls()}
        is_default = is_default and providers.issubset(_DEFAULT_PROVIDERS)
        if concurrency == 1 or not is_default or _is_chosen_by_user(config):
            return None
        # Imported here, because pytest-xdist is certain to be installed and active only where it calls this hook.
        from pytest_mcpbench.plugin.xdist.distribution import TaskScheduling

        return TaskScheduling(config, log, concurrency=concurrency, window=window_size(config, concurrency))


def _is_chosen_by_user(config: pytest.Config) -> bool:
    """Return whether the user has given ``--dist`` or ``-d``.

    The option's value does not show it: ``-n`` alone sets it to ``load``, as ``--dist=load`` does.
    """
    of_environment = shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))
    arguments = (*map(str, config.invocation_params.args), *config.getini("addopts"), *of_environment)
    return any(argument == "-d" or argument.startswith("--dist") for argument in arguments)
