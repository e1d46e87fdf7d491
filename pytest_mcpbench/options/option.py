"""The description of one option, from which everything about it follows."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_mcpbench.options.option_reader import ANY, OptionReader, Range

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
        return "mcpbench_" + self.name.replace("-", "_")

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
