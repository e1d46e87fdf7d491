"""A suite: task files with all that their tasks have in common."""

from typing import Any, Literal

from pydantic import Field

from pytest_mcpbench.core.frozen import Frozen
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import Limits


class TaskFileRef(Frozen):
    """One file of tasks."""

    path: str
    """Relative to the suite's directory, or absolute."""
    loader: str
    sha256: str | None = None
    options: dict[str, Any] = Field(default_factory=dict)


class SuiteManifest(Frozen):
    """``suite.toml``, checked."""

    name: str
    directory: str
    """Absolute."""
    title: str = ""
    licence: str = ""
    source: str = ""
    files: tuple[TaskFileRef, ...] = Field(min_length=1)
    servers: dict[str, ServerRef] = Field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    """Metrics that are computed beside those that have a floor."""
    metric_settings: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Metric -> keyword arguments of its frozen dataclass (``[metric_settings.ast]`` profile = "lenient")."""
    floors: dict[str, float] = Field(default_factory=dict)
    limits: Limits = Limits()
    system: str | None = None
    prompts: dict[str, str] = Field(default_factory=dict)
    """Named system prompts, of which ``--mcpbench-prompt`` picks one."""
    tool_names: Literal["plain", "prefixed"] = "plain"
    """``prefixed``: the agent sees ``<server>_<tool>``."""
    exposure: Literal["all", "selected", "listed"] = "selected"
    """``all`` tools of the suite, those of the servers that the task has ``selected`` (all where it names none), or
    those that it has ``listed``."""
    recorded: bool = False
    """Whether servers that tasks name and the suite lacks are replayed from what the task files record of them."""
    judge: str | None = None
    warnings: tuple[str, ...] = ()
    """What was read and is not used, with its place."""
