"""Interface of an agent: it works on a task with the tools of an arena and returns a trajectory."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Protocol

from pytest_mcpbench.agents.context_reader import ContextReader
from pytest_mcpbench.agents.tool_search import ToolSearcher
from pytest_mcpbench.agents.users.dialogue import User
from pytest_mcpbench.agents.users.respondent import Respondent
from pytest_mcpbench.core.conditions import Presentation
from pytest_mcpbench.core.evidence import AttemptEvidence, ServerFacts
from pytest_mcpbench.core.prompt import ResultView
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, CallRecord, ToolSpec
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.models.model import Model


class AgentEnvironment(Protocol):
    """Part of an :class:`~pytest_mcpbench.attempt.arena.Arena` that an agent uses."""

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """Tools that the agent may call."""
        ...

    @property
    def presentation(self) -> Presentation | None:
        """How programs are to show tools to their models; ``None``: by their own defaults."""
        ...

    @property
    def searcher(self) -> ToolSearcher | None:
        """Search by which models learn of the tools; ``None`` if they see all definitions."""
        ...

    @property
    def reader(self) -> ContextReader | None:
        """Reader of resources, prompts and skills; ``None`` if nothing is executed."""
        ...

    @property
    def result_view(self) -> ResultView:
        """Form in which models read results."""
        ...

    @property
    def servers(self) -> tuple[ServerFacts, ...]:
        """Facts about the connected servers."""
        ...

    @property
    def directory(self) -> Path:
        """Sandbox directory of the attempt."""
        ...

    @property
    def user(self) -> User | None:
        """User that answers; ``None`` if the user's messages are those of the task."""
        ...

    @property
    def respondent(self) -> Respondent | None:
        """Respondent who answers the questions that servers ask the user; ``None`` if nobody does."""
        ...

    def taped(self, model: Model) -> Model:
        """Return the model that the agent asks instead of this one, if the attempt is recorded or replayed."""
        ...

    @property
    def trial(self) -> int:
        """Number of this attempt among the trials of its task, counted from 1."""
        ...

    @property
    def lacks_results(self) -> bool:
        """Return whether a reference call may lack a result without a fault of the task.

        That is so if servers replay a recording made elsewhere, and in route mode, which executes nothing.
        """
        ...

    async def call(self, call: Call) -> CallRecord:
        """Make the call and return it with its result; an unknown tool or malformed arguments give an error result.

        Raises:
            ServerError: the server of the tool died.
        """
        ...


class Reviewer(ABC):
    """Base of an agent that also judges the task by the evidence of its attempt, which shows faults of tasks."""

    @abstractmethod
    def review(self, task: Task, suite: SuiteManifest, evidence: AttemptEvidence) -> None:
        """Raise :class:`TaskError` if the attempt shows that something is wrong with the task."""


class Agent(Protocol):
    """Agent that attempts tasks; one instance serves many attempts at the same time."""

    @property
    def name(self) -> str:
        """Name of the agent as the user wrote it."""
        ...

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        """Return the steps of one attempt, which ends within the task's limits.

        Raises:
            McpBenchError: the attempt ended early; the steps so far are its ``trajectory``.
        """
        ...
