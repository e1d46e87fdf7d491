"""Table of options, and their registration with pytest."""

from dataclasses import dataclass
from typing import Any

import pytest

from pytest_mcpbench.plugin.options.option_reader import ANY, Range


@dataclass(frozen=True)
class Option:
    """A command-line option ``--mcpbench-<name>`` and the equivalent ini value ``mcpbench_<name>``."""

    name: str
    help: str
    type: str = "string"
    """Ini type: string, int, float, args (repeatable)."""
    metavar: str = "VALUE"
    condition: str | None = None
    """Field of :class:`~pytest_mcpbench.core.conditions.Conditions` that the option sets."""
    range: Range = ANY
    """Valid numbers."""

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
    Option("rounds", "maximum number of model calls per user turn", "int", "N", range=AT_LEAST_1),
    Option("tool-calls", "maximum number of tool calls per user turn", "int", "N", range=AT_LEAST_0),
    Option("seconds", "maximum duration of an attempt in seconds", "float", "N", range=Range(above=0)),
    Option("temperature", "sampling temperature (default: the provider's)", "float", "T", range=AT_LEAST_0),
    Option("metric", "additional metric to compute (repeatable)", "args", "NAME"),
    Option("floor", "minimum value of a metric, instead of the suite's (repeatable)", "args", "METRIC=VALUE"),
    Option("engine", "where attempts run: local, shared (by workers), ray, or ray://ADDRESS", metavar="NAME"),
    Option("engine-env", "environment variable to pass to the engine's machines (repeatable)", "args", "NAME"),
    Option("shard", "run only the i-th of n parts of the tasks", metavar="i/n"),
    Option("markdown", "write the report as Markdown, for a pull request's comment", metavar="FILE"),
    Option("json", "write the report as JSON", metavar="FILE"),
)
CONDITIONS = (
    Option("exposure", "tools that the agent sees: all, selected, listed or needed", condition="exposure"),
    Option(
        "distractors",
        "number of unrelated tools to add from the suite",
        "int",
        "N",
        "distractors",
        AT_LEAST_0,
    ),
    Option(
        "dispatcher", "selection of tools for the request: none, bm25, or an embedding model", condition="dispatcher"
    ),
    Option("top-k", "number of tools that the dispatcher selects (default: 10)", "int", "K", "top_k", AT_LEAST_1),
    Option(
        "prompt",
        "system prompt: a name in the suite's [prompts], system, or none",
        "string",
        "NAME",
        "prompt",
    ),
    Option(
        "skill",
        "document to show to the agent, or none to leave out the suite's (repeatable)",
        "args",
        "FILE|none",
        "skills",
    ),
    Option(
        "context-distractors",
        "number of irrelevant statements to add to the context",
        "int",
        "N",
        "context_distractors",
        AT_LEAST_0,
    ),
    Option("hint", "tools: tell the agent how many tool calls each request requires; or none", condition="hint"),
    Option("seed", "seed of the selection of distractors (default: 0)", "int", "N", "seed"),
)
"""Options that replace conditions of the suite."""
ALL_OPTIONS = (*SHORT_OPTIONS, *LONG_OPTIONS, *CONDITIONS)


def add_options(parser: pytest.Parser) -> None:
    """Add ``--mcpbench-…`` and the ini values."""
    group = parser.getgroup("mcpbench", "benchmark tasks for agents and MCP servers")
    for option in ALL_OPTIONS:
        group.addoption(f"--mcpbench-{option.name}", **option.arguments)
        parser.addini(option.dest, option.help, type=option.type, default=None)  # type: ignore[arg-type]  # a Literal there


def add_short_options(config: pytest.Config, parser: pytest.Parser) -> None:
    """Add ``--suite``, ``--model`` and ``--trials``, except those that another plugin or conftest defines."""
    group = parser.getgroup("mcpbench")
    for option in SHORT_OPTIONS:
        if not _is_taken(f"--{option.name}", parser):
            group.addoption(f"--{option.name}", **option.arguments)
            continue
        warning = f"--{option.name} belongs to another plugin: use --mcpbench-{option.name} for pytest-mcpbench"
        config.issue_config_time_warning(pytest.PytestConfigWarning(warning), stacklevel=2)


def _is_taken(option: str, parser: pytest.Parser) -> bool:
    """Return whether an option of that name exists in any group."""
    _, unknown = parser.parse_known_and_unknown_args([option, "1"])
    return option not in unknown
