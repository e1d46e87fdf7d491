"""Options: the declaration of one option, and reading of what users set.

Every pytest run loads this module and the table of options. Their classes are no dataclasses, because making each would
take up to 3 ms of every run of every user.
"""

import argparse
import math
from typing import Any, Literal, NamedTuple

import pytest

_NUMBERS = {"int": "a whole number", "float": "a number"}


class Range(NamedTuple):
    """Range of valid numbers; only finite numbers are valid."""

    least: float = -math.inf
    above: float = -math.inf
    most: float = math.inf

    def problem(self, value: float) -> str | None:
        """Return an error message for the value, ``None`` if it is valid."""
        try:
            if math.isfinite(value) and self.least <= value <= self.most and value > self.above:
                return None
        except OverflowError:  # a whole number of hundreds of digits
            return "must be a number of fewer digits"
        return f"must be {self}, not {value:g}"

    def __str__(self) -> str:
        if math.isfinite(self.above):
            limit = f" and at most {self.most:g}" if math.isfinite(self.most) else ""
            return f"more than {self.above:g}{limit}"
        if not math.isfinite(self.least):
            return "a finite number"
        return f"at least {self.least:g}" if math.isinf(self.most) else f"from {self.least:g} to {self.most:g}"


ANY = Range()


class OptionReader:
    """Reader of the options of one run; names are without prefix (``top-k``)."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def value(self, name: str, *, kind: str = "string", within: Range = ANY) -> Any:
        """Return the value of the command line, else that of the ini file, else ``None``."""
        value = self._on_command_line(name)
        if value is None:
            try:
                value = self.config.getini(_dest(name))
            except (pytest.UsageError, TypeError, ValueError) as error:
                expected = _NUMBERS.get(kind, "as documented")
                raise pytest.UsageError(f"{self.place(name)} must be {expected}: {error}") from None
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


def _dest(name: str) -> str:
    return "mcpbench_" + name.replace("-", "_")


Form = Literal["path", "directory", "directories", "run", "floors", "sample", "shard"]
"""Meaning of a text: a path, one or more directories that exist, an earlier run, METRIC=VALUE, N/TAG, or i/n."""


class Option(NamedTuple):
    """One command-line option ``--mcpbench-<name>`` with its ini twin ``mcpbench_<name>``."""

    name: str
    help: str
    type: str = "string"
    """The ini type: string, int, float, bool (a flag), args (repeatable)."""
    metavar: str = "VALUE"
    range: Range = ANY
    """Range of a number."""
    form: Form | None = None
    """``None``: the raw value is the setting's; that of a repeatable option as a tuple."""
    choices: tuple[str, ...] = ()
    """The valid words; empty if there are others too."""
    is_short: bool = False
    """Whether there is ``--<name>`` too."""
    condition: str | None = None
    """The field of :class:`~pytest_mcpbench.core.conditions.Conditions` that it replaces."""
    initial: Any = None
    """Value of the setting if the option is not used."""

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


def setting(  # noqa: PLR0913 (each is a part of the option)
    name: str,
    help_text: str,
    *,
    type: str = "string",  # noqa: A002 (pytest's name for it)
    metavar: str = "VALUE",
    range: Range = ANY,  # noqa: A002 (as in Option)
    form: Form | None = None,
    choices: tuple[str, ...] = (),
    is_short: bool = False,
    initial: Any = None,
) -> Any:
    """Return the option that sets a field of :class:`~pytest_mcpbench.options.settings.Settings`.

    The result is ``Any`` for the type checker, because in an instance the field has its value.
    """
    return Option(name, help_text, type, metavar, range, form, choices, is_short, None, initial)


_LISTING = ("help", "version", "collectonly", "markers", "cacheshow", "showfixtures", "show_fixtures_per_test")
"""Options with which pytest prints something; a plugin of pytest that is switched off takes its own away."""


def only_lists(options: argparse.Namespace) -> bool:
    """Return whether pytest is told to print its help, tests, markers, fixtures or cache, and to run nothing."""
    return any(getattr(options, name, False) for name in _LISTING)
