"""The terminal server: sessions over simulated time, processes, settings, and the real server's schemas."""

import json
from pathlib import Path

import pytest

from pytest_mcpbench.simulated.terminal.server import SIMULATION
from tests.shared_data import shared_file
from tests.simulated.terminal.machines import Terminal


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)


@pytest.fixture
def busy(tmp_path: Path) -> Terminal:
    """A machine with the processes and sessions of the seed."""
    return Terminal(tmp_path, None)


def test_the_schemas_are_those_of_the_real_server() -> None:
    real = json.loads(shared_file("radar/terminal_9tools_schema.json").read_text(encoding="utf-8"))
    assert {name: tool.input_schema for name, tool in SIMULATION.table.items()} == {
        tool["name"]: tool["inputSchema"] for tool in real
    }


def test_a_command_that_takes_longer_goes_on_by_itself(terminal: Terminal) -> None:
    pid = terminal.start("echo begun; sleep 3; echo done")
    assert terminal.call("list_sessions") == f"PID: {pid}, Blocked: true, Runtime: 0s"
    assert terminal.call("read_process_output", pid=pid, timeout_ms=1000) == (
        "No new output available\n⏱️ Timeout reached - process may still be running"
    )
    assert terminal.call("read_process_output", pid=pid) == (
        "begun\ndone\n\nProcess completed with exit code 0\nRuntime: 3s"
    )
    assert terminal.call("list_sessions") == "No active sessions"


def test_what_a_command_would_do_later_is_not_done_when_it_is_ended(terminal: Terminal) -> None:
    pid = terminal.start("sleep 60; rm fruit.txt")
    assert terminal.call("force_terminate", pid=pid) == f"Successfully initiated termination of session {pid}"
    terminal.run("sleep 100", 200_000)
    assert (terminal.directory / "fruit.txt").exists()
    assert terminal.call("read_process_output", pid=pid).startswith("Process completed with exit code null")


def test_simulated_time_costs_no_time(terminal: Terminal) -> None:
    # Two hours would be the end of the test.
    assert terminal.run("sleep 2h; date +%R", 8_000_000) == "11:00\n"


def test_a_python_session_keeps_its_variables(terminal: Terminal) -> None:
    pid = terminal.start("python3 -i")
    assert "No output produced" in terminal.call("interact_with_process", pid=pid, input="x = 20")
    assert terminal.call("interact_with_process", pid=pid, input="x * 2 + 2") == (
        f"✅ Input executed in process {pid}:\n\n📤 Output:\n42\n\n\n"
        f'🔄 Process {pid} is waiting for input (detected: ">>>")'
    )
    assert terminal.call("interact_with_process", pid=pid, input="x", wait_for_prompt=False).startswith("✅ Input sent")
    assert terminal.call("read_process_output", pid=pid).startswith("20\n>>> ")
    assert terminal.call("interact_with_process", pid=pid, input="exit()").endswith("has finished execution")
    assert "may have exited" in terminal.refusal("interact_with_process", pid=pid, input="x")


def test_a_followed_file_shows_what_other_commands_add(terminal: Terminal) -> None:
    pid = terminal.start("tail -n 1 -f fruit.txt")
    terminal.run("echo plum 9 >> fruit.txt")
    assert terminal.call("read_process_output", pid=pid).startswith("plum 9\n")


def test_an_id_depends_on_the_command_alone(tmp_path: Path) -> None:
    first, second = Terminal(tmp_path), Terminal(tmp_path)
    second.run("echo something else")
    assert first.start("python3 -i") == second.start("python3 -i") != second.start("python3 -i")


@pytest.mark.parametrize(
    ("command", "is_allowed"),
    [("sudo ls", False), ("ls; /usr/bin/sudo ls", False), ("echo $(sudo ls)", False), ("echo sudo", True)],
)
def test_blocked_commands_are_refused_wherever_they_stand(terminal: Terminal, command: str, is_allowed: bool) -> None:
    if is_allowed:
        assert terminal.run(command) == "sudo\n"
    else:
        assert (
            terminal.refusal("start_process", command=command, timeout_ms=1) == f"Error: Command not allowed: {command}"
        )


def test_a_shell_that_is_not_there_starts_nothing(terminal: Terminal) -> None:
    refusal = terminal.refusal("start_process", command="ls", timeout_ms=1, shell="/bin/nosuch")
    assert refusal == "Error: Failed to get process ID. The command could not be executed."


@pytest.mark.parametrize(
    ("key", "value", "stored"),
    [
        ("fileReadLineLimit", 500, 500),
        ("telemetryEnabled", False, False),
        ("blockedCommands", ["dd"], ["dd"]),
        ("blockedCommands", '["dd", "su"]', ["dd", "su"]),
        ("blockedCommands", "dd", ["dd"]),
        ("defaultShell", None, None),
    ],
)
def test_a_setting_is_stored_as_the_real_server_does(
    terminal: Terminal, key: str, value: object, stored: object
) -> None:
    assert terminal.call("set_config_value", key=key, value=value).startswith(f"Successfully set {key} to ")
    assert terminal.machine.config[key] == stored


def test_settings_take_effect(terminal: Terminal) -> None:
    terminal.call("set_config_value", key="blockedCommands", value=["echo"])
    terminal.call("set_config_value", key="defaultShell", value="/bin/zsh")
    assert "not allowed" in terminal.refusal("start_process", command="echo", timeout_ms=1)
    assert "(shell: /bin/zsh)" in terminal.call("start_process", command="pwd", timeout_ms=1)


def test_the_sessions_of_the_seed_run_on(busy: Terminal) -> None:
    assert "44.65" in busy.call("interact_with_process", pid=4127, input="sum(prices)")
    assert busy.call("read_process_output", pid=4152).startswith("rendering view 1 of 4")
    assert "4 views rendered" in busy.call("read_process_output", pid=4152, timeout_ms=20_000)
    assert "copied 12 fonts" in busy.call("interact_with_process", pid=4168, input="y")


@pytest.mark.parametrize(("pid", "problem"), [(1, "EPERM"), (733, "EPERM"), (99, "ESRCH")])
def test_processes_of_others_cannot_be_killed(busy: Terminal, pid: int, problem: str) -> None:
    assert busy.refusal("kill_process", pid=pid) == f"Error: Failed to kill process: kill {problem}"


def test_a_killed_process_is_listed_no_more(busy: Terminal) -> None:
    assert "PID: 1377, Command: ffmpeg" in busy.call("list_processes")
    assert busy.call("kill_process", pid=1377) == "Successfully terminated process 1377"
    busy.run("kill 4206")
    assert not {"PID: 1377", "PID: 4206"} & {line.split(",")[0] for line in busy.call("list_processes").splitlines()}


def test_the_world_holds_what_was_done(busy: Terminal) -> None:
    busy.call("kill_process", pid=1377)
    busy.call("force_terminate", pid=4191)
    busy.call("interact_with_process", pid=4127, input="rate")
    assert busy.world.before is not None
    assert busy.world.after is not None
    changes = {change.path for change in busy.world.after.diff_from(busy.world.before)}
    assert changes == {"processes[1377]", "sessions[4191]", "sessions[4127]"}


def test_arguments_are_checked(terminal: Terminal) -> None:
    assert terminal.refusal("start_process", command="ls").startswith("Error: Invalid arguments for start_process: [")
    assert terminal.refusal("set_config_value", key="x", value={"a": 1}).startswith("Invalid arguments: [")
