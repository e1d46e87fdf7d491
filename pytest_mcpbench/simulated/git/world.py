"""Read-only git repositories of an attempt, built from their histories.

The tree, which a task may also provide as its seed, is ``{repositories: {path: history}}`` with::

    history = {head, commits: [commit, …], tags: {name: commit's id}, working: {path: text | null}}
    commit = {id, branch, parents: [id, …], author, email, when, message, files: {path: text | null}}

``files`` and ``working`` contain the changed files; ``null`` marks a deleted file. A branch points to its last commit.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.git.repository import Commit, Repository
from pytest_mcpbench.simulated.git.seed import seed

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
    return {path: _repository(history) for path, history in histories.items()}


def _repository(history: Mapping[str, Any]) -> Repository:
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
    return Repository(head, branches, tags, _apply_changes(branches[head].files, history.get("working", {})))


def _apply_changes(files: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    return {path: text for path, text in {**files, **changes}.items() if text is not None}
