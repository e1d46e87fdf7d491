"""The settings of a run, and the table of options that set them.

An option is declared in one place, with name, help, type, range, form of the value and default: one that replaces a
condition of the suites is a row of :data:`CONDITIONS`, any other a field of :class:`Settings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.options.option import Option, Range, setting

if TYPE_CHECKING:
    from pytest_mcpbench.core.planning import Overrides
    from pytest_mcpbench.core.scoring import Scoring
    from pytest_mcpbench.core.selection import Shard, TaskSample
    from pytest_mcpbench.core.variant import Variant
    from pytest_mcpbench.servers.isolation import IsolationMode

DEFAULT_MODEL = "lexical"
LOCAL = "local"
"""Engine that runs attempts in this process, and in each worker of pytest-xdist."""
SHARED = "shared"
"""Engine that runs the attempts of all workers in one process."""
AT_LEAST_0 = Range(least=0)
AT_LEAST_1 = Range(least=1)


class Settings:
    """The settings of a run, read once from the command line and the ini file; not to be changed."""

    suites: tuple[str, ...] = setting(
        "suite",
        "suite to run: a name or the path of a suite.toml (repeatable)",
        type="args",
        metavar="NAME|PATH",
        is_short=True,
        initial=(),
    )
    models: tuple[str, ...] = setting(
        "model",
        "agent: lexical (default), oracle, noop, replay:DIR, an alias, a litellm id or a URL (repeatable)",
        type="args",
        metavar="NAME",
        is_short=True,
        initial=(DEFAULT_MODEL,),
    )
    trials: int | None = setting(
        "trials", "attempts at each task", type="int", metavar="N", range=AT_LEAST_1, is_short=True
    )
    out: Path | None = setting(
        "out",
        "directory of the run's records (default: .mcpbench/runs/<time>-<id>)",
        metavar="DIR",
        form="path",
    )
    resume: Path | None = setting(
        "resume",
        "take finished attempts from this directory, or the last run; run the rest and the errors",
        metavar="DIR|last",
        form="run",
    )
    requeue_errors: int = setting(
        "requeue-errors",
        "times that an attempt which ended as an error is made again at the end of the run (default: 0)",
        type="int",
        metavar="N",
        range=AT_LEAST_0,
        initial=0,
    )
    record: Path | None = setting(
        "record",
        "record the replies of models and judges in this directory",
        metavar="DIR",
        form="path",
    )
    record_tools: bool = setting(
        "record-tools",
        "record the results of servers in other processes as well",
        type="bool",
        initial=False,
    )
    replay: Path | None = setting(
        "replay",
        "take the replies of models and judges from this directory, and never ask them",
        metavar="DIR",
        form="directory",
    )
    # read_settings() always sets it; the initial value is for settings that are made without options.
    concurrency: int = setting(
        "concurrency",
        "attempts that each process runs at once (default: 8; without a model: by cores)",
        type="int",
        metavar="N",
        range=AT_LEAST_1,
        initial=1,
    )
    judge: str | None = setting(
        "judge",
        "judge of claims and checkpoints: keyfacts (no model), none, a model, a panel of them, or keyfacts+MODEL",
        metavar="NAME[,NAME…]",
    )
    user: str | None = setting(
        "user", "model that plays the users of tasks who answer; none (default): scripts only", metavar="NAME"
    )
    data: Path | None = setting(
        "data",
        "directory of a public benchmark's own files, for suites that read them",
        metavar="DIR",
        form="directory",
    )
    allowed_paths: tuple[Path, ...] = setting(
        "allow-path",
        "directory outside of the project that suites may read documents and files from (repeatable)",
        type="args",
        metavar="DIR",
        form="directories",
        initial=(),
    )
    rounds: int | None = setting(
        "rounds", "maximum number of model calls per user turn", type="int", metavar="N", range=AT_LEAST_1
    )
    tool_calls: int | None = setting(
        "tool-calls", "maximum number of tool calls per user turn", type="int", metavar="N", range=AT_LEAST_0
    )
    seconds: float | None = setting(
        "seconds", "maximum duration of an attempt in seconds", type="float", metavar="N", range=Range(above=0)
    )
    max_cost: float | None = setting(
        "max-cost",
        "budget of the run in dollars: no attempt begins after it is spent",
        type="float",
        metavar="USD",
        range=Range(above=0),
    )
    max_seconds: float | None = setting(
        "max-seconds",
        "budget of the run in seconds since its first attempt: none begins after them",
        type="float",
        metavar="S",
        range=Range(above=0),
    )
    temperature: float | None = setting(
        "temperature",
        "sampling temperature (default: the provider's)",
        type="float",
        metavar="T",
        range=AT_LEAST_0,
    )
    model_settings: tuple[str, ...] = setting(
        "model-setting",
        "setting of all models of agents or of one, such as top_p=0.9 or claude:top_p=0.9 (repeatable)",
        type="args",
        metavar="[MODEL:]NAME=VALUE",
        initial=(),
    )
    metrics: tuple[str, ...] = setting(
        "metric", "additional metric to compute (repeatable)", type="args", metavar="NAME", initial=()
    )
    floors: Mapping[str, float] = setting(
        "floor",
        "minimum value of a metric, instead of that of task or suite, if any (repeatable)",
        type="args",
        metavar="METRIC=VALUE",
        form="floors",
        initial={},
    )
    scoring: Scoring | None = setting(
        "scoring",
        "criterion of the verdict, instead of the suite's: paper, or guarded (with guards against wrong attempts)",
        metavar="paper|guarded",
        choices=("paper", "guarded"),
    )
    engine: str = setting(
        "engine",
        "where attempts run: local, shared (by workers), ray, or ray://HOST:PORT",
        metavar="local|shared|ray|ray://HOST:PORT",
        initial=LOCAL,
    )
    isolation: IsolationMode = setting(
        "isolation",
        "isolation of servers in other processes: none (default), bwrap, or auto (bwrap where it works)",
        metavar="auto|bwrap|none",
        choices=("auto", "bwrap", "none"),
        initial="none",
    )
    engine_env: tuple[str, ...] = setting(
        "engine-env",
        "environment variable to pass to the engine's machines (repeatable)",
        type="args",
        metavar="NAME",
        initial=(),
    )
    shard: Shard | None = setting("shard", "run only the i-th of n parts of the tasks", metavar="i/n", form="shard")
    tags: tuple[str, ...] = setting(
        "tag",
        "run only the tasks with this tag: NAME, VALUE or NAME=VALUE; commas mean or (repeatable)",
        type="args",
        metavar="TAG",
        initial=(),
    )
    sweep: tuple[str, ...] = setting(
        "sweep",
        "run each task under each of these values of a condition or limit (repeatable)",
        type="args",
        metavar="NAME=VALUE,VALUE",
        initial=(),
    )
    sample: TaskSample | None = setting(
        "sample",
        "run only N tasks of each suite, or N of each value of a tag",
        metavar="N|N/TAG",
        form="sample",
    )
    markdown: Path | None = setting(
        "markdown",
        "write the report as Markdown, for a pull request's comment",
        metavar="FILE",
        form="path",
    )
    by: tuple[str, ...] = setting(
        "by",
        "show a table of metrics by the values of these tags in every report (repeatable)",
        type="args",
        metavar="TAG[,TAG]",
        initial=(),
    )
    by_metrics: tuple[str, ...] = setting(
        "by-metric",
        "metrics of the tables of --mcpbench-by; default: passed and the metrics with a floor (repeatable)",
        type="args",
        metavar="NAME[,NAME]",
        initial=(),
    )
    page: Path | None = setting(
        "page", "write the report as an HTML page with all attempts", metavar="FILE", form="path"
    )
    json: Path | None = setting("json", "write the report as JSON", metavar="FILE", form="path")
    baseline: str | None = setting(
        "baseline",
        "compare with earlier definitions: git:REF, a lock file or directory, an earlier run, or server:COMMAND",
        metavar="SOURCE",
    )
    arms: tuple[str, ...] = setting(
        "arm",
        "further definitions to compare, as in a lock file (repeatable)",
        type="args",
        metavar="NAME=FILE",
        initial=(),
    )
    aa: bool = setting(
        "aa", "compare the server with itself, to measure the noise of the suite", type="bool", initial=False
    )
    plan: bool = setting(
        "plan",
        "show how many attempts a comparison takes and what it can detect, and run nothing",
        type="bool",
        initial=False,
    )
    estimate: bool = setting(
        "estimate",
        "show the requests, tokens and cost that the run would take, and run nothing",
        type="bool",
        initial=False,
    )
    confirm: int = setting(
        "confirm",
        "fresh trials, in both arms, of each task that changed (default: 8; 0: decide on the first trials)",
        type="int",
        metavar="N",
        range=AT_LEAST_0,
        initial=8,
    )
    margin: float = setting(
        "margin",
        "loss of the pass rate that NOT WORSE excludes (default: 0.05)",
        type="float",
        metavar="SHARE",
        range=Range(above=0, most=1),
        initial=0.05,
    )
    alpha: float = setting(
        "alpha",
        "probability of a false REGRESSED in the run (default: 0.01)",
        type="float",
        metavar="P",
        range=Range(above=0, most=0.5),
        initial=0.01,
    )
    undecided: str = setting(
        "undecided",
        "whether an UNDECIDED comparison passes or fails: pass (default) or fail",
        metavar="pass|fail",
        choices=("pass", "fail"),
        initial="pass",
    )
    unscored: str = setting(
        "unscored",
        "whether unscored attempts pass or fail the run if others have a verdict: pass (default) or fail",
        metavar="pass|fail",
        choices=("pass", "fail"),
        initial="pass",
    )
    findability: float | None = setting(
        "findability",
        "fail a lock if tool search finds a tool of its server less often: recall at 5 beside 300 foreign tools",
        type="float",
        metavar="SHARE",
        range=Range(above=0, most=1),
    )
    conditions: Mapping[str, Any]
    """Values that replace the suites' own, by field of :class:`~pytest_mcpbench.core.conditions.Conditions`."""
    variants: tuple[Variant, ...]
    """Combinations of the values of ``sweep``; empty without a sweep."""
    aliases: Mapping[str, Any]
    """``[tool.mcpbench.models]`` of pyproject.toml."""
    agents: Mapping[str, Any]
    """``[tool.mcpbench.agents]`` of pyproject.toml."""

    def __init__(self, **values: Any) -> None:
        """Set fields to values, and all others to their defaults."""
        unknown = values.keys() - _DEFAULTS.keys()
        if unknown:
            raise TypeError(f"Settings have no field {', '.join(sorted(unknown))}")
        vars(self).update({**_DEFAULTS, **values})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"settings do not change; make a copy with settings.replace({name}={value!r})")

    def replace(self, **values: Any) -> Settings:
        """Return a copy with some values replaced."""
        return Settings(**{**vars(self), **values})

    @property
    def compares_arms(self) -> bool:
        """Return whether the run compares definitions, so that its attempts are measurements and the gate decides."""
        return self.baseline is not None or bool(self.arms) or self.aa

    @property
    def runs_nothing(self) -> bool:
        """Return whether something is shown in place of running, so that the run leaves no directory."""
        return self.plan or self.estimate

    def asks_nobody(self, config: pytest.Config) -> bool:
        """Return whether the run sends no request to a model."""
        return self.runs_nothing or self.replay is not None or config.option.collectonly

    @property
    def reference_arm(self) -> str:
        """Name of the arm that all others are compared with."""
        return "baseline" if self.baseline is not None or self.aa else "candidate"

    @property
    def overrides(self) -> Overrides:
        """The values that count over those of suites and tasks."""
        from pytest_mcpbench.core.planning import LIMIT_SETTINGS, Overrides

        limits = {name: getattr(self, name) for name in LIMIT_SETTINGS if getattr(self, name) is not None}
        return Overrides(
            limits=limits, floors=self.floors, scoring=self.scoring, metrics=self.metrics, trials=self.trials
        )

    @property
    def stored(self) -> dict[str, Any]:
        """The settings that ``run.json`` contains; tables may name machines of the user, variants are the sweep."""
        return {name: value for name, value in vars(self).items() if name not in ("aliases", "agents", "variants")}


