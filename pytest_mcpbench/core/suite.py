"""A suite: task files with the servers, settings and floors that their tasks share."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from pytest_mcpbench.core.conditions import NO_PROMPT, OWN_PROMPT, Conditions
from pytest_mcpbench.core.errors import SourceLocation, UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.scoring import Scoring
from pytest_mcpbench.core.selection import TaskSample
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import Floor, Limits, Task
from pytest_mcpbench.core.tool import ToolSpec


class TaskFileRef(FrozenModel):
    """One file of tasks."""

    path: str
    """Relative to the suite's directory, or absolute."""
    loader: str
    sha256: str | None = None
    options: dict[str, Any] = Field(default_factory=dict)


class EffectsFile(FrozenModel):
    """The recorded effects of a suite's tasks; see the metric ``effects``."""

    file: str
    """Path of the JSONL file, relative to the suite's directory; ``mcpbench record-effects`` writes it."""
    left_open: tuple[str, ...] = ()
    """Fields as ``<world>:<field>`` in which any text will do that the reference's author made up (a subject line) or
    that no call contains (a number that the server assigns), and those that may be filled where the reference leaves
    them empty (the notes of an event)."""


NOT_IN_FILES = frozenset({"directory", "client", "searched", "shown_tools", "shown_instructions", "warnings"})
"""Fields of a suite that no file sets: they follow from its place and from the run."""


class OpenTexts(FrozenModel):
    """Right attempts that people worded, of tasks with free words, and how many of them the rules leave unscored."""

    attempts: int = Field(ge=1)
    unscored: int = Field(ge=0)


class PublishedResults(FrozenModel):
    """Numbers that a publication gives for these tasks, measured by its authors."""

    source: str
    """Publication and table."""
    metric: str = "passed"
    """Metric, or ``passed`` for the pass rate."""
    tags: dict[str, str] = Field(default_factory=dict)
    """Tags of the tasks that the numbers are about; empty for all."""
    results: dict[str, Annotated[float, Field(ge=0, le=1)]]
    """Model, as the publication names it -> value."""


class SuiteManifest(Conditions):
    """Validated content of ``suite.toml``: files, servers, metrics, floors and conditions."""

    name: str
    directory: str
    """Absolute."""
    title: str = ""
    licence: str = ""
    source: str = ""
    files: tuple[TaskFileRef, ...] = Field(min_length=1)
    servers: dict[str, ServerRef] = Field(default_factory=dict)
    categories: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Category -> names of its servers, which need not all exist; a server without a category has one of its own."""
    metrics: tuple[str, ...] = ()
    """Metrics that are computed beside those that have a floor."""
    metric_settings: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Metric -> keyword arguments of its frozen dataclass (``[metric_settings.ast]`` profile = "lenient")."""
    floors: dict[str, Floor] = Field(default_factory=dict)
    """Metric -> least value; those of a published benchmark are its paper's criterion."""
    guards: dict[str, Floor] = Field(default_factory=dict)
    """Metric -> least value that the scoring ``guarded`` asks for besides, against wrong attempts."""
    scoring: Scoring = "guarded"
    """Criterion that decides whether an attempt passes."""
    effects: EffectsFile | None = None
    limits: Limits = Limits()
    system: str | None = None
    prompts: dict[str, str] = Field(default_factory=dict)
    """Named system prompts, of which ``prompt`` picks one."""
    trials: int = Field(1, ge=1)
    """Attempts at each task."""
    pass_rates: dict[str, float] = Field(default_factory=dict)
    """Agent without a model -> measured pass rate, which reports of that agent mention."""
    published: tuple[PublishedResults, ...] = ()
    """Results that reports show beside those of a run."""
    open_texts: OpenTexts | None = None
    """What was measured without a model as judge; a run without one says it before it starts."""
    sample: TaskSample | None = None
    """Tasks that a run draws from those that it selects, unless it asks for another part (``NAME:full``)."""
    tool_names: Literal["plain", "prefixed"] = "plain"
    """``prefixed``: the agent sees ``<server>_<tool>``."""
    recorded: bool = False
    """True if servers missing from the suite are replayed from the results recorded in the task files."""
    judge: str | None = None
    user: str | None = None
    """Model that plays the users of tasks who answer."""
    searched: tuple[str, ...] = ()
    """Directories in which no file with servers was found, for a task file that defines none."""
    shown_tools: dict[str, tuple[ToolSpec, ...]] = Field(default_factory=dict)
    """Server -> tools that agents see in place of those that it lists, under its own names; calls still go to it."""
    shown_instructions: dict[str, str] = Field(default_factory=dict)
    """Server -> instructions that agents read in place of its own."""
    warnings: tuple[str, ...] = ()
    """Warnings about settings that are not used, with their location."""

    @property
    def conditions(self) -> Conditions:
        """Return the conditions under which its tasks are attempted."""
        return Conditions.model_validate({name: getattr(self, name) for name in Conditions.model_fields})

    @property
    def instructions(self) -> str | None:
        """Return the system prompt of tasks that have none of their own."""
        return self.system if self.prompt in (None, NO_PROMPT) else self.prompts[str(self.prompt)]

    def under(self, conditions: Mapping[str, Any]) -> "SuiteManifest":
        """Return the suite with some of its conditions replaced, by name."""
        checked = Conditions.model_validate({**self.conditions.model_dump(), **conditions})
        if not self._has_prompt(checked.prompt):
            raise UsageError(f"suite {self.name!r}: {self._no_prompt(checked.prompt)}")
        return self.model_copy(update={name: getattr(checked, name) for name in conditions})

    @field_validator("prompts")
    @classmethod
    def _leaves_the_names_that_mean_something_else(cls, prompts: dict[str, str]) -> dict[str, str]:
        for name in (OWN_PROMPT, NO_PROMPT):
            if name in prompts:
                raise ValueError(f"no prompt may be called {name!r}, which `prompt` gives a meaning of its own")
        return prompts

    @model_validator(mode="after")
    def _names_a_prompt_that_there_is(self) -> "SuiteManifest":
        if not self._has_prompt(self.prompt):
            raise ValueError(self._no_prompt(self.prompt))
        return self

    def _has_prompt(self, name: str | None) -> bool:
        return name in (None, NO_PROMPT, *self.prompts)

    def _no_prompt(self, name: str | None) -> str:
        return f"no prompt is called {name!r}; there are: {', '.join((*self.prompts, OWN_PROMPT, NO_PROMPT))}"


