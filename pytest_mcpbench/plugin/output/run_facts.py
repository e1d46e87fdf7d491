"""Facts of a run for ``run.json``: its settings, conditions, limits and the versions of packages."""

import importlib.metadata
import platform
from datetime import UTC, datetime
from typing import Any

import pytest

from pytest_mcpbench import __version__
from pytest_mcpbench.core.planning import planned_limits, planned_trials
from pytest_mcpbench.core.run_settings import stored_settings, without_credentials
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.suite_names import distinct_names
from pytest_mcpbench.plugin.collection.item_state import SUITES
from pytest_mcpbench.plugin.options.settings import Settings


def run_facts(config: pytest.Config, settings: Settings) -> dict[str, Any]:
    """Return the content of ``run.json``."""
    suites = config.stash.get(SUITES, {})
    names = distinct_names(suites)
    return {
        "version": __version__,
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "arguments": [without_credentials(argument) for argument in config.invocation_params.args],
        "settings": stored_settings(settings.stored),
        "suites": {names[suite_id]: _facts_of_suite(suite, settings) for suite_id, suite in suites.items()},
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {
            name: _installed_versions(name) for name in ("pytest", "pytest-xdist", "mcp", "litellm", "pydantic")
        },
    }


def _facts_of_suite(suite: SuiteManifest, settings: Settings) -> dict[str, Any]:
    """Return the conditions, the limits and the number of trials of a suite's attempts."""
    conditions = suite.conditions.model_dump(mode="json")
    return {
        "conditions": {**conditions, "dispatcher": without_credentials(suite.dispatcher)},
        "limits": planned_limits(suite, None, settings.overrides).model_dump(mode="json"),
        "trials": planned_trials(suite, settings.overrides),
    }


def _installed_versions(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
