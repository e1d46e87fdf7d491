"""One run of a program: its output is bounded, and no process of it outlives the run."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import cast

import anyio

from pytest_mcpbench.runtime.process_groups import OWN_GROUP, kill_group, terminate_group
from pytest_mcpbench.runtime.servers.descendants import MARK, descendants, kill_descendants
from pytest_mcpbench.runtime.servers.watchdog import Watchdog, with_parent_death_signal

MOST_OUTPUT = 16 * 2**20
"""Bytes that a program may write to stdout."""
GRACE_SECONDS = 0.5
"""Time in which a program may end by itself after SIGTERM."""
_DRAIN_SECONDS = 0.5
_STDERR_BYTES = 8192
_STDERR_LINES = 20


class _Output(asyncio.SubprocessProtocol):
    """Reader of a program's output, which keeps the beginning of stdout and the end of stderr."""

    def __init__(self) -> None:
        self.exited = asyncio.Event()
        self.ended = asyncio.Event()
        """Set when the program, and everything that has its stdout, has closed it, or when it has written too much."""
        self.stdout = bytearray()
        self.stderr = b""
        self.is_flooded = False

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.stderr = (self.stderr + data)[-_STDERR_BYTES:]
        elif not self.is_flooded:
            self.stdout += data
            if len(self.stdout) > MOST_OUTPUT:
                del self.stdout[MOST_OUTPUT:]
                self.is_flooded = True
                self.exited.set()
                self.ended.set()

    def pipe_connection_lost(self, fd: int, _error: Exception | None) -> None:
        if fd == 1:
            self.ended.set()

    def process_exited(self) -> None:
        self.exited.set()


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
        return "\n".join(self._output.stderr.decode(errors="replace").splitlines()[-_STDERR_LINES:])

    async def run(self, stdin: str) -> int | None:
        """Write the text to stdin, read the output until the program ends and return its exit code."""
        assert self._transport is not None, "the context is entered"
        pipe = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))
        # The transport writes it as the program reads; a program that closes its stdin does not want it.
        pipe.write(stdin.encode(errors="replace"))
        pipe.close()
        # Not Process.wait(), which waits for the end of the pipes: what the program has started may keep them for ever.
        await self._output.exited.wait()
        with anyio.move_on_after(_DRAIN_SECONDS):
            await self._output.ended.wait()
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
        try:
            # Shielded: an attempt that is cancelled must still end its program.
            with anyio.CancelScope(shield=True):
                await self._end(self._transport)
        finally:
            kill_group(self._transport.get_pid())
            self._watchdog.release(self._transport.get_pid())
            self._transport.close()

    async def _end(self, transport: asyncio.SubprocessTransport) -> None:
        """Send SIGTERM and wait, send SIGKILL, and kill what has left the process group."""
        # Before the program ends: afterwards nothing says whose children they were.
        children = descendants(transport.get_pid())
        if transport.get_returncode() is None:
            terminate_group(transport.get_pid())
            await self._exits_within(GRACE_SECONDS)
        kill_group(transport.get_pid())
        await self._exits_within(GRACE_SECONDS)
        # In a thread: it reads the environment of every process.
        await anyio.to_thread.run_sync(kill_descendants, self._mark, children)

    async def _exits_within(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            await self._output.exited.wait()
