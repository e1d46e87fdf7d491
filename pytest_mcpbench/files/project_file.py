"""Table ``[tool.mcpbench]`` of a project's ``pyproject.toml``."""

import tomllib
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import UsageError

PROJECT_FILE = "pyproject.toml"
_TABLES = "models", "agents", "lint"
"""Keys of the table whose values are tables."""


def project_table(directory: Path) -> dict[str, Any]:
    """Return the table of the file in a directory; empty if there is none.

    Raises:
        UsageError: the file is not TOML, or a value that must be a table is none.
    """
    path = directory / PROJECT_FILE
    if not path.is_file():
        return {}
    try:
        content = tomllib.loads(path.read_bytes().decode())
    except RecursionError:
        raise UsageError(f"{path}: not valid TOML: it has more levels than can be read") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # not TOML, not UTF-8, or an integer of thousands of digits
        raise UsageError(f"{path}: not valid TOML: {error}") from None
    table = _child(_child(content, "tool", path), "tool.mcpbench", path)
    for key in _TABLES:
        _child(table, f"tool.mcpbench.{key}", path)
    return table


def _child(table: dict[str, Any], name: str, path: Path) -> dict[str, Any]:
    value = table.get(name.rpartition(".")[2], {})
    if not isinstance(value, dict):
        raise UsageError(f"{path}: {name} must be a table, not {type(value).__name__}")
    return value
