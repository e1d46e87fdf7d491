"""The pages in a real browser: what means harm does not run, columns exist, rows sort and open."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting import html
from tests.reporting.samples import HOSTILE, one_of_each, report_of

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed; .ci/setup installs it"),
]

FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=5000",
    "--dump-dom",
)

SERVER = f"""
from mcp.server import MCPServer

def server():
    made = MCPServer("hostile", log_level="CRITICAL")

    @made.tool()
    def read_note(title: str) -> str:
        return {HOSTILE!r} + title

    return made
"""

TASKS = """
servers: {notes: {factory: "hostile_server:server"}}
tasks:
  - {id: one, ask: "<img src=x onerror=document.title='owned'>", tool: read_note,
     arguments: {title: "<script>document.title='owned'</script>"}}
  - {id: two, ask: two, tool: read_note, arguments: {title: two}}
"""


def dom(page: Path, query: str = "") -> str:
    """The document after its scripts have run."""
    assert CHROMIUM is not None
    # The sandbox of Chromium does not start as root, as which CI runs.
    as_root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    profile = f"--user-data-dir={page.parent / 'profile'}"
    made = subprocess.run(
        [CHROMIUM, *FLAGS, *as_root, profile, page.as_uri() + query], capture_output=True, timeout=120, check=True
    )
    return made.stdout.decode()


def title(document: str) -> str:
    found = re.search(r"<title[^>]*>(.*?)</title>", document)
    return found.group(1) if found else ""


def own_page(directory: Path, script: str = "") -> Path:
    """The page of mcpbench; with a further script, without the policy that would keep it from running."""
    records = one_of_each()
    text = "".join(html.page(report_of(records), [(Entry.of(record), record) for record in records]))
    if script:
        text = re.sub(r"<meta http-equiv[^>]*>", "", text).replace("</body>", f"<script>{script}</script></body>")
    page = directory / "page.html"
    page.write_text(text, encoding="utf-8")
    return page


def test_the_page_runs_only_its_own_script(tmp_path: Path) -> None:
    document = dom(own_page(tmp_path), "#r5")
    assert title(document) == "mcpbench"
    assert "7 of 7 attempts" in document
    assert 'id="r5" tabindex="0" aria-expanded="true"' in document


def test_rows_sort_by_number(tmp_path: Path) -> None:
    click = (
        "const button = [...document.querySelectorAll('thead button')].find((one) => one.textContent === 'calls');"
        "button.click(); button.click()"
    )
    document = dom(own_page(tmp_path, click))
    order = re.findall(r'<td data-order="\d+">(\d+)</td><td data-order="[\d.]+">', document)
    assert order == sorted(order, key=int, reverse=True)
    assert title(document) == "mcpbench"


def test_pytest_htmls_page_has_our_columns_and_runs_nothing_of_others(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(hostile_server=SERVER)
    pytester.makefile(".mcpbench.yaml", hostile=TASKS)
    pytester.makeini("[pytest]\npythonpath = .\n")
    pytester.runpytest_inprocess("--model=oracle", "--model=noop", "--html=r.html", "--self-contained-html")
    document = dom(pytester.path / "r.html", "?sort=mcpbench1&collapsed=")
    assert title(document) == "r.html"
    assert re.findall(r'data-column-type="mcpbench\d"[^>]*>([^<]*)<', document) == ["model", "ast", "cost"]
    assert document.count('class="mb run"') == 4
    assert "&lt;img src=x onerror" in document
    scores = re.findall(r'<td class="col-mcpbench1">([^<]*)</td>', document)
    assert sorted(scores) in (scores, scores[::-1])
