"""Secrets of the run, which the parts of the plugin add as they resolve models and servers."""

import os
from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.core.model_names import panel_members
from pytest_mcpbench.options.settings import SETTINGS

if TYPE_CHECKING:
    from pytest_mcpbench.servers.secret_filter import SecretFilter

SECRETS = pytest.StashKey["SecretFilter"]()
"""Missing in a run without tasks and servers, whose output stays as it is."""


def known_secrets(config: pytest.Config) -> "SecretFilter":
    """Return the filter of the run, which knows the environment and the models of the settings from the beginning."""
    if SECRETS not in config.stash:
        from pytest_mcpbench.servers.secret_filter import SecretFilter

        settings = config.stash[SETTINGS]
        secrets = SecretFilter.of_environment()
        secrets.add_models(
            (*settings.models, *panel_members(settings.judge or ""), settings.user or ""), settings.aliases
        )
        secrets.add_agents(settings.agents)
        secrets.add_command_line(_command_line(config))
        config.stash[SECRETS] = secrets
    return config.stash[SECRETS]


def cleaned_usage_error(config: pytest.Config, error: pytest.UsageError) -> pytest.UsageError:
    """Return the error without secrets; it may end the run before the settings are read."""
    from pytest_mcpbench.servers.secret_filter import SecretFilter

    secrets = SecretFilter.of_environment()
    secrets.add_command_line(_command_line(config))
    return pytest.UsageError(*map(secrets.remove, map(str, error.args)))


def _command_line(config: pytest.Config) -> list[str]:
    """Return the arguments of pytest, with those of the ini file and of the environment."""
    added = [*config.getini("addopts"), *os.environ.get("PYTEST_ADDOPTS", "").split()]
    return [*added, *map(str, config.invocation_params.args)]


def is_active(config: pytest.Config) -> bool:
    """Return whether the run has tasks or servers, so that secrets are removed from its output."""
    return SECRETS in config.stash
