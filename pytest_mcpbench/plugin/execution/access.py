"""Check of the keys that models need, for a run of suites before any worker starts and any task is collected."""

import os
from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import (
    AGENTS_WITHOUT_MODEL,
    JUDGES_WITHOUT_MODEL,
    NO_USER,
    external_agent,
    is_in_process,
    panel_members,
)
from pytest_mcpbench.core.secret_sources import public_name
from pytest_mcpbench.options.settings import LOCAL, SETTINGS, SHARED
from pytest_mcpbench.options.worker_channel import WorkerChannel
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.suite_paths import find_suite_file

if TYPE_CHECKING:
    from pytest_mcpbench.models.factory import Models

WITHOUT_KEY = {
    "agent": "without a key, try --model=lexical (no model) or --model=local (a model on this machine)",
    "judge": "without a key, --mcpbench-judge=keyfacts judges by rules",
    "user": "without a key, --mcpbench-user=local plays users with a model on this machine",
    "ranking": "without a key, bm25 ranks tools by their words",
    "sampling": "without `sampling` in the suite or the options, servers that ask for a message are refused",
}
"""Part of a model in an attempt -> what needs no key in its place."""


def require_key(models: "Models", name: str, remedy: str) -> None:
    """Raise a usage error if a model needs a key and no environment variable has it."""
    variables = models.key_variables(name)
    if variables and not any(os.environ.get(variable, "").strip() for variable in variables):
        needed = f"needs a key: set the environment variable {variables[0]}"
        raise pytest.UsageError(f"model {public_name(name)!r} {needed}; {remedy}")


class EarlyAccess:
    """Check of the models that the command line names, as far as they are certainly asked.

    The checks of all options follow the collection, which a run with pytest-xdist leaves to its workers: to start them
    takes longer than to say that a key is missing.
    """

    def __init__(self, config: pytest.Config, channel: WorkerChannel) -> None:
        self._config = config
        self._settings = config.stash[SETTINGS]
        self._channel = channel

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Raise a usage error for a model that does not exist or has no key; pytest-xdist starts its workers later."""
        settings = self._settings
        is_local = settings.engine in (LOCAL, SHARED)
        if self._channel.is_worker or not settings.suites or not is_local or settings.asks_nobody(self._config):
            return
        # A resumed run may have all of its attempts already, and a conftest file may make the agent.
        if settings.resume is not None or self._has_own_agents():
            return
        try:
            self._check()
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None

    def _check(self) -> None:
        settings = self._settings
        agents = [
            name
            for name in settings.models
            if name not in AGENTS_WITHOUT_MODEL
            and not is_in_process(name, settings.aliases)
            and external_agent(name, settings.aliases) is None
        ]
        members = panel_members(settings.judge) if settings.judge else ()
        judges = [name for name in members if name not in JUDGES_WITHOUT_MODEL]
        user = settings.user if settings.user not in (None, NO_USER) else None
        if not agents and not judges and user is None:
            return
        # Here, because runs that ask no model do without them.
        from pytest_mcpbench.agents.factory import make_agent
        from pytest_mcpbench.models.factory import Models

        models = Models(settings.aliases)
        for name in judges:
            require_key(models, name, WITHOUT_KEY["judge"])
        if user is not None and models.key_variables(user) and self._has_users():
            require_key(models, user, WITHOUT_KEY["user"])
        for name in agents:
            make_agent(name, models, temperature=settings.temperature)
            require_key(models, name, WITHOUT_KEY["agent"])

    def _has_own_agents(self) -> bool:
        """Return whether a conftest file or another plugin makes agents, judges or users."""
        others = (
            plugin
            for plugin in self._config.pluginmanager.get_plugins()
            if not (getattr(plugin, "__name__", None) or type(plugin).__module__).startswith("pytest_mcpbench.")
        )
        names = [f"pytest_mcpbench_make_{kind}" for kind in ("agent", "judge", "user")] + ["mcp_agent"]
        return any(hasattr(plugin, name) for plugin in others for name in names)

    def _has_users(self) -> bool:
        """Return whether a task of the suites has a user whom a model plays."""
        from pytest_mcpbench.suite_files.loading import load_suite

        names = catalogue_of(self._config).names
        files = (find_suite_file(name, self._config) for name in self._settings.suites)
        suites = (load_suite(file, self._settings.conditions, names) for file in files)
        return any(
            record.task is not None and record.task.user is not None and bool(record.task.user.goal)
            for suite in suites
            if not suite.manifest.route
            for record in suite.attempts
        )
