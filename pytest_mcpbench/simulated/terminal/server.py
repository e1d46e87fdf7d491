# ruff: noqa: A002 (parameters have the real server's names)
"""The terminal server: nine tools of ``@wonderwhy-er/desktop-commander`` 0.2.10 over a simulated machine.

Names, parameters, responses and errors are the real server's; nothing runs on the host. The shell and its commands are
a subset (``QUICK`` and ``SLOW`` in :mod:`pytest_mcpbench.simulated.terminal.shell` list them), and so is Python;
anything else is refused with a message that says so. There are three more differences: failures of tools are always
flagged with ``isError``, the response to input contains only the new output, and the commands of processes are listed
in full.
"""

import json
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, ValidationError, WithJsonSchema

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import ZOD, Simulation, ToolFailure
from pytest_mcpbench.simulated.terminal.detection import clean, detect
from pytest_mcpbench.simulated.terminal.process import Process
from pytest_mcpbench.simulated.terminal.world import TerminalMachine

if TYPE_CHECKING:
    from mcp.server import Server

_VALUE = [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "array", "items": {"type": "string"}}]
_LISTS = ("allowedDirectories", "blockedCommands")


def _check_setting(value: Any) -> Any:
    if isinstance(value, dict) or (isinstance(value, list) and not all(isinstance(one, str) for one in value)):
        raise ValueError("Invalid input")
    return value


Value = Annotated[Any, AfterValidator(_check_setting), WithJsonSchema({"anyOf": [*_VALUE, {"type": "null"}]})]
_SYSTEM = {
    "platform": "linux",
    "platformName": "Linux",
    "defaultShell": "bash",
    "pathSeparator": "/",
    "isWindows": False,
    "isMacOS": False,
    "isLinux": True,
    "docker": {"isDocker": False, "mountPoints": []},
}


def get_config(machine: TerminalMachine) -> str:
    """Show all settings of this server and some facts about the machine."""
    client = {"name": "assistant", "version": "1.0.0"}
    return f"Current configuration:\n{_json({**machine.config, 'currentClient': client, 'systemInfo': _SYSTEM})}"


def set_config_value(machine: TerminalMachine, key: str, value: Value) -> str:
    """Change one setting, for instance blockedCommands, defaultShell, allowedDirectories, fileReadLineLimit,
    fileWriteLineLimit or telemetryEnabled. Lists replace the list of before.
    """
    parsed_value: Any = value
    if isinstance(value, str) and value.startswith(("[", "{")):
        with suppress(ValueError):
            parsed_value = json.loads(value)
    if isinstance(parsed_value, float) and parsed_value.is_integer():
        parsed_value = int(parsed_value)
    new_value = [parsed_value] if key in _LISTS and not isinstance(parsed_value, list) else parsed_value
    machine.set(key, new_value)
    return f"Successfully set {key} to {_json(new_value)}\n\nUpdated configuration:\n{_json(machine.config)}"


def start_process(machine: TerminalMachine, command: str, timeout_ms: float, shell: str | None = None) -> str:
    """Run a command line and show what it prints until it is done, asks for input, or timeout_ms are over; after that
    it goes on by itself, under the PID that is returned.
    """
    shell_path = shell or str(machine.config.get("defaultShell") or "/bin/sh")
    process = machine.start(command, timeout_ms, shell_path)
    process.read()
    state = detect(process.output).message(process.pid)
    if not state and process.is_running:
        state = "⏳ Process is running. Use read_process_output to get more output."
    head = f"Process started with PID {process.pid} (shell: {shell_path})\nInitial output:\n{process.output}"
    return head + (f"\n{state}" if state else "")


def read_process_output(machine: TerminalMachine, pid: float, timeout_ms: float | None = None) -> str:
    """Show what a process that runs has printed since one last looked; waits up to timeout_ms for something new. Of a
    process that is done, everything and its exit code.
    """
    process = _session(machine, pid)
    if process is None:
        raise ToolFailure(f"No session found for PID {_number(pid)}")
    if not process.is_running:
        return _completion_text(machine, process)
    is_late = False
    if not process.unread:
        is_late = machine.wait(process, 5000 if timeout_ms is None else timeout_ms, lambda: _awaits_input(process))
    if not process.is_running:
        return _completion_text(machine, process)
    output = process.read()
    state = detect(output).message(process.pid) or (
        "⏱️ Timeout reached - process may still be running" if is_late else ""
    )
    return (output or "No new output available") + (f"\n{state}" if state else "")


