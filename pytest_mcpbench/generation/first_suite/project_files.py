"""Texts of the other files that a project begins with."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.server import ServerRef

_CI_FILES: Mapping[str, Mapping[str, str]] = {
    "github": {".github/actions/mcpbench/action.yml": "action.yml", ".github/workflows/mcpbench.yml": "workflow.yml"},
    "gitlab": {"ci/mcpbench.yml": "gitlab.yml"},
}
"""CI system -> path of each file, and its template."""
CI_SYSTEMS = tuple(_CI_FILES)


def ci_files(system: str) -> dict[str, str]:
    """Return the texts of the files for a CI system, by path."""
    directory = Path(__file__).parent / "files"
    return {path: (directory / name).read_text(encoding="utf-8") for path, name in _CI_FILES[system].items()}


def mcp_json(ref: ServerRef) -> str:
    """Return an ``mcp.json`` with one server, whose environment variables are taken from the environment."""
    entry: dict[str, Any] = {"url": ref.url} if ref.url else {"command": ref.command, "args": list(ref.arguments)}
    if ref.environment:
        entry["env"] = {name: f"${{{name}}}" for name in ref.environment}
    if ref.headers:
        entry["headers"] = {name: f"${{{_variable(name)}}}" for name in ref.headers}
    return json.dumps({"mcpServers": {ref.name: entry}}, indent=2, ensure_ascii=False) + "\n"


def variables(ref: ServerRef) -> list[str]:
    """Return the environment variables that :func:`mcp_json` refers to."""
    return [*ref.environment, *map(_variable, ref.headers)]


def _variable(header: str) -> str:
    return header.upper().replace("-", "_")
