"""One comment on a pull request of GitHub or a merge request of GitLab, which each run replaces."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import httpx2

from pytest_mcpbench.core.errors import UsageError

_PER_PAGE = 100
_MOST_PAGES = 30
_SECONDS = 30.0
_REFUSED = (401, 403, 404)
"""Statuses with which a token may be refused that has no right to comment, as in workflows of forks."""


@dataclass(frozen=True)
class ReviewThread:
    """Comments of one pull request or merge request."""

    comments_url: str
    """Lists the comments, and takes new ones."""
    edit_url: str
    """Replaces the comment whose id is put in for ``{id}``."""
    edit_method: Literal["PATCH", "PUT"]
    headers: Mapping[str, str]


class CommentRefusedError(Exception):
    """The token may not write comments."""


def review_thread(environment: Mapping[str, str]) -> ReviewThread | None:
    """Return the thread of the running CI job; ``None`` if the job is not for a pull request or merge request.

    Raises:
        UsageError: the environment is that of no known CI system, or has no token.
    """
    if environment.get("GITHUB_ACTIONS"):
        number = _github_number(environment)
        if number is None:
            return None
        token = _required(environment, "GITHUB_TOKEN", "pass it in `env:` of the step")
        api = environment.get("GITHUB_API_URL", "https://api.github.com")
        issues = f"{api}/repos/{_required(environment, 'GITHUB_REPOSITORY', 'GitHub sets it')}/issues"
        return ReviewThread(
            comments_url=f"{issues}/{number}/comments",
            edit_url=f"{issues}/comments/{{id}}",
            edit_method="PATCH",
            headers={"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"},
        )
    if environment.get("GITLAB_CI"):
        request = environment.get("CI_MERGE_REQUEST_IID")
        if not request:
            return None
        remedy = "make a project access token with the scope api and store it as a masked variable"
        token = _required(environment, "MCPBENCH_GITLAB_TOKEN", remedy)
        api = _required(environment, "CI_API_V4_URL", "GitLab sets it")
        project = _required(environment, "CI_PROJECT_ID", "GitLab sets it")
        notes = f"{api}/projects/{project}/merge_requests/{request}/notes"
        return ReviewThread(notes, f"{notes}/{{id}}", "PUT", {"PRIVATE-TOKEN": token})
    raise UsageError("neither GITHUB_ACTIONS nor GITLAB_CI is set: comments are written in jobs of GitHub or GitLab.")


def replace_comment(thread: ReviewThread, body: str, mark: str) -> Literal["created", "replaced"]:
    """Replace the comment that begins with the mark, or create it.

    Raises:
        CommentRefusedError: the token may not write comments.
        UsageError: the server cannot be reached, or answers with another error.
    """
    with httpx2.Client(headers=dict(thread.headers), timeout=_SECONDS) as client:
        try:
            comments = _comments(client, thread)
            own = next((each for each in comments if str(each.get("body") or "").lstrip().startswith(mark)), None)
            if own is None:
                _require_success(client.post(thread.comments_url, json={"body": body}))
                return "created"
            url = thread.edit_url.format(id=int(own["id"]))
            _require_success(client.request(thread.edit_method, url, json={"body": body}))
            return "replaced"
        except httpx2.HTTPError as error:
            raise UsageError(f"{thread.comments_url}: {type(error).__name__}: {error}") from None


def _github_number(environment: Mapping[str, str]) -> int | None:
    """Return the number of the pull request, from the reference or from the event that started the workflow."""
    match = re.fullmatch(r"refs/pull/(\d+)/\w+", environment.get("GITHUB_REF", ""))
    if match:
        return int(match.group(1))
    file = Path(environment.get("GITHUB_EVENT_PATH", ""))
    event = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    request = event.get("pull_request") or {}
    number = request.get("number")
    return int(number) if number is not None else None


def _required(environment: Mapping[str, str], name: str, remedy: str) -> str:
    value = environment.get(name)
    if not value:
        raise UsageError(f"the environment variable {name} is not set; {remedy}.")
    return value


def _comments(client: httpx2.Client, thread: ReviewThread) -> Iterator[dict[str, Any]]:
    for page in range(1, _MOST_PAGES + 1):
        found = _require_success(client.get(thread.comments_url, params={"per_page": _PER_PAGE, "page": page})).json()
        yield from found
        if len(found) < _PER_PAGE:
            return


def _require_success(response: httpx2.Response) -> httpx2.Response:
    if response.status_code in _REFUSED:
        raise CommentRefusedError(f"{response.request.method} {response.request.url}: status {response.status_code}")
    if response.is_error:
        raise UsageError(f"{response.request.method} {response.request.url}: status {response.status_code}.")
    return response
