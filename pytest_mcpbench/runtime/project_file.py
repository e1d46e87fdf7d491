"""Table ``[tool.mcpbench]`` of a project's ``pyproject.toml``."""

import tomllib
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import UsageError

PROJECT_FILE = "pyproject.toml"


def project_table(directory: Path) -> dict[str, Any]:
    """Return the table of the file in a directory; empty if there is none. Raises UsageError if it is not TOML."""
    path = directory / PROJECT_FILE
    if not path.is_file():
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from None
    table: dict[str, Any] = content.get("tool", {}).get("mcpbench", {})
    return table
