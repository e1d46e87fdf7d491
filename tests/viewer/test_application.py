"""Answers of the local server: attempts and notes for its own page, and nothing for others."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette

from pytest_mcpbench.reporting.page.comparison_page import TRACES, comparison_page
from pytest_mcpbench.runs.arms.explanation import compared_runs
from pytest_mcpbench.runs.records import read_report
from pytest_mcpbench.viewer.application import Guard, Pages, application
from pytest_mcpbench.viewer.notes import NotesFile
from pytest_mcpbench.viewer.run_index import RunIndex
from tests.cli.test_command_line import write
from tests.reporting.samples import one_of_each

HOST = "127.0.0.1:8000"
ORIGIN = f"http://{HOST}"
WRITE = {"Origin": ORIGIN, "Content-Type": "application/json"}

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("viewer") / "run", one_of_each())


@pytest.fixture(scope="module")
def app(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    with closing(RunIndex([run], tmp_path_factory.mktemp("scratch"))) as index:
        index.scan()
        index.is_complete = True
        guard = Guard(hosts=frozenset({HOST}), token="secret")
        yield application(index, Pages(index, "a title"), guard=guard, author="Ada")


def notes(run: Path) -> list[str]:
    path = run / "notes.jsonl"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


async def ask(app: Starlette, path: str, method: str = "GET", **fields: Any) -> httpx2.Response:
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url=ORIGIN) as client:
        return await client.request(method, path, **fields)


async def test_the_page_has_the_tables_and_fetches_attempts_from_its_own_server_only(app: Starlette) -> None:
    answer = await ask(app, "/secret/")
    assert answer.status_code == 200
    assert "<title>a title</title>" in answer.text
    assert '<meta name="mcpbench-source" content="source/">' in answer.text
    assert "connect-src 'self'" in answer.text
    assert not re.search(r'(?:src|href)="(?!#|data:)', answer.text)
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["content-encoding"] == "gzip"
    index = (await ask(app, "/secret/source/index")).json()
    number = index["rows"][0][index["fields"].index("number")]
    assert (await ask(app, f"/secret/source/attempts/{number}")).json()["suite"] == "s"
    found = (await ask(app, "/secret/source/search", params={"text": "milk", "part": "all"})).json()
    assert len(found) == 2


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/secret/source/index", {"Host": "evil.example"}),
        ("/secret/source/index", {"Host": "evil.example:8000"}),
        ("/secret/source/index", {"Host": ""}),
        ("/source/index", {}),
        ("/", {}),
        ("/wrong/source/index", {}),
        ("/secretly/", {}),
    ],
)
async def test_other_hosts_and_addresses_without_the_token_get_nothing(
    path: str, headers: dict[str, str], app: Starlette
) -> None:
    answer = await ask(app, path, headers=headers)
    assert answer.status_code == 403
    assert "milk" not in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {**WRITE, "Origin": "https://evil.example"},
        {**WRITE, "Origin": "null"},
        {"Content-Type": "application/json"},
        {**WRITE, "Content-Type": "text/plain"},
        {**WRITE, "Content-Type": "application/x-www-form-urlencoded"},
    ],
    ids=["another site", "no site", "without origin", "text", "form"],
)
async def test_a_page_of_another_site_cannot_write(headers: dict[str, str], app: Starlette, run: Path) -> None:
    before = notes(run)
    answer = await ask(app, "/secret/source/notes", "POST", content='{"number": 1, "text": "x"}', headers=headers)
    assert answer.status_code == 403
    assert notes(run) == before


async def test_a_note_has_the_author_of_the_server(app: Starlette, run: Path) -> None:
    answer = await ask(app, "/secret/source/notes", "POST", json={"number": 1, "text": " why? "}, headers=WRITE)
    assert (answer.status_code, answer.json()) == (200, {"author": "Ada"})
    (line,) = notes(run)
    assert '"text": "why?"' in line


@pytest.mark.parametrize(("head", "trial"), [({}, 0), ({"version": 2}, 1)], ids=["version 1", "version 2"])
def test_a_note_of_either_version_is_about_the_first_trial(head: dict[str, int], trial: int, tmp_path: Path) -> None:
    note = {**head, "suite": "s", "task_id": "t", "model": "m", "trial": trial, "author": "A", "time": "", "text": "x"}
    (tmp_path / "notes.jsonl").write_text(json.dumps(note) + "\n")
    assert [read.attempt.trial for read in NotesFile(tmp_path).notes()] == [1]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ('{"number": 1, "text": ""}', 400),
        ('{"number": 1, "text": "   "}', 400),
        ('{"number": 1, "text": "x", "author": "Eve"}', 400),
        ('{"number": "../../etc/passwd", "text": "x"}', 400),
        ('{"number": 99999, "text": "x"}', 404),
        ("not json", 400),
        ('{"number": 1, "text": "' + "x" * 10_001 + '"}', 400),
        ("x" * 200_000, 413),
    ],
)
async def test_a_bad_note_is_refused(body: str, status: int, app: Starlette, run: Path) -> None:
    before = notes(run)
    answer = await ask(app, "/secret/source/notes", "POST", content=body, headers=WRITE)
    assert answer.status_code == status
    assert notes(run) == before


@pytest.mark.parametrize(
    "path",
    [
        "source/attempts/999",
        "source/attempts/-1",
        "source/attempts/..%2f..%2frun.json",
        "source/index?since=x",
        "source/search?part=x",
        "run.json",
        "../run.json",
        "source/../../run.json",
    ],
)
async def test_no_address_chooses_a_file(path: str, app: Starlette) -> None:
    answer = await ask(app, f"/secret/{path}")
    assert answer.status_code in (400, 403, 404)
    assert "0.1.0" not in answer.text


async def test_two_runs_have_the_page_of_their_comparison(run: Path, app: Starlette, tmp_path: Path) -> None:
    other = write(tmp_path / "other", [record.model_copy(update={"outcome": "failed"}) for record in one_of_each()])
    with closing(RunIndex([run, other], tmp_path)) as index:
        index.scan()
        index.is_complete = True
        guard = Guard(hosts=frozenset({HOST}), token="secret")
        two = application(index, Pages(index, "a title"), guard=guard, author="Ada")
        assert 'href="comparison"' in (await ask(two, "/secret/")).text
        page = await ask(two, "/secret/comparison")
    command = "".join(
        comparison_page(compared_runs((read_report(run), run), (read_report(other), other), most_traces=TRACES))
    )
    assert (page.status_code, page.text) == (200, command)
    assert "Worse: " in command
    assert (await ask(app, "/secret/comparison")).status_code == 404
