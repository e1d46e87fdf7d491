"""Definitions of a benchmark's real servers, which ship with a suite and replace its replayed ones."""

from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.suite_files.discovery import shipped_directory

FILES = {"all": "mcp.json", "keyless": "keyless.mcp.json", "container": "container.mcp.json"}
"""File in the directory ``real`` of a suite, by selection of servers."""


def write_real_servers(suite: str, selection: str, directory: Path) -> Path:
    """Write the ``mcp.json`` of a selection of servers to a directory of public files and return its path.

    Raises:
        UsageError: the suite has no such file, or the directory has another ``mcp.json``.
    """
    source = shipped_directory() / suite / "real" / FILES[selection]
    if not source.is_file():
        raise UsageError(f"the suite {suite!r} has no definitions of real servers")
    target, content = directory / "mcp.json", source.read_bytes()
    if target.is_file() and target.read_bytes() != content:
        raise UsageError(f"{target} exists and differs; rename or remove it to write the servers of {suite!r}")
    directory.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return target
