"""The settings of a run, read from the command line, the ini file and pyproject.toml."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.options import concurrency
from pytest_mcpbench.plugin.options.option_reader import OptionReader, Range
from pytest_mcpbench.plugin.options.table import ALL_OPTIONS, CONDITIONS

if TYPE_CHECKING:
    from pytest_mcpbench.core.planning import Overrides
    from pytest_mcpbench.core.shards import Shard

DEFAULT_MODEL = "lexical"
LOCAL = "local"
"""The engine that is this process, and each worker of xdist."""
SHARED = "shared"
"""The engine that is one process for all workers."""


_NO_SKILL = "none"


@dataclass(frozen=True)
class Settings:
    """What a run was asked for; made once."""

    suites: tuple[str, ...] = ()
    models: tuple[str, ...] = (DEFAULT_MODEL,)
    trials: int | None = None
    out: Path | None = None
    resume: Path | None = None
    concurrency: int = 1
    judge: str | None = None
    data: Path | None = None
    rounds: int | None = None
    tool_calls: int | None = None
    seconds: float | None = None
    temperature: float | None = None
    metrics: tuple[str, ...] = ()
    floors: Mapping[str, float] = field(default_factory=dict)
    engine: str = LOCAL
    engine_env: tuple[str, ...] = ()
    shard: "Shard | None" = None
    markdown: Path | None = None
    json: Path | None = None
    conditions: Mapping[str, Any] = field(default_factory=dict)
    """Those that replace the suites' own, by field of :class:`~pytest_mcpbench.core.conditions.Conditions`."""
    aliases: Mapping[str, Any] = field(default_factory=dict)
    """``[tool.mcpbench.models]`` of pyproject.toml."""

    @property
    def overrides(self) -> "Overrides":
        """The values that count over those of suites and tasks."""
        from pytest_mcpbench.core.planning import LIMIT_SETTINGS, Overrides

        limits = {name: getattr(self, name) for name in LIMIT_SETTINGS if getattr(self, name) is not None}
        return Overrides(limits=limits, floors=self.floors, metrics=self.metrics, trials=self.trials)


SETTINGS = pytest.StashKey[Settings]()


def read_settings(config: pytest.Config) -> Settings:
    """Return the settings of the run. Raises a usage error that names the option with a wrong value."""
    given = OptionReader(config)
    asked = {option.name: given.value(option.name, kind=option.type, within=option.range) for option in ALL_OPTIONS}
    models = tuple(asked["model"] or (DEFAULT_MODEL,))
    aliases = _project_table(config).get("models", {})
    return Settings(
        suites=tuple(asked["suite"] or ()),
        models=models,
        trials=asked["trials"],
        out=given.path("out"),
        resume=given.directory("resume"),
        concurrency=asked["concurrency"] or concurrency.default_concurrency(config, models, aliases),
        judge=asked["judge"] or None,
        data=given.directory("data"),
        rounds=asked["rounds"],
        tool_calls=asked["tool-calls"],
        seconds=asked["seconds"],
        temperature=asked["temperature"],
        metrics=tuple(asked["metric"] or ()),
        floors=dict(_floor(text) for text in asked["floor"] or ()),
        engine=asked["engine"] or (SHARED if concurrency.is_crowded(config) else LOCAL),
        engine_env=tuple(asked["engine-env"] or ()),
        shard=_shard(asked["shard"]),
        markdown=given.path("markdown"),
        json=given.path("json"),
        conditions=_conditions(asked, given),
        aliases=aliases,
    )


def _conditions(asked: Mapping[str, Any], given: OptionReader) -> dict[str, Any]:
    """Those that were given, checked; skills by absolute path."""
    named = {str(option.condition): asked[option.name] for option in CONDITIONS}
    values = {name: value for name, value in named.items() if value not in (None, "", [])}
    if "skills" in values:
        values["skills"] = tuple(_skill(path, given) for path in values["skills"] if path != _NO_SKILL)
    return _checked(values) if values else {}


def _skill(path: str, given: OptionReader) -> str:
    """The absolute path of a document that can be read, relative to where pytest was called."""
    from pytest_mcpbench.runtime.briefing.files import read_skill, why_unreadable

    directory = given.config.invocation_params.dir
    try:
        read_skill(path, directory)
    except (OSError, UnicodeDecodeError) as error:
        problem = f"{directory / path} cannot be read: {why_unreadable(error)}"
        raise pytest.UsageError(f"{given.place('skill')}: {problem}") from None
    return str(directory / path)


def _checked(values: dict[str, Any]) -> dict[str, Any]:
    from pydantic import ValidationError

    from pytest_mcpbench.core.conditions import Conditions

    try:
        checked = Conditions.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = next(option.name for option in CONDITIONS if option.condition == first["loc"][0])
        raise pytest.UsageError(f"--mcpbench-{name}: {first['msg']}, not {first['input']!r}") from None
    return {name: getattr(checked, name) for name in values}


def _shard(text: str | None) -> "Shard | None":
    if not text:
        return None
    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.core.shards import Shard

    try:
        return Shard.parse(text)
    except UsageError as error:
        raise pytest.UsageError(f"--mcpbench-shard: {error}") from None


_OF_FLOORS = Range(least=0, most=1)


def _floor(text: str) -> tuple[str, float]:
    metric, _, value = text.partition("=")
    try:
        floor = float(value)
    except ValueError:
        raise pytest.UsageError(f"--mcpbench-floor takes METRIC=VALUE, for example ast=0.9, not {text!r}") from None
    problem = _OF_FLOORS.complaint(floor)
    if problem:
        raise pytest.UsageError(f"--mcpbench-floor={text} {problem}: scores are from 0 to 1")
    return metric.strip(), floor


def _project_table(config: pytest.Config) -> dict[str, Any]:
    """``[tool.mcpbench]`` of the pyproject.toml at pytest's root."""
    path = config.rootpath / "pyproject.toml"
    if not path.is_file():
        return {}
    table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {}).get("mcpbench", {})
    return table