# Names that tell suites apart: a suite is identified by its name and its file.
#
# Tables show the short name as long as no other file of the run has it.

SuiteId = tuple[str, str]
"""Name and file; the file is the part of a task's node id before ``::``, or empty if it is not known."""


def qualified_name(name: str, file: str) -> str:
    """Return the name of a suite whose short name several files have."""
    return f"{name} ({file})" if file else name


def distinct_names(suites: Iterable[SuiteId]) -> dict[SuiteId, str]:
    """Return the name to show for each suite: the short one, unless several files have it."""
    files: dict[str, set[str]] = defaultdict(set)
    ids = list(dict.fromkeys(suites))
    for name, file in ids:
        files[name].add(file)
    return {(name, file): name if len(files[name]) == 1 else qualified_name(name, file) for name, file in ids}


def place_of(task: Task, suite: SuiteManifest | None = None) -> SourceLocation:
    """Return the place of a task in its file; if the file is unknown, its id, preceded by the name of a given suite."""
    name = f"{suite.name}::{task.id}" if suite is not None else task.id
    return SourceLocation(task.source.place or task.source.file or name)


# Digest of a suite's content, to recognize runs of the same suite.

_SAID = ("floors", "limits", "system", "prompts", "tool_names", "metrics", "metric_settings", "judge")


def suite_hash(suite: SuiteManifest, tasks: Iterable[Task]) -> str:
    """Return the digest of everything that a suite defines about its tasks, servers and scores.

    Where it lies, in which files, how its servers' commands are found and what their environment holds is not in it: it
    is the same on every machine. Nor are the conditions under which a run attempts its tasks.
    """
    # A suite without guards keeps the digest that versions without them gave it.
    said = (*_SAID, "guards", "scoring") if suite.guards else _SAID
    servers = {}
    for name, ref in suite.servers.items():
        fields = ref.model_dump(mode="json", include={"transport", "state", "mode", "sequential", "settings"})
        servers[name] = fields | {"factory": ref.factory if isinstance(ref.factory, str) else None}
    content = {
        "suite": suite.model_dump(mode="json", include=set(said)),
        "servers": servers,
        "tasks": {task.id: task.hash for task in tasks},
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]
