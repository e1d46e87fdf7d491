"""Exchange of MCP messages with a child process: one line of JSON each on its stdout and stdin."""

import asyncio
from contextlib import suppress
from types import TracebackType

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from pytest_mcpbench.runtime.servers.reply_watch import LONGEST_LINE, ReplyWatch, show

_DRAIN_SECONDS = 0.2
_STDERR_BYTES = 8192
_STDERR_LINES = 20
_STRAY_LINES = 3


class ProcessOutput(asyncio.SubprocessProtocol):
    """Reader of a process's output: it parses messages from stdout and keeps the tail of stderr."""

    def __init__(self, incoming: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
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
        self.watch = ReplyWatch(self._give_up)
        self._has_message = False
        self._incoming = incoming
        self._line = bytearray()
        self._stderr = b""

    @property
    def stderr_tail(self) -> str:
        """Last lines of stderr."""
        lines = self._stderr.decode(errors="replace").splitlines()
        return "\n".join(lines[-_STDERR_LINES:])

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self._stderr = (self._stderr + data)[-_STDERR_BYTES:]
            return
        if self.lost_reply:
            return
        *complete, rest = data.split(b"\n")
        for part in complete:
            self._line += part
            self._take_line()
        self._line += rest
        # A program that writes without line breaks must not fill the memory.
        if len(self._line) > LONGEST_LINE:
            self._give_up_long_line()
        self.watch.record_unfinished(bytes(self._line[:1024]))

    def pipe_connection_lost(self, fd: int, _error: Exception | None) -> None:
        if fd == 1:
            self._end_output()

    def process_exited(self) -> None:
        self.exited.set()
        # Not only at the end of stdout: a process that the server started may keep it open for ever.
        asyncio.get_running_loop().call_later(_DRAIN_SECONDS, self._end_output)

    def _take_line(self) -> None:
        if len(self._line) > LONGEST_LINE:
            self._give_up_long_line()
        line = bytes(self._line).strip()
        self._line.clear()
        if line and not self.lost_reply:
            self._deliver(line)

    def _deliver(self, line: bytes) -> None:
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError as error:
            self._count_stray(line)
            self.watch.record_stray(line, error)
            return
        self._has_message = True
        self.watch.record_message(message)
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            # The stream is unbounded, so that this callback never has to wait.
            self._incoming.send_nowait(SessionMessage(message))

    def _count_stray(self, line: bytes) -> None:
        self.stray_count += 1
        if len(self.stray_lines) < _STRAY_LINES:
            self.stray_lines.append(line[:200].decode(errors="replace"))
        if not self._has_message:
            self.early_lines = self.stray_lines[:]

    def _give_up_long_line(self) -> None:
        megabytes = LONGEST_LINE // 1024**2
        self._give_up(
            f"it wrote a line of more than {megabytes} MB, which begins with {show(bytes(self._line[:1024]))}"
        )

    def _give_up(self, problem: str) -> None:
        """Read no further: what follows a reply that cannot be read belongs to no request."""
        self.lost_reply = self.lost_reply or problem
        self._line.clear()
        self._end_output()

    def _end_output(self) -> None:
        self.watch.close()
        self.output_ended_first = self.output_ended_first or not self.is_closing
        self._incoming.close()


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
