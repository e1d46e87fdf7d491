"""The local server of reviews answers its own page only, and the page works in a real browser."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette

from pytest_mcpbench.cli import main
from pytest_mcpbench.generation.review.application import application
from pytest_mcpbench.generation.review.playing import PlayedReference
from pytest_mcpbench.viewer.application import Guard
from tests.browser import CHROMIUM, Browser, browser
from tests.generation.review.suites import FIVE, ROWS, decide, review_of, write_suite
from tests.reporting.page.test_in_chromium import FAINT_TEXTS
from tests.reporting.samples import HOSTILE
from tests.viewer.served import viewer

HOST = "127.0.0.1:8000"
ORIGIN = f"http://{HOST}"
pytestmark = pytest.mark.anyio
in_chromium = [
    pytest.mark.extra,
    pytest.mark.chromium,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed; .ci/setup installs it"),
]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "mine")


@pytest.fixture
def app(suite: Path) -> Starlette:
    guard = Guard(hosts=frozenset({HOST}), token="secret")
    return application(review_of(suite), guard=guard, reviewer="Ada", plays={"add": PlayedReference(("3",))})


async def ask(app: Starlette, path: str, method: str = "GET", **fields: Any) -> httpx2.Response:
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN) as client:
        return await client.request(method, path, **fields)


async def test_tasks_have_the_results_that_were_played_and_a_decision_is_stored(app: Starlette, suite: Path) -> None:
    page = await ask(app, "/secret/")
    assert "connect-src 'self'" in page.text
    assert page.headers["x-frame-options"] == "DENY"
    add, *_ = (await ask(app, "/secret/tasks")).json()["tasks"]
    assert [call["result"] for call in add["calls"]] == ["3"]
    body = {"task": "add", "hash": add["hash"], "decision": "reject", "reason": "too easy"}
    answer = await ask(app, "/secret/decisions", "POST", json=body, headers={"Origin": ORIGIN})
    assert (answer.status_code, answer.json()["verdict"]) == (200, "rejected")
    assert json.loads((suite / "review.jsonl").read_text())["reason"] == "too easy"


@pytest.mark.parametrize(
    ("path", "headers", "body", "status"),
    [
        ("/secret/decisions", {"Origin": "https://evil.example"}, {}, 403),
        ("/wrong/decisions", {"Origin": ORIGIN}, {}, 403),
        ("/secret/decisions", {"Origin": ORIGIN, "Host": "evil.example"}, {}, 403),
        ("/secret/decisions", {"Origin": ORIGIN}, {"reviewer": "Eve"}, 400),
        ("/secret/decisions", {"Origin": ORIGIN}, {"scores": {**FIVE, "data_freshness": 6}}, 400),
        ("/secret/decisions", {"Origin": ORIGIN}, {"task": "none"}, 404),
        ("/secret/decisions", {"Origin": ORIGIN}, {"hash": "of before"}, 409),
        ("/secret/decisions", {"Origin": ORIGIN}, {"reason": "x" * 2_000_000}, 413),
    ],
)
async def test_a_wrong_request_stores_nothing(
    app: Starlette, suite: Path, path: str, headers: dict[str, str], body: dict[str, Any], status: int
) -> None:
    usual = {"task": "add", "hash": review_of(suite).task("add").version.hash, "decision": "accept"}
    answer = await ask(app, path, "POST", json={**usual, **body}, headers=headers)
    assert answer.status_code == status
    assert not (suite / "review.jsonl").exists()


async def test_a_file_that_cannot_be_written_is_named(app: Starlette, suite: Path) -> None:
    version = review_of(suite).task("add").version.hash
    (suite / "review.jsonl").mkdir()
    body = {"task": "add", "hash": version, "decision": "accept"}
    answer = await ask(app, "/secret/decisions", "POST", json=body, headers={"Origin": ORIGIN})
    assert answer.status_code == 500
    assert "review.jsonl cannot be written" in answer.json()["error"]


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("chromium")) as running:
        yield running


def click(page: Browser, identifier: str) -> None:
    page.run(f"document.getElementById('{identifier}').click()")
    page.settle()


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class TestInChromium:
    pytestmark = in_chromium

    def test_decisions_of_mouse_and_keyboard_are_lines_in_the_directory(self, chromium: Browser, suite: Path) -> None:
        decide(suite, "talk", "Bob", decision="reject", reason="of Bob")
        with viewer(suite, arguments=("--reviewer", "Ada"), name="review") as served:
            chromium.open(served.url)
            chromium.wait_for("document.querySelector('#accept')")
            for name in FIVE:
                chromium.run(f"document.querySelector('input[name=score-{name}][value=\"4\"]').click()")
            chromium.press("a")
            chromium.wait_for("document.querySelector('article h2').textContent === 'pick'")
            chromium.run("document.querySelector('input[name=score-data_freshness][value=\"5\"]').click()")
            chromium.run("document.getElementById('reason').value = 'seven is better'")
            chromium.press("e")
            assert chromium.run("document.querySelector('input[name=score-data_freshness]:checked').value") == "5"
            for name in FIVE:
                chromium.run(f"document.querySelector('input[name=score-{name}][value=\"5\"]').click()")
            chromium.run("document.querySelector('.edited-request').value = 'Pick the seventh.'")
            chromium.run("document.querySelectorAll('.edited-arguments')[1].value = '{'")
            click(chromium, "store")
            chromium.wait_for("document.getElementById('refused').textContent.includes('call 2 are not JSON')")
            chromium.run("document.querySelectorAll('.edited-arguments')[1].value = '{\"id\": 7}'")
            click(chromium, "store")
            chromium.wait_for("document.querySelector('article h2').textContent === 'talk'")
            assert "of Bob" not in chromium.run("document.body.innerText")
            click(chromium, "reject")
            chromium.wait_for("document.getElementById('refused').textContent.includes('has a reason')")
            chromium.run("document.getElementById('reason').value = 'no one asks this'")
            click(chromium, "reject")
            chromium.wait_for("document.getElementById('progress').textContent.includes('on 3 of 3 tasks')")
            assert "of Bob" in chromium.run("document.body.innerText")
            assert [text for text in chromium.complaints if "400" not in text] == []
        lines = lines_of(suite / "review.jsonl")[1:]
        assert [(line["task"], line["decision"], line["reviewer"]) for line in lines] == [
            ("add", "accept", "Ada"),
            ("pick", "edit", "Ada"),
            ("talk", "reject", "Ada"),
        ]
        assert lines[0]["scores"] == dict.fromkeys(FIVE, 4)
        assert (lines[1]["scores"], lines[1]["reason"]) == (FIVE, "seven is better")
        assert lines[1]["row"]["ask"] == "Pick the seventh."
        assert review_of(suite).task("pick").version.task.expected.flat_calls[1].arguments == {"id": 7}

    def test_a_file_runs_no_text_of_tasks_and_downloads_decisions(self, chromium: Browser, tmp_path: Path) -> None:
        hostile = {**ROWS[0], "ask": HOSTILE, "answer": HOSTILE, "tags": {"category": "<b>x</b>"}}
        suite = write_suite(tmp_path / "mine", hostile, *ROWS[1:])
        decide(suite, "pick", "Eve", decision="reject", reason=HOSTILE)
        page = tmp_path / "review.html"
        assert main(["review", str(suite), "--out", str(page), "--reviewer", "Ada"]) == 0
        chromium.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
        for width, scheme in ((1280, "light"), (400, "dark")):
            chromium.show(width=width, scheme=scheme)
            chromium.open(page.as_uri())
            assert chromium.run("document.documentElement.scrollWidth") == width
            assert chromium.run(FAINT_TEXTS) == []
        assert chromium.run("document.querySelectorAll('article img, article b, article script').length") == 0
        chromium.press("a")
        chromium.press("a")
        assert chromium.run("document.title") == "Review of mine"
        click(chromium, "download")
        downloaded = tmp_path / "decisions.jsonl"
        while not downloaded.is_file():
            chromium.settle()
        assert main(["review", str(suite), "--add", str(downloaded)]) == 0
        assert [(line["task"], line["decision"]) for line in lines_of(suite / "review.jsonl")[1:]] == [
            ("add", "accept"),
            ("pick", "accept"),
        ]
        assert chromium.complaints == []
