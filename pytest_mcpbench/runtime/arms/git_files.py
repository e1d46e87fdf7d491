"""Files of an earlier commit, read from git without a checkout."""

import subprocess
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError

_SECONDS = 60


def files_at(reference: str, directory: Path, ending: str) -> dict[Path, str]:
    """Return the files of a commit whose names have an ending, by their paths in the working tree.

    Args:
        reference: Branch, tag or commit.
        directory: Any directory of the repository.
        ending: End of the file names.

    Raises:
        UsageError: there is no git, no repository, or no such reference.
    """
    root = Path(_git(directory, "rev-parse", "--show-toplevel").strip())
    commit = _commit(reference, root)
    names = _git(root, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit).split("\0")
    return {root / name: _git(root, "show", f"{commit}:{name}") for name in names if name.endswith(ending)}


def _commit(reference: str, root: Path) -> str:
    try:
        return _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}").strip()
    except UsageError:
        raise UsageError(
            f"git has no reference {reference!r} in {root}. A CI job may have to fetch it first, for example with "
            "`git fetch --depth=1 origin main:refs/remotes/origin/main`."
        ) from None


def _git(directory: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise UsageError("the program git was not found") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"git {arguments[0]} did not end within {_SECONDS} seconds in {directory}") from None
    if done.returncode:
        reason = done.stderr.strip().splitlines()
        raise UsageError(f"git {arguments[0]} failed in {directory}: {reason[-1] if reason else 'no reason given'}")
    return done.stdout
