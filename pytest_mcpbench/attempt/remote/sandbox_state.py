"""Transfer of a sandbox's worlds and files from the process of the attempt to the process of the test item."""

import shutil
from pathlib import Path

from pytest_mcpbench.attempt.remote.messages import SandboxState, WorldStates
from pytest_mcpbench.core.sandbox import FILES, Sandbox
from pytest_mcpbench.core.world import WorldRecord
from pytest_mcpbench.files import archive

LARGEST_SANDBOX_BYTES = 16 * 2**20
"""Maximum total size of a sandbox's files that are sent back."""


def capture_sandbox(sandbox: Sandbox, *, with_files: bool = True) -> SandboxState:
    """Return the worlds before and after the attempt and, if the directory changed, its files."""
    before, after = sandbox.before, sandbox.after
    worlds = {
        name: WorldStates(before=tree, after=None if tree == after[name] else after[name])
        for name, tree in before.items()
    }
    if not with_files or worlds.get(FILES, WorldStates(before={})).after is None:
        return SandboxState(worlds=worlds)
    try:
        paths = (path for path in sandbox.path.rglob("*") if path.is_file() or path.is_symlink() or _is_empty(path))
        files = archive.pack(sandbox.path, paths, limit_bytes=LARGEST_SANDBOX_BYTES)
    except archive.ArchiveTooLargeError:
        return SandboxState(worlds=worlds, is_incomplete=True)
    return SandboxState(worlds=worlds, files=files)


def restore_sandbox(state: SandboxState, records: tuple[WorldRecord, ...], sandbox: Sandbox) -> None:
    """Give an unused sandbox of this process the worlds and files of the attempt's sandbox."""
    sandbox.observe(records)
    for name, states in state.worlds.items():
        sandbox.adopt(name, states.before, states.before if states.after is None else states.after)
    if state.files is not None:
        # The directory has the task's seed files; the attempt may have deleted some of them.
        for path in sandbox.path.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        archive.extract(state.files, sandbox.path)


def _is_empty(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())
