"""Immutable model of a git repository: commits with their files, references, a working tree and git object names."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pytest_mcpbench.simulated.engine import ToolFailure

Files = Mapping[str, str]
"""Mapping of paths to texts."""


@dataclass(frozen=True)
class Commit:
    """A commit, whose name is the hash that git computes for the same content."""

    author: str
    email: str
    when: datetime
    message: str
    """Commit message without its trailing newline."""
    parents: tuple["Commit", ...]
    files: Files
    """All files in the commit's tree."""
    name: str = field(init=False)

    def __post_init__(self) -> None:
        stamp = f"{self.author} <{self.email}> {int(self.when.timestamp())} {self.when:%z}"
        parents = "".join(f"parent {parent.name}\n" for parent in self.parents)
        head = f"tree {tree_name(self.files)}\n{parents}author {stamp}\ncommitter {stamp}\n"
        object.__setattr__(self, "name", _object_name("commit", f"{head}\n{self.message}\n".encode()))

    @property
    def parent_files(self) -> Files:
        """The files of the first parent."""
        return self.parents[0].files if self.parents else {}


@dataclass(frozen=True)
class Repository:
    """The contents of a repository."""

    head: str
    """Name of the branch that is checked out."""
    branches: Mapping[str, Commit]
    tags: Mapping[str, Commit]
    working: Files
    """Files of the working tree; a file that the checked-out commit does not contain is untracked."""

    @property
    def tip(self) -> Commit:
        """The commit that is checked out."""
        return self.branches[self.head]

    def history(self, start: Commit | None = None) -> list[Commit]:
        """Return a commit and all its ancestors, newest first."""
        commits: dict[str, Commit] = {}
        waiting = [start or self.tip]
        while waiting:
            commit = waiting.pop()
            if commit.name not in commits:
                commits[commit.name] = commit
                waiting.extend(commit.parents)
        return sorted(commits.values(), key=lambda commit: commit.when, reverse=True)

    def revision(self, text: str) -> Commit | None:
        """Return the commit for ``HEAD``, a branch, a tag or an abbreviated hash, optionally followed by ``~n`` and
        ``^``.

        Raises:
            ToolFailure: a step leads beyond the first commit; the message is that of the real server's GitPython.
        """
        match = re.fullmatch(r"(?P<base>[^~^]+)(?P<steps>(?:~\d*|\^)*)", text)
        if match is None:
            return None
        base = match["base"]
        if base in ("HEAD", "@"):
            commit: Commit | None = self.tip
        else:
            commit = self.branches.get(base) or self.tags.get(base)
        if commit is None and re.fullmatch(r"[0-9a-f]{4,40}", base):
            candidates = {
                commit.name: commit
                for tip in (*self.branches.values(), *self.tags.values())
                for commit in self.history(tip)
                if commit.name.startswith(base)
            }
            commit = next(iter(candidates.values())) if len(candidates) == 1 else None
        if commit is None:
            return None
        for sign, digits in re.findall(r"([~^])(\d*)", match["steps"]):
            count = digits.lstrip("0") or ("0" if digits else "1")
            # Twelve digits are more than any history has, and Python does not convert any number of digits.
            for _ in range(int(count[:12])):
                if not commit.parents:
                    problem = f"Invalid revision spec '{text}^0' - not enough parent commits to reach '{sign}{count}'"
                    raise ToolFailure(f"Ref '{problem}' did not resolve to an object")
                commit = commit.parents[0]
        return commit


def tree_name(files: Files) -> str:
    """Compute the name of the tree object with the files."""
    entries: dict[str, str] = {}
    directories: dict[str, dict[str, str]] = {}
    for path, text in files.items():
        first, slash, rest = path.partition("/")
        if slash:
            directories.setdefault(first, {})[rest] = text
        else:
            entries[first] = blob_name(text)
    sorted_entries = [(name, b"100644", digest) for name, digest in entries.items()]
    sorted_entries += [(name, b"40000", tree_name(directory)) for name, directory in directories.items()]
    # Git sorts a directory as if its name ended in a slash.
    sorted_entries.sort(key=lambda entry: entry[0] + ("/" if entry[1] == b"40000" else ""))
    content = b"".join(
        mode + b" " + name.encode() + b"\0" + bytes.fromhex(digest) for name, mode, digest in sorted_entries
    )
    return _object_name("tree", content)


def blob_name(text: str) -> str:
    """Return the object id (SHA-1) of a blob with this text."""
    return _object_name("blob", text.encode())


def _object_name(kind: str, content: bytes) -> str:
    return hashlib.sha1(f"{kind} {len(content)}\0".encode() + content, usedforsecurity=False).hexdigest()
