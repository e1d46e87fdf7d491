"""What an agent is to the rest: a task and an arena in, a trajectory out."""

from typing import Protocol

from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, CallRecord, ToolSpec
from pytest_mcpbench.core.trajectory import Trajectory


class AgentEnvironment(Protocol):
    """The part of an :class:`~pytest_mcpbench.runtime.arena.Arena` that an agent uses."""

    @property
    def tools(self) -> tuple[ToolSpec, ...]: ...

    @property
    def servers(self) -> tuple[ServerFacts, ...]: ...

    @property
    def trial(self) -> int:
        """Which attempt at the task this is, from 0."""
        ...

    async def call(self, call: Call) -> CallRecord:
        """What became of the call: an unknown tool or malformed arguments are an error result that the agent reads.

        Raises :class:`~pytest_mcpbench.core.errors.ServerError` where the server died.
        """
        ...


class Agent(Protocol):
    """Something that works on tasks, on many at once."""

    @property
    def name(self) -> str:
        """As the user wrote it."""
        ...

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        """All steps of one attempt; it ends within the task's limits.

        An :class:`~pytest_mcpbench.core.errors.McpBenchError` that ends it early has what was done as ``trajectory``.
        """
        ...
