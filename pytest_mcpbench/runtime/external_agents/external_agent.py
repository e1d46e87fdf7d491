"""Agent that runs a program for each turn of a task."""

import asyncio
import atexit
import contextlib
import functools
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_mcpbench.core.errors import AgentError
from pytest_mcpbench.core.server import ServerLimits, ServerRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import Trajectory, Usage
from pytest_mcpbench.runtime.agent import AgentEnvironment
from pytest_mcpbench.runtime.external_agents.environment import program_environment
from pytest_mcpbench.runtime.external_agents.episode import Episode
from pytest_mcpbench.runtime.external_agents.program import Program, ProgramReport, Workplace
from pytest_mcpbench.runtime.external_agents.program_process import MOST_OUTPUT, ProgramProcess
from pytest_mcpbench.runtime.external_agents.proxy_settings import BRIDGE, ProxySettings
from pytest_mcpbench.runtime.models.prices import Price
from pytest_mcpbench.runtime.servers.isolation import IsolationMode, make_isolation
from pytest_mcpbench.runtime.servers.watchdog import Watchdog

NO_LIMITS = ServerLimits(memory_mb=None, file_mb=None, open_files=None)
"""Limits of a program's process: those of servers would stop virtual machines, which reserve much memory."""


@dataclass(frozen=True)
class ExternalAgent:
    """Program that attempts tasks; each attempt has proxies and a private directory of its own."""

    name: str
    """Name as in ``--model``."""
    executable: str
    """Absolute path."""
    program: Program
    version: str = ""
    model: str | None = None
    environment: dict[str, str] = field(default_factory=dict, repr=False)
    """Variables of its configuration."""
    port: int = 0
    price: Price | None = None
    isolation: IsolationMode = "none"

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        notes = {"program": f"{Path(self.executable).name} {self.version}".strip()}
        settings = ProxySettings(self.program.transport, self.program.tool_names, port=self.port)
        async with _turn_of_port(self.port):
            return await Episode(_ProgramWorker(self), task, arena, notes).play(settings)


class _ProgramWorker:
    """Program that answers the turns of one attempt."""

    def __init__(self, agent: ExternalAgent) -> None:
        self._agent = agent
        self._process: ProgramProcess | None = None

    @property
    def name(self) -> str:
        return self._agent.name

    @property
    def model(self) -> str | None:
        return self._agent.model

    @property
    def has_sessions(self) -> bool:
        return self._agent.program.has_sessions

    @property
    def sums_session(self) -> bool:
        return self._agent.program.sums_session

    @property
    def unreported_usage(self) -> Usage:
        price = self._agent.price
        return Usage() if price is None else Usage(cost_usd=price.cost(Usage()))

    @property
    def stderr(self) -> str:
        return self._process.stderr if self._process is not None else ""

    async def work(self, workplace: Workplace) -> ProgramReport:
        """Run the program and return what its output says."""
        launch = self._agent.program.launch(workplace)
        command = (self._agent.executable, *launch.arguments)
        self._process = process = self._new_process(command, launch.environment, workplace)
        try:
            async with process:
                code = await process.run(launch.stdin)
        except OSError as error:
            raise AgentError(f"cannot be started: {error.strerror or error}", self.name) from None
        return self._priced(self._report(process, code))

    def _report(self, process: ProgramProcess, code: int | None) -> ProgramReport:
        """Return what the program's output says. Raises AgentError if the program could not work."""
        if process.is_flooded:
            raise AgentError(f"wrote more than {MOST_OUTPUT // 2**20} MB to stdout", self.name)
        ended = AgentError(f"ended with exit code {code}", self.name, process.stderr or process.output[-2000:])
        try:
            report = self._agent.program.report(process.output)
        except ValueError as error:
            raise (ended if code else AgentError(str(error), self.name, process.stderr)) from None
        if report.error:
            raise AgentError(report.error, self.name, process.stderr)
        if code and report.stop is None:
            raise ended
        return report

    def _priced(self, report: ProgramReport) -> ProgramReport:
        """Return the report with the cost of its tokens, if it states none."""
        if self._agent.price is None or report.usage.cost_usd is not None:
            return report
        cost = self._agent.price.cost(report.usage)
        return replace(report, usage=report.usage.model_copy(update={"cost_usd": cost}))

    def _new_process(
        self, command: Sequence[str], environment: Mapping[str, str], workplace: Workplace
    ) -> ProgramProcess:
        private = {"TMPDIR": str(workplace.home / "tmp")}
        variables = program_environment(
            self._agent.program.variables, {**private, **environment, **self._agent.environment}
        )
        isolation = make_isolation(self._agent.isolation)
        if isolation.bwrap is not None:
            command = isolation.wrap(
                command,
                ServerRef(name="agent", transport="stdio", command=command[0], network=True, limits=NO_LIMITS),
                directory=workplace.directory,
                suite_directory=workplace.directory,
                writable=(workplace.directory, workplace.home),
                helper=BRIDGE,
            )
        return ProgramProcess(command, environment=variables, directory=workplace.directory, watchdog=_watchdog())


@functools.cache
def _watchdog() -> Watchdog:
    """Return the watchdog of this process's programs."""
    watchdog = Watchdog()
    atexit.register(watchdog.close)
    return watchdog


_PORTS: dict[int, asyncio.Lock] = {}


@contextlib.asynccontextmanager
async def _turn_of_port(port: int) -> AsyncIterator[None]:
    """Wait until no other attempt of this process uses the port; attempts with a free port do not wait."""
    if port == 0:
        yield
        return
    async with _PORTS.setdefault(port, asyncio.Lock()):
        yield
