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
"""Engine that runs attempts in this process, and in each worker of pytest-xdist."""
SHARED = "shared"
"""Engine that runs the attempts of all workers in one process."""
_NO_SKILL = "none"


@dataclass(frozen=True)
class Settings:
    """Settings of a run."""

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
    """Conditions that replace those of the suites, by field of :class:`~pytest_mcpbench.core.conditions.Conditions`."""
    aliases: Mapping[str, Any] = field(default_factory=dict)
    """Table ``[tool.mcpbench.models]`` of pyproject.toml."""

    @property
    def overrides(self) -> "Overrides":
        """The values that count over those of suites and tasks."""
        from pytest_mcpbench.core.planning import LIMIT_SETTINGS, Overrides

        limits = {name: getattr(self, name) for name in LIMIT_SETTINGS if getattr(self, name) is not None}
        return Overrides(limits=limits, floors=self.floors, metrics=self.metrics, trials=self.trials)


SETTINGS = pytest.StashKey[Settings]()


def read_settings(config: pytest.Config) -> Settings:
    """Return the settings of the run. Raises a usage error that names the option with a wrong value."""
    reader = OptionReader(config)
    values = {option.name: reader.value(option.name, kind=option.type, within=option.range) for option in ALL_OPTIONS}
    models = tuple(values["model"] or (DEFAULT_MODEL,))
    aliases = _project_table(config).get("models", {})
    return Settings(
        suites=tuple(values["suite"] or ()),
        models=models,
        trials=values["trials"],
        out=reader.path("out"),
        resume=reader.directory("resume"),
        concurrency=values["concurrency"] or concurrency.default_concurrency(config, models, aliases),
        judge=values["judge"] or None,
        data=reader.directory("data"),
        rounds=values["rounds"],
        tool_calls=values["tool-calls"],
        seconds=values["seconds"],
        temperature=values["temperature"],
        metrics=tuple(values["metric"] or ()),
        floors=dict(_floor(text) for text in values["floor"] or ()),
        engine=values["engine"] or (SHARED if concurrency.is_crowded(config) else LOCAL),
        engine_env=tuple(values["engine-env"] or ()),
        shard=_shard(values["shard"]),
        markdown=reader.path("markdown"),
        json=reader.path("json"),
        conditions=_conditions(values, reader),
        aliases=aliases,
    )


def _conditions(options: Mapping[str, Any], reader: OptionReader) -> dict[str, Any]:
    """Return the validated conditions that options set, with skills as absolute paths."""
    fields = {str(option.condition): options[option.name] for option in CONDITIONS}
    values = {name: value for name, value in fields.items() if value not in (None, "", [])}
    if "skills" in values:
        values["skills"] = tuple(_skill(path, reader) for path in values["skills"] if path != _NO_SKILL)
    return _validated(values) if values else {}


def _skill(path: str, reader: OptionReader) -> str:
    """Return the absolute path of a readable document; relative paths start where pytest was called."""
    from pytest_mcpbench.runtime.briefing.suite_briefing import read_skill, unreadable_reason

    directory = reader.config.invocation_params.dir
    try:
        read_skill(path, directory)
    except (OSError, UnicodeDecodeError) as error:
        problem = f"{directory / path} cannot be read: {unreadable_reason(error)}"
        raise pytest.UsageError(f"{reader.place('skill')}: {problem}") from None
    return str(directory / path)


def _validated(values: dict[str, Any]) -> dict[str, Any]:
    from pydantic import ValidationError

    from pytest_mcpbench.core.conditions import Conditions

    try:
        conditions = Conditions.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = next(option.name for option in CONDITIONS if option.condition == first["loc"][0])
        raise pytest.UsageError(f"--mcpbench-{name}: {first['msg']}, not {first['input']!r}") from None
    return {name: getattr(conditions, name) for name in values}


def _shard(text: str | None) -> "Shard | None":
    if not text:
        return None
    from pytest_mcpbench.core.errors import UsageError
    from pytest_mcpbench.core.shards import Shard

    try:
        return Shard.parse(text)
    except UsageError as error:
        raise pytest.UsageError(f"--mcpbench-shard: {error}") from None


_FLOORS = Range(least=0, most=1)


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


def _project_table(config: pytest.Config) -> dict[str, Any]:
    """Return the table ``[tool.mcpbench]`` of the pyproject.toml in pytest's rootdir."""
    path = config.rootpath / "pyproject.toml"
    if not path.is_file():
        return {}
    table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {}).get("mcpbench", {})
    return table
