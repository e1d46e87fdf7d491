"""Git server: the six read-only tools of ``mcp-server-git``, with its results, over simulated repositories."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from difflib import unified_diff
from functools import cache
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import Field

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation, ToolFailure
from pytest_mcpbench.simulated.git.seed import seed

# Immutable model of a git repository: commits with their files, references, a working tree and git object names.

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


# Differences between two sets of files in git's format.

_NULL_OBJECT = "0000000"
_NO_NEWLINE = "\\ No newline at end of file"


def changed_paths(before: Files, after: Files) -> list[str]:
    """Return the sorted paths of the files that differ."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def patch(before: Files, after: Files, context: int = 3) -> str:
    """Return all differences as a patch; empty if there are none."""
    lines: list[str] = []
    for path in changed_paths(before, after):
        old, new = before.get(path), after.get(path)
        old_name = _NULL_OBJECT if old is None else blob_name(old)[:7]
        new_name = _NULL_OBJECT if new is None else blob_name(new)[:7]
        lines.append(f"diff --git a/{path} b/{path}")
        if old is None:
            lines.append("new file mode 100644")
        if new is None:
            lines.append("deleted file mode 100644")
        lines.append(f"index {old_name}..{new_name}" + ("" if None in (old, new) else " 100644"))
        lines.append("--- /dev/null" if old is None else f"--- a/{path}")
        lines.append("+++ /dev/null" if new is None else f"+++ b/{path}")
        lines += _hunks(old, new, context)
    return "\n".join(lines)


def hunks(before: str | None, after: str | None, context: int = 3) -> str:
    """Return the hunks of one file without the file header."""
    return "\n".join(_hunks(before, after, context))


def _hunks(before: str | None, after: str | None, context: int) -> Iterator[str]:
    old, new = (before or "").splitlines(keepends=True), (after or "").splitlines(keepends=True)
    for line in list(unified_diff(old, new, n=context))[2:]:
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield _NO_NEWLINE


# Read-only git repositories of an attempt, built from their histories.
#
# The tree, which a task may also provide as its seed, is ``{repositories: {path: history}}`` with::
#
#     history = {head, commits: [commit, …], tags: {name: commit's id}, working: {path: text | null}}
#     commit = {id, branch, parents: [id, …], author, email, when, message, files: {path: text | null}}
#
# ``files`` and ``working`` contain the changed files; ``null`` marks a deleted file. A branch points to its last
# commit.

_RELATIVE_TIME = re.compile(r"(\d+)\s+(minute|hour|day|week|month|year)s?\s+ago", re.IGNORECASE)
_SECONDS_PER_UNIT = {"minute": 60, "hour": 3600, "day": 86400, "week": 604_800, "month": 2_629_746, "year": 31_556_952}


class Repositories:
    """The repositories of one attempt by path. Each method is a request; :class:`ToolFailure` carries git's message."""

    def __init__(self, world: World) -> None:
        self.tree = world.tree(seed)
        self._now = world.now
        self._repositories = (
            _seed_repositories() if world.seed is None else _build_repositories(self.tree.get("repositories"))
        )

    def repository(self, path: str) -> Repository:
        """Return the repository at an absolute or relative path."""
        requested = PurePosixPath(path).parts
        for known, candidate in self._repositories.items():
            if requested[-len(PurePosixPath(known).parts) :] == PurePosixPath(known).parts or requested == (
                PurePosixPath(known).name,
            ):
                return candidate
        raise ToolFailure(f"{path} is not a Git repository; there are: {', '.join(self._repositories)}")

    def commit(self, path: str, revision: str) -> Commit:
        """Return the commit of a repository that a revision refers to."""
        commit = self.repository(path).revision(revision)
        if commit is None:
            raise ToolFailure(f"Ref '{revision}' did not resolve to an object")
        return commit

    def moment(self, text: str) -> datetime:
        """Parse a date, a date with time, or a relative time; without an offset, the clock's time zone applies."""
        now = self._now
        if match := _RELATIVE_TIME.fullmatch(text.strip()):
            return now - timedelta(seconds=int(match[1]) * _SECONDS_PER_UNIT[match[2].lower()])
        if text.strip().lower() in ("yesterday", "today", "now"):
            return now - timedelta(days=text.strip().lower() == "yesterday")
        try:
            moment = datetime.fromisoformat(text.strip())
        except ValueError:
            raise ToolFailure(
                f"cannot read the timestamp {text!r}; write it like 2026-02-01 or '2 weeks ago'"
            ) from None
        return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)


@cache
def _seed_repositories() -> Mapping[str, Repository]:
    return _build_repositories(seed()["repositories"])


def _build_repositories(histories: Mapping[str, Any]) -> dict[str, Repository]:
    repositories: dict[str, Repository] = {}
    for path, history in histories.items():
        commits: dict[str, Commit] = {}
        branches: dict[str, Commit] = {}
        for each in history["commits"]:
            parents = tuple(commits[parent] for parent in each["parents"])
            before = parents[0].files if parents else {}
            commits[each["id"]] = branches[each["branch"]] = Commit(
                author=each["author"],
                email=each["email"],
                when=datetime.fromisoformat(each["when"]),
                message=each["message"],
                parents=parents,
                files=_apply_changes(before, each["files"]),
            )
        head = history["head"]
        tags = {name: commits[commit] for name, commit in history.get("tags", {}).items()}
        working = _apply_changes(branches[head].files, history.get("working", {}))
        repositories[path] = Repository(head, branches, tags, working)
    return repositories


