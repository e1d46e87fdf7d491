"""Lifecycle of a server that runs as a child process."""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, cast

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage

from pytest_mcpbench.core.secrets import NO_SECRETS, Secrets
from pytest_mcpbench.servers.large_results import LARGE, decode, in_thread
from pytest_mcpbench.servers.leftovers import MARK, descendants, kill_descendants
from pytest_mcpbench.servers.process_groups import OWN_GROUP, kill_group, terminate_group
from pytest_mcpbench.servers.reply_watch import KEPT, LONGEST_LINE, SHOWN, ReplyWatch, show
from pytest_mcpbench.servers.watchdog import Watchdog, with_parent_death_signal

if TYPE_CHECKING:
    from pytest_mcpbench.servers.forking import ZygoteProcess

# Exchange of MCP messages with a child process: one line of JSON each on its stdout and stdin.

_DRAIN_SECONDS = 0.2
STDERR_BYTES = 64 * 1024
"""Bytes of stderr that are kept, many more than are shown, so that secrets in them are whole."""
_STDERR_CHARACTERS = 8192
_STDERR_LINES = 20
_STRAY_LINES = 3


class ProcessOutput(asyncio.SubprocessProtocol):
    """Reader of a process's output: it parses messages from stdout and keeps the tail of stderr.

    What it shows of the output has no secrets: they are removed before anything is cut.
    """

    def __init__(
        self, incoming: MemoryObjectSendStream[SessionMessage | Exception], secrets: Secrets = NO_SECRETS
    ) -> None:
        self.exited = asyncio.Event()
        self.is_closing = False
        """``True`` as soon as this side starts to end the process."""
        self.output_ended_first = False
        """``True`` if the process ended its output while it was still needed."""
        self.stray_count = 0
        """Number of lines on stdout that were not messages."""
        self.stray_lines: list[str] = []
        """First of these lines."""
        self.early_lines: list[str] = []
        """Those of them that came before the first message."""
        self.lost_reply = ""
        """Description of a reply that could not be read; nothing is read after it."""
        self.watch = ReplyWatch(self._give_up, secrets)
        self._has_message = False
        self._incoming = incoming
        self._secrets = secrets
        self._line = bytearray()
        self._stderr = b""
        self._undecoded: list[bytes] = []
        """Large lines, and those that came after them."""
        self._decoder: asyncio.Future[None] | None = None
        self._has_ended = False

    @property
    def stderr_tail(self) -> str:
        """Last lines of stderr."""
        return end_of_stderr(self._stderr, self._secrets)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self._stderr = (self._stderr + data)[-STDERR_BYTES:]
            return
        if self.lost_reply:
            return
        *complete, rest = data.split(b"\n")
        for part in complete:
            self._line += part
            if len(self._line) > LONGEST_LINE:
                self._give_up_long_line()
            line = bytes(self._line).strip()
            self._line.clear()
            if line and not self.lost_reply:
                self._deliver(line)
        self._line += rest
        # A program that writes without line breaks must not fill the memory.
        if len(self._line) > LONGEST_LINE:
            self._give_up_long_line()
        self.watch.record_unfinished(bytes(self._line[:KEPT]))

    def pipe_connection_lost(self, fd: int, _error: Exception | None) -> None:
        if fd == 1:
            self._end_output()

    def process_exited(self) -> None:
        self.exited.set()
        # Not only at the end of stdout: a process that the server started may keep it open for ever.
        asyncio.get_running_loop().call_later(_DRAIN_SECONDS, self._end_output)

    def _deliver(self, line: bytes) -> None:
        if len(line) > LARGE or self._undecoded:
            # Until it is decoded there is no silence, and what follows waits for its turn.
            self.watch.stop_timer()
            self._undecoded.append(line)
            self._decoder = self._decoder or asyncio.ensure_future(self._decode_in_thread())
            return
        try:
            self._take(decode(line))
        except ValueError as error:
            self._take_stray(line, error)

    async def _decode_in_thread(self) -> None:
        while self._undecoded:
            line = self._undecoded[0]
            try:
                message = await in_thread(decode, line)
            except ValueError as error:
                self._take_stray(line, error)
            else:
                self._take(message)
            # A reply that was given up has cleared them.
            del self._undecoded[:1]
        self._decoder = None
        if self._has_ended:
            self._end_output()

    def _take(self, message: JSONRPCMessage) -> None:
        self._has_message = True
        self.watch.record_message(message)
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            # The stream is unbounded, so that this callback never has to wait.
            self._incoming.send_nowait(SessionMessage(message))

    def _take_stray(self, line: bytes, error: ValueError) -> None:
        self.stray_count += 1
        if len(self.stray_lines) < _STRAY_LINES:
            self.stray_lines.append(self._secrets.shorten(line[:KEPT].decode(errors="replace"), SHOWN))
        if not self._has_message:
            self.early_lines = self.stray_lines[:]
        self.watch.record_stray(line, error)

    def _give_up_long_line(self) -> None:
        megabytes = LONGEST_LINE // 1024**2
        self._give_up(
            f"it wrote a line of more than {megabytes} MB, which begins with "
            f"{show(bytes(self._line[:KEPT]), self._secrets)}"
        )

    def _give_up(self, problem: str) -> None:
        """Stop reading, because output after an unreadable reply belongs to no request."""
        self.lost_reply = self.lost_reply or problem
        self._line.clear()
        self._undecoded.clear()
        self._end_output()

    def _end_output(self) -> None:
        self.output_ended_first = self.output_ended_first or not self.is_closing
        self._has_ended = True
        if not self._undecoded:
            self.watch.close()
            self._incoming.close()

    def stop(self) -> None:
        """Decode nothing any more."""
        if self._decoder is not None:
            self._decoder.cancel()


