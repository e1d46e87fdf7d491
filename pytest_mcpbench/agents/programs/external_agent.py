"""Agent that runs a program for each turn of a task."""

import asyncio
import atexit
import contextlib
import functools
import os
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import cast

import anyio

from pytest_mcpbench.agents.agent import AgentEnvironment
from pytest_mcpbench.agents.programs.episode import Episode, TurnWorker
from pytest_mcpbench.agents.programs.program import Launch, Program, ProgramReport, Workplace
from pytest_mcpbench.agents.programs.proxy_settings import BRIDGE, Answering, ProxySettings
from pytest_mcpbench.core.errors import AgentError
from pytest_mcpbench.core.secrets import NO_SECRETS
from pytest_mcpbench.core.server import ServerLimits, ServerRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import PROGRAM, UNCHECKED_PROGRAM, Trajectory
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.models.prices import Price
from pytest_mcpbench.servers.environment import server_environment
from pytest_mcpbench.servers.isolation import IsolationMode, make_isolation
from pytest_mcpbench.servers.leftovers import MARK, descendants, kill_descendants
from pytest_mcpbench.servers.process_groups import OWN_GROUP, kill_group, terminate_group
from pytest_mcpbench.servers.server_process import STDERR_BYTES, end_of_stderr
from pytest_mcpbench.servers.watchdog import Watchdog, with_parent_death_signal

# Environment variables of a program; few are inherited, so that it gets no keys but its own.

NETWORK_VARIABLES = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
)
"""Variables without which nobody behind a proxy reaches the provider of a model."""
_LOOPBACK = ("127.0.0.1", "localhost")


