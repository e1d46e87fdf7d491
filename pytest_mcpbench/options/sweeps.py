"""Parsing of ``--mcpbench-sweep NAME=VALUE,VALUE``: a parameter of every task, as models are."""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from pytest_mcpbench.core.variant import Variant
from pytest_mcpbench.options.option import Option, OptionReader

SWEPT_SETTINGS = ("rounds", "tool-calls", "seconds", "temperature")
"""Options about limits and sampling that can be swept; every condition with one value can be swept too."""


def parse_sweeps(
    reader: OptionReader, sweeps: Iterable[str], settings: Mapping[str, Option], conditions: Iterable[Option]
) -> tuple[Variant, ...]:
    """Return the variants: each combination of the values of all sweeps, in their order.

    Args:
        reader: Reader of the options of this run.
        sweeps: Texts such as ``rounds=5,10``.
        settings: Options by field of the settings.
        conditions: Options of conditions.
    """
    fields = {option.name: field for field, option in settings.items() if option.name in SWEPT_SETTINGS}
    options = {settings[field].name: settings[field] for field in fields.values()}
    options |= {
        option.name: option
        for option in conditions
        if option.name == "client" or (option.type != "args" and option.name != "context-pool")
    }
    swept: dict[str, list[tuple[str, Any]]] = {}
    for text in sweeps:
        name, values = _parse(text, options)
        if name in swept:
            raise _error(text, f"{name} is swept twice")
        swept[name] = [(value, _convert(text, options[name], value)) for value in values]
        if name != "client" and reader.value(name, kind=options[name].type) is not None:
            raise _error(text, f"leave --mcpbench-{name} out, which sets one value")
    return tuple(
        _variant(dict(zip(swept, combination, strict=True)), fields, options)
        for combination in itertools.product(*swept.values())
    )


def _parse(text: str, options: Mapping[str, Option]) -> tuple[str, list[str]]:
    name, _, listed = text.partition("=")
    values = [value.strip() for value in listed.split(",") if value.strip()]
    name = name.strip().replace("_", "-")
    if name not in options:
        from pytest_mcpbench.models.aliases import REQUEST_SETTINGS
        from pytest_mcpbench.text.suggestions import hint

        setting = name.replace("-", "_")
        if setting in (*REQUEST_SETTINGS, "tools"):
            remedy = "give the model an alias for each value in [tool.mcpbench.models], and name them with --model"
            raise _error(text, f"{setting} is a setting of a model, which is not swept; {remedy}")
        raise _error(text, f"no condition is called {name!r}. {hint(name, options)}")
    if len(values) < 2 or len(set(values)) < len(values):
        raise _error(text, "write NAME=VALUE,VALUE with at least two different values, for example rounds=5,10,20")
    return name, values


def _convert(text: str, option: Option, value: str) -> Any:
    if option.type == "bool":
        if value not in ("true", "false"):
            raise _error(text, f"a value is true or false, not {value!r}")
        return value == "true"
    if option.type not in ("int", "float"):
        return value
    try:
        number = int(value) if option.type == "int" else float(value)
    except ValueError:
        raise _error(text, f"{value!r} is not {'a whole number' if option.type == 'int' else 'a number'}") from None
    problem = option.range.problem(number)
    if problem is not None:
        raise _error(text, f"a value {problem}")
    return number


def _variant(
    values: Mapping[str, tuple[str, Any]], fields: Mapping[str, str], options: Mapping[str, Option]
) -> Variant:
    return Variant(
        values={name: text for name, (text, _) in values.items()},
        settings={fields[name]: value for name, (_, value) in values.items() if name in fields},
        conditions={str(options[name].condition): value for name, (_, value) in values.items() if name not in fields},
    )


def _error(text: str, problem: str) -> pytest.UsageError:
    return pytest.UsageError(f"--mcpbench-sweep={text}: {problem}")
