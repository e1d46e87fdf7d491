"""Hints at mistakes in commands and files of authors: each names the remedy."""

from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.loading import LoadOptions
from pytest_mcpbench.loaders.field_errors import FieldError
from pytest_mcpbench.loaders.manifest import standalone_manifest
from pytest_mcpbench.loaders.mcp_json import read_mcp_json, split_command
from pytest_mcpbench.loaders.native import load


@pytest.mark.parametrize(
    ("line", "problem", "remedy"),
    [
        ("cd app && python server.py", "contains 'cd'", "Set `working_directory`"),
        ("python server.py | tee log", "contains '|'", "bash -c '…'"),
        ("KEY=1 python server.py", "begins with the variable 'KEY'", 'Write it as `environment: {KEY: "1"}`'),
        ("python $HOME/server.py", "contains '$HOME'", "Write ${NAME}"),
        ("python ~/server.py", "contains '~'", "Write ${HOME}"),
        (r"C:\tools\python.exe server.py", r"contains '\\t': a backslash outside of quotes is dropped", "Write /"),
        ('python "server.py', "cannot be split into words", ""),
        ("  ", "is empty", ""),
        (r"python \"a | tee log", "contains '|'", "bash -c '…'"),
    ],
)
def test_a_command_that_only_a_shell_understands_is_refused_with_the_remedy(
    line: str, problem: str, remedy: str
) -> None:
    with pytest.raises(FieldError) as caught:
        split_command("s", line)
    assert problem in caught.value.problem
    assert remedy in (caught.value.remedy or "")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("bash -c 'cd app && python server.py | tee log'", ["bash", "-c", "cd app && python server.py | tee log"]),
        (r"'C:\tools\python.exe' server.py", [r"C:\tools\python.exe", "server.py"]),
        (r"python My\ Server.py", ["python", "My Server.py"]),
        ("\u00a0", ["\u00a0"]),
        ("env KEY=1 python server.py --name=a&b", ["env", "KEY=1", "python", "server.py", "--name=a&b"]),
    ],
)
def test_a_command_that_needs_no_shell_is_split(line: str, words: list[str]) -> None:
    assert split_command("s", line) == words


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("tasks:\n  - ask: Is it late: yes?\n", "Put quotes around a text that contains a colon and a space."),
        ("tasks:\n\t- ask: hi\n", "Indent with spaces; YAML allows no tabs there."),
        ('tasks:\n  - ask: "C:\\dir"\n', "In double quotes write \\\\ for a backslash, or use single quotes."),
        ("tasks:\n  - ask: @me\n", "Put quotes around a text that begins with a special character."),
    ],
)
def test_a_file_that_is_not_yaml_is_an_error_with_the_remedy(text: str, remedy: str) -> None:
    (record,) = load(text.encode(), LoadOptions("a.mcpbench.yaml", {}, None))
    assert record.error is not None
    assert str(record.error).startswith("a.mcpbench.yaml:2: not valid YAML: ")
    assert str(record.error).endswith(remedy)


def test_a_backslash_in_json_is_an_error_with_the_remedy() -> None:
    with pytest.raises(TaskError, match=r"mcp.json:1: not valid JSON: Invalid .escape.* Write .* or / in paths"):
        read_mcp_json('{"mcpServers": {"a": {"command": "C:\\dir"}}}', "mcp.json", {})


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (
            "${input:github-token}",
            "${input:github-token} asks a user of VS Code, and there is none here; write ${GITHUB_T",
        ),
        ("${TOKEN}", "environment variable not set: TOKEN; set it or write a default, ${TOKEN:-…}"),
    ],
)
def test_a_variable_that_is_not_set_names_the_remedy(tmp_path: Path, value: str, problem: str) -> None:
    text = f'servers: {{a: {{command: x, environment: {{K: "{value}"}}}}}}\ntasks: []\n'
    found = standalone_manifest(text, tmp_path / "a.mcpbench.yaml", {}).servers["a"].problem
    assert (found or "").startswith(problem)
