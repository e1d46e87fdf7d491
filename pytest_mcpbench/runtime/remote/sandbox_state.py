"""What became of a sandbox, on its way from the process that made the attempt to the one that shows it."""

import shutil
from pathlib import Path

from pytest_mcpbench.core.sandbox import FILES, Sandbox
from pytest_mcpbench.core.world import WorldRecord
from pytest_mcpbench.runtime.remote import archive
from pytest_mcpbench.runtime.remote.messages import Evidence, WorldStates

LARGEST_SANDBOX_BYTES = 16 * 2**20
"""Of the files that travel home."""


def capture_sandbox(sandbox: Sandbox, *, with_files: bool = True) -> Evidence:
    """The worlds at both ends and, where the directory changed, its files."""
    before, after = sandbox.before, sandbox.after
    worlds = {name: _states(before[name], after[name]) for name in before}
    if not with_files or worlds.get(FILES, WorldStates(before={})).after is None:
        return Evidence(worlds=worlds)
    try:
        found = (path for path in sandbox.path.rglob("*") if path.is_file() or path.is_symlink() or _is_empty(path))
        files = archive.packed(sandbox.path, found, limit_bytes=LARGEST_SANDBOX_BYTES)
    except archive.TooLargeError:
        return Evidence(worlds=worlds, left_behind=True)
    return Evidence(worlds=worlds, files=files)


def restore_sandbox(evidence: Evidence, records: tuple[WorldRecord, ...], sandbox: Sandbox) -> None:
    """Make a sandbox of this process, in which nothing was done, what that of the attempt was."""
    sandbox.observe(records)
    for name, states in evidence.worlds.items():
        sandbox.adopt(name, states.before, states.before if states.after is None else states.after)
    if evidence.files is not None:
        _empty(sandbox.path)
        archive.unpack(evidence.files, sandbox.path)


def _states(before: dict[str, object], after: dict[str, object]) -> WorldStates:
    return WorldStates(before=before, after=None if before == after else after)


def _is_empty(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _empty(directory: Path) -> None:
    for path in directory.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
