"""Processes of a Python server, forked from one that has imported it already."""

import asyncio
import functools
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.runtime.servers.watchdog import Watchdog, with_parent_death_signal

_SCRIPT = Path(__file__).with_name("zygote.py")
_STDERR_BYTES = 8192
_KILLED = -signal.SIGKILL
_END_SECONDS = 0.5
_WITH_VALUE = ("-W", "-X")


@dataclass(frozen=True)
class PythonCommand:
    """A command line that runs Python code, in parts."""

    interpreter: str
    options: tuple[str, ...]
    module: str | None
    script: str | None
    arguments: tuple[str, ...]


def python_command(ref: ServerRef, command: Sequence[str], directory: Path) -> PythonCommand:
    """The parts of ``python [options] -m module …``, ``python [options] script …``, or of an installed script.

    A script's path is relative to the directory.

    Raises:
        ServerError: it is another command, which cannot be forked.
    """
    executable, *rest = command
    if Path(executable).name.startswith("python"):
        return _of_interpreter(ref, executable, rest, directory)
    interpreter = _shebang(executable)
    if interpreter is None:
        raise _unfit(ref, f"{ref.command!r} is neither Python nor a script of an installed Python package")
    return PythonCommand(interpreter, (), None, executable, tuple(rest))


def _of_interpreter(ref: ServerRef, interpreter: str, rest: Sequence[str], directory: Path) -> PythonCommand:
    options: list[str] = []
    words = iter(rest)
    for word in words:
        if word == "-m":
            return PythonCommand(interpreter, tuple(options), next(words, ""), None, tuple(words))
        if not word.startswith("-"):
            return PythonCommand(interpreter, tuple(options), None, str(directory / word), tuple(words))
        if word == "-c":
            break
        options += [word, next(words, "")] if word in _WITH_VALUE else [word]
    raise _unfit(ref, "its command names neither a script nor, after -m, a module")


def _shebang(executable: str) -> str | None:
    with suppress(OSError), Path(executable).open("rb") as file:
        line = file.readline(512).decode(errors="replace").strip()
        interpreter = line.removeprefix("#!").strip()
        if line.startswith("#!") and Path(interpreter).name.startswith("python") and " " not in interpreter:
            return interpreter
    return None


def _unfit(ref: ServerRef, problem: str) -> ServerError:
    return ServerError(f"it cannot be forked: {problem}; leave out `fork`", ref.name, "configure")


class Forked:
    """One process of a server, with what :class:`asyncio.SubprocessTransport` offers for it."""

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
        """Take over our ends of its pipes."""
        loop = asyncio.get_running_loop()
        for number, end in ((1, stdout), (2, stderr)):
            reading = functools.partial(_Reading, self._protocol, number)
            self._pipes[number], _ = await loop.connect_read_pipe(reading, os.fdopen(end, "rb"))
        self._pipes[0], _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(stdin, "wb"))

    def end(self, returncode: int) -> None:
        """The process is gone."""
        self._returncode = returncode
        self._protocol.process_exited()


