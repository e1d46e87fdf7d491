"""Choice of the scheduler of a run with pytest-xdist."""

import os
import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_mcpbench.options.parallelism import window_size
from pytest_mcpbench.options.settings import SETTINGS

_DEFAULT_PROVIDERS = ("dsession", "mcpbench-scheduler")
"""Plugins whose scheduler nobody has asked for: pytest-xdist's own session, and this one."""


class SchedulerChoice:
    """Provider of the scheduler for tasks, unless the user or another plugin has chosen one."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Return the scheduler, or ``None`` to leave the choice to other plugins."""
        concurrency = config.stash[SETTINGS].concurrency
        is_default = config.getoption("dist") == "load" and config.getoption("maxschedchunk") is None
        if concurrency == 1 or not is_default or _is_chosen_by_user(config) or _is_chosen_by_plugin(config):
            return None
        # Imported here, because pytest-xdist is certain to be installed and active only where it calls this hook.
        from pytest_mcpbench.plugin.xdist.distribution import TaskScheduling

        return TaskScheduling(config, log, concurrency=concurrency, window=window_size(config, concurrency))


def _is_chosen_by_user(config: pytest.Config) -> bool:
    """Return whether the user has given ``--dist`` or ``-d``.

    The option's value does not show it: ``-n`` alone sets it to ``load``, as ``--dist=load`` does.
    """
    return any(argument == "-d" or argument.startswith("--dist") for argument in _arguments(config))


def _arguments(config: pytest.Config) -> Iterator[str]:
    yield from map(str, config.invocation_params.args)
    yield from config.getini("addopts")
    yield from shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))


def _is_chosen_by_plugin(config: pytest.Config) -> bool:
    implementations = config.hook.pytest_xdist_make_scheduler.get_hookimpls()
    return any(implementation.plugin_name not in _DEFAULT_PROVIDERS for implementation in implementations)
