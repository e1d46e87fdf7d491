"""Facts of a run for ``run.json``: its settings, conditions, limits and the versions of packages."""

import importlib.metadata
import platform
import re
from datetime import UTC, datetime
from typing import Any

import pytest

from pytest_mcpbench import __version__
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.plugin.collection.item_state import SUITES
from pytest_mcpbench.plugin.options.settings import Settings

_CREDENTIALS = re.compile(r"//[^/@\s]+@")


def run_facts(config: pytest.Config, settings: Settings) -> dict[str, Any]:
    """What ``run.json`` says: with what the run was made."""
    return {
        "version": __version__,
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "arguments": [_CREDENTIALS.sub("//…@", argument) for argument in config.invocation_params.args],
        "settings": _plain_settings(settings),
        "suites": {name: _asked_of(suite, settings) for name, suite in config.stash.get(SUITES, {}).items()},
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: _installed(name) for name in ("pytest", "pytest-xdist", "mcp", "litellm", "pydantic")},
    }


def _asked_of(suite: SuiteManifest, settings: Settings) -> dict[str, Any]:
    """Under which conditions and within which limits the suite's tasks are attempted, and how often."""
    conditions = suite.conditions.model_dump(mode="json")
    return {
        "conditions": {**conditions, "dispatcher": _CREDENTIALS.sub("//…@", suite.dispatcher)},
        "limits": suite.limits.model_copy(update=dict(settings.limits)).model_dump(mode="json"),
        "trials": settings.trials or suite.trials,
    }


def _plain_settings(settings: Settings) -> dict[str, Any]:
    plain = {name: value for name, value in vars(settings).items() if name != "aliases" and value not in (None, (), {})}
    return {name: _CREDENTIALS.sub("//…@", str(value)) for name, value in plain.items()}


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
