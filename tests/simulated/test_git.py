"""The git server: histories with git's own names, and the answers of the real server."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.git.seed import seed
from pytest_mcpbench.simulated.git.server import SIMULATION, Commit, Repositories, blob_name, tree_name

NAMES = sorted(seed()["repositories"])
TALE = {
    "repositories": {
        "repos/tale": {
            "head": "main",
            "commits": [
                {
                    "id": "a",
                    "branch": "main",
                    "parents": [],
                    "author": "Ann",
                    "email": "ann@example.org",
                    "when": "2026-02-01T10:00:00+01:00",
                    "message": "Begin",
                    "files": {"tale.md": "Once\nupon\n", "notes/a.txt": "x"},
                },
                {
                    "id": "b",
                    "branch": "end",
                    "parents": ["a"],
                    "author": "Bo",
                    "email": "bo@example.org",
                    "when": "2026-02-20T10:00:00+00:00",
                    "message": "End",
                    "files": {"tale.md": "Once\nThe end\n", "notes/a.txt": None, "new.md": "new\n"},
                },
            ],
            "tags": {"v1": "a"},
            "working": {"tale.md": "Twice\nupon\n", "draft.md": "?\n"},
        }
    }
}

OLD, END, NEW = "Once\nupon\n", "Once\nThe end\n", "new\n"


def short(text: str) -> str:
    return blob_name(text)[:7]


def repositories(tree: Any = TALE) -> Repositories:
    return Repositories(Sandbox(path=Path("/nowhere"), seeds={"git": tree}).world("git"))


def answer(tool: str, tree: Any = TALE, **arguments: Any) -> str:
    try:
        return str(SIMULATION.call(repositories(tree), tool, arguments))
    except ToolFailure as failure:
        return str(failure)


def test_blobs_and_trees_have_gits_names() -> None:
    assert blob_name("what is up, doc?") == "bd9dbf5aae1a3862dd1526723246b20206e5fc37"
    assert tree_name({}) == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("name", NAMES)
def test_commits_have_the_names_that_git_gives_them(name: str, tmp_path: Path) -> None:
    repository = repositories(None).repository(name)
    history = [commit for branch in repository.branches.values() for commit in reversed(repository.history(branch))]
    commits = list({commit.name: commit for commit in history}.values())
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*arguments: str, given: bytes = b"") -> str:
        run = subprocess.run(
            ["git", *arguments], input=given, capture_output=True, cwd=tmp_path, env=environment, check=True
        )
        return run.stdout.decode()

    git("init", "-q")
    git(
        "fast-import", "--quiet", given=b"".join(_imported(commit, at, commits) for at, commit in enumerate(commits, 1))
    )
    found = git("log", "--all", "--format=%H").split()
    assert sorted(found) == sorted(commit.name for commit in commits)


def _imported(commit: Commit, mark: int, commits: list[Commit]) -> bytes:
    """A commit in the language of ``git fast-import``, on a branch of its own."""
    who = f"{commit.author} <{commit.email}> {int(commit.when.timestamp())} {commit.when:%z}"
    message = f"{commit.message}\n".encode()
    marks = [next(at for at, each in enumerate(commits, 1) if each.name == parent.name) for parent in commit.parents]
    lines = [f"commit refs/heads/b{mark}", f"mark :{mark}", f"author {who}", f"committer {who}", f"data {len(message)}"]
    head = "\n".join(lines).encode() + b"\n" + message
    parents = "".join(f"{'merge' if at else 'from'} :{parent}\n" for at, parent in enumerate(marks)).encode()
    files = b"".join(
        f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n".encode() for path, text in commit.files.items()
    )
    return head + parents + b"deleteall\n" + files + b"\n"


def test_a_status_names_what_changed_and_what_is_new() -> None:
    assert answer("git_status", repo_path="repos/tale") == (
        "Repository status:\nOn branch main\nChanges not staged for commit:\n"
        '  (use "git add <file>..." to update what will be committed)\n'
        '  (use "git restore <file>..." to discard changes in working directory)\n'
        "\tmodified:   tale.md\n\nUntracked files:\n"
        '  (use "git add <file>..." to include in what will be committed)\n'
        '\tdraft.md\n\nno changes added to commit (use "git add" and/or "git commit -a")'
    )


def test_differences_are_written_as_git_does() -> None:
    assert answer("git_diff_unstaged", repo_path="/data/repos/tale") == (
        "Unstaged changes:\ndiff --git a/tale.md b/tale.md\n"
        f"index {short(OLD)}..{short('Twice' + OLD[4:])} 100644\n--- a/tale.md\n+++ b/tale.md\n"
        "@@ -1,2 +1,2 @@\n-Once\n+Twice\n upon"
    )
    assert answer("git_diff", repo_path="tale", target="v1..end", context_lines=0).splitlines()[1:] == [
        "diff --git a/new.md b/new.md",
        "new file mode 100644",
        f"index 0000000..{short(NEW)}",
        "--- /dev/null",
        "+++ b/new.md",
        "@@ -0,0 +1 @@",
        "+new",
        "diff --git a/notes/a.txt b/notes/a.txt",
        "deleted file mode 100644",
        f"index {short('x')}..0000000",
        "--- a/notes/a.txt",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-x",
        "\\ No newline at end of file",
        "diff --git a/tale.md b/tale.md",
        f"index {short(OLD)}..{short(END)} 100644",
        "--- a/tale.md",
        "+++ b/tale.md",
        "@@ -2 +2 @@",
        "-upon",
        "+The end",
    ]


def test_a_log_shows_commits_of_the_branch_within_a_time() -> None:
    begin = repositories().commit("tale", "v1")
    entry = (
        f"Commit: '{begin.name}'\nAuthor: <git.Actor \"Ann <ann@example.org>\">\n"
        "Date: 2026-02-01 10:00:00+01:00\nMessage: 'Begin\\n'\n"
    )
    assert answer("git_log", repo_path="tale") == f"Commit history:\n{entry}"
    assert answer("git_log", repo_path="tale", end_timestamp="2026-01-31") == "Commit history:\n"
    assert answer("git_log", repo_path="tale", start_timestamp="5 weeks ago") == f"Commit history:\n{entry}"
    assert answer("git_log", repo_path="tale", start_timestamp="yesterday") == "Commit history:\n"
    assert answer("git_log", repo_path="tale", start_timestamp="soon").startswith("cannot read the timestamp 'soon'")


@pytest.mark.parametrize("revision", ["v1", "HEAD", "main", "end~1", "end^", "end~", "end~0~01", "v1~0"])
def test_a_commit_is_named_in_many_ways(revision: str) -> None:
    found = repositories().commit("tale", revision)
    assert repositories().commit("tale", found.name[:7]) == found == repositories().commit("tale", "v1")


@pytest.mark.parametrize("revision", ["v2", "v2~1", "0000000", "abc", "end~x"])
def test_what_names_no_commit_is_an_error(revision: str) -> None:
    assert answer("git_show", repo_path="tale", revision=revision) == f"Ref '{revision}' did not resolve to an object"


@pytest.mark.parametrize(
    ("revision", "step"),
    [
        ("v1~1", "~1"),
        ("v1^", "^1"),
        ("end~2", "~2"),
        ("end^~05", "~5"),
        ("HEAD~100000000000", "~100000000000"),
        pytest.param(f"HEAD~{'9' * 5000}", f"~{'9' * 5000}", id="more digits than Python converts"),
    ],
)
def test_a_step_beyond_the_first_commit_is_an_error_at_once(revision: str, step: str) -> None:
    assert answer("git_show", repo_path="tale", revision=revision) == (
        f"Ref 'Invalid revision spec '{revision}^0' - not enough parent commits to reach '{step}'' "
        "did not resolve to an object"
    )


def test_branches_are_listed_by_what_they_contain() -> None:
    assert answer("git_branch", repo_path="tale", branch_type="local") == "  end\n* main"
    assert answer("git_branch", repo_path="tale", branch_type="all", contains="end") == "  end"
    assert answer("git_branch", repo_path="tale", branch_type="all", not_contains="end") == "* main"
    assert answer("git_branch", repo_path="tale", branch_type="remote") == ""
    assert "is not one of" in answer("git_branch", repo_path="tale", branch_type="mine")


def test_an_unknown_repository_is_answered_with_those_that_there_are() -> None:
    assert answer("git_status", repo_path="/data/poems") == (
        "/data/poems is not a Git repository; there are: repos/tale"
    )
