"""Zygotes: processes that have imported a Python server and fork one process of it for each connection."""

import asyncio
import functools
import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.servers.isolation import limited
from pytest_mcpbench.servers.leftovers import MARK
from pytest_mcpbench.servers.process_groups import kill_group
from pytest_mcpbench.servers.watchdog import Watchdog, with_parent_death_signal

# Transport of a forked process: the part of :class:`asyncio.SubprocessTransport` that this package uses.
#
# asyncio creates subprocess transports only for processes that it has started itself, not for grandchildren.


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


# Parsing of a server's command line into the Python code that it runs, so that the code can be forked.

_OPTIONS_WITH_VALUE = ("-W", "-X")


@dataclass(frozen=True)
class PythonCommand:
    """Parts of a command line that runs a Python module or script."""

    interpreter: str
    options: tuple[str, ...]
    """Options of the interpreter."""
    module: str | None
    script: str | None
    arguments: tuple[str, ...]
    """Arguments of the module or script."""


def python_command(ref: ServerRef, command: Sequence[str], directory: Path) -> PythonCommand:
    """Parse ``python [options] -m module …``, ``python [options] script …``, or the command of an installed script.

    Args:
        ref: Server that the command belongs to.
        command: Absolute path of the executable, followed by its arguments.
        directory: Directory to which a script's path is relative.

    Raises:
        ServerError: the command does not run Python code that can be forked.
    """
    executable, *rest = command
    if Path(executable).name.startswith("python"):
        return _parse_interpreter(ref, executable, rest, directory)
    interpreter = _shebang_interpreter(executable)
    if interpreter is None:
        raise _error(ref, f"{ref.command!r} is neither Python nor a script of an installed Python package")
    return PythonCommand(interpreter, (), None, executable, tuple(rest))


def _parse_interpreter(ref: ServerRef, interpreter: str, rest: Sequence[str], directory: Path) -> PythonCommand:
    options: list[str] = []
    words = iter(rest)
    for word in words:
        if word == "-m":
            return PythonCommand(interpreter, tuple(options), next(words, ""), None, tuple(words))
        if not word.startswith("-"):
            return PythonCommand(interpreter, tuple(options), None, str(directory / word), tuple(words))
        if word == "-c":
            break
        options += [word, next(words, "")] if word in _OPTIONS_WITH_VALUE else [word]
    raise _error(ref, "its command contains neither a script nor, after -m, a module")


def _shebang_interpreter(executable: str) -> str | None:
    """Return the Python interpreter in the first line of a script; ``None`` if there is none."""
    with suppress(OSError), Path(executable).open("rb") as file:
        line = file.readline(512).decode(errors="replace").strip()
        interpreter = line.removeprefix("#!").strip()
        # With a space it has arguments ("/usr/bin/env python"), or is not a path at all.
        if line.startswith("#!") and Path(interpreter).name.startswith("python") and " " not in interpreter:
            return interpreter
    return None


def _error(ref: ServerRef, problem: str) -> ServerError:
    return ServerError(f"it cannot be forked: {problem}; leave out `fork`", ref.name, "configure")


_SCRIPT = Path(__file__).with_name("zygote.py")
_STDERR_BYTES = 8192
_KILLED = -9
"""Return code of a process that SIGKILL has ended."""
_END_SECONDS = 0.5


