"""The local page in a real browser: attempts and notes appear by themselves, and hostile text runs nothing."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_mcpbench.runs.lock import RunLock
from pytest_mcpbench.runs.lookup import remember_run
from tests.browser import CHROMIUM, Browser, browser
from tests.cli.test_command_line import run_of, write
from tests.reporting.samples import HOSTILE, one_of_each
from tests.viewer.served import Viewer, viewer

pytestmark = [
    pytest.mark.extra,
    pytest.mark.chromium,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed; .ci/setup installs it"),
]
TITLE = "document.title"
COUNT = "document.getElementById('count').textContent"


def wait_for(page: Browser, expression: str, is_wanted: Callable[[object], bool]) -> object:
    """Return the value of an expression as soon as it is the wanted one."""
    deadline = time.monotonic() + 20
    while not is_wanted(value := page.run(expression)):
        assert time.monotonic() < deadline, (value, page.complaints)
        page.settle()
    return value


def test_attempts_of_a_run_that_goes_on_appear_and_the_reader_stays_where_he_is(tmp_path: Path) -> None:
    run = write(tmp_path / "run", run_of({f"task-{number}": "passed" for number in range(60)}))
    with viewer(run) as served, browser(tmp_path) as page:
        page.open(served.url)
        wait_for(page, COUNT, lambda text: text == "60 of 60 attempts")
        page.run("document.querySelector('#list').scrollTop = 700")
        page.run("document.querySelector('.skip').click()")
        top = page.run("document.querySelector('#list').scrollTop")
        write(run, run_of({"task-5": "failed", "zz": "failed", "aa": "error"}))
        wait_for(page, COUNT, lambda text: text == "62 of 62 attempts")
        assert page.run("document.querySelector('#list').scrollTop") == top
        assert page.complaints == []


def test_a_note_is_stored_and_shown_in_the_list_and_nothing_hostile_runs(tmp_path: Path) -> None:
    run = write(tmp_path / "run", one_of_each())
    with viewer(run, arguments=("--author", "Ada")) as served, browser(tmp_path) as page:
        page.open(f"{served.url}#s/fail/m/1")
        title = page.run(TITLE)
        wait_for(page, "document.querySelectorAll('form.note textarea').length", lambda number: number == 1)
        page.run(
            "document.querySelector('form.note textarea').value = "
            + repr(HOSTILE.replace("\x1b", "").replace("\x07", ""))
        )
        page.run("document.querySelector('form.note').requestSubmit()")
        wait_for(page, "document.querySelectorAll('ul.notes li').length", lambda number: number == 1)
        assert "Ada" in str(page.run("document.querySelector('ul.notes').textContent"))
        page.press("Escape")
        wait_for(page, "document.querySelectorAll('#list small.note').length", lambda number: number == 1)
        page.run("Array.from(document.querySelectorAll('#list a')).find((link) => link.textContent === 'harm').click()")
        wait_for(page, "document.querySelectorAll('#attempt .conversation').length", lambda number: number == 1)
        assert page.run(TITLE) == title
        assert page.run("document.images.length") == 0
        assert page.complaints == []
        assert {address.split("/")[2] for address in page.requests if address.startswith("http")} == {
            served.origin.removeprefix("http://")
        }
    assert "<script>document.title" in (run / "notes.jsonl").read_text()


def test_attempts_of_a_run_that_has_just_begun_appear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    lock = RunLock(run)
    lock.acquire()
    remember_run(run, tmp_path)
    monkeypatch.chdir(tmp_path)
    with viewer() as served, browser(tmp_path) as page:
        wait_for_complete(served)
        page.open(served.url)
        assert "No attempt has ended so far." in str(page.run("document.querySelector('main').textContent"))
        wait_for(page, COUNT, lambda text: text == "0 of 0 attempts")
        write(run, run_of({"a": "passed", "b": "failed"}))
        wait_for(page, COUNT, lambda text: text == "2 of 2 attempts")
        assert page.run("document.querySelectorAll('#list tbody a').length") == 2
        page.open(served.url)
        assert "2 attempts at " in str(page.run("document.querySelector('main').textContent"))
        assert page.complaints == []
    lock.release()


def test_two_runs_are_compared_on_one_page(tmp_path: Path) -> None:
    before = write(tmp_path / "before", run_of({"a": "passed", "b": "passed"}))
    after = write(tmp_path / "after", run_of({"a": "passed", "b": "failed"}))
    with viewer(before, after) as served, browser(tmp_path) as page:
        wait_for_complete(served)
        page.open(served.url)
        wait_for(page, COUNT, lambda text: text == "4 of 4 attempts")
        text = str(page.run("document.querySelector('main').textContent"))
        assert "Comparison: before → after" in text
        assert "The difference in passes is not significant." in text
        page.open(f"{served.url}#s/b/{'m [after]'.replace(' ', '%20')}/1")
        others = wait_for(page, "document.querySelector('table.others')?.textContent", lambda text: text is not None)
        assert "m [before]" in str(others)
        assert page.complaints == []


def wait_for_complete(served: Viewer) -> None:
    deadline = time.monotonic() + 20
    while not served.json("source/index")["complete"]:
        assert time.monotonic() < deadline
