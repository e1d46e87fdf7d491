"""The page in a real browser: what means harm does not run, and everything can be found, opened and read."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.reporting.forms.display_text import visible
from pytest_mcpbench.reporting.page.attempt_blocks import read_blocks
from pytest_mcpbench.reporting.page.report_page import TITLE, report_page
from tests.browser import CHROMIUM, Browser, browser
from tests.reporting.page.full_record import full_record
from tests.reporting.samples import HOSTILE, one_of_each, report_of

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.extra,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed; .ci/setup installs it"),
]

ATTACKS = (
    HOSTILE,
    "</script><script>document.title='owned'</script>",
    "javascript:document.title='owned'",
    "${document.title='owned'}`;document.title='owned';`",
    "' onfocus=document.title='owned' autofocus x='",
    "<iframe srcdoc=\"<script>top.document.title='owned'</script>\"></iframe>",
    "<a href=javascript:document.title='owned'>x</a><style>*{display:none}</style><base href=http://example.org>",
    "\u202eevil\u2066 \x1b]0;owned\x07 \u0000 __proto__ constructor",
    "x" * 20_000,
)
NOT_SHOWN = {
    *("task_hash", "settings_hash", "source"),  # digests and places
    *("arm", "test", "node_id"),  # in the name of the suite, and in the command without what stands in brackets
    *("run.task_id", "run.model", "prompt"),  # the same as of the record; the last of the turns
    "started_at",  # when the run came to an attempt that began at `original_start`
    *("run.servers.0.name", "run.tools.0.tool"),  # tools are shown by the name that the agent sees
    "run.servers.0.instructions",  # part of the system prompt
    *(f"run.trajectory.steps.{step}.calls.0.{field}" for step in range(3) for field in ("id", "tool")),
    *(f"run.verdicts.{one}.{field}" for one in ("question", "other") for field in ("prompt_version", "judge_digest")),
}
"""Places in a record that the page does not show, or not as they are."""

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


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("chromium")) as running:
        yield running


def write_page(path: Path, records: list[RunRecord]) -> str:
    path.write_text("".join(report_page(report_of(records), read_blocks(records.__getitem__))), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(chromium: Browser, tmp_path: Path) -> Browser:
    """A page with seven attempts of each of two models, of which one has two trials."""
    first = one_of_each("first")
    again = [record.model_copy(update={"trial": 2}) for record in first]
    chromium.show(width=1280)
    chromium.open(write_page(tmp_path / "page.html", [*first, *again, *one_of_each("second")]))
    return chromium


def plant(content: Any, text: str, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each place of a text in JSON, with a function that puts another text there."""
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in list(items):
        where = f"{place}.{key}".lstrip(".")
        if isinstance(value, str):
            content[key] = f"{text} at {where}."
            yield where, (content, key, value)
        elif isinstance(value, dict | list):
            yield from plant(value, text, where)


def with_attack(text: str) -> tuple[RunRecord, list[str]]:
    """A record with the text in each field that can have any text, and the places of these fields."""
    content = full_record().model_dump(mode="json", by_alias=True)
    places = []
    for place, (holder, key, value) in plant(content, text):
        try:
            RunRecord.model_validate(content)
            places.append(place)
        except ValidationError:
            holder[key] = value  # one of a closed set, such as the outcome
    return RunRecord.model_validate(content), places


def is_in(shown: str, text: str) -> bool:
    """True if a text is shown as it is, or as a part of a value that is shown as JSON."""
    return visible(text) in shown or visible(json.dumps(text, ensure_ascii=False)[1:-1]) in shown


@pytest.mark.parametrize("text", ATTACKS, ids=range(len(ATTACKS)))
def test_text_in_any_field_of_a_record_is_shown_and_never_runs(chromium: Browser, tmp_path: Path, text: str) -> None:
    record, places = with_attack(text)
    assert len(places) > 40
    address = write_page(tmp_path / "page.html", [record])
    chromium.open(address)
    chromium.wait_for("document.querySelector('#list tbody a')")
    chromium.press("j", "Enter")
    chromium.wait_for("document.querySelector('#attempt h2')")
    chromium.run("document.querySelectorAll('details').forEach((each) => each.open = true)")
    chromium.settle()
    shown = chromium.run("document.getElementById('attempt').textContent")
    missing = {place for place in places if not is_in(shown, f"{text} at {place}.")}
    assert missing <= NOT_SHOWN
    assert chromium.run(
        "[document.title, document.scripts.length, document.querySelectorAll('iframe,img,base').length]"
    )[::2] == [TITLE, 0]
    assert chromium.requests == [address]
    assert chromium.complaints == []