def _apply_changes(files: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    return {path: text for path, text in {**files, **changes}.items() if text is not None}


# The tools.

Path = Annotated[str, Field(description="Path of the repository")]
Lines = Annotated[int, Field(description="How many unchanged lines to show around a change", ge=0)]


def git_status(repositories: Repositories, repo_path: Path) -> str:
    """Shows the working tree status"""
    repository = repositories.repository(repo_path)
    tip, working = repository.tip.files, repository.working
    modified = [path for path in changed_paths(tip, working) if path in tip]
    untracked = sorted(working.keys() - tip.keys())
    lines = ["Repository status:", f"On branch {repository.head}"]
    if modified:
        lines += ["Changes not staged for commit:", *_ADVICE_ON_CHANGES]
        lines += [f"\t{'modified: ' if path in working else 'deleted:  '}  {path}" for path in modified]
    if untracked:
        lines += [*([""] if modified else []), "Untracked files:", _ADVICE_ON_UNTRACKED]
        lines += [f"\t{path}" for path in untracked]
    if modified:
        lines += ["", 'no changes added to commit (use "git add" and/or "git commit -a")']
    elif untracked:
        lines += ["", 'nothing added to commit but untracked files present (use "git add" to track)']
    else:
        lines.append("nothing to commit, working tree clean")
    return "\n".join(lines)


def git_diff_unstaged(repositories: Repositories, repo_path: Path, context_lines: Lines = 3) -> str:
    """Shows changes in the working directory that are not yet staged"""
    repository = repositories.repository(repo_path)
    return (
        f"Unstaged changes:\n{patch(repository.tip.files, _tracked_files(repository, repository.tip), context_lines)}"
    )


def git_diff(
    repositories: Repositories,
    repo_path: Path,
    target: Annotated[str, Field(description="Branch or commit to compare with, or two with '..' between them")],
    context_lines: Lines = 3,
) -> str:
    """Shows differences between branches or commits"""
    first, dots, second = target.partition("..")
    before = repositories.commit(repo_path, first)
    after = (
        repositories.commit(repo_path, second).files
        if dots
        else _tracked_files(repositories.repository(repo_path), before)
    )
    return f"Diff with {target}:\n{patch(before.files, after, context_lines)}"


def git_log(
    repositories: Repositories,
    repo_path: Path,
    max_count: Annotated[int, Field(description="How many commits to show at most", ge=0)] = 10,
    start_timestamp: Annotated[
        str | None, Field(description="Only commits after this time, e.g. '2026-01-15', '2 weeks ago'")
    ] = None,
    end_timestamp: Annotated[str | None, Field(description="Only commits before this time, written likewise")] = None,
) -> str:
    """Shows the commit logs of the branch that is checked out"""
    commits = repositories.repository(repo_path).history()
    if start_timestamp is not None:
        commits = [commit for commit in commits if commit.when >= repositories.moment(start_timestamp)]
    if end_timestamp is not None:
        commits = [commit for commit in commits if commit.when <= repositories.moment(end_timestamp)]
    return "Commit history:\n" + "\n".join(_commit_header(commit) for commit in commits[:max_count])


def git_show(
    repositories: Repositories,
    repo_path: Path,
    revision: Annotated[str, Field(description="Commit, branch or tag to show")],
) -> str:
    """Shows the contents of a commit"""
    commit = repositories.commit(repo_path, revision)
    text = _commit_header(commit)
    before, after = commit.parent_files, commit.files
    for path in changed_paths(before, after):
        old, new = (path if path in files else "/dev/null" for files in (before, after))
        text += f"\n--- {old}\n+++ {new}\n{hunks(before.get(path), after.get(path))}"
    return text


def git_branch(
    repositories: Repositories,
    repo_path: Path,
    branch_type: Annotated[Literal["local", "remote", "all"], Field(description="Which branches to list")],
    contains: Annotated[str | None, Field(description="Only branches that contain this commit")] = None,
    not_contains: Annotated[str | None, Field(description="Only branches that do not contain this commit")] = None,
) -> str:
    """List Git branches"""
    repository = repositories.repository(repo_path)
    names = [] if branch_type == "remote" else sorted(repository.branches)
    for revision, is_included in ((contains, True), (not_contains, False)):
        if revision is not None:
            commit = repositories.commit(repo_path, revision)
            names = [name for name in names if (commit in repository.history(repository.branches[name])) is is_included]
    return "\n".join(f"{'*' if name == repository.head else ' '} {name}" for name in names)


def _commit_header(commit: Commit) -> str:
    message = f"{commit.message}\n"
    author = f'<git.Actor "{commit.author} <{commit.email}>">'
    return f"Commit: {commit.name!r}\nAuthor: {author}\nDate: {commit.when}\nMessage: {message!r}\n"


def _tracked_files(repository: Repository, commit: Commit) -> dict[str, str]:
    """Return the working tree without files that are neither in the commit nor in the checked-out commit."""
    tracked_paths = commit.files.keys() | repository.tip.files.keys()
    return {path: text for path, text in repository.working.items() if path in tracked_paths}


_ADVICE_ON_CHANGES = (
    '  (use "git add <file>..." to update what will be committed)',
    '  (use "git restore <file>..." to discard changes in working directory)',
)
_ADVICE_ON_UNTRACKED = '  (use "git add <file>..." to include in what will be committed)'


SIMULATION = Simulation(
    name="mcp-git",
    state=Repositories,
    tools=(git_status, git_diff_unstaged, git_diff, git_log, git_show, git_branch),
    dialect=PYTHON_SDK,
    version="1.0.0",
)
server = SIMULATION.server
"""Factory of a server over the world of one attempt."""
