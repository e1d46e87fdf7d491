"""Parsing of ``--mcpbench-model-setting [MODEL:]NAME=VALUE``: settings that replace those of aliases in this run."""

import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from pytest_mcpbench.core.model_names import (
    ACP_AGENT,
    EXTERNAL_AGENT,
    NAMES_WITHOUT_MODEL,
    REPLAY,
    alias_target,
    is_url,
)

_OTHER_FIELDS = frozenset({"model", "url", "api_key_env", "headers"})
"""Fields of an alias that are no settings, or whose values do not belong on a command line."""


def with_model_settings(
    aliases: Mapping[str, Any], settings: Iterable[str], models: Iterable[str], judges: Iterable[str]
) -> dict[str, Any]:
    """Return the aliases with the settings of the command line.

    Args:
        aliases: ``[tool.mcpbench.models]``.
        settings: Texts such as ``top_p=0.9``, for all models of agents, or ``claude:top_p=0.9``.
        models: Names of agents.
        judges: Names of judges, whose models a setting can name.
    """
    agents = [name for name in models if _has_model(name, aliases)]
    known = [*agents, *(name for name in judges if _has_model(name, aliases))]
    changed = dict(aliases)
    texts: dict[str, dict[str, tuple[str, Any]]] = {}
    for text in settings:
        model, name, value = _parse(text)
        if model and model not in known:
            raise _error(text, f"no model of this run is called {model!r}; there are: {', '.join(known) or 'none'}")
        if not model and not agents:
            raise _error(text, "no model of this run has settings; name one with --model")
        for each in [model] if model else agents:
            changed[each] = _with(_table(each, changed), name, value)
            texts.setdefault(each, {})[text] = (name, value)
    for each, stated in texts.items():
        _check_table(_table(each, aliases), changed[each], stated)
    return changed


def _has_model(name: str, aliases: Mapping[str, Any]) -> bool:
    """Return whether this plugin asks a model of that name itself."""
    _, target = alias_target(name, aliases)
    others = (REPLAY, EXTERNAL_AGENT, ACP_AGENT)
    return not (isinstance(target, str) and (target in NAMES_WITHOUT_MODEL or target.startswith(others)))


def _parse(text: str) -> tuple[str, str, Any]:
    """Return the model, the path of the setting and its value as TOML reads it; other text is a string."""
    key, equals, value = text.partition("=")
    model, _, name = key.rpartition(":")
    if not equals or not name.strip() or not value.strip():
        raise _error(text, "write NAME=VALUE or MODEL:NAME=VALUE, for example top_p=0.9")
    from pytest_mcpbench.models.aliases import ModelAlias
    from pytest_mcpbench.text.suggestions import hint

    name, value = name.strip(), value.strip()
    names = [field for field in ModelAlias.model_fields if field not in _OTHER_FIELDS]
    first, dot, _ = name.partition(".")
    if first not in names or bool(dot) != (first == "extra"):
        raise _error(text, f"no setting is called {name!r}. {hint(name, names)}")
    try:
        return model.strip(), name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return model.strip(), name, value


def _check_table(before: Mapping[str, Any], changed: Mapping[str, Any], stated: Mapping[str, tuple[str, Any]]) -> None:
    """Check the table of an alias, of which the options ``stated`` have changed one that is right without them."""
    problem = _problem(changed)
    if problem is None or _problem(before) is not None:
        return
    for text, (name, value) in stated.items():
        if (alone := _problem(_with(before, name, value))) is not None:
            raise _error(text, alone)
    raise _error([*stated][-1], problem)


def _problem(table: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the table of an alias."""
    from pydantic import ValidationError

    from pytest_mcpbench.loaders.field_errors import to_field_error
    from pytest_mcpbench.models.aliases import ModelAlias

    try:
        ModelAlias.model_validate(table)
    except ValidationError as error:
        wrong = to_field_error(error, ModelAlias)
        return " ".join(filter(None, (wrong.problem, wrong.remedy)))
    return None


def _table(name: str, aliases: Mapping[str, Any]) -> dict[str, Any]:
    _, target = alias_target(name, aliases)
    if isinstance(target, str):
        return {"url" if is_url(target) else "model": target}
    return dict(target)


def _with(table: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    first, _, rest = name.partition(".")
    return {**table, first: {**table.get(first, {}), rest: value} if rest else value}


def _error(text: str, problem: str) -> pytest.UsageError:
    return pytest.UsageError(f"--mcpbench-model-setting={text}: {problem}")