def test_nothing_is_loaded_and_no_other_script_runs(page: Browser) -> None:
    page.run(
        "document.body.insertAdjacentHTML('beforeend', '<img src=http://127.0.0.1:9/x onerror=\"document.title=1\">')"
    )
    page.settle()
    assert page.run("document.title") == TITLE
    assert any("Content Security Policy" in complaint for complaint in page.complaints)


def test_words_are_found_in_all_text_of_an_attempt(page: Browser) -> None:
    assert found(page, "milk eggs") == 6  # in the results of the passing and of the failing attempt
    assert found(page, '"line 29"') == 3
    assert found(page, "LINE 29") == 3
    assert found(page, "no such text") == 0
    assert found(page, "") == 21


def found(page: Browser, text: str) -> int:
    page.run(
        f"(() => {{ const find = document.getElementById('filters').elements.text; find.value = {text!r};"
        " find.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    page.settle()
    count = re.match(r"(\d+) of 21 attempts", page.run("document.getElementById('count').textContent"))
    assert count is not None
    return int(count[1])


def test_definitions_of_tools_are_left_out_of_a_search_in_conversations(page: Browser) -> None:
    definition = "properties"
    assert found(page, definition) == 18  # all but the error, which has no tools
    page.run("document.getElementById('filters').elements.part.value = 'conversation'")
    assert found(page, definition) == 0
    page.run("document.getElementById('filters').elements.clear.click()")


def test_a_filter_is_in_the_address_and_comes_back_with_it(page: Browser) -> None:
    choose(page, "outcome", "failed")
    choose(page, "model", "second")
    assert page.run("location.hash") == "#?model=second&outcome=failed"
    assert rows(page) == ["fail", "long"]
    page.run("location.hash = '#?outcome=error'")
    page.settle()
    assert rows(page) == ["error"] * 3
    assert page.run("document.getElementById('filters').elements.model.value") == ""


def choose(page: Browser, facet: str, value: str) -> None:
    page.run(
        f"(() => {{ const select = document.getElementById('filters').elements.{facet}; select.value = '{value}';"
        " select.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    page.settle()


def rows(page: Browser) -> list[str]:
    names: list[str] = page.run("[...document.querySelectorAll('#list tbody a')].map((link) => link.textContent)")
    return names


def test_a_row_is_reached_and_opened_by_keyboard_alone(page: Browser) -> None:
    page.press("Tab", "Enter")
    assert page.run("document.activeElement.textContent") == "fail"
    page.press("j", "j", "Enter")
    assert page.run("location.hash") == "#s/fail/second/1"
    assert page.run("document.activeElement.id") == "attempt"
    page.press("j")
    assert page.run("location.hash").startswith("#s/harm/first")
    page.press("Escape")
    assert page.run("[document.activeElement.textContent, document.getElementById('attempt').hidden]") == [
        "harm",
        True,
    ]
    assert "#" not in page.run("location.href")
    page.press("k")
    assert page.run("document.activeElement.closest('tr').innerText").startswith("failed")


def test_a_task_shows_the_calls_and_answers_of_all_models_side_by_side(page: Browser) -> None:
    page.run("location.hash = '#s/fail'")
    page.settle()
    cards = page.run("[...document.querySelectorAll('.side-by-side section')].map((card) => card.innerText)")
    assert {card.splitlines()[0].split(",")[0] for card in cards} == {"first", "second"}
    assert all("b.txt" in card and "I do not know." in card for card in cards)
    assert "What is in a.txt?" in page.run("document.getElementById('attempt').innerText")


def test_an_address_that_leads_to_nothing_says_so(page: Browser) -> None:
    for address in ("#nowhere", "#s/nowhere", "#s/fail/first/9", "#s/fail/first"):
        page.run(f"location.hash = '{address}'")
        page.settle()
        assert "This report has nothing at this address" in page.run("document.getElementById('count').textContent")


def test_a_cause_on_the_first_screen_leads_to_its_attempts(page: Browser) -> None:
    link = "document.querySelector('.standings td[data-name=\"fails by\"] span')"
    count = page.run(f"{link}.textContent").split()[-1]
    page.run(f"{link}.firstElementChild.click()")
    page.settle()
    assert page.run("document.getElementById('count').textContent").startswith(f"{count} of ")


def test_an_address_names_an_attempt_for_good(page: Browser) -> None:
    page.run("location.hash = '#s/fail/first/2'")
    page.settle()
    text = page.run("document.getElementById('attempt').innerText")
    for part in (
        "What is in a.txt?",
        "no call of read(path='a.txt')",
        "I do not know.",
        "milk, eggs",
        "does not apply",
    ):
        assert (part in text) is (part != "does not apply")
    assert page.run("document.querySelector('.others [aria-current]').textContent") == "failed"
    assert page.run("document.querySelector('.command').textContent") == "pytest s::fail --model=first"
    page.run("location.hash = '#s/fail/first/3'")
    page.settle()
    assert "no attempt at s / fail by first, trial 3" in page.run("document.getElementById('count').textContent")


def test_a_row_of_the_calls_names_the_metric_that_failed(page: Browser) -> None:
    page.run("location.hash = '#s/fail/first/1'")
    page.settle()
    failed = page.run("[...document.querySelectorAll('.sides tr.short')].map((row) => row.cells[0].textContent)")
    assert failed == ["extraast", "extraast"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("address", ["#", "#s/fail/first/1", "#s/big/first/1"])
def test_no_page_scrolls_sideways_and_all_text_has_contrast(
    page: Browser, width: int, scheme: str, address: str
) -> None:
    page.show(width=width, scheme=scheme)
    page.run(f"location.hash = '{address}'")
    page.settle()
    assert page.run("document.documentElement.scrollWidth") == width
    assert page.run(FAINT_TEXTS) == []


UNREACHABLE_BOXES = """
[...document.querySelectorAll("body *")].filter((box) => {
  const style = getComputedStyle(box), scrolls = (value) => value === "auto" || value === "scroll";
  const isCut = (scrolls(style.overflowX) && box.scrollWidth > box.clientWidth)
    || (scrolls(style.overflowY) && box.scrollHeight > box.clientHeight);
  return box.checkVisibility() && isCut && box.tabIndex < 0 && !box.querySelector("a[href], button, input, select");
}).map((box) => `${box.tagName} ${box.className}`)
"""


@pytest.mark.parametrize("address", ["#", "#s/fail/first/1", "#s/big/first/1"])
def test_every_box_that_scrolls_is_reached_by_keyboard(page: Browser, address: str) -> None:
    page.show(width=400)
    page.run(f"location.hash = '{address}'")
    page.settle()
    page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.run(UNREACHABLE_BOXES) == []
    assert page.run("[...document.querySelectorAll('.scroll')].filter((box) => !box.ariaLabel || !box.role)") == []
    assert page.run("document.querySelectorAll('.scroll[tabindex=\"0\"]').length") > 0


FAINT_TEXTS = """
(() => {
  const channel = (value) => ((value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const color = numbers(getComputedStyle(element).backgroundColor);
      if (color.length === 3 || color[3] > 0.99) return color;
    }
    return [255, 255, 255];
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("script")) continue;
    const property = element.closest("svg") ? "fill" : "color";
    const [light, dark] = [numbers(getComputedStyle(element)[property]), ground(element)].map(luminance)
      .sort((left, right) => right - left);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < 4.5) faint.push([walker.currentNode.data.slice(0, 40), Math.round(ratio * 10) / 10]);
  }
  return faint;
})()
"""


def two_suites(path: Path) -> str:
    of_another = [record.model_copy(update={"suite": "other"}) for record in one_of_each()]
    return write_page(path, [*one_of_each(), *of_another])


SHOWN_PARTS = (
    "[...document.querySelectorAll('.of-suite')].filter((each) => each.checkVisibility()).map((each) => each.id)"
)


def test_the_choice_of_a_suite_holds_for_all_sections_and_is_in_the_address(chromium: Browser, tmp_path: Path) -> None:
    address = two_suites(tmp_path / "page.html")
    chromium.open(address)
    parts = chromium.run(SHOWN_PARTS)
    assert len(parts) > 3
    assert {part.rsplit("-", 1)[1] for part in parts} == {"other"}
    chromium.run("document.getElementById('suite-1').click()")
    chromium.settle()
    assert chromium.run(SHOWN_PARTS) == [part.replace("other", "s") for part in parts]
    assert chromium.run("location.hash") == "#?show=s"
    assert chromium.run("[...document.querySelectorAll('nav a')].map((link) => link.hash)")[1] == "#leaderboard-s"
    chromium.run("document.getElementById('suite-all').click()")
    assert len(chromium.run(SHOWN_PARTS)) == 2 * len(parts)


@pytest.mark.parametrize("place", ["#?show=s", "#profile-s"])
def test_an_address_shows_its_suite_and_the_list(chromium: Browser, tmp_path: Path, place: str) -> None:
    chromium.open(two_suites(tmp_path / "page.html") + place)
    assert {part.rsplit("-", 1)[1] for part in chromium.run(SHOWN_PARTS)} == {"s"}
    assert "14 of 14" in chromium.run("document.getElementById('count').textContent")
    chromium.run("location.hash = '#s/fail/m/1'")
    chromium.settle()
    chromium.press("Escape")
    assert chromium.run("location.hash") == "#?show=s"


def test_an_address_with_a_filter_shows_the_list_and_one_without_the_verdict(chromium: Browser, tmp_path: Path) -> None:
    page = two_suites(tmp_path / "page.html")
    for place, is_scrolled in (("#?outcome=failed", True), ("#?show=s", False)):
        chromium.open("about:blank")
        chromium.open(page + place)
        chromium.settle()
        assert chromium.run("scrollY > 0") is is_scrolled


def test_a_suite_is_chosen_without_a_script_and_printed_with_its_name(chromium: Browser, tmp_path: Path) -> None:
    chromium.send("Emulation.setScriptExecutionDisabled", value=True)
    chromium.load(two_suites(tmp_path / "page.html"))
    chromium.send("Emulation.setScriptExecutionDisabled", value=False)
    shown = chromium.run(SHOWN_PARTS)
    chromium.run("document.getElementById('suite-1').checked = true")
    assert chromium.run(SHOWN_PARTS) == [part.replace("other", "s") for part in shown]
    chromium.send("Emulation.setEmulatedMedia", media="print")
    names = chromium.run(
        "[...document.querySelectorAll('.suite-name')].filter((each) => each.checkVisibility())"
        ".map((each) => each.textContent)"
    )
    chromium.send("Emulation.setEmulatedMedia", media="")
    assert names == ["s"] * sum(not part.startswith("matrix") for part in shown)


def test_headings_and_tables_tell_what_they_are(page: Browser) -> None:
    page.run("location.hash = '#s/fail/first/1'")
    page.settle()
    levels = page.run(
        "[...document.querySelectorAll('h1, h2, h3, h4, h5')].filter((each) => each.checkVisibility())"
        ".map((each) => Number(each.tagName[1]))"
    )
    assert levels[0] <= 2
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.run("[...document.querySelectorAll('th:not([scope])')].length") == 0
    assert page.run("[...document.querySelectorAll('table:not(:has(caption)):not([aria-labelledby])')].length") == 0


def test_an_attempt_is_printed_whole(page: Browser, tmp_path: Path) -> None:
    page.run("location.hash = '#s/long/first/1'")
    page.settle()
    page.print(tmp_path / "attempt.pdf")
    assert (tmp_path / "attempt.pdf").stat().st_size > 10_000
    page.send("Emulation.setEmulatedMedia", media="print")
    heights = page.run(
        "[...document.querySelectorAll('pre')].filter((each) => each.checkVisibility())"
        ".map((each) => each.scrollHeight - each.clientHeight)"
    )
    page.send("Emulation.setEmulatedMedia", media="")
    assert max(heights) <= 1


def test_no_table_or_chart_is_cut_on_paper(chromium: Browser, tmp_path: Path) -> None:
    chromium.show(width=720)
    chromium.open(two_suites(tmp_path / "page.html"))
    chromium.send("Emulation.setEmulatedMedia", media="print")
    cut = chromium.run(
        "[...document.querySelectorAll('table, svg')].filter((each) => each.checkVisibility()"
        " && each.getBoundingClientRect().right > document.querySelector('main').getBoundingClientRect().right)"
        ".map((each) => each.textContent.slice(0, 60))"
    )
    chromium.send("Emulation.setEmulatedMedia", media="")
    assert cut == []


def test_ten_models_are_printed_on_at_most_ten_pages(chromium: Browser, tmp_path: Path) -> None:
    chromium.show(width=720)
    models = [record.model_copy(update={"model": f"model-{n}"}) for n in range(10) for record in one_of_each()]
    suites = [record.model_copy(update={"suite": suite}) for suite in "abcdefghi" for record in models]
    chromium.open(write_page(tmp_path / "page.html", suites))
    chromium.print(tmp_path / "report.pdf")
    assert len(re.findall(rb"/Type /Page\b", (tmp_path / "report.pdf").read_bytes())) <= 10
    chromium.send("Emulation.setEmulatedMedia", media="print")
    shown = chromium.run(
        "[...document.querySelectorAll('caption')].filter((each) => each.checkVisibility())"
        ".map((each) => each.textContent)"
    )
    chromium.send("Emulation.setEmulatedMedia", media="")
    assert shown[:2] == ["Models by pass rate", "Pass rates by suite"]


def test_without_a_script_the_tables_are_there(chromium: Browser, tmp_path: Path) -> None:
    chromium.send("Emulation.setScriptExecutionDisabled", value=True)
    chromium.load(write_page(tmp_path / "page.html", one_of_each()))
    document = chromium.send("DOM.getDocument")["root"]["nodeId"]
    text = chromium.send("DOM.getOuterHTML", nodeId=document)["outerHTML"]
    chromium.send("Emulation.setScriptExecutionDisabled", value=False)
    assert "<caption>Results</caption>" in text
    assert "The list of attempts needs JavaScript" in text


def test_pytest_htmls_report_has_our_columns_and_its_links_open_attempts(
    chromium: Browser, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(hostile_server=SERVER)
    pytester.makefile(".mcpbench.yaml", hostile=TASKS)
    pytester.makeini("[pytest]\npythonpath = .\n")
    pytester.runpytest_inprocess("--model=oracle", "--model=noop", "--html=r.html", "--self-contained-html")
    chromium.open((pytester.path / "r.html").as_uri() + "?sort=m1&collapsed=")
    assert chromium.run("document.title") == "r.html"
    headings = chromium.run("[...document.querySelectorAll('th[data-column-type^=m]')].map((each) => each.textContent)")
    assert headings == ["model", "ast", "reason"]
    row = "[...document.querySelectorAll('#results-table th')].map((each) => each.textContent).join()"
    assert chromium.run(row) == "Result,Links,Test,model,ast,reason,Duration"
    assert chromium.run("document.querySelector('.results-table-row .col-links').cellIndex") == 1
    results = "[...document.querySelectorAll('.col-result')].map((each) => each.textContent)"
    before = chromium.run(results)
    chromium.run("document.querySelector('input[data-test-result=failed]').click()")
    assert chromium.run(results) == [each for each in before if each != "Failed"] != before
    chromium.run("document.querySelector('input[data-test-result=failed]').click()")
    links = chromium.run("[...document.querySelectorAll('.mcpbench a, .col-links a')].map((link) => link.href)")
    assert len(links) == 5
    chromium.open(next(link for link in links if link.endswith("/one/oracle/1")))
    assert "<script>document.title='owned'</script>" in chromium.run("document.getElementById('attempt').innerText")
    assert chromium.run("document.title") == TITLE
