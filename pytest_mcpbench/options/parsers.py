"""Conversions of the raw values of options, each with an error that names the option."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_mcpbench.options.option_reader import OptionReader, Range

if TYPE_CHECKING:
    from pytest_mcpbench.core.selection import Shard, TaskSample
    from pytest_mcpbench.servers.isolation import IsolationMode

_FLOORS = Range(least=0, most=1)


def path(reader: OptionReader, _name: str, raw: Any) -> Path:
    """Return a path, relative to where pytest was called."""
    return reader.config.invocation_params.dir / str(raw)


def directory(reader: OptionReader, name: str, raw: Any) -> Path:
    """Return the path of a directory that must exist."""
    found = path(reader, name, raw)
    if not found.is_dir():
        raise pytest.UsageError(f"{reader.place(name)}: there is no directory {found}")
    return found


def directories(reader: OptionReader, name: str, raw: Any) -> tuple[Path, ...]:
    """Return the paths of directories that must exist."""
    return tuple(directory(reader, name, each) for each in raw)


def earlier_run(reader: OptionReader, name: str, raw: Any) -> Path:
    """Return the directory of an earlier run; ``last`` is the latest one of the project."""
    if raw != "last" or path(reader, name, raw).is_dir():
        return directory(reader, name, raw)
    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.runs.lookup import find_run

    try:
        found = find_run(raw, reader.config.rootpath)
    except UsageError as error:
        raise pytest.UsageError(f"{reader.place(name)}: {error}") from None
    # Workers get the options of the controller: for them the latest run may already be this one.
    setattr(reader.config.option, f"mcpbench_{name}", str(found))
    return found


def floors(_reader: OptionReader, _name: str, raw: Any) -> dict[str, float]:
    """Return the floors of ``METRIC=VALUE`` texts."""
    return dict(_floor(text) for text in raw)


def pass_or_fail(reader: OptionReader, name: str, raw: Any) -> str:
    """Return ``pass`` or ``fail``."""
    if raw not in ("pass", "fail"):
        raise pytest.UsageError(f"{reader.place(name)} must be pass or fail, not {raw!r}")
    return str(raw)


def isolation_mode(reader: OptionReader, name: str, raw: Any) -> "IsolationMode":
    """Return ``auto``, ``bwrap`` or ``none``."""
    if raw not in ("auto", "bwrap", "none"):
        raise pytest.UsageError(f"{reader.place(name)} must be auto, bwrap or none, not {raw!r}")
    return cast("IsolationMode", raw)


def sample(_reader: OptionReader, name: str, raw: Any) -> "TaskSample":
    """Return the sample that ``N`` or ``N/TAG`` means."""
    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.core.selection import TaskSample

    try:
        return TaskSample.parse(raw)
    except UsageError as error:
        raise pytest.UsageError(f"--mcpbench-{name}: {error}") from None


def shard(_reader: OptionReader, name: str, raw: Any) -> "Shard":
    """Return the part of the tasks that ``i/n`` means."""
    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.core.selection import Shard

    try:
        return Shard.parse(raw)
    except UsageError as error:
        raise pytest.UsageError(f"--mcpbench-{name}: {error}") from None


def _floor(text: str) -> tuple[str, float]:
    metric, _, value = text.partition("=")
    try:
        floor = float(value)
    except ValueError:
        raise pytest.UsageError(f"--mcpbench-floor takes METRIC=VALUE, for example ast=0.9, not {text!r}") from None
    problem = _FLOORS.problem(floor)
    if problem:
        raise pytest.UsageError(f"--mcpbench-floor={text} {problem}: scores are from 0 to 1")
    return metric.strip(), floor
