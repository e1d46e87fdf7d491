"""The settings of a run as ``run.json`` stores them: JSON values by the name of the setting."""

import ast
from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.planning import LIMIT_SETTINGS, Overrides
from pytest_mcpbench.core.secret_sources import public_name
from pytest_mcpbench.core.task import Limits

_NEVER_TEXT = frozenset(
    ("suites", "models", "trials", "concurrency", *LIMIT_SETTINGS, "temperature", "metrics", "floors", "engine_env")
) | {"conditions"}
"""Settings whose value is a number, a list or a table."""


def stored_settings(values: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Return the settings that have a value, as JSON; a URL is the one that names and messages show."""
    return {name: _to_json(value) for name, value in values.items() if value not in (None, (), {})}


def read_settings(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run from the content of its ``run.json``.

    Runs of version 0.1 stored every value as the text of a Python literal. This is the one place that still reads it.
    Text that is no literal, as of a file that somebody has edited, is left out.
    """
    settings = facts.get("settings")
    if not isinstance(settings, Mapping):
        return {}
    values = {}
    for name, value in settings.items():
        values[name] = value
        if name in _NEVER_TEXT and isinstance(value, str):
            try:
                values[name] = ast.literal_eval(value)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                del values[name]
    return values


def read_overrides(facts: Mapping[str, Any]) -> Overrides:
    """Return the values of a run that count over those of its suites and tasks."""
    settings = read_settings(facts)
    limits = {name: settings[name] for name in LIMIT_SETTINGS if name in settings}
    checked = Limits.model_validate(limits)
    return Overrides(
        limits={name: getattr(checked, name) for name in limits},
        floors=settings.get("floors", {}),
        scoring=settings.get("scoring"),
        metrics=tuple(settings.get("metrics", ())),
        trials=settings.get("trials"),
    )


def _to_json(value: Any) -> JsonValue:
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(name): _to_json(item) for name, item in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [_to_json(item) for item in value]
    if value is None:
        return None
    # Of a panel of judges, each member may be a URL.
    return ",".join(map(public_name, str(value).split(",")))