def program_environment(variables: Iterable[str], configured: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a program: inherited ones, those that it may have, and those of its configuration."""
    passed = {name: os.environ[name] for name in (*NETWORK_VARIABLES, *variables) if name in os.environ}
    # Its requests to the proxies of servers must not leave this machine.
    hosts = {name: filter(None, os.environ.get(name, "").split(",")) for name in ("NO_PROXY", "no_proxy")}
    direct = {name: ",".join(dict.fromkeys((*each, *_LOOPBACK))) for name, each in hosts.items()}
    return server_environment({**passed, **direct, **configured})


# One run of a program: its output is bounded, and no process of it outlives the run.

MOST_OUTPUT = 16 * 2**20
"""Bytes that a program may write to stdout."""
GRACE_SECONDS = 0.5
"""Time in which a program may end by itself after SIGTERM."""
_DRAIN_SECONDS = 0.5


class _Output(asyncio.SubprocessProtocol):
    """Reader of a program's output, which keeps the beginning of stdout and the end of stderr."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        """Set when there is more of stdout, or its end."""
        self.exited = asyncio.Event()
        self.ended = asyncio.Event()
        """Set when the program, and everything that has its stdout, has closed it, or when it has written too much."""
        self.stdout = bytearray()
        self.stderr = b""
        self.is_flooded = False

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.stderr = (self.stderr + data)[-STDERR_BYTES:]
        elif not self.is_flooded:
            self.stdout += data
            if len(self.stdout) > MOST_OUTPUT:
                del self.stdout[MOST_OUTPUT:]
                self.is_flooded = True
                self.exited.set()
                self.ended.set()
            self.changed.set()

    def pipe_connection_lost(self, fd: int, _error: Exception | None) -> None:
        if fd == 1:
            self.end()

    def process_exited(self) -> None:
        self.exited.set()
        # What the program has started may keep its stdout open for ever.
        asyncio.get_running_loop().call_later(_DRAIN_SECONDS, self.end)

    def end(self) -> None:
        self.ended.set()
        self.changed.set()


class ProgramProcess:
    """Context manager that runs a program; leaving it ends the program with everything that it has started."""

    def __init__(
        self, command: Sequence[str], *, environment: Mapping[str, str], directory: Path, watchdog: Watchdog
    ) -> None:
        self._command = tuple(command)
        self._mark = watchdog.new_mark()
        self._environment = {**environment, MARK: self._mark}
        self._directory = directory
        self._watchdog = watchdog
        self._transport: asyncio.SubprocessTransport | None = None
        self._output = _Output()

    @property
    def is_flooded(self) -> bool:
        """``True`` if the program wrote more than :data:`MOST_OUTPUT`; the rest is not read."""
        return self._output.is_flooded

    @property
    def output(self) -> str:
        """Everything that the program has written to stdout so far."""
        return self._output.stdout.decode(errors="replace")

    @property
    def stderr(self) -> str:
        """Last lines that the program has written to stderr."""
        return end_of_stderr(self._output.stderr, NO_SECRETS)

    async def run(self, stdin: str) -> int | None:
        """Write the text to stdin, read the output until the program ends and return its exit code."""
        assert self._transport is not None, "the context is entered"
        pipe = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))
        # The transport writes it as the program reads; a program that closes its stdin does not want it.
        pipe.write(stdin.encode(errors="replace"))
        pipe.close()
        # Not Process.wait(), which waits for the end of the pipes: what the program has started may keep them for ever.
        await self._output.exited.wait()
        await self._output.ended.wait()
        return self._transport.get_returncode()

    def write(self, text: str) -> None:
        """Write a text to stdin, which stays open."""
        assert self._transport is not None, "the context is entered"
        cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0)).write(text.encode(errors="replace"))

    async def read_line(self) -> str | None:
        """Return the next line of stdout and forget it; ``None`` at the end."""
        stdout = self._output.stdout
        while (end := stdout.find(b"\n")) < 0:
            if self._output.ended.is_set():
                return None
            self._output.changed.clear()
            await self._output.changed.wait()
        line = stdout[:end].decode(errors="replace")
        del stdout[: end + 1]
        return line

    async def exit_code(self) -> int | None:
        """Return the exit code of a program that is about to end; ``None`` if it does not end at once."""
        assert self._transport is not None, "the context is entered"
        await self._exits_within(GRACE_SECONDS)
        return self._transport.get_returncode()

    async def __aenter__(self) -> "ProgramProcess":
        self._transport, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: self._output,
            *with_parent_death_signal(self._command),
            cwd=self._directory,
            env=self._environment,
            **OWN_GROUP,
        )
        self._watchdog.guard(self._transport.get_pid())
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        assert self._transport is not None, "the context was entered"
        transport, group = self._transport, self._transport.get_pid()
        try:
            # Shielded: an attempt that is cancelled must still end its program.
            with anyio.CancelScope(shield=True):
                # Before the program ends: afterwards nothing says whose children they were.
                children = descendants(group)
                if transport.get_returncode() is None:
                    terminate_group(group)
                    await self._exits_within(GRACE_SECONDS)
                kill_group(group)
                await self._exits_within(GRACE_SECONDS)
                # What has left the process group; in a thread, because it reads the environment of every process.
                await anyio.to_thread.run_sync(kill_descendants, self._mark, children)
        finally:
            kill_group(group)
            self._watchdog.release(group)
            transport.close()

    async def _exits_within(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            await self._output.exited.wait()


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
    checked: str = ""
    """Version that was checked; empty if none was."""
    model: str | None = None
    environment: dict[str, str] = field(default_factory=dict, repr=False)
    """Variables of its configuration."""
    may_skip_servers: bool = False
    """Whether an attempt is scored in which it has not listed the tools of a server."""
    answering: Answering = "user"
    """Who answers the questions of servers."""
    port: int = 0
    price: Price | None = None
    isolation: IsolationMode = "none"

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        notes = {PROGRAM: f"{Path(self.executable).name} {self.version}".strip()}
        if self.version and self.checked and self.checked not in self.version.split():
            notes[UNCHECKED_PROGRAM] = f"{self.version}, checked with {self.checked}"
        settings = ProxySettings(
            self.program.transport, self.program.tool_names, answering=self.answering, port=self.port
        )
        async with _turn_of_port(self.port):
            return await Episode(self.worker(notes), task, arena, notes).play(settings)

    def worker(self, notes: dict[str, str]) -> TurnWorker:
        """Return what answers the turns of one attempt, and may add to its notes."""
        del notes  # the version is known
        return ProgramWorker(self)


class ProgramWorker:
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
    def must_list_tools(self) -> bool:
        return not self._agent.may_skip_servers

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
        self._process = process = self._new_process(launch, workplace)
        try:
            async with process:
                code = await process.run(launch.stdin)
        except OSError as error:
            raise AgentError(f"cannot be started: {error.strerror or error}", self.name) from None
        report = self._report(process, code)
        return self._priced(report if launch.complete is None else launch.complete(report))

    async def close(self) -> None:
        """Do nothing: each turn has a run of its own."""

    def _report(self, process: ProgramProcess, code: int | None) -> ProgramReport:
        """Return what the program's output says. Raises AgentError if the program could not work."""
        if process.is_flooded:
            raise AgentError(f"wrote more than {MOST_OUTPUT // 2**20} MB to stdout", self.name)
        ended = AgentError(f"ended with exit code {code}", self.name, process.stderr)
        if not process.stderr.strip():
            ended = AgentError(ended.problem, self.name, process.output[-2000:], "end of its stdout")
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

    def _new_process(self, launch: Launch, workplace: Workplace) -> ProgramProcess:
        command: Sequence[str] = (self._agent.executable, *launch.arguments)
        private = {"TMPDIR": str(workplace.home / "tmp")}
        variables = program_environment(
            self._agent.program.variables, {**private, **launch.environment, **self._agent.environment}
        )
        isolation = make_isolation(self._agent.isolation)
        if isolation.bwrap is not None:
            ref = ServerRef(
                name="agent",
                transport="stdio",
                command=command[0],
                environment=variables,
                network=True,
                limits=NO_LIMITS,
            )
            command = isolation.wrap(
                command,
                ref,
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
