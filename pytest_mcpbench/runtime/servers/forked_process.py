"""Transport of a forked process: the part of :class:`asyncio.SubprocessTransport` that this package uses.

asyncio creates subprocess transports only for processes that it has started itself, not for grandchildren.
"""

import asyncio
import functools
import os


class ForkedProcess:
    """Process that a zygote has forked, with the other ends of its stdin, stdout and stderr."""

    def __init__(self, pid: int, protocol: asyncio.SubprocessProtocol) -> None:
        self._pid = pid
        self._protocol = protocol
        self._returncode: int | None = None
        self._pipes: dict[int, asyncio.BaseTransport] = {}

    def get_pid(self) -> int:
        return self._pid

    def get_returncode(self) -> int | None:
        return self._returncode

    def get_pipe_transport(self, fd: int) -> asyncio.BaseTransport | None:
        return self._pipes.get(fd)

    def close(self) -> None:
        for pipe in self._pipes.values():
            pipe.close()

    async def connect(self, stdin: int, stdout: int, stderr: int) -> None:
        """Take ownership of this process's ends of the pipes and start to read."""
        loop = asyncio.get_running_loop()
        for number, descriptor in ((1, stdout), (2, stderr)):
            reader = functools.partial(_PipeReader, self._protocol, number)
            self._pipes[number], _ = await loop.connect_read_pipe(reader, os.fdopen(descriptor, "rb"))
        self._pipes[0], _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(stdin, "wb"))

    def set_exited(self, returncode: int) -> None:
        """Record the end of the process and report it to the protocol."""
        self._returncode = returncode
        self._protocol.process_exited()


class _PipeReader(asyncio.Protocol):
    """Protocol of one pipe that forwards its events to the protocol of the process."""

    def __init__(self, protocol: asyncio.SubprocessProtocol, fd: int) -> None:
        self._protocol = protocol
        self._fd = fd

    def data_received(self, data: bytes) -> None:
        self._protocol.pipe_data_received(self._fd, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.pipe_connection_lost(self._fd, exc)