CONDITIONS = (
    Option(
        "client",
        "MCP client as which models see servers: plain, claude-code, codex, vscode, chatgpt, cursor or a file "
        "(repeatable)",
        "args",
        "NAME|FILE",
        condition="client",
    ),
    Option(
        "exposure",
        "tools that the agent sees: all, selected, listed, needed or none",
        metavar="WHICH",
        condition="exposure",
    ),
    Option(
        "distractors",
        "number of unrelated tools to add from the suite",
        "int",
        "N",
        AT_LEAST_0,
        condition="distractors",
    ),
    Option(
        "distractor-choice",
        "selection of these tools: random, category or near",
        metavar="WHICH",
        condition="distractor_choice",
    ),
    Option(
        "dispatcher",
        "selection of tools for the request: none, bm25, regex, or an embedding model",
        metavar="NAME",
        condition="dispatcher",
    ),
    Option(
        "top-k", "number of tools that the dispatcher selects (default: 10)", "int", "K", AT_LEAST_1, condition="top_k"
    ),
    Option(
        "presentation",
        "how models learn of tools: listed (all definitions), or search (names at most, and a tool that searches)",
        metavar="listed|search",
        condition="presentation",
    ),
    Option(
        "search-from",
        "estimated tokens of definitions from which on models search; with fewer, they see them all",
        "int",
        "TOKENS",
        AT_LEAST_1,
        condition="search_from",
    ),
    Option(
        "sampling",
        "model that answers servers that ask for a message (default: none does, and they are refused)",
        metavar="MODEL",
        condition="sampling",
    ),
    Option(
        "tool-search",
        "way of searching for tools: bm25 (default), regex, an embedding model, or provider (its own)",
        metavar="NAME",
        condition="tool_search",
    ),
    Option(
        "search-results",
        "number of tools that a search finds at most (default: 5)",
        "int",
        "K",
        AT_LEAST_1,
        condition="search_results",
    ),
    Option(
        "prompt",
        "system prompt: a name in the suite's [prompts], system, or none",
        metavar="NAME",
        condition="prompt",
    ),
    Option(
        "server-instructions",
        "instructions of the servers in the system prompt: shown or hidden",
        metavar="WHICH",
        condition="server_instructions",
    ),
    Option(
        "skill",
        "document to show to the agent, or none to leave out the suite's (repeatable)",
        "args",
        "FILE",
        condition="skills",
    ),
    Option(
        "skill-presentation",
        "how models learn of skills: whole (the documents), or offered (names and descriptions, and a tool that loads)",
        metavar="whole|offered",
        condition="skill_presentation",
    ),
    Option(
        "server-resources",
        "tools that list and read the servers' resources: tools, or none",
        metavar="tools|none",
        condition="server_resources",
    ),
    Option(
        "server-prompts",
        "a tool that gets the servers' prompts: tools, or none (default)",
        metavar="tools|none",
        condition="server_prompts",
    ),
    Option(
        "context",
        "facts about the user that the agent reads: full, or necessary for the necessary ones only",
        metavar="WHICH",
        condition="context",
    ),
    Option(
        "context-distractors",
        "number of irrelevant paragraphs to add to the context",
        "int",
        "N",
        AT_LEAST_0,
        condition="context_distractors",
    ),
    Option(
        "context-pool",
        "file or directory of paragraphs from which context distractors are drawn, or none for the package's",
        metavar="PATH",
        condition="context_pool",
    ),
    Option(
        "hint",
        "tools: tell the agent how many tool calls each request requires; or none",
        metavar="WHAT",
        condition="hint",
    ),
    Option(
        "route",
        "route mode: ask for the first message only, score its calls and execute none",
        "bool",
        condition="route",
    ),
    Option("seed", "seed of the selection of distractors (default: 0)", "int", "N", condition="seed"),
)
"""Options that replace what a suite says in the key of the condition's name."""
OPTIONS: Mapping[str, Option] = {name: value for name, value in vars(Settings).items() if isinstance(value, Option)}
"""The options of settings by field of :class:`Settings`."""
_DEFAULTS: Mapping[str, Any] = {
    **{name: option.initial for name, option in OPTIONS.items()},
    **{"conditions": {}, "variants": (), "aliases": {}, "agents": {}},
}
ALL_OPTIONS = (*OPTIONS.values(), *CONDITIONS)
SETTINGS = pytest.StashKey[Settings]()

