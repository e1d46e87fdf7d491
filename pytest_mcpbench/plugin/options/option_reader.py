"""What the command line gives or else the ini file, refused with the option's name where it is out of range."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_NUMBERS = {"int": "a whole number", "float": "a number"}


@dataclass(frozen=True)
class Range:
    """Which numbers are taken; a number that is not finite never is."""

    least: float = -math.inf
    above: float = -math.inf
    most: float = math.inf

    def complaint(self, value: float) -> str | None:
        """What is wrong with the value, ``None`` where nothing is."""
        if math.isfinite(value) and self.least <= value <= self.most and value > self.above:
            return None
        return f"must be {self}, not {value:g}"

    def __str__(self) -> str:
        if math.isfinite(self.above):
            return f"more than {self.above:g}"
        if not math.isfinite(self.least):
            return "a finite number"
        return f"at least {self.least:g}" if math.isinf(self.most) else f"from {self.least:g} to {self.most:g}"


ANY = Range()


@dataclass(frozen=True)
class OptionReader:
    """The options of one run, by name without prefix (``top-k``)."""

    config: pytest.Config

    def value(self, name: str, *, kind: str = "string", within: Range = ANY) -> Any:
        """The option's value or, where it was not given, the ini file's; ``None`` where neither is."""
        value = self._on_command_line(name)
        if value is None:
            value = self._in_ini_file(name, kind)
        problem = within.complaint(value) if value is not None and kind in _NUMBERS else None
        if problem:
            raise pytest.UsageError(f"{self.place(name)} {problem}")
        return value

    def path(self, name: str) -> Path | None:
        """A file or directory, relative to where pytest was called."""
        value = self.value(name)
        return self.config.invocation_params.dir / value if value else None

    def directory(self, name: str) -> Path | None:
        """A directory that must be there."""
        path = self.path(name)
        if path is not None and not path.is_dir():
            raise pytest.UsageError(f"{self.place(name)}: there is no directory {path}")
        return path

    def place(self, name: str) -> str:
        """The option as the user has written it: on the command line, or in which ini file."""
        if self._on_command_line(name) is not None or self.config.inipath is None:
            return f"--mcpbench-{name}"
        return f"{_dest(name)} in {self.config.inipath.name}"

    def _on_command_line(self, name: str) -> Any:
        return self.config.getoption(_dest(name))

    def _in_ini_file(self, name: str, kind: str) -> Any:
        try:
            return self.config.getini(_dest(name))
        except (pytest.UsageError, TypeError, ValueError) as error:
            wanted = _NUMBERS.get(kind, "as documented")
            raise pytest.UsageError(f"{self.place(name)} must be {wanted}: {error}") from None


def _dest(name: str) -> str:
    return "mcpbench_" + name.replace("-", "_")
