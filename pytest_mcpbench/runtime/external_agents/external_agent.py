"""Agent that runs a program for each turn of a task."""

import asyncio
import atexit
import contextlib
import functools
import json
import math
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio

from pytest_mcpbench.core.errors import AgentError, McpBenchError
from pytest_mcpbench.core.prompt import system_prompt
from pytest_mcpbench.core.server import ServerLimits, ServerRef
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.core.trajectory import NO_USAGE, Step, StopReason, Trajectory, said_to_user
from pytest_mcpbench.runtime.agent import AgentEnvironment
from pytest_mcpbench.runtime.external_agents.call_recorder import CallRecorder
from pytest_mcpbench.runtime.external_agents.environment import program_environment
from pytest_mcpbench.runtime.external_agents.program import Program, ProgramReport, Workplace
from pytest_mcpbench.runtime.external_agents.program_process import MOST_OUTPUT, ProgramProcess
from pytest_mcpbench.runtime.external_agents.proxy import open_proxies
from pytest_mcpbench.runtime.external_agents.proxy_settings import ProxiedServer, ProxySettings
from pytest_mcpbench.runtime.external_agents.trajectories import turn_steps, usage_difference
from pytest_mcpbench.runtime.external_agents.transcript import transcript
from pytest_mcpbench.runtime.models.prices import Price
from pytest_mcpbench.runtime.servers.isolation import IsolationMode, make_isolation
from pytest_mcpbench.runtime.servers.watchdog import Watchdog
from pytest_mcpbench.runtime.users.dialogue import Dialogue

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
        limits = task.limits or Limits()
        episode = _Episode(self, task, arena, limits)
        try:
            async with _turn_of_port(self.port):
                return await episode.play()
        except McpBenchError as error:
            error.trajectory = episode.trajectory("answered")
            raise