class _Reading(asyncio.Protocol):
    """Passes on what comes from stdout or stderr."""

    def __init__(self, to: asyncio.SubprocessProtocol, fd: int) -> None:
        self._to = to
        self._fd = fd

    def data_received(self, data: bytes) -> None:
        self._to.pipe_data_received(self._fd, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._to.pipe_connection_lost(self._fd, exc)


class Zygote:
    """A process that has imported a server and forks one for each connection; begun with the first.

    The server's code must bear being forked after its import: threads, open connections and what it has drawn from a
    generator of its own are not fit for it. Python's ``random`` is seeded anew in each.
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
        self._starting: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._control: socket.socket | None = None
        self._listening: asyncio.Task[None] | None = None
        self._stderr = b""
        self._children: dict[int, Forked] = {}
        self._early: dict[int, int] = {}
        """Return codes of processes of which we did not know yet."""
        self._asked: dict[int, asyncio.Future[int]] = {}
        self._count = 0

    async def fork(self, protocol: asyncio.SubprocessProtocol, directory: Path) -> Forked:
        """A process that runs the server in this directory.

        Raises:
            ServerError: the server cannot be imported beforehand, or not be forked.
        """
        self._starting = self._starting or asyncio.ensure_future(self._start())
        await asyncio.shield(self._starting)
        ours, theirs = _pipes()
        try:
            pid = await self._asked_for(theirs, directory)
        finally:
            for end in theirs:
                os.close(end)
        child = self._children[pid] = Forked(pid, protocol)
        protocol.connection_made(cast(asyncio.BaseTransport, child))
        await child.connect(*ours)
        if pid in self._early:
            self._ended(pid, self._early.pop(pid))
        return child

    async def close(self) -> None:
        """End the process that forks; those that it has forked end with it at the latest."""
        if self._starting is not None:
            self._starting.cancel()
        if self._control is not None:
            self._control.close()
        if self._listening is not None:
            self._listening.cancel()
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), _END_SECONDS)
            self._watchdog.release(self._process.pid)

    async def _start(self) -> None:
        self._control, theirs = socket.socketpair()
        self._control.setblocking(False)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._line(theirs.fileno()),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                env=self._environment,
                cwd=self._directory,
                start_new_session=True,
            )
        finally:
            theirs.close()
        self._watchdog.guard(self._process.pid)
        is_ready = asyncio.get_running_loop().create_future()
        self._listening = asyncio.ensure_future(self._listen(is_ready))
        await is_ready

    def _line(self, control: int) -> tuple[str, ...]:
        command = self._command
        imports = () if self._ref.fork is True else self._ref.fork or ()
        setup = {"imports": list(imports), "module": command.module, "script": command.script}
        options = (*command.options, str(_SCRIPT), str(control), json.dumps(setup))
        return with_parent_death_signal((command.interpreter, *options))

    async def _asked_for(self, descriptors: Sequence[int], directory: Path) -> int:
        self._count += 1
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._asked[self._count] = answer
        request: dict[str, Any] = {
            "number": self._count,
            "directory": str(directory),
            "environment": self._environment,
            "arguments": self._command.arguments,
        }
        assert self._control is not None
        try:
            socket.send_fds(self._control, [json.dumps(request).encode() + b"\n"], list(descriptors))
        except OSError:
            raise self._lost() from None
        return await answer

    async def _listen(self, is_ready: "asyncio.Future[None]") -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        assert self._control is not None
        reading = asyncio.ensure_future(self._keep_stderr(self._process.stderr))
        loop, rest = asyncio.get_running_loop(), b""
        while data := await self._received(loop):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._take(json.loads(line), is_ready)
        await asyncio.wait({reading}, timeout=_END_SECONDS)
        waiting: list[asyncio.Future[Any]] = [is_ready, *self._asked.values()]
        for each in waiting:
            if not each.done():
                each.set_exception(self._lost())
        for pid in tuple(self._children):
            with suppress(OSError):
                os.killpg(pid, signal.SIGKILL)
            self._ended(pid, _KILLED)

    async def _received(self, loop: asyncio.AbstractEventLoop) -> bytes:
        assert self._control is not None
        try:
            return await loop.sock_recv(self._control, 65536)
        except OSError:
            return b""

    def _take(self, message: dict[str, Any], is_ready: "asyncio.Future[None]") -> None:
        if "ended" in message:
            self._ended(message["ended"], message["returncode"])
        elif "pid" in message:
            answer = self._asked.pop(message["number"])
            if not answer.done():
                answer.set_result(message["pid"])
            else:
                os.killpg(message["pid"], signal.SIGKILL)
        elif not is_ready.done():
            is_ready.set_result(None)

    def _ended(self, pid: int, returncode: int) -> None:
        child = self._children.pop(pid, None)
        if child is None:
            self._early[pid] = returncode
        else:
            child.end(returncode)

    async def _keep_stderr(self, stderr: asyncio.StreamReader) -> None:
        while data := await stderr.read(4096):
            self._stderr = (self._stderr + data)[-_STDERR_BYTES:]

    def _lost(self) -> ServerError:
        said = self._stderr.decode(errors="replace").strip()
        problem = "it could not be imported before it is forked"
        returncode = self._process.returncode if self._process else None
        return ServerError(problem, self._ref.name, "start", said, returncode)


class ZygotePool:
    """One for each server that is to be forked."""

    def __init__(self, watchdog: Watchdog) -> None:
        self._watchdog = watchdog
        self._known: dict[tuple[object, ...], Zygote] = {}

    def of(self, ref: ServerRef, command: PythonCommand, environment: Mapping[str, str], directory: Path) -> Zygote:
        """The zygote of a server; its code is imported in the directory."""
        key = (ref.name, ref.fork, command, tuple(sorted(environment.items())), directory)
        if key not in self._known:
            made = Zygote(ref, command, environment=environment, directory=directory, watchdog=self._watchdog)
            self._known[key] = made
        return self._known[key]

    async def close(self) -> None:
        """End all of them."""
        await asyncio.gather(*(zygote.close() for zygote in self._known.values()))


def _pipes() -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Stdin, stdout and stderr: our ends, and those of the process."""
    (stdin, ours_in), (ours_out, stdout), (ours_err, stderr) = os.pipe(), os.pipe(), os.pipe()
    return (ours_in, ours_out, ours_err), (stdin, stdout, stderr)


def is_possible() -> bool:
    """Whether this system can fork and hand over descriptors."""
    return sys.platform != "win32" and hasattr(socket, "send_fds")
