"""Options, ini values and the settings that they make."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin import concurrency
from pytest_mcpbench.plugin.given import ANY, OptionReader, Range

if TYPE_CHECKING:
    from pytest_mcpbench.core.shards import Shard

MARKER = (
    "mcpbench(suite=None, model=None, trials=None, server=None): run the test once for each task of the suite, model "
    "and trial, with the fixtures mcp_task, mcp_run, mcp_scorecard, …; mcp_tools is of that server only"
)
TASK_FILE_ENDINGS = (".mcpbench.yaml", ".mcpbench.yml", ".mcpbench.jsonl")
SUITE_ENDING = ".toml"
DEFAULT_MODEL = "lexical"
LOCAL = "local"
"""The engine that is this process, and each worker of xdist."""
SHARED = "shared"
"""The engine that is one process for all workers."""


@dataclass(frozen=True)
class Option:
    """One command-line option ``--mcpbench-<name>`` with its ini twin ``mcpbench_<name>``."""

    name: str
    help: str
    type: str = "string"
    """The ini type: string, int, float, args (repeatable)."""
    metavar: str = "VALUE"
    condition: str | None = None
    """The field of :class:`~pytest_mcpbench.core.conditions.Conditions` that it replaces."""
    range: Range = ANY
    """Of a number."""

    @property
    def dest(self) -> str:
        return "mcpbench_" + self.name.replace("-", "_")

    @property
    def arguments(self) -> dict[str, Any]:
        common = {"dest": self.dest, "default": None, "metavar": self.metavar, "help": self.help}
        if self.type == "args":
            return {**common, "action": "append"}
        return {**common, "type": {"int": int, "float": float}.get(self.type, str)}


AT_LEAST_0 = Range(least=0)
AT_LEAST_1 = Range(least=1)
SHORT_OPTIONS = (
    Option("suite", "suite to run: a name or the path of a suite.toml (repeatable)", "args", "NAME|PATH"),
    Option(
        "model",
        "agent: lexical (default), oracle, noop, replay:DIR, an alias, a litellm id or a URL (repeatable)",
        "args",
    ),
    Option("trials", "attempts at each task", "int", "N", range=AT_LEAST_1),
)
LONG_OPTIONS = (
    Option("out", "directory of the run's records (default: .mcpbench/runs/<time>-<id>)", metavar="DIR"),
    Option("resume", "take finished attempts from this directory, run the rest and the errors", metavar="DIR"),
    Option(
        "concurrency",
        "attempts in flight in each process (default: 8; without a model: by cores)",
        "int",
        "N",
        range=AT_LEAST_1,
    ),
    Option("judge", "judge of claims and checkpoints: keyfacts (no model), none, or a model", metavar="NAME"),
    Option("data", "directory of a public benchmark's own files, for suites that read them", metavar="DIR"),
    Option("rounds", "model calls that each user turn may take", "int", "N", range=AT_LEAST_1),
    Option("tool-calls", "tool calls that each user turn may take", "int", "N", range=AT_LEAST_0),
    Option("seconds", "seconds that an attempt may take", "float", "N", range=Range(above=0)),
    Option("temperature", "sampling temperature (default: the provider's)", "float", "T", range=AT_LEAST_0),
    Option("metric", "further metric to compute (repeatable)", "args", "NAME"),
    Option("floor", "least value of a metric, over that of the suite (repeatable)", "args", "METRIC=VALUE"),
    Option("engine", "where attempts are made: local, shared (by workers), ray, or ray://ADDRESS", metavar="NAME"),
    Option("engine-env", "environment variable that the engine's machines are given (repeatable)", "args", "NAME"),
    Option("shard", "run the i-th of n parts of the tasks only", metavar="i/n"),
    Option("markdown", "write the report as Markdown, for a pull request's comment", metavar="FILE"),
    Option("json", "write the report as JSON", metavar="FILE"),
)
CONDITIONS = (
    Option("exposure", "tools that the agent sees: all, selected, listed or needed", condition="exposure"),
    Option(
        "distractors",
        "tools that it sees beside these, drawn from the suite's others",
        "int",
        "N",
        "distractors",
        AT_LEAST_0,
    ),
    Option("dispatcher", "picks tools for the request: none, bm25, or a model of embeddings", condition="dispatcher"),
    Option("top-k", "how many tools the dispatcher picks (default: 10)", "int", "K", "top_k", AT_LEAST_1),
    Option(
        "prompt",
        "system prompt of the suite to use, by its name in [prompts]; system; or none",
        "string",
        "NAME",
        "prompt",
    ),
    Option(
        "skill", "document that the agent reads, or none of the suite's (repeatable)", "args", "FILE|none", "skills"
    ),
    Option(
        "context-distractors", "statements without use in the context", "int", "N", "context_distractors", AT_LEAST_0
    ),
    Option("hint", "tools: each request says how many tool calls it takes; or none", condition="hint"),
    Option("seed", "which distractors are drawn (default: 0)", "int", "N", "seed"),
)
"""Those that replace what a suite says of the same name."""
_NO_SKILL = "none"
_ALL = (*SHORT_OPTIONS, *LONG_OPTIONS, *CONDITIONS)


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
    def limits(self) -> dict[str, Any]:
        """Those of the command line, which count over those of suites and tasks."""
        asked = {"rounds": self.rounds, "tool_calls": self.tool_calls, "seconds": self.seconds}
        return {name: value for name, value in asked.items() if value is not None}


SETTINGS = pytest.StashKey[Settings]()


def add_options(parser: pytest.Parser) -> None:
    """Add ``--mcpbench-…`` and the ini values."""
    group = parser.getgroup("mcpbench", "benchmark tasks for agents and MCP servers")
    for option in _ALL:
        group.addoption(f"--mcpbench-{option.name}", **option.arguments)
        parser.addini(option.dest, option.help, type=option.type, default=None)  # type: ignore[arg-type]  # a Literal there


def add_short_options(config: pytest.Config, parser: pytest.Parser) -> None:
    """Add ``--suite``, ``--model`` and ``--trials``, each unless another plugin or conftest owns it."""
    group = parser.getgroup("mcpbench")
    for option in SHORT_OPTIONS:
        if not _is_taken(f"--{option.name}", parser):
            group.addoption(f"--{option.name}", **option.arguments)
            continue
        warning = f"--{option.name} belongs to another plugin: use --mcpbench-{option.name} for pytest-mcpbench"
        config.issue_config_time_warning(pytest.PytestConfigWarning(warning), stacklevel=2)


def _is_taken(option: str, parser: pytest.Parser) -> bool:
    """Whether the option is already known, in whichever group."""
    _, unknown = parser.parse_known_and_unknown_args([option, "1"])
    return option not in unknown


def activate(config: pytest.Config) -> None:
    """Keep the settings, register the rest of the plugin, add the suites that were asked for to what is collected."""
    settings = _settings(config)
    config.stash[SETTINGS] = settings
    _register(config, settings)
    _collect_suites(config, settings)


def _register(config: pytest.Config, settings: Settings) -> None:
    """The rest of the plugin; each part imports what it needs when it is first used."""
    from pytest_mcpbench.plugin import (
        built_ins,
        fixtures,
        html,
        lookahead,
        losses,
        progress,
        recording,
        session,
        sharing,
        snapshots,
        stopping,
        terminal,
        upcoming,
        vetting,
    )

    recorder = recording.Recorder(config, settings)
    shown = terminal.Terminal(config, settings, recorder)
    state = session.Session(config, settings)
    shared = sharing.Sharing(config, settings)
    coming = upcoming.Upcoming(config)
    if settings.engine == SHARED:
        from pytest_mcpbench.plugin import handing_over

        config.pluginmanager.register(handing_over.SharedEngine(config, settings, state), "mcpbench-engine")
    elif settings.engine != LOCAL:
        from pytest_mcpbench.plugin import engine

        config.pluginmanager.register(engine.Engine(config, settings, state), "mcpbench-engine")
    if settings.shard is not None:
        from pytest_mcpbench.plugin import sharding

        config.pluginmanager.register(sharding.Sharding(config, settings.shard, recorder), "mcpbench-shard")
    for name, plugin in {
        "built-ins": built_ins,
        "fixtures": fixtures,
        "snapshots": snapshots,
        "session": state,
        "sharing": shared,
        "vetting": vetting.OptionValidation(config, settings, state),
        "progress": progress.ProgressLine(config, state, shared),
        "upcoming": coming,
        "lookahead": lookahead.LookAhead(config, state, coming, window=lookahead.window(config, settings)),
        "stopping": stopping.Stopping(config),
        "recorder": recorder,
        "losses": losses.CrashRecovery(config, recorder),
        "terminal": shown,
        "restorer": terminal.Restorer(shown),
        "html": html.Html(recorder),
    }.items():
        config.pluginmanager.register(plugin, f"mcpbench-{name}")


def is_task_file(path: Path, session: pytest.Session) -> bool:
    """Whether a file holds tasks: by its ending, or as a suite, whatever its name, that the command line names."""
    return path.name.endswith(TASK_FILE_ENDINGS) or (path.suffix == SUITE_ENDING and session.isinitpath(path))


def _settings(config: pytest.Config) -> Settings:
    given = OptionReader(config)
    asked = {option.name: given.value(option.name, kind=option.type, within=option.range) for option in _ALL}
    models = tuple(asked["model"] or (DEFAULT_MODEL,))
    aliases = _project_table(config).get("models", {})
    return Settings(
        suites=tuple(asked["suite"] or ()),
        models=models,
        trials=asked["trials"],
        out=given.path("out"),
        resume=given.directory("resume"),
        concurrency=asked["concurrency"] or concurrency.default(config, models, aliases),
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


def _collect_suites(config: pytest.Config, settings: Settings) -> None:
    """Collect the suites beside the paths of the command line; where that names items of a suite, these alone."""
    explicit = config.args if config.args_source is pytest.Config.ArgsSource.ARGS else []
    if not settings.suites and not any(SUITE_ENDING in argument for argument in explicit):
        return
    from pytest_mcpbench.plugin import suites

    named = [suites.argument(each, config) for each in explicit]
    files = [suites.find(name, config) for name in settings.suites]
    config.args = [*named, *(str(file) for file in files if not suites.has_items_of(file, named, config))]