class ZygoteProcess:
    """Zygote of one server, started with the first fork; its own side of the socket is ``zygote.py``.

    The server's code must tolerate a fork after its import: threads, open connections and values that it has drawn
    from its own random generator do not survive it or are shared. Python's ``random`` is seeded again in each process.
    """

    def __init__(
        self,
        ref: ServerRef,
        command: PythonCommand,
        *,
        environment: Mapping[str, str],
        directory: Path,
        watchdog: Watchdog,
    ) -> None:
        self._ref = ref
        self._command = command
        self._directory = directory
        self._environment = dict(environment)
        self._watchdog = watchdog
        self._start_task: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._control: socket.socket | None = None
        self._listen_task: asyncio.Task[None] | None = None
        self._stderr = b""
        self._children: dict[int, ForkedProcess] = {}
        self._early_exits: dict[int, int] = {}
        """Return codes, by pid, of processes that ended before :meth:`fork` had registered them."""
        self._pending: dict[int, asyncio.Future[int]] = {}
        """Pids to come, by the number of their request."""
        self._request_count = 0

    async def fork(self, protocol: asyncio.SubprocessProtocol, directory: Path, mark: str) -> ForkedProcess:
        """Start a process that runs the server in this directory, with a mark in its environment.

        Raises:
            ServerError: the server cannot be imported in advance, or the zygote died.
        """
        self._start_task = self._start_task or asyncio.ensure_future(self._start())
        # Shielded: several connections wait for the same start, and one that is cancelled must not cancel it.
        await asyncio.shield(self._start_task)
        # Pipes for stdin, stdout and stderr: this process's ends, and those of the child.
        (stdin, ours_in), (ours_out, stdout), (ours_err, stderr) = os.pipe(), os.pipe(), os.pipe()
        ours, theirs = (ours_in, ours_out, ours_err), (stdin, stdout, stderr)
        try:
            pid = await self._request_fork(theirs, directory, mark)
        finally:
            # The child has its own copies; ours would keep its pipes open after its end.
            for descriptor in theirs:
                os.close(descriptor)
        child = self._children[pid] = ForkedProcess(pid, protocol)
        protocol.connection_made(cast(asyncio.BaseTransport, child))
        await child.connect(*ours)
        if pid in self._early_exits:
            self._set_exited(pid, self._early_exits.pop(pid))
        return child

    async def close(self) -> None:
        """End the zygote; the processes that it has forked end with it at the latest."""
        if self._start_task is not None:
            self._start_task.cancel()
        if self._control is not None:
            self._control.close()
        if self._listen_task is not None:
            self._listen_task.cancel()
        if self._process is not None and self._process.returncode is None:
            kill_group(self._process.pid)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), _END_SECONDS)
            self._watchdog.release(self._process.pid)

    async def _start(self) -> None:
        # A socket pair rather than pipes, because only sockets can carry descriptors to another process.
        self._control, theirs = socket.socketpair()
        self._control.setblocking(False)
        try:
            command = self._command
            imports = () if self._ref.fork is True else self._ref.fork or ()
            setup = {"imports": list(imports), "module": command.module, "script": command.script}
            options = (*command.options, str(_SCRIPT), str(theirs.fileno()), json.dumps(setup))
            self._process = await asyncio.create_subprocess_exec(
                *with_parent_death_signal(limited((command.interpreter, *options), self._ref.limits)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                env={**self._environment, MARK: self._watchdog.new_mark()},
                cwd=self._directory,
                start_new_session=True,
            )
        finally:
            theirs.close()
        self._watchdog.guard(self._process.pid)
        is_ready = asyncio.get_running_loop().create_future()
        self._listen_task = asyncio.ensure_future(self._listen(is_ready))
        await is_ready

    async def _request_fork(self, descriptors: Sequence[int], directory: Path, mark: str) -> int:
        """Send a request with the descriptors of stdin, stdout and stderr; return the pid of the new process."""
        self._request_count += 1
        pid: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._pending[self._request_count] = pid
        request: dict[str, Any] = {
            "number": self._request_count,
            "directory": str(directory),
            "environment": {**self._environment, MARK: mark},
            "arguments": self._command.arguments,
        }
        assert self._control is not None
        if sys.platform == "win32":
            raise NotImplementedError
        try:
            socket.send_fds(self._control, [json.dumps(request).encode() + b"\n"], list(descriptors))
        except OSError:
            raise self._import_error() from None
        return await pid

    async def _listen(self, is_ready: "asyncio.Future[None]") -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        stderr_task = asyncio.ensure_future(self._read_stderr(self._process.stderr))
        loop, rest = asyncio.get_running_loop(), b""
        while data := await self._receive(loop):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._handle(json.loads(line), is_ready)
        # The socket may close before the traceback that explains it has been read.
        await asyncio.wait({stderr_task}, timeout=_END_SECONDS)
        pending: list[asyncio.Future[Any]] = [is_ready, *self._pending.values()]
        for future in pending:
            if not future.done():
                future.set_exception(self._import_error())
        # Without the zygote nobody reaps them or reports how they end.
        for pid in tuple(self._children):
            kill_group(pid)
            self._set_exited(pid, _KILLED)

    async def _receive(self, loop: asyncio.AbstractEventLoop) -> bytes:
        assert self._control is not None
        try:
            return await loop.sock_recv(self._control, 65536)
        except OSError:
            return b""

    def _handle(self, message: dict[str, Any], is_ready: "asyncio.Future[None]") -> None:
        if "ended" in message:
            self._set_exited(message["ended"], message["returncode"])
        elif "pid" in message:
            pid = self._pending.pop(message["number"])
            if not pid.done():
                pid.set_result(message["pid"])
            else:  # the attempt was cancelled while the zygote forked
                kill_group(message["pid"])
        elif not is_ready.done():
            is_ready.set_result(None)

    def _set_exited(self, pid: int, returncode: int) -> None:
        child = self._children.pop(pid, None)
        if child is None:
            self._early_exits[pid] = returncode
        else:
            child.set_exited(returncode)

    async def _read_stderr(self, stderr: asyncio.StreamReader) -> None:
        while data := await stderr.read(4096):
            self._stderr = (self._stderr + data)[-_STDERR_BYTES:]

    def _import_error(self) -> ServerError:
        stderr = self._stderr.decode(errors="replace").strip()
        problem = "it could not be imported before it is forked"
        returncode = self._process.returncode if self._process else None
        return ServerError(problem, self._ref.name, "start", stderr, returncode)


class ZygotePool:
    """Zygotes of one event loop, one for each server that is forked."""

    def __init__(self, watchdog: Watchdog) -> None:
        self._watchdog = watchdog
        self._zygotes: dict[tuple[object, ...], ZygoteProcess] = {}

    def get(
        self, ref: ServerRef, command: PythonCommand, environment: Mapping[str, str], directory: Path
    ) -> ZygoteProcess:
        """Return the zygote of a server, which imports the server's code in the directory."""
        key = (ref.name, ref.fork, command, tuple(sorted(environment.items())), directory)
        if key not in self._zygotes:
            self._zygotes[key] = ZygoteProcess(
                ref, command, environment=environment, directory=directory, watchdog=self._watchdog
            )
        return self._zygotes[key]

    async def close(self) -> None:
        """End all zygotes."""
        await asyncio.gather(*(zygote.close() for zygote in self._zygotes.values()))


def is_supported() -> bool:
    """Return whether this system can fork and send descriptors to another process."""
    return sys.platform != "win32" and hasattr(socket, "send_fds")
