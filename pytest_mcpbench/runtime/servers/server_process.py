"""A server as a child process: its life, and the messages over its stdin and stdout."""

import asyncio
import math
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, cast

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from pytest_mcpbench.runtime.servers.watchdog import Watchdog, with_parent_death_signal

if TYPE_CHECKING:
    from pytest_mcpbench.runtime.servers.forking import Zygote

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]

GRACE_SECONDS = 0.3
"""How long a server may take to end by itself when its stdin closes, and again after SIGTERM."""
_REAP_SECONDS = 1.0
_DRAIN_SECONDS = 0.2
_STDERR_BYTES = 8192
_STDERR_LINES = 20
_LONGEST_LINE = 64 * 1024 * 1024
_STRAY_SHOWN = 3


class Process(Protocol):
    """What is used of a process: :class:`asyncio.SubprocessTransport` has it, and a forked one."""

    def get_pid(self) -> int: ...

    def get_returncode(self) -> int | None: ...

    def get_pipe_transport(self, fd: int, /) -> asyncio.BaseTransport | None: ...

    def close(self) -> None: ...


class ServerProcess:
    """One run of a command as an MCP server; to be entered once.

    The server leads a session of its own: Ctrl-C does not reach it, and what it starts is killed with it.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        directory: Path,
        watchdog: Watchdog,
        zygote: "Zygote | None" = None,
    ) -> None:
        self._command = tuple(command)
        self._environment = dict(environment)
        self._directory = directory
        self._watchdog = watchdog
        self._zygote = zygote
        self._incoming, self._received = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
        self._protocol = _Protocol(self._incoming)
        self._transport: Process | None = None
        self._was_killed = False

    @property
    def pid(self) -> int | None:
        """``None`` before the start."""
        return self._transport.get_pid() if self._transport else None

    @property
    def returncode(self) -> int | None:
        """How the process ended by itself; ``None`` while it runs, and where it was we who ended it."""
        ended_alone = self.is_lost and not self._was_killed
        return self._transport.get_returncode() if self._transport and ended_alone else None

    @property
    def is_lost(self) -> bool:
        """Whether the process ended its output by itself: no message can come any more."""
        return self._protocol.output_ended_first

    @property
    def stderr(self) -> str:
        """The last lines that the process wrote to its stderr."""
        return self._protocol.stderr_tail

    @property
    def stray_output(self) -> tuple[int, tuple[str, ...]]:
        """How many lines on stdout were no messages, and the first of them."""
        return self._protocol.stray_count, tuple(self._protocol.stray_lines)

    async def settled(self) -> None:
        """Wait a moment for the end of a process whose output has ended, so that its return code is known."""
        if self.is_lost:
            await self._exits_within(_REAP_SECONDS)

    async def __aenter__(self) -> tuple[Incoming, "_Outgoing"]:
        try:
            self._transport = await self._started()
        except BaseException:
            self._close_streams()
            raise
        self._watchdog.guard(self._transport.get_pid())
        return self._received, _Outgoing(self._stdin)

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._protocol.is_closing = True
        try:
            with anyio.CancelScope(shield=True):
                await self._end()
        finally:
            self._kill(signal.SIGKILL)
            self._forget()

    async def _started(self) -> Process:
        if self._zygote is not None:
            return await self._zygote.fork(self._protocol, self._directory)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.subprocess_exec(
            lambda: self._protocol,
            *with_parent_death_signal(self._command),
            cwd=self._directory,
            env=self._environment,
            start_new_session=True,
        )
        return transport

    async def _end(self) -> None:
        """As the specification has it: close stdin, wait, SIGTERM, wait; the caller sends SIGKILL."""
        self._stdin.close()
        if not await self._exits_within(GRACE_SECONDS):
            self._kill(signal.SIGTERM)
            await self._exits_within(GRACE_SECONDS)
        self._kill(signal.SIGKILL)
        await self._exits_within(_REAP_SECONDS)

    async def _exits_within(self, seconds: float) -> bool:
        with anyio.move_on_after(seconds):
            await self._protocol.exited.wait()
        return self._protocol.exited.is_set()

    def _kill(self, signum: signal.Signals) -> None:
        """Also where the leader has ended: what it started has no further claim to live."""
        self._was_killed = self._was_killed or not self._protocol.exited.is_set()
        if self.pid is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signum)

    def _forget(self) -> None:
        self._close_streams()
        if self._transport is not None:
            self._watchdog.release(self._transport.get_pid())
            self._transport.close()

    def _close_streams(self) -> None:
        self._incoming.close()
        self._received.close()

    @property
    def _stdin(self) -> asyncio.WriteTransport:
        assert self._transport is not None
        return cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))


class _Protocol(asyncio.SubprocessProtocol):
    """Takes what the process writes and notes how it ends."""

    def __init__(self, incoming: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        self.exited = asyncio.Event()
        self.is_closing = False
        self.output_ended_first = False
        self.stray_count = 0
        self.stray_lines: list[str] = []
        self._incoming = incoming
        self._line = bytearray()
        self._stderr = b""

    @property
    def stderr_tail(self) -> str:
        lines = self._stderr.decode(errors="replace").splitlines()
        return "\n".join(lines[-_STDERR_LINES:])

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self._stderr = (self._stderr + data)[-_STDERR_BYTES:]
            return
        *complete, rest = data.split(b"\n")
        for part in complete:
            self._line += part
            self._take_line()
        self._line += rest
        if len(self._line) > _LONGEST_LINE:
            self._take_line()

    def pipe_connection_lost(self, fd: int, _error: Exception | None) -> None:
        if fd == 1:
            self._end_output()

    def process_exited(self) -> None:
        self.exited.set()
        # A process that the server started may hold its stdout open for ever.
        asyncio.get_running_loop().call_later(_DRAIN_SECONDS, self._end_output)

    def _take_line(self) -> None:
        line = bytes(self._line).strip()
        self._line.clear()
        if line:
            self._deliver(line)

    def _deliver(self, line: bytes) -> None:
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            self._count_stray(line)
            return
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._incoming.send_nowait(SessionMessage(message))

    def _count_stray(self, line: bytes) -> None:
        self.stray_count += 1
        if len(self.stray_lines) < _STRAY_SHOWN:
            self.stray_lines.append(line[:200].decode(errors="replace"))

    def _end_output(self) -> None:
        self.output_ended_first = self.output_ended_first or not self.is_closing
        self._incoming.close()


class _Outgoing:
    """The server's stdin as the stream that mcp writes messages to."""

    def __init__(self, stdin: asyncio.WriteTransport) -> None:
        self._stdin = stdin

    async def send(self, item: SessionMessage, /) -> None:
        if self._stdin.is_closing():
            raise anyio.BrokenResourceError
        self._stdin.write(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")

    async def aclose(self) -> None:
        self._stdin.close()

    async def __aenter__(self) -> "_Outgoing":
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.aclose()
