"""Tests that use fixtures of a task only because an autouse fixture does."""

from typing import Any

import pytest

_USABLE_WITHOUT_TASK = frozenset({"mcp_sandbox", "mcp_task", "mcp_session", "mcp_job"})


def needs_task(metafunc: pytest.Metafunc) -> bool:
    """Return whether a test itself uses a fixture of a task, or an autouse fixture one that only a task can give."""
    # pytest has no public way to find out which fixtures a fixture uses.
    info = metafunc.definition._fixtureinfo
    own = {*info.argnames, *_named_by_usefixtures(metafunc)}
    of_test = _closure(info, own)
    of_autouse = _closure(info, set(info.initialnames) - own)
    return "mcp_job" in of_test or any(
        name.startswith("mcp_") and name not in _USABLE_WITHOUT_TASK for name in of_autouse if _is_of_task(info, name)
    )


def _named_by_usefixtures(metafunc: pytest.Metafunc) -> set[str]:
    return {name for mark in metafunc.definition.iter_markers("usefixtures") for name in mark.args}


def _closure(info: Any, names: set[str]) -> set[str]:
    """Return the fixtures and all that they use."""
    found: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            definitions = info.name2fixturedefs.get(name, ())
            left += [used for definition in definitions for used in definition.argnames]
    return found


def _is_of_task(info: Any, name: str) -> bool:
    return "mcp_job" in _closure(info, {name})
