"""Validated arguments of the marker ``mcpbench`` of a user's own test."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.text.suggestions import did_you_mean

NAME = "mcpbench"
_FIXTURES_OF_A_TASK = "mcp_run, mcp_scorecard or mcp_task"


@dataclass(frozen=True)
class Marker:
    """Arguments of a test's marker; the defaults for a test without marker."""

    suite: Path | str | None = None
    models: tuple[str, ...] = ()
    """Models to run instead of those of the command line."""
    trials: int | None = None
    server: str | None = None


def read_marker(metafunc: pytest.Metafunc) -> Marker:
    """Return the closest marker of the test: its own, that of its class or of its module."""
    mark = metafunc.definition.get_closest_marker(NAME)
    if mark is None:
        return Marker()
    if mark.args:
        raise marker_error(metafunc, f"the marker takes keywords only: mcpbench(suite={mark.args[0]!r})")
    for name, value in mark.kwargs.items():
        _check(metafunc, name, value)
    return _read(mark.kwargs)


def require_fixture(metafunc: pytest.Metafunc) -> None:
    """Raise an error for a test whose marker has no effect, because it uses no fixture: it would run once and pass."""
    own = [mark for mark in metafunc.definition.own_markers if mark.name == NAME]
    if any(mark.args or mark.kwargs for mark in own):
        read_marker(metafunc)
        raise marker_error(
            metafunc,
            f"the test is marked mcpbench(…) and uses no fixture of a task: use {_FIXTURES_OF_A_TASK}, "
            "or mcp_tools to look at servers",
        )


def marker_error(metafunc: pytest.Metafunc, problem: str) -> pytest.Collector.CollectError:
    """Return an error with the file and line of the test, which pytest shows without a traceback."""
    path, line, name = metafunc.definition.reportinfo()
    directory = metafunc.config.invocation_params.dir
    relative = os.path.relpath(path, directory) if Path(path).is_relative_to(directory) else os.fspath(path)
    return pytest.Collector.CollectError(f"{relative}:{(line or 0) + 1}: {name}: {problem}")


def _check(metafunc: pytest.Metafunc, name: str, value: object) -> None:
    if name not in _ARGUMENTS:
        question = did_you_mean(name, _ARGUMENTS)
        problem = f"the marker mcpbench has no {name!r}; it has: {', '.join(_ARGUMENTS)}."
        raise marker_error(metafunc, f"{problem} {question}" if question else problem)
    is_valid, expected = _ARGUMENTS[name]
    if value is not None and not is_valid(value):
        raise marker_error(metafunc, f"mcpbench({name}={value!r}): {name} is {expected}")


def _read(arguments: Mapping[str, Any]) -> Marker:
    model = arguments.get("model")
    return Marker(
        suite=arguments.get("suite"),
        models=(model,) if isinstance(model, str) else tuple(model or ()),
        trials=arguments.get("trials"),
        server=arguments.get("server"),
    )


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_path(value: object) -> bool:
    return _is_name(value) or isinstance(value, Path)


def _are_names(value: object) -> bool:
    return _is_name(value) or (isinstance(value, list | tuple) and bool(value) and all(map(_is_name, value)))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


_ARGUMENTS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "suite": (_is_path, "the name of a suite, or the path of a suite.toml or task file"),
    "model": (_are_names, "the name of a model, or a list of names"),
    "trials": (_is_count, "a whole number from 1"),
    "server": (_is_name, "the name of a server"),
}
"""Argument -> predicate for its values, and their description for error messages."""
