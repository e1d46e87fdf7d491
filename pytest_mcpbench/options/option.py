"""Options: reading of what users set, the description of one option, and conversions of raw values."""

import dataclasses
import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.model_names import is_in_process, local_target
from pytest_mcpbench.options.worker_channel import worker_count

if TYPE_CHECKING:
    from pytest_mcpbench.core.selection import Shard, TaskSample

# Values of options from the command line or the ini file, with errors that name the option.

_NUMBERS = {"int": "a whole number", "float": "a number"}


@dataclass(frozen=True)
class Range:
    """Range of valid numbers; only finite numbers are valid."""

    least: float = -math.inf
    above: float = -math.inf
    most: float = math.inf

    def problem(self, value: float) -> str | None:
        """Return an error message for the value, ``None`` if it is valid."""
        if math.isfinite(value) and self.least <= value <= self.most and value > self.above:
            return None
        return f"must be {self}, not {value:g}"

    def __str__(self) -> str:
        if math.isfinite(self.above):
            limit = f" and at most {self.most:g}" if math.isfinite(self.most) else ""
            return f"more than {self.above:g}{limit}"
        if not math.isfinite(self.least):
            return "a finite number"
        return f"at least {self.least:g}" if math.isinf(self.most) else f"from {self.least:g} to {self.most:g}"


ANY = Range()


@dataclass(frozen=True)
class OptionReader:
    """Reader of the options of one run; names are without prefix (``top-k``)."""

    config: pytest.Config

    def value(self, name: str, *, kind: str = "string", within: Range = ANY) -> Any:
        """Return the value of the command line, else that of the ini file, else ``None``."""
        value = self._on_command_line(name)
        if value is None:
            value = self._in_ini_file(name, kind)
        problem = within.problem(value) if value is not None and kind in _NUMBERS else None
        if problem:
            raise pytest.UsageError(f"{self.place(name)} {problem}")
        return value

    def place(self, name: str) -> str:
        """Return the option as the user wrote it: on the command line, or with the name of the ini file."""
        if self._on_command_line(name) is not None or self.config.inipath is None:
            return f"--mcpbench-{name}"
        return f"{_dest(name)} in {self.config.inipath.name}"

    def _on_command_line(self, name: str) -> Any:
        return self.config.getoption(_dest(name))

    def _in_ini_file(self, name: str, kind: str) -> Any:
        try:
            return self.config.getini(_dest(name))
        except (pytest.UsageError, TypeError, ValueError) as error:
            expected = _NUMBERS.get(kind, "as documented")
            raise pytest.UsageError(f"{self.place(name)} must be {expected}: {error}") from None


def _dest(name: str) -> str:
    return "mcpbench_" + name.replace("-", "_")


# Default number of attempts that a process runs at once, and of items whose attempts it starts ahead.

REMOTE = 8
"""Default for attempts that mostly wait for a remote model."""
_MINIMUM_PER_WORKER = 2
_FEW_CORES = 4
_WINDOW_FACTOR = 4


def default_concurrency(config: pytest.Config, models: Iterable[str], aliases: Mapping[str, Any]) -> int:
    """Return a fixed number for remote models; this process's share of the processors if no model is asked.

    A model on this machine computes one reply at a time: more attempts would use up each other's time.
    """
    if any(local_target(model, aliases) for model in models):
        return 1
    if not all(is_in_process(model, aliases) for model in models):
        return REMOTE
    cores = os.cpu_count() or 1
    workers = worker_count(config)
    return cores if workers == 1 else max(_MINIMUM_PER_WORKER, cores // workers)


def window_size(config: pytest.Config, places: int, *, is_limited: bool = False) -> int:
    """Return the number of items to look ahead when ``places`` attempts can run at once.

    The window is wider than the number of places, so that a slow attempt at its head does not leave the others idle.
    With ``-x``, ``--maxfail`` and a budget it is not: attempts that were started have to be paid for.
    """
    return places if config.getoption("maxfail") or is_limited else _WINDOW_FACTOR * places


def is_crowded(config: pytest.Config) -> bool:
    """Return whether there are more workers than processors, and one process can do the work of all of them.

    On a machine with more processors one process, which uses only one of them, would hold up the workers.
    """
    cores = os.cpu_count() or 1
    return cores <= _FEW_CORES and worker_count(config) > cores


Parser = Callable[[OptionReader, str, Any], Any]
"""Reader, name of the option and raw value -> value of the setting."""
Default = Callable[[pytest.Config, Mapping[str, Any]], Any]
"""Configuration and the settings so far, by field -> the value if the option is not used."""


@dataclass(frozen=True)
class Option:
    """One command-line option ``--mcpbench-<name>`` with its ini twin ``mcpbench_<name>``."""

    name: str
    help: str
    type: str = "string"
    """The ini type: string, int, float, bool (a flag), args (repeatable)."""
    metavar: str = "VALUE"
    range: Range = ANY
    """Range of a number."""
    parse: Parser | None = None
    """``None``: the raw value is the setting's; that of a repeatable option as a tuple."""
    default: Default | None = None
    """Default that depends on the machine or on other settings."""
    is_short: bool = False
    """Whether there is ``--<name>`` too."""
    condition: str | None = None
    """The field of :class:`~pytest_mcpbench.core.conditions.Conditions` that it replaces."""

    @property
    def dest(self) -> str:
        return _dest(self.name)

    @property
    def value_name(self) -> str:
        """The name of its value in documents; empty for a flag."""
        return "" if self.type == "bool" else self.metavar

    @property
    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of ``addoption``."""
        common = {"dest": self.dest, "default": None, "metavar": self.metavar, "help": self.help}
        if self.type == "bool":
            return {"dest": self.dest, "default": None, "help": self.help, "action": "store_true"}
        if self.type == "args":
            return {**common, "action": "append"}
        return {**common, "type": {"int": int, "float": float}.get(self.type, str)}

    def read(self, reader: OptionReader) -> Any:
        """Return the value that the user has set; ``None`` if there is none."""
        raw = reader.value(self.name, kind=self.type, within=self.range)
        if raw in (None, "", []):
            return None
        if self.parse is not None:
            return self.parse(reader, self.name, raw)
        return tuple(raw) if self.type == "args" else raw


def setting(  # noqa: PLR0913 (each is a part of the option)
    name: str,
    help_text: str,
    *,
    type: str = "string",  # noqa: A002 (pytest's name for it)
    metavar: str = "VALUE",
    range: Range = ANY,  # noqa: A002 (as in Option)
    parse: Parser | None = None,
    default: Default | None = None,
    is_short: bool = False,
    initial: Any = None,
) -> Any:
    """Return a field of :class:`~pytest_mcpbench.options.settings.Settings` that an option sets.

    ``initial`` is the value if the option is not used and there is no ``default``.
    """
    option = Option(name, help_text, type, metavar, range, parse, default, is_short)
    if isinstance(initial, dict):
        return dataclasses.field(default_factory=initial.copy, metadata={"option": option})
    return dataclasses.field(default=initial, metadata={"option": option})


# Conversions of the raw values of options, each with an error that names the option.

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


def one_of(*choices: str) -> Parser:
    """Return the conversion of a value that is one of two or more words."""

    def parse(reader: OptionReader, name: str, raw: Any) -> str:
        if raw not in choices:
            listed = f"{', '.join(choices[:-1])} or {choices[-1]}"
            raise pytest.UsageError(f"{reader.place(name)} must be {listed}, not {raw!r}")
        return str(raw)

    return parse


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
