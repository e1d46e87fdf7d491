"""``mcpbench comment`` against an HTTP server that behaves as the APIs of GitHub and GitLab do."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.cli import main
from pytest_mcpbench.reporting.pull_request.comment_parts import COMPARISON, REPORT


class Api(HTTPServer):
    """Comments of one request, in pages, for a client with the right token."""

    comments: list[dict[str, Any]]
    status = 200
    requests: list[str]


class Handler(BaseHTTPRequestHandler):
    server: Api

    def do_GET(self) -> None:
        page = int(self.path.rpartition("page=")[2])
        self._reply(self.server.comments[(page - 1) * 100 : page * 100])

    def do_POST(self) -> None:
        self.server.comments.append({"id": len(self.server.comments) + 1, **self._body()})
        self._reply({})

    def do_PATCH(self) -> None:
        number = int(self.path.rpartition("/")[2])
        self.server.comments[number - 1].update(self._body())
        self._reply({})

    do_PUT = do_PATCH  # noqa: N815 (the name is http.server's)

    def _body(self) -> Any:
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def _reply(self, content: Any) -> None:
        self.server.requests.append(f"{self.command} {self.path.partition('?')[0]}")
        is_known = "token" in (self.headers.get("Authorization", ""), self.headers.get("PRIVATE-TOKEN", ""))
        is_known = is_known or self.headers.get("Authorization") == "Bearer token"
        data = json.dumps(content).encode()
        self.send_response(self.server.status if is_known else 403)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_arguments: Any) -> None:
        pass


@pytest.fixture
def api() -> Iterator[Api]:
    server = Api(("127.0.0.1", 0), Handler)
    server.comments, server.requests = [{"id": 1, "body": f"I like {REPORT}"}], []
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    variables = ("ACTIONS", "STEP_SUMMARY", "EVENT_PATH", "REF", "WORKFLOW", "JOB")
    for name in ("GITLAB_CI", "CI_JOB_NAME", *(f"GITHUB_{variable}" for variable in variables)):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "comment.md"
    file.write_text(f"{REPORT}\n\n## mcpbench\n1 passed", encoding="utf-8")
    return file


def on_github(monkeypatch: pytest.MonkeyPatch, api: Api, **variables: str) -> None:
    url = f"http://127.0.0.1:{api.server_port}"
    fixed = {"GITHUB_ACTIONS": "true", "GITHUB_API_URL": url, "GITHUB_REPOSITORY": "me/it", "GITHUB_TOKEN": "token"}
    for name, value in {**fixed, "GITHUB_REF": "refs/pull/7/merge", **variables}.items():
        monkeypatch.setenv(name, value)


def test_the_comment_is_created_and_then_replaced(
    api: Api, report: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    on_github(monkeypatch, api, GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"))
    api.comments += [{"id": number, "body": "Hm."} for number in range(2, 102)]
    assert main(["comment", str(report)]) == 0
    report.write_text(f"{REPORT}\n2 passed", encoding="utf-8")
    assert main(["comment", str(report)]) == 0
    assert [comment["body"] for comment in api.comments[101:]] == [f"{REPORT}\n2 passed"]
    assert {request for request in api.requests if not request.startswith("GET")} == {
        "POST /repos/me/it/issues/7/comments",
        "PATCH /repos/me/it/issues/comments/102",
    }
    assert "1 passed" in (tmp_path / "summary.md").read_text()


def test_each_name_has_a_comment_of_its_own(api: Api, report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_github(monkeypatch, api)
    for name in ("linux", "mac", "linux"):
        assert main(["comment", str(report), "--name", name]) == 0
    assert [comment["body"].splitlines()[0] for comment in api.comments[1:]] == [
        "<!-- pytest-mcpbench report linux -->",
        "<!-- pytest-mcpbench report mac -->",
    ]


def test_a_comparison_does_not_replace_a_report_nor_the_comment_of_another_job(
    api: Api, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_github(monkeypatch, api, GITHUB_WORKFLOW="tests", GITHUB_JOB="linux --> x")
    for text, job in ((REPORT, "linux --> x"), (COMPARISON, "linux --> x"), (REPORT, "mac"), (REPORT, "linux --> x")):
        monkeypatch.setenv("GITHUB_JOB", job)
        report.write_text(f"{text}\n## new", encoding="utf-8")
        assert main(["comment", str(report)]) == 0
    assert [comment["body"].splitlines()[0] for comment in api.comments[1:]] == [
        "<!-- pytest-mcpbench report tests/linux - x -->",
        "<!-- pytest-mcpbench comparison tests/linux - x -->",
        "<!-- pytest-mcpbench report tests/mac -->",
    ]


def test_a_merge_request_of_gitlab_gets_a_note(api: Api, report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"http://127.0.0.1:{api.server_port}"
    variables = {"GITLAB_CI": "true", "CI_API_V4_URL": url, "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "9"}
    for name, value in {**variables, "MCPBENCH_GITLAB_TOKEN": "token"}.items():
        monkeypatch.setenv(name, value)
    assert main(["comment", str(report)]) == main(["comment", str(report)]) == 0
    assert len(api.comments) == 2
    assert api.requests[-1] == "PUT /projects/5/merge_requests/9/notes/2"


def test_a_fork_whose_token_may_only_read_gets_the_summary_and_no_failure(
    api: Api, report: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    on_github(monkeypatch, api, GITHUB_TOKEN="read-only", GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"))
    assert main(["comment", str(report)]) == 0
    assert "the token may not write comments" in capsys.readouterr().err
    assert "1 passed" in (tmp_path / "summary.md").read_text()


def test_a_report_that_is_missing_replaces_that_of_the_run_before(
    api: Api, report: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_github(monkeypatch, api)
    assert main(["comment", str(report)]) == 0
    report.unlink()
    assert main(["comment", str(report)]) != 0
    (comment,) = api.comments[1:]
    assert "✗ **There is no report of this run.**" in comment["body"]
    assert f"--mcpbench-markdown={report}" in capsys.readouterr().err


def test_a_push_has_nothing_to_comment_on(
    api: Api, report: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_github(monkeypatch, api, GITHUB_REF="refs/heads/main")
    assert main(["comment", str(report)]) == 0
    assert "not for a pull request" in capsys.readouterr().out
    assert api.requests == []


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"GITHUB_ACTIONS": ""}, "neither GITHUB_ACTIONS nor GITLAB_CI is set"),
        ({"GITHUB_TOKEN": ""}, "the environment variable GITHUB_TOKEN is not set"),
    ],
)
def test_a_missing_variable_is_named(
    api: Api,
    report: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variables: dict[str, str],
    message: str,
) -> None:
    on_github(monkeypatch, api, **variables)
    assert main(["comment", str(report)]) == 2
    assert message in capsys.readouterr().err


def test_another_error_of_the_server_fails(
    api: Api, report: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_github(monkeypatch, api)
    api.status = 500
    assert main(["comment", str(report)]) == 2
    assert "status 500" in capsys.readouterr().err
