"""Agent that is a coroutine function of the user, whose tools come through the recording proxies."""

import reprlib
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pytest_mcpbench.agents.agent import AgentEnvironment
from pytest_mcpbench.agents.programs.episode import Episode
from pytest_mcpbench.agents.programs.program import ProgramReport, Workplace
from pytest_mcpbench.agents.programs.proxy_settings import ProxySettings
from pytest_mcpbench.core.errors import AgentError, McpBenchError
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import PROGRAM, Trajectory
from pytest_mcpbench.core.usage import Usage


@dataclass(frozen=True)
class PythonAgent:
    """Agent that answers each turn by a coroutine function, such as one that runs an agent of a framework.

    The function receives a :class:`Workplace` with the ``prompt``, the ``system`` instructions and the ``servers``,
    each with ``name`` and ``url``, and returns the answer, or a :class:`ProgramReport` that has its usage too. In place
    of the servers it can use ``tools`` and ``call``.
    """

    name: str
    answer: Callable[[Workplace], Awaitable[str | ProgramReport]]
    model: str | None = None
    has_sessions: bool = False
    """Whether the reports have a ``session``, with which the function continues the conversation."""
    sums_session: bool = False
    must_list_tools: bool = False
    """Whether an attempt without a list of a server's tools is an error, if the function's client hides errors."""
    stderr: str = field(default="", init=False, repr=False)
    unreported_usage: Usage = field(default_factory=Usage, init=False, repr=False)

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        if arena.presentation == "search":
            problem = "shows tools in its own way; leave out the presentation `search` (--mcpbench-presentation)"
            raise AgentError(problem, self.name)
        return await Episode(self, task, arena, {PROGRAM: self.name}).play(ProxySettings())

    async def work(self, workplace: Workplace) -> ProgramReport:
        """Return the report of one turn."""
        try:
            answer = await self.answer(workplace)
        except McpBenchError:
            raise
        except Exception as error:  # code of the user, whose fault must not look like one of this project
            frames = "".join(traceback.format_exception(error)).rstrip()[-2000:]
            raise AgentError(f"raised {type(error).__name__}: {error}", self.name, frames, "traceback") from error
        if isinstance(answer, ProgramReport):
            return answer
        if not isinstance(answer, str):
            problem = f"returned {reprlib.repr(answer)}; its answer must be a text, or a ProgramReport"
            raise AgentError(problem, self.name)
        return ProgramReport(answer=answer)

    async def close(self) -> None:
        """Do nothing: the function keeps its sessions by itself."""