def interact_with_process(
    machine: TerminalMachine,
    pid: float,
    input: str,
    timeout_ms: float | None = None,
    wait_for_prompt: bool | None = None,
) -> str:
    """Type a line into a process that waits for one, such as a Python prompt, and show its reply."""
    process = _session(machine, pid)
    number = _number(pid)
    if process is None or not process.is_running:
        raise ToolFailure(
            f"Error: Failed to send input to process {number}. The process may have exited or doesn't accept input."
        )
    process.read()
    machine.send(process, input)
    if wait_for_prompt is False:
        return f"✅ Input sent to process {number}. Use read_process_output to get the response."
    is_late = machine.wait(process, 8000 if timeout_ms is None else timeout_ms, lambda: _awaits_input(process))
    return _reply(process, process.read(), input, is_late=is_late)


def _reply(process: Process, output: str, input_text: str, *, is_late: bool) -> str:
    state = (
        detect(output).message(process.pid)
        if process.is_running
        else f"✅ Process {process.pid} has finished execution"
    )
    if is_late:
        state = "⏱️ Response may be incomplete (timeout reached)"
    cleaned_output = clean(output, input_text)
    head = f"✅ Input executed in process {process.pid}"
    if not cleaned_output and not is_late:
        return f"{head}.\n📭 (No output produced)" + (f"\n{state}" if state else "")
    body = f"{head}:\n\n📤 Output:\n{cleaned_output}" if cleaned_output else f"{head}.\n📭 (No output produced)"
    return body + (f"\n\n\n{state}" if state else "")


def force_terminate(machine: TerminalMachine, pid: float) -> str:
    """Stop a session that was started here, without asking it."""
    process = _session(machine, pid)
    if process is None or not process.is_running:
        raise ToolFailure(f"No active session found for PID {_number(pid)}")
    machine.end(process)
    return f"Successfully initiated termination of session {process.pid}"


def list_sessions(machine: TerminalMachine) -> str:
    """Show the sessions that were started here and still run: PID, whether they are blocked, and for how long."""
    lines = [
        f"PID: {process.pid}, Blocked: true, Runtime: {round(machine.runtime(process))}s"
        for process in machine.running_sessions()
    ]
    return "\n".join(lines) or "No active sessions"


def list_processes(machine: TerminalMachine) -> str:
    """Show every process on the machine with its command and its share of CPU and memory."""
    return "\n".join(
        f"PID: {pid}, Command: {command}, CPU: {cpu}, Memory: {memory}"
        for pid, _, command, cpu, memory in machine.process_table()
    )


def kill_process(machine: TerminalMachine, pid: float) -> str:
    """End any process of the machine that one may end, by its PID; unsaved work in it is lost."""
    problem = machine.kill(int(pid))
    if problem:
        raise ToolFailure(f"Error: Failed to kill process: kill {problem}")
    return f"Successfully terminated process {_number(pid)}"


def _session(machine: TerminalMachine, pid: float) -> Process | None:
    return machine.session(int(pid)) if float(pid).is_integer() else None


def _awaits_input(process: Process) -> bool:
    return process.is_asking and bool(process.unread)


def _completion_text(machine: TerminalMachine, process: Process) -> str:
    code = "null" if process.exit_code is None else process.exit_code
    end = f"Process completed with exit code {code}\nRuntime: {machine.runtime(process):g}s"
    output = process.output.strip()
    return f"{output}\n\n{end}" if output else f"{end}\n(No output produced)"


def _number(pid: float) -> str:
    return f"{pid:g}" if not float(pid).is_integer() else str(int(pid))


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _invalid(tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    issues = ZOD.invalid(tool, error, schema)
    return (
        f"Invalid arguments: {issues}"
        if tool == "set_config_value"
        else f"Error: Invalid arguments for {tool}: {issues}"
    )


_DIALECT = replace(ZOD, invalid=_invalid, unknown_tool="Error: Unknown tool: {name}", wrapped=False, closed=False)
_TOOLS = (
    get_config,
    set_config_value,
    start_process,
    read_process_output,
    interact_with_process,
    force_terminate,
    list_sessions,
    list_processes,
    kill_process,
)


@cache
def simulation(home: str | None = None) -> Simulation:
    """Return the server for a machine whose home directory is displayed as ``home``."""
    return Simulation(
        name="desktop-commander",
        version="0.2.10",
        state=partial(TerminalMachine, home=home),
        tools=_TOOLS,
        dialect=_DIALECT,
        failure="{message}",
    )


SIMULATION = simulation()


def server(world: World, home: str | None = None) -> "Server[Any]":
    """Build the server over the machine of one attempt.

    Args:
        world: The attempt's world; its directory is the home directory.
        home: Absolute path as which the home directory is displayed; by default its real path.
    """
    return simulation(home).server(world)
