"""The simulated machine of one attempt: its settings, its processes and the sessions that were started.

The tree is ``{user, host, config, processes: {pid: process}, sessions: {pid: session}}``: the machine at the
beginning and what has been done to it. A session of the beginning is ``{pid, command, age_seconds, kind, …}``, where
``kind`` is ``python`` with lines ``given`` to it before, or ``scripted`` with ``steps``; one that was started since is
``{pid, command, shell}``. Both get ``inputs`` and, where they are ended from outside, ``ended``.

Time passes only while a tool waits. Ids of new processes depend on their command and on how often it was started
before, not on what else was started.
"""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine.failure import ToolFailure
from pytest_mcpbench.simulated.files.paths import DirectoryView
from pytest_mcpbench.simulated.terminal import shell
from pytest_mcpbench.simulated.terminal.command import Running, Surroundings
from pytest_mcpbench.simulated.terminal.detection import detected
from pytest_mcpbench.simulated.terminal.disk import Disk
from pytest_mcpbench.simulated.terminal.process import Process, scripted
from pytest_mcpbench.simulated.terminal.python import Interpreter
from pytest_mcpbench.simulated.terminal.system_commands import session

SHAPE = Shape((Collection("processes", id_field="pid"), Collection("sessions", id_field="pid")))
SHELLS = ("/bin/sh", "/bin/bash", "/bin/zsh", "/usr/bin/bash", "/usr/bin/zsh", "sh", "bash", "zsh")
_LONGEST_WAIT = 24 * 3600 * 1000
_FIRST_PID, _PIDS = 5001, 24_000


@cache
def seed() -> dict[str, Any]:
    """The machine in which an attempt begins; made once a process, and to be left as it is."""
    beginning: dict[str, Any] = json.loads(Path(__file__).with_name("seed.json").read_text(encoding="utf-8"))
    return beginning


