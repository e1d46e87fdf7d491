"""Git server: the six read-only tools of ``mcp-server-git``, with its results, over simulated repositories."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation
from pytest_mcpbench.simulated.git.difference import changed_paths, hunks, patch
from pytest_mcpbench.simulated.git.repository import Commit, Repository
from pytest_mcpbench.simulated.git.world import Repositories

Path = Annotated[str, Field(description="Path of the repository")]
Lines = Annotated[int, Field(description="How many unchanged lines to show around a change", ge=0)]


def git_status(repositories: Repositories, repo_path: Path) -> str:
    """Shows the working tree status"""
    return f"Repository status:\n{_status(repositories.repository(repo_path))}"


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
    return _commit_header(commit) + "".join(_file_diffs(commit))


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


def _file_diffs(commit: Commit) -> Iterator[str]:
    before, after = commit.parent_files, commit.files
    for path in changed_paths(before, after):
        old, new = (path if path in files else "/dev/null" for files in (before, after))
        yield f"\n--- {old}\n+++ {new}\n{hunks(before.get(path), after.get(path))}"


def _tracked_files(repository: Repository, commit: Commit) -> dict[str, str]:
    """Return the working tree without files that are neither in the commit nor in the checked-out commit."""
    tracked_paths = commit.files.keys() | repository.tip.files.keys()
    return {path: text for path, text in repository.working.items() if path in tracked_paths}


def _status(repository: Repository) -> str:
    tip, working = repository.tip.files, repository.working
    modified = [path for path in changed_paths(tip, working) if path in tip]
    untracked = sorted(working.keys() - tip.keys())
    parts = [f"On branch {repository.head}"]
    if modified:
        parts += ["Changes not staged for commit:", *_ADVICE_ON_CHANGES]
        parts += [f"\t{'modified: ' if path in working else 'deleted:  '}  {path}" for path in modified]
    if untracked:
        parts += [*([""] if modified else []), "Untracked files:", _ADVICE_ON_UNTRACKED]
        parts += [f"\t{path}" for path in untracked]
    return "\n".join([*parts, *_conclusion(modified, untracked)])


_ADVICE_ON_CHANGES = (
    '  (use "git add <file>..." to update what will be committed)',
    '  (use "git restore <file>..." to discard changes in working directory)',
)
_ADVICE_ON_UNTRACKED = '  (use "git add <file>..." to include in what will be committed)'


def _conclusion(modified: list[str], untracked: list[str]) -> list[str]:
    if modified:
        return ["", 'no changes added to commit (use "git add" and/or "git commit -a")']
    if untracked:
        return ["", 'nothing added to commit but untracked files present (use "git add" to track)']
    return ["nothing to commit, working tree clean"]


SIMULATION = Simulation(
    name="mcp-git",
    state=Repositories,
    tools=(git_status, git_diff_unstaged, git_diff, git_log, git_show, git_branch),
    dialect=PYTHON_SDK,
    version="1.0.0",
)
server = SIMULATION.server
"""Factory of a server over the world of one attempt."""
