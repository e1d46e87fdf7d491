"""The simulated machine of one attempt: its settings, its processes and its sessions.

The tree is ``{user, host, config, processes: {pid: process}, sessions: {pid: session}}``: the initial machine and the
changes to it. An initial session is ``{pid, command, age_seconds, kind, …}``, where ``kind`` is ``python`` with the
lines ``given`` to it earlier, or ``scripted`` with ``steps``; a session started later is ``{pid, command, shell}``.
Both get ``inputs`` and, once they are ended from outside, ``ended``.

Time passes only while a tool waits. The id of a new process depends only on its command and on how often that command
was started before.
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
from pytest_mcpbench.simulated.terminal.command import ShellContext
from pytest_mcpbench.simulated.terminal.detection import detect
from pytest_mcpbench.simulated.terminal.disk import Disk
from pytest_mcpbench.simulated.terminal.process import Process, run_script
from pytest_mcpbench.simulated.terminal.python import Interpreter
from pytest_mcpbench.simulated.terminal.system_commands import session

SHAPE = Shape((Collection("processes", id_field="pid"), Collection("sessions", id_field="pid")))
SHELLS = ("/bin/sh", "/bin/bash", "/bin/zsh", "/usr/bin/bash", "/usr/bin/zsh", "sh", "bash", "zsh")
_LONGEST_WAIT = 24 * 3600 * 1000
_FIRST_PID, _PIDS = 5001, 24_000


@cache
def seed() -> dict[str, Any]:
    """Return the initial machine of an attempt; it is loaded once per process and must not be modified."""
    machine: dict[str, Any] = json.loads(Path(__file__).with_name("seed.json").read_text(encoding="utf-8"))
    return machine


class TerminalMachine:
    """The machine of one attempt."""

    def __init__(self, world: World, home: str | None = None) -> None:
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": _empty})
        self._world = world
        self._view = DirectoryView.create(world.path, home)
        self._milliseconds = 0
        self._sessions = {facts["pid"]: self._restore_session(facts) for facts in self.tree.list("sessions")}

    @property
    def config(self) -> dict[str, Any]:
        """The server's settings."""
        config: dict[str, Any] = self.tree.get("config")
        return config

    def set(self, key: str, value: Any) -> None:
        """Change a setting."""
        self.tree.update("config", {key: value})

    def now(self) -> datetime:
        """Return the simulated time."""
        return self._world.now.astimezone(UTC) + timedelta(milliseconds=self._milliseconds)

    def start(self, command: str, timeout: float, shell_path: str) -> Process:
        """Start a command line in a shell and wait until it ends, asks for input, or the timeout expires."""
        if any(name in self.config.get("blockedCommands", ()) for name in shell.names(command)):
            raise ToolFailure(f"Error: Command not allowed: {command}", verbatim=True)
        if shell_path not in SHELLS:
            raise ToolFailure("Error: Failed to get process ID. The command could not be executed.", verbatim=True)
        pid = self._new_pid(command)
        process = Process(pid, command, shell.run(command, self._shell_context(shell_path)), self._milliseconds)
        process.resumes = self._milliseconds
        self._sessions[pid] = process
        self.tree.create("sessions", {"pid": pid, "command": command, "shell": shell_path}, id=str(pid))
        self.wait(process, timeout, lambda: process.is_asking and detect(process.output).prompt is not None)
        return process

    def wait(self, process: Process, timeout: float, is_enough: Callable[[], bool]) -> bool:
        """Let time pass until a process has ended or ``is_enough`` holds.

        Return whether the timeout expired first.
        """
        deadline = self._milliseconds + min(max(int(timeout), 0), _LONGEST_WAIT)
        self._advance(self._milliseconds)
        while process.is_running and not is_enough():
            next_moment = deadline if process.is_asking else min(deadline, process.resumes)
            self._advance(next_moment)
            if next_moment == deadline:
                break
        return process.is_running and not is_enough()

    def session(self, pid: int) -> Process | None:
        """Return a session, even if it has ended."""
        return self._sessions.get(pid)

    def running_sessions(self) -> list[Process]:
        """Return the sessions that are running."""
        return [process for process in self._sessions.values() if process.is_running]

    def runtime(self, process: Process) -> float:
        """Return the seconds that a process has been running, or ran until it ended."""
        return ((self._milliseconds if process.ended is None else process.ended) - process.started) / 1000

    def send(self, process: Process, text: str) -> None:
        """Send lines of input to a process."""
        inputs = [*self.tree.get(f"sessions[{process.pid}]").get("inputs", []), text]
        self.tree.update(f"sessions[{process.pid}]", {"inputs": inputs})
        for line in text.removesuffix("\n").split("\n"):
            process.send(line, self._milliseconds)

    def end(self, process: Process) -> None:
        """End a session from outside."""
        process.end(self._milliseconds)
        self.tree.update(f"sessions[{process.pid}]", {"ended": True})

    def process_table(self) -> list[tuple[int, str, str, float, float]]:
        """Return id, user, command, CPU and memory of every process, sorted by id."""
        others = [tuple(one[key] for key in ("pid", "user", "command", "cpu", "memory")) for one in self._others()]
        started = [(process.pid, self._user, process.command, 0.0, 0.1) for process in self.running_sessions()]
        return sorted([*others, *started])

    def kill(self, pid: int) -> str | None:
        """End a process; return ``ESRCH`` if it does not exist and ``EPERM`` if it belongs to another user."""
        process = self._sessions.get(pid)
        if process is not None and process.is_running:
            self.end(process)
            return None
        entry = next((one for one in self._others() if one["pid"] == pid), None)
        if entry is None:
            return "ESRCH"
        if entry["user"] != self._user:
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

    def _shell_context(self, shell_path: str) -> ShellContext:
        home = self._view.shown_as
        path = "/usr/local/bin:/usr/bin:/bin"
        variables = {
            "HOME": home,
            "LANG": "C.UTF-8",
            "PATH": path,
            "PWD": home,
            "SHELL": shell_path,
            "USER": self._user,
        }
        return ShellContext(
            disk=Disk(self._view, home),
            variables={**variables, "0": shell_path},
            processes=_Processes(self),
            now=self.now,
            user=self._user,
            host=str(self.tree.get("host")),
            exported=set(variables),
        )

    def _restore_session(self, facts: dict[str, Any]) -> Process:
        """Start a session that exists from the beginning of the attempt."""
        if facts["kind"] != "python":
            running = run_script(facts["steps"])
        else:
            interpreter = Interpreter()
            for line in facts["given"]:
                interpreter.run(line)
            running = session(interpreter)
        process = Process(facts["pid"], facts["command"], running, -1000 * facts["age_seconds"])
        process.advance(0)
        if facts["kind"] == "python":
            process.read()
        return process

    def _new_pid(self, command: str) -> int:
        used_pids = {pid for pid, *_ in self.process_table()} | set(self._sessions)
        count = sum(process.command == command for process in self._sessions.values())
        while True:
            digest = hashlib.sha256(f"{command}#{count}".encode()).digest()
            pid = _FIRST_PID + int.from_bytes(digest[:4]) % _PIDS
            if pid not in used_pids:
                return pid
            count += 1


class _Processes:
    """The machine's processes, for the commands of the shell."""

    def __init__(self, machine: TerminalMachine) -> None:
        self._machine = machine

    def process_table(self) -> list[tuple[int, str, str, float, float]]:
        return self._machine.process_table()

    def kill(self, pid: int) -> str | None:
        problem = self._machine.kill(pid)
        return {"ESRCH": "No such process", "EPERM": "Operation not permitted"}.get(problem or "")


def _empty() -> dict[str, Any]:
    """Return the seed ``empty``: the settings, without processes and sessions."""
    return {**seed(), "processes": {}, "sessions": {}}