class Machine:
    """The machine of one attempt."""

    def __init__(self, world: World, home: str | None = None) -> None:
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": _empty})
        self._world = world
        self._view = DirectoryView.create(world.path, home)
        self._milliseconds = 0
        self._sessions = {one["pid"]: self._begun(one) for one in self.tree.list("sessions")}

    @property
    def config(self) -> dict[str, Any]:
        """The server's settings."""
        config: dict[str, Any] = self.tree.get("config")
        return config

    def set(self, key: str, value: Any) -> None:
        """Change a setting."""
        self.tree.update("config", {key: value})

    def now(self) -> datetime:
        """The simulated time."""
        return self._world.now.astimezone(UTC) + timedelta(milliseconds=self._milliseconds)

    def start(self, command: str, timeout: float, used: str) -> Process:
        """Start a command line in a shell and wait until it ends, asks for input, or the time is over."""
        if any(name in self.config.get("blockedCommands", ()) for name in shell.names(command)):
            raise ToolFailure(f"Error: Command not allowed: {command}", verbatim=True)
        if used not in SHELLS:
            raise ToolFailure("Error: Failed to get process ID. The command could not be executed.", verbatim=True)
        pid = self._new_pid(command)
        process = Process(pid, command, shell.run(command, self._surroundings(used)), self._milliseconds)
        process.resumes = self._milliseconds
        self._sessions[pid] = process
        self.tree.create("sessions", {"pid": pid, "command": command, "shell": used}, id=str(pid))
        self.wait(process, timeout, lambda: process.is_asking and detected(process.output).prompt is not None)
        return process

    def wait(self, process: Process, timeout: float, is_enough: Callable[[], bool]) -> bool:
        """Let time pass until a process has ended or done enough; whether the time was too short."""
        deadline = self._milliseconds + min(max(int(timeout), 0), _LONGEST_WAIT)
        self._advance(self._milliseconds)
        while process.is_running and not is_enough():
            next_moment = deadline if process.is_asking else min(deadline, process.resumes)
            self._advance(next_moment)
            if next_moment == deadline:
                break
        return process.is_running and not is_enough()

    def session(self, pid: int) -> Process | None:
        """A session, also one that has ended."""
        return self._sessions.get(pid)

    def running(self) -> list[Process]:
        """The sessions that run."""
        return [process for process in self._sessions.values() if process.is_running]

    def runtime(self, process: Process) -> float:
        """Seconds that a process has run, or ran."""
        return ((self._milliseconds if process.ended is None else process.ended) - process.started) / 1000

    def send(self, process: Process, text: str) -> None:
        """Give a process lines of input."""
        inputs = [*self.tree.get(f"sessions[{process.pid}]").get("inputs", []), text]
        self.tree.update(f"sessions[{process.pid}]", {"inputs": inputs})
        for line in text.removesuffix("\n").split("\n"):
            process.send(line, self._milliseconds)

    def end(self, process: Process) -> None:
        """End a session from outside."""
        process.end(self._milliseconds)
        self.tree.update(f"sessions[{process.pid}]", {"ended": True})

    def listed(self) -> list[tuple[int, str, str, float, float]]:
        """Id, user, command, CPU and memory of every process, by id."""
        others = [tuple(one[key] for key in ("pid", "user", "command", "cpu", "memory")) for one in self._others()]
        own = [(process.pid, self._user, process.command, 0.0, 0.1) for process in self.running()]
        return sorted([*others, *own])

    def kill(self, pid: int) -> str | None:
        """End a process; ``ESRCH`` where there is none, ``EPERM`` where it is another user's."""
        process = self._sessions.get(pid)
        if process is not None and process.is_running:
            self.end(process)
            return None
        found = next((one for one in self._others() if one["pid"] == pid), None)
        if found is None:
            return "ESRCH"
        if found["user"] != self._user:
            return "EPERM"
        self.tree.delete(f"processes[{pid}]")
        return None

    @property
    def _user(self) -> str:
        return str(self.tree.get("user"))

    def _others(self) -> list[dict[str, Any]]:
        return list(self.tree.list("processes"))

    def _advance(self, moment: int) -> None:
        self._milliseconds = max(self._milliseconds, moment)
        for process in self._sessions.values():
            process.advance(self._milliseconds)

    def _surroundings(self, used: str) -> Surroundings:
        home = self._view.shown_as
        path = "/usr/local/bin:/usr/bin:/bin"
        variables = {"HOME": home, "LANG": "C.UTF-8", "PATH": path, "PWD": home, "SHELL": used, "USER": self._user}
        return Surroundings(
            disk=Disk(self._view, home),
            variables={**variables, "0": used},
            processes=_Processes(self),
            now=self.now,
            user=self._user,
            host=str(self.tree.get("host")),
            exported=set(variables),
        )

    def _begun(self, facts: dict[str, Any]) -> Process:
        """A session that was started before the attempt."""
        running = self._python(facts) if facts["kind"] == "python" else scripted(facts["steps"])
        process = Process(facts["pid"], facts["command"], running, -1000 * facts["age_seconds"])
        process.advance(0)
        if facts["kind"] == "python":
            process.read()
        return process

    def _python(self, facts: dict[str, Any]) -> Running:
        interpreter = Interpreter()
        for line in facts["given"]:
            interpreter.run(line)
        return session(interpreter)

    def _new_pid(self, command: str) -> int:
        taken = {pid for pid, *_ in self.listed()} | set(self._sessions)
        count = sum(process.command == command for process in self._sessions.values())
        while True:
            digest = hashlib.sha256(f"{command}#{count}".encode()).digest()
            pid = _FIRST_PID + int.from_bytes(digest[:4]) % _PIDS
            if pid not in taken:
                return pid
            count += 1


class _Processes:
    """The machine's processes as commands of the shell see them."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def listed(self) -> list[tuple[int, str, str, float, float]]:
        return self._machine.listed()

    def kill(self, pid: int) -> str | None:
        problem = self._machine.kill(pid)
        return {"ESRCH": "No such process", "EPERM": "Operation not permitted"}.get(problem or "")


def _empty() -> dict[str, Any]:
    """The seed ``empty``: the settings, and neither processes nor sessions."""
    return {**seed(), "processes": {}, "sessions": {}}
