"""Everything that the stages of a run work with, and the definition of a pipeline."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_mcpbench.agents.agent import Agent
from pytest_mcpbench.attempt.player import Player
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.generation.pipeline.questions import Questions
from pytest_mcpbench.generation.pipeline.reply_cache import ReplyCache
from pytest_mcpbench.generation.pipeline.running import PipelineResult
from pytest_mcpbench.generation.pipeline.settings import PipelineSettings
from pytest_mcpbench.generation.pipeline.stages import Stage
from pytest_mcpbench.text.suggestions import hint

_OVERSAMPLING = 3
"""Candidates to draw for each task; later stages drop some."""
_OVERSAMPLING_WITH_MODEL = 2
"""The same where a model is asked about each candidate."""
_SIMULATED = "pytest_mcpbench.simulated."
"""Package whose servers change nothing but the world of their attempt."""


@dataclass(frozen=True)
class Solver:
    """Agent that tries the tasks, as a second opinion and for their difficulty."""

    name: str
    agent: Agent
    asks_model: bool = True


@dataclass(frozen=True)
class Setup:
    """Servers, settings and models of one run."""

    settings: PipelineSettings
    suite: SuiteManifest
    """The suite that the run makes, as far as it is known: name, servers, categories, floors."""
    servers: Mapping[str, ServerDefinition]
    """Definitions of its servers, by name."""
    pool: ServerPool
    questions: Questions | None = None
    """``None``: rules take the place of the model."""
    solver: Solver | None = None
    replies: ReplyCache | None = None
    """Replies of all models of the run, and their budget."""
    dictionaries: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Name of a parameter or of a kind of codes -> code -> name that people use."""
    inputs: tuple[Path, ...] = ()
    """Further files that the pipeline reads."""
    files: Path | None = None
    """Directory in the suite's that is copied into the sandbox of each attempt."""
    concurrency: int = 4
    """Questions, or attempts on servers, at the same time."""

    @property
    def player(self) -> Player:
        """Return a player of attempts at tasks of the suite, each from a fresh state."""
        return Player(self.suite, self.pool)

    @property
    def candidates_wanted(self) -> int:
        """Return the number of candidates to draw: more than tasks, because later stages drop some."""
        return self.settings.tasks * (_OVERSAMPLING_WITH_MODEL if self.questions else _OVERSAMPLING)

    def random(self, key: str) -> random.Random:
        """Return a random generator for one purpose; what is drawn depends on the seed and the key alone."""
        return random.Random(f"{self.settings.seed}/{key}")

    def tool(self, server: str, name: str) -> ToolDefinition:
        """Return the definition of a tool. Raises UsageError if the server does not have it."""
        return find_tool(self.servers, server, name)

    def may_be_called(self, server: str, tool: str) -> bool:
        """Return whether a tool is simulated, promises to be read-only or was allowed by name."""
        if str(self.suite.servers[server].factory).startswith(_SIMULATED):
            return True
        allowed = self.settings.callable_tools
        found = self.servers[server].tool(tool)
        is_read = found is not None and found.promises_to_read_only
        return is_read or "all" in allowed or tool in allowed


def find_tool(servers: Mapping[str, ServerDefinition], server: str, name: str) -> ToolDefinition:
    """Return the definition of a tool that a candidate names.

    Raises UsageError if there is none: somebody has edited the candidate.
    """
    if server not in servers:
        raise UsageError(
            f"a candidate names the server {server!r}, which is not one of the run. {hint(server, servers)}"
        )
    tool = servers[server].tool(name)
    if tool is None:
        known = [each.name for each in servers[server].tools]
        raise UsageError(f"a candidate names the tool {name!r}, which {server} does not have. {hint(name, known)}")
    return tool


@dataclass(frozen=True)
class Output:
    """Directory of what a run makes, its work directory, and the texts of files that are known before it, by path."""

    directory: Path
    work: Path
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class End:
    """End of a pipeline: stages after its own, and the files that are made of the last candidates."""

    main_file: str
    """File by which a directory shows that an earlier run wrote there."""
    stages: Callable[[Setup], Iterable[Stage]]
    write: Callable[["Pipeline", Setup, PipelineResult, Output], str]
    """Writes the files, and returns the sentence that says what they are and what to do next."""


@dataclass(frozen=True)
class Pipeline:
    """A way to make a benchmark: by default, tasks."""

    title: str
    """Title of the suites that it makes."""
    source: str
    """Paper and section that it follows, for their SOURCE.md."""
    stages: Callable[[Setup], Sequence[Stage]]
    """Returns the stages of a run; the last one writes :class:`TaskCandidate`, unless there is an ``end``."""
    end: End | None = None
    """``None``: the proof and the choice of tasks, which are the same for all pipelines, and a suite."""
    needs_model: bool = False
    needs_inputs: bool = False
    plays_user: bool = False
    """Whether the model also plays the users of the tasks when they run."""
    call_metrics: tuple[str, ...] = ()
    """Metrics of its suites that compare calls: needless looks do not count, and names by which things are deleted are
    compared character by character."""
    suite_fields: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the ``suite.toml`` besides files, servers and categories: floors, system prompt, exposure."""