class _Episode:
    """State of one attempt."""

    def __init__(self, agent: ExternalAgent, task: Task, arena: AgentEnvironment, limits: Limits) -> None:
        self._agent = agent
        self._task = task
        self._arena = arena
        self._limits = limits
        self._recorder = CallRecorder(arena, limits)
        self._steps: list[Step] = []
        self._dialogue = Dialogue(task, arena.user)
        self._time = anyio.CancelScope()
        self._turn = 0
        self._session: str | None = None
        self._model: str | None = None
        self._own_calls: list[str] = []
        self._running: ProgramProcess | None = None
        self._started = time.perf_counter()

    async def play(self) -> Trajectory:
        """Run the program for each turn within the time limit."""
        self._started = time.perf_counter()
        reason: StopReason = "time_limit"
        settings = ProxySettings(
            transport=self._agent.program.transport,
            tool_names=self._agent.program.tool_names,
            result_characters=self._limits.result_characters,
            port=self._agent.port,
        )
        error: McpBenchError | None = None
        with _private_directory(self._arena.directory) as home:
            async with open_proxies(self._arena, self._recorder, settings) as servers:
                with anyio.move_on_after(self._limits.seconds) as self._time:
                    try:
                        reason = await self._play_turns(servers, home)
                    except McpBenchError as raised:
                        # Outside of the proxies' task groups, which would wrap it.
                        error = raised
        if error is not None:
            raise error
        if reason == "time_limit":
            self._require_sign_of_life()
            self._end_turn(ProgramReport(), is_complete=False)
        return self.trajectory(reason)

    def trajectory(self, stop: StopReason) -> Trajectory:
        """Return everything done so far."""
        notes = {"program": f"{Path(self._agent.executable).name} {self._agent.version}".strip()}
        notes |= {"answered_by": self._model} if self._model else {}
        notes |= {"own_tools": ", ".join(self._own_calls)} if self._own_calls else {}
        steps = self._steps
        if len(steps) == 0 or steps[-1].turn < self._turn:
            open_turn = [Step(turn=self._turn, calls=calls) for calls in self._recorder.groups]
            steps = [*steps, *open_turn]
        seconds = time.perf_counter() - self._started - self._dialogue.seconds
        conversation = self._dialogue.record
        return Trajectory(steps=tuple(steps), stop=stop, seconds=seconds, notes=notes, conversation=conversation)

    async def _play_turns(self, servers: Sequence[ProxiedServer], home: Path) -> StopReason:
        reasons: list[StopReason] = []
        while True:
            self._recorder.start_turn()
            reasons.append(await self._play_turn(self._workplace(self._turn, tuple(servers), home)))
            await self._ask_user()
            if not self._dialogue.is_open:
                break
            if (limit := self._exhausted_limit()) is not None:
                return limit
            self._turn += 1
        return next((reason for reason in reasons if reason != "answered"), "answered")

    async def _ask_user(self) -> None:
        """Ask for the user's next message, with the clock of the attempt stopped."""
        deadline, before = self._time.deadline, self._dialogue.seconds
        self._time.deadline = math.inf
        try:
            last = self._steps[-1] if self._steps and self._steps[-1].turn == self._turn else None
            await self._dialogue.next_turn(said_to_user(last))
        finally:
            self._time.deadline = deadline + self._dialogue.seconds - before

    async def _play_turn(self, workplace: Workplace) -> StopReason:
        launch = self._agent.program.launch(workplace)
        _write_configuration(workplace)
        process = self._process((self._agent.executable, *launch.arguments), launch.environment, workplace)
        self._running = process
        code: int | None = None
        try:
            async with process:
                code = await self._until_stopped(process, launch.stdin)
        except OSError as error:
            raise self._error(f"cannot be started: {error.strerror or error}") from None
        if self._recorder.error is not None:
            raise self._recorder.error
        if self._recorder.stop is not None:
            self._end_turn(ProgramReport(), is_complete=False)
            return self._recorder.stop
        report = self._report(process, code)
        self._end_turn(report, is_complete=True)
        return report.stop or ("answered" if report.answer.strip() else "declined")

    async def _until_stopped(self, process: ProgramProcess, stdin: str) -> int | None:
        """Return the exit code of the program; ``None`` if a limit or the death of a server ends it."""
        code: int | None = None
        async with anyio.create_task_group() as group:

            async def end_when_stopped() -> None:
                await self._recorder.stopped.wait()
                group.cancel_scope.cancel()

            group.start_soon(end_when_stopped)
            code = await process.run(stdin)
            group.cancel_scope.cancel()
        return code

    def _report(self, process: ProgramProcess, code: int | None) -> ProgramReport:
        """Return what the program's output says. Raises AgentError if the program could not work."""
        if process.is_flooded:
            raise self._error(f"wrote more than {MOST_OUTPUT // 2**20} MB to stdout")
        try:
            report = self._agent.program.report(process.output)
        except ValueError as error:
            problem = f"ended with exit code {code}" if code else str(error)
            raise self._error(problem, process.stderr or (process.output[-2000:] if code else "")) from None
        if report.error:
            raise self._error(report.error, process.stderr)
        if code and report.stop is None:
            raise self._error(f"ended with exit code {code}", process.stderr or process.output[-2000:])
        if not report.answer.strip() and not self._recorder.groups and report.stop is None:
            raise self._error("wrote no answer and called no tool", process.stderr)
        return report

    def _end_turn(self, report: ProgramReport, *, is_complete: bool) -> None:
        report = self._priced(self._of_turn(report))
        self._steps += turn_steps(self._turn, self._recorder.groups, report, is_complete=is_complete)
        self._session = report.session
        self._model = report.model or self._model
        self._own_calls += report.own_calls

    def _of_turn(self, report: ProgramReport) -> ProgramReport:
        """Return the report with the usage of this turn alone."""
        if not self._agent.program.sums_session or self._session is None or report.session != self._session:
            return report
        earlier = sum((step.usage for step in self._steps), NO_USAGE)
        return replace(report, usage=usage_difference(report.usage, earlier))

    def _priced(self, report: ProgramReport) -> ProgramReport:
        """Return the report with the cost of its tokens, if it states none."""
        if self._agent.price is None or report.usage.cost_usd is not None:
            return report
        cost = self._agent.price.cost(report.usage)
        return replace(report, usage=report.usage.model_copy(update={"cost_usd": cost}))

    def _workplace(self, turn: int, servers: tuple[ProxiedServer, ...], home: Path) -> Workplace:
        # A recorded reply takes the place of the program's own, which a session would contain.
        has_gold = any(each.gold for each in self._dialogue.turns[:turn])
        session = self._session if self._agent.program.has_sessions and not has_gold else None
        continues = turn > 0 and session is not None
        prompt = self._dialogue.turns[turn].user if continues or turn == 0 else self._transcript(turn)
        return Workplace(
            prompt=prompt,
            system="" if continues else system_prompt(self._task),
            servers=servers,
            directory=self._arena.directory,
            home=home,
            mcp_config=home / "mcp.json",
            session=session if continues else None,
            model=self._agent.model,
            limits=self._limits,
        )

    def _transcript(self, turn: int) -> str:
        own = [[step for step in self._steps if step.turn == each] for each in range(turn)]
        return transcript(self._dialogue.turns, own, self._arena.tools)

    def _process(self, command: Sequence[str], environment: Mapping[str, str], workplace: Workplace) -> ProgramProcess:
        variables = program_environment(
            self._agent.program.variables,
            {"TMPDIR": str(workplace.home / "tmp"), **environment, **self._agent.environment},
        )
        directory = workplace.directory
        isolation = make_isolation(self._agent.isolation)
        if isolation.bwrap is not None:
            ref = ServerRef(name="agent", transport="stdio", command=command[0], network=True, limits=NO_LIMITS)
            command = isolation.wrap(
                command,
                ref,
                directory=directory,
                suite_directory=directory,
                writable=(directory, workplace.home),
            )
        return ProgramProcess(command, environment=variables, directory=directory, watchdog=_watchdog())

    def _exhausted_limit(self) -> StopReason | None:
        usages = [step.usage for step in self._steps]
        tokens = sum((each.input_tokens or 0) + (each.output_tokens or 0) for each in usages)
        if self._limits.total_tokens is not None and tokens >= self._limits.total_tokens:
            return "token_limit"
        cost = sum(each.cost_usd or 0.0 for each in usages)
        return "cost_limit" if self._limits.cost_usd is not None and cost >= self._limits.cost_usd else None

    def _require_sign_of_life(self) -> None:
        """Raise AgentError if the program did nothing at all until the time limit."""
        has_output = self._running is not None and bool(self._running.output.strip())
        if not self._steps and not self._recorder.groups and not has_output:
            limit = f"{self._limits.seconds:g} s" if self._limits.seconds is not None else "its time"
            stderr = self._running.stderr if self._running is not None else ""
            raise self._error(f"did nothing within the attempt's time limit of {limit}", stderr)

    def _error(self, problem: str, stderr: str = "") -> AgentError:
        return AgentError(problem, agent=self._agent.name, stderr=stderr)


@contextlib.contextmanager
def _private_directory(sandbox: Path) -> Iterator[Path]:
    """Create a directory beside the sandbox, which a state check of files does not see, and remove it at the end."""
    home = Path(tempfile.mkdtemp(prefix="agent-", dir=sandbox.resolve().parent))
    (home / "tmp").mkdir()
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _write_configuration(workplace: Workplace) -> None:
    """Write the ``mcp.json``, again for each turn: what the program changes in it has no effect."""
    servers = {server.name: server.configuration for server in workplace.servers}
    workplace.mcp_config.write_text(json.dumps({"mcpServers": servers}, indent=2), encoding="utf-8")


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
