"""Table ``[tool.mcpbench]`` of pyproject.toml."""

import re
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.files.project_file import project_table


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"[tool", "not valid TOML: Expected"),
        (b"\xff", "not valid TOML: 'utf-8' codec"),
        (b"a = " + b"[" * 100_000, "not valid TOML: it has more levels than can be read"),
        (b"a = " + b"9" * 5_000, "not valid TOML: Exceeds the limit"),
        (b"tool = 1", "tool must be a table, not int"),
        (b"[tool]\nmcpbench = 'a'", "tool.mcpbench must be a table, not str"),
        (b"[tool.mcpbench]\nmodels = ['a']", "tool.mcpbench.models must be a table, not list"),
        (b"[tool.mcpbench]\nagents = true", "tool.mcpbench.agents must be a table, not bool"),
        (b"[[tool.mcpbench.lint]]", "tool.mcpbench.lint must be a table, not list"),
    ],
)
def test_a_table_that_cannot_be_read_is_an_error_with_file_and_key(
    content: bytes, problem: str, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_bytes(content)
    with pytest.raises(UsageError, match=re.escape(f"{tmp_path / 'pyproject.toml'}: {problem}")):
        project_table(tmp_path)


def test_a_project_without_the_file_or_the_table_has_an_empty_table(tmp_path: Path) -> None:
    assert project_table(tmp_path) == {}
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'a'\n")
    assert project_table(tmp_path) == {}