def end_of_stderr(kept: bytes, secrets: Secrets) -> str:
    """Return the last lines of the last ``STDERR_BYTES`` that a process wrote to stderr, without secrets."""
    text = kept.decode(errors="replace")
    # Before lines are left out: a secret may have several.
    filtered = secrets.shorten_to_end(text, _STDERR_CHARACTERS, is_cut=len(kept) >= STDERR_BYTES)
    return "\n".join(filtered.splitlines()[-_STDERR_LINES:])


class ProcessInput:
    """Stream to which mcp writes the messages for a process; it does what an anyio send stream does."""

    def __init__(self, stdin: asyncio.WriteTransport, watch: ReplyWatch) -> None:
        self._stdin = stdin
        self._watch = watch

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message as one line of JSON."""
        if self._stdin.is_closing():
            raise anyio.BrokenResourceError
        self._watch.record_sent(item.message)
        self._stdin.write(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")

    async def aclose(self) -> None:
        """Leave stdin open: the process closes it once it has noted what the server has started."""

    async def __aenter__(self) -> "ProcessInput":
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.aclose()


Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]

GRACE_SECONDS = 0.3
"""Time in which a server may end by itself after its stdin is closed, and again after SIGTERM."""
_REAP_SECONDS = 1.0


class ProcessTransport(Protocol):
    """Methods that :class:`asyncio.SubprocessTransport` and a forked process have in common."""

    def get_pid(self) -> int: ...

    def get_returncode(self) -> int | None: ...

    def get_pipe_transport(self, fd: int, /) -> asyncio.BaseTransport | None: ...

    def close(self) -> None: ...


class ServerProcess:
    """Context manager that runs a command as an MCP server and yields the streams of its messages; used once.

    It replaces the stdio client of mcp, which gives access neither to the pid nor to the return code and stderr.
    """

    def __init__(  # noqa: PLR0913 (the parts of a process)
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        directory: Path,
        watchdog: Watchdog,
        zygote: "ZygoteProcess | None" = None,
        secrets: Secrets = NO_SECRETS,
    ) -> None:
        self._command = tuple(command)
        self._mark = watchdog.new_mark()
        self._environment = {**environment, MARK: self._mark}
        self._directory = directory
        self._watchdog = watchdog
        self._zygote = zygote
        self._send_stream, self._incoming = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
        self._output = ProcessOutput(self._send_stream, secrets)
        self._transport: ProcessTransport | None = None
        self._was_killed = False

    @property
    def pid(self) -> int | None:
        """Id of the process; ``None`` before its start."""
        return self._transport.get_pid() if self._transport else None

    @property
    def returncode(self) -> int | None:
        """Return code of a process that ended by itself; ``None`` while it runs, and if this side has killed it."""
        ended_by_itself = self.is_lost and not self._was_killed
        return self._transport.get_returncode() if self._transport and ended_by_itself else None

    @property
    def is_lost(self) -> bool:
        """``True`` if the process ended its output by itself, so that no message can arrive any more."""
        return self._output.output_ended_first

    @property
    def stderr(self) -> str:
        """Last lines that the process wrote to its stderr."""
        return self._output.stderr_tail

    @property
    def stray_output(self) -> tuple[int, tuple[str, ...]]:
        """Number of lines on stdout that were not messages, and the first of them."""
        return self._output.stray_count, tuple(self._output.stray_lines)

    @property
    def lost_reply(self) -> str:
        """Description of a reply that could not be read; empty if there is none."""
        return self._output.lost_reply

    def report_lost_reply(self) -> None:
        """Give the connection up if the process wrote something instead of a reply."""
        self._output.watch.report_loss()

    @property
    def output_before_first_message(self) -> tuple[str, ...]:
        """First lines on stdout that came before any message."""
        return tuple(self._output.early_lines)

    async def ends_after_eof(self, seconds: float) -> bool:
        """Close the process's stdin and return whether it ends by itself in time."""
        self._output.is_closing = True
        self._stdin.close()
        return await self._exits_within(seconds)

    async def settle(self) -> None:
        """Wait a moment for the end of a process whose output has ended, so that its return code is known."""
        if self.is_lost and not self.lost_reply:
            await self._exits_within(_REAP_SECONDS)

    async def __aenter__(self) -> tuple[Incoming, ProcessInput]:
        try:
            if self._zygote is not None:
                self._transport = await self._zygote.fork(self._output, self._directory, self._mark)
            else:
                self._transport, _ = await asyncio.get_running_loop().subprocess_exec(
                    lambda: self._output,
                    *with_parent_death_signal(self._command),
                    cwd=self._directory,
                    env=self._environment,
                    **OWN_GROUP,
                )
        except BaseException:
            self._close_streams()
            raise
        self._watchdog.guard(self._transport.get_pid())
        return self._incoming, ProcessInput(self._stdin, self._output.watch)

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._output.is_closing = True
        try:
            # Shielded: an attempt that is cancelled must still end its servers in order.
            with anyio.CancelScope(shield=True):
                # Before the server ends: afterwards nothing says whose children they were.
                children = descendants(self._transport.get_pid()) if self._transport else []
                # The order of the MCP specification 2025-06-18, "Lifecycle", "Shutdown", with shorter waits.
                self._stdin.close()
                if not await self._exits_within(GRACE_SECONDS):
                    self._end_group(terminate_group)
                    await self._exits_within(GRACE_SECONDS)
                self._end_group(kill_group)
                await self._exits_within(_REAP_SECONDS)
                kill_descendants(self._mark, children)
        finally:
            self._end_group(kill_group)
            self._output.stop()
            self._close_streams()
            if self._transport is not None:
                self._watchdog.release(self._transport.get_pid())
                self._transport.close()

    async def _exits_within(self, seconds: float) -> bool:
        with anyio.move_on_after(seconds):
            await self._output.exited.wait()
        return self._output.exited.is_set()

    def _end_group(self, end: Callable[[int], None]) -> None:
        self._was_killed = self._was_killed or not self._output.exited.is_set()
        # Even if the leader has ended: processes that it started may still run.
        if self.pid is not None:
            end(self.pid)

    def _close_streams(self) -> None:
        self._send_stream.close()
        self._incoming.close()

    @property
    def _stdin(self) -> asyncio.WriteTransport:
        assert self._transport is not None
        return cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))
