"""Command line and working directory of a stdio server."""

import os
import sys
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.servers.transports import command_line, working_directory


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Return a suite's directory with a server, a program and data in it."""
    directory = tmp_path / "suite"
    (directory / "data").mkdir(parents=True)
    (directory / "server.py").touch()
    (directory / "run").touch(mode=0o755)
    return directory


@pytest.fixture
def sandbox(tmp_path: Path) -> Path:
    directory = tmp_path / "sandbox"
    directory.mkdir()
    return directory


def line(suite: Path, sandbox: Path, command: str, *arguments: str) -> list[str]:
    server = ServerRef(name="s", transport="stdio", command=command, arguments=arguments)
    path = {"PATH": str(Path(sys.executable).parent)}
    found = command_line(server, path, directory=sandbox, suite_directory=suite)
    return [part.replace(str(suite), "SUITE").replace(str(sandbox), "SANDBOX") for part in found]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param(("server.py",), ["SUITE/server.py"], id="a file of the suite"),
        pytest.param((".", "data", ""), [".", "data", ""], id="directories are those of the sandbox"),
        pytest.param(("--port", "8000", "x" * 5000, "a\0b"), ["--port", "8000", "x" * 5000, "a\0b"], id="no paths"),
    ],
)
def test_an_argument_that_names_a_file_of_the_suite_is_made_absolute(
    arguments: tuple[str, ...], expected: list[str], suite: Path, sandbox: Path
) -> None:
    assert line(suite, sandbox, sys.executable, *arguments)[1:] == expected


def test_a_file_of_the_sandbox_comes_before_one_of_the_suite(suite: Path, sandbox: Path) -> None:
    (sandbox / "server.py").touch()
    assert line(suite, sandbox, sys.executable, "server.py")[1:] == ["server.py"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param(Path(sys.executable).name, sys.executable, id="on PATH"),
        pytest.param(sys.executable, sys.executable, id="absolute"),
        pytest.param("./run", "SUITE/run", id="relative to the suite"),
    ],
)
def test_a_command_is_found(command: str, expected: str, suite: Path, sandbox: Path) -> None:
    assert line(suite, sandbox, command) == [expected]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        pytest.param("rnu", "'rnu' was not found on PATH", id="on PATH"),
        pytest.param("/no/where", "'/no/where' was not found there", id="absolute"),
        pytest.param("./server.py", "'./server.py' was not found in SANDBOX or SUITE", id="not executable"),
    ],
)
def test_a_command_that_cannot_be_run_is_an_error_that_says_where_it_was_sought(
    command: str, problem: str, suite: Path, sandbox: Path
) -> None:
    with pytest.raises(ServerError) as caught:
        line(suite, sandbox, command)
    problem_text = caught.value.problem.replace(str(suite), "SUITE").replace(str(sandbox), "SANDBOX")
    assert problem_text == f"its command {problem}, or cannot be executed"


def test_a_working_directory_is_relative_to_the_suite(suite: Path, sandbox: Path) -> None:
    def directory(configured: str | None) -> str:
        server = ServerRef(name="s", transport="stdio", command="run", working_directory=configured)
        return os.path.relpath(working_directory(server, suite_directory=suite, default=sandbox), suite)

    assert [directory("data"), directory("."), directory(None)] == ["data", ".", "../sandbox"]