# Registration of the options with pytest.


def add_options(parser: pytest.Parser) -> None:
    """Add ``--mcpbench-…`` and the ini values."""
    group = parser.getgroup("mcpbench", "benchmark tasks for agents and MCP servers")
    for each in ALL_OPTIONS:
        group.addoption(f"--mcpbench-{each.name}", **each.arguments)
        parser.addini(each.dest, each.help, type=each.type, default=None)  # type: ignore[arg-type]  # a Literal there


def add_short_options(config: pytest.Config, parser: pytest.Parser) -> None:
    """Add ``--suite``, ``--model`` and ``--trials``, each unless another plugin or conftest owns it."""
    group = parser.getgroup("mcpbench")
    free = free_short_options(parser)
    for each in ALL_OPTIONS:
        if not each.is_short:
            continue
        if each in free:
            group.addoption(f"--{each.name}", **each.arguments)
            continue
        warning = f"--{each.name} belongs to another plugin: use --mcpbench-{each.name} for pytest-mcpbench"
        config.issue_config_time_warning(pytest.PytestConfigWarning(warning), stacklevel=2)


def free_short_options(parser: pytest.Parser) -> list[Option]:
    """Return the options whose short names no other plugin and no conftest has, in any group."""
    short = {f"--{option.name}": option for option in ALL_OPTIONS if option.is_short}
    _, unknown = parser.parse_known_and_unknown_args([word for name in short for word in (name, "1")])
    return [option for name, option in short.items() if name in unknown]
