"""Formats of the tables and figures, and what the command says where it cannot write one."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pytest_mcpbench.cli.command_line import main
from pytest_mcpbench.reporting.papers.catalogue import SUITES, paper_of
from tests.papers import test_atlas, test_finmcp, test_persona, test_radar, test_toolbench
from tests.papers.runs import write_run

HOSTILE = r"gpt_5 & 100% $x$ #1 {a} \input{x} ~^ <b>|`x`</b>"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", "finmcp", test_finmcp.TASKS, test_finmcp.attempt, models=("ada", HOSTILE))


def printed(capsys: pytest.CaptureFixture[str], *arguments: Any) -> str:
    assert main(["paper", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_the_suite_of_another_paper_is_a_usage_error_that_names_the_suites_of_the_run(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["paper", "radar", str(run)]) == 2
    assert "no run has an attempt of the suite 'radar'; there are: finmcp." in capsys.readouterr().err


def test_latex_has_groups_rules_and_escaped_text(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "finmcp", run, "--table", "2", "--format", "latex")
    assert r"\caption{FinMCP-Bench, Table 2: Results (\%) on FinMCP-Bench}" in text
    assert r"\label{tab:finmcp-2}" in text
    assert r"\begin{tabular}{lrrrrrrrrrrrrrrrr}" in text
    groups = (
        r"\multicolumn{4}{c}{Single-Tool}",
        r"\multicolumn{4}{c}{All}",
        r"\cmidrule(lr){2-5}",
        r"\cmidrule(lr){14-17}",
    )
    assert all(group in text for group in groups)
    name = r"gpt\_5 \& 100\% \$x\$ \#1 \{a\} \textbackslash{}input\{x\} \textasciitilde{}\textasciicircum{}"
    row = next(line for line in text.splitlines() if line.startswith("gpt"))
    assert row.startswith(name)
    assert len(re.findall(r"(?<!\\)&", row)) == 16
    assert text.count(r"\begin{") == text.count(r"\end{")


def test_markdown_and_html_cannot_be_broken_by_the_name_of_a_model(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    markdown = printed(capsys, "finmcp", run, "--table", "2", "--format", "markdown")
    rows = [line for line in markdown.splitlines() if line.startswith("| ")]
    assert {row.count(" | ") for row in rows} == {16}
    html = printed(capsys, "finmcp", run, "--format", "html")
    assert "<b>" not in html
    assert html.count("<table>") >= 5
    assert "<svg" in html


@pytest.mark.extra
@pytest.mark.parametrize(
    ("columns", "blocks"),
    [
        (80, [["Single-Tool", "Multi-Tool"], ["Multi-Turn", "All"]]),
        (140, [["Single-Tool", "Multi-Tool", "Multi-Turn", "All"]]),
        (30, [["Single-Tool"]]),
        (None, [["Single-Tool", "Multi-Tool", "Multi-Turn", "All"]]),
    ],
)
def test_a_table_is_continued_below_itself_with_its_groups_undivided_where_they_fit(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    columns: int | None,
    blocks: list[list[str]],
) -> None:
    run = write_run(tmp_path / "run", "finmcp", test_finmcp.TASKS, test_finmcp.attempt)
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", str(columns))
    title, *lines = printed(capsys, "finmcp", run, "--table", "2").splitlines()
    assert title == "FinMCP-Bench, Table 2: Results (%) on FinMCP-Bench:"
    groups = [re.findall(r"[A-Z][-A-Za-z]+", line) for line in lines if "─" in line]
    assert groups[: len(blocks)] == blocks
    headings = [line.split() for line in lines if line.startswith("Model")]
    assert [name for block in headings for name in block[1:]] == ["TP", "TR", "TF1", "EMR"] * 4
    assert sum(line.startswith("(TP,") for line in lines) == 1
    assert max(map(len, lines)) <= (columns or 130)


def test_counts_and_intervals_stand_beside_each_number(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "finmcp", run, "--table", "2", "--counts", "--intervals")
    assert re.search(r"\d+\.\d\d \[\d+\.\d\d, \d+\.\d\d\] \(n=\d+\)", text)


@pytest.mark.extra
def test_a_directory_gets_a_file_for_each_table_and_picture(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for form in ("csv", "svg"):
        assert main(["paper", "finmcp", str(run), "--format", form, "--out", str(out)]) == 0
    tables = {f"finmcp-{name}.csv" for name in ("table-1", "table-2", "figure-1", "figure-4", "figure-5")}
    pictures = {f"finmcp-figure-{number}.svg" for number in (1, 4, 5)}
    assert {path.name for path in out.iterdir()} == tables | pictures
    for name in pictures:
        assert ElementTree.parse(out / name).getroot().tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.extra
@pytest.mark.parametrize(
    ("suite", "tasks", "attempt"),
    [
        ("radar", test_radar.TASKS, test_radar.attempt),
        ("atlas", test_atlas.TASKS, test_atlas.attempt),
        ("persona", test_persona.TASKS, test_persona.attempt),
        ("toolbench", test_toolbench.TASKS, test_toolbench.attempt),
    ],
    ids=["radar", "atlas", "persona", "toolbench"],
)
def test_every_figure_with_a_chart_is_drawn(tmp_path: Path, suite: str, tasks: list[Any], attempt: Any) -> None:
    run = write_run(tmp_path / "run", suite, tasks, attempt)
    assert main(["paper", suite, str(run), "--format", "svg", "--out", str(tmp_path / "out")]) == 0
    drawn = {path.stem.removeprefix(f"{suite}-") for path in (tmp_path / "out").iterdir()}
    wanted = {item.slug for item in paper_of(suite).items if item.draw}
    assert {re.sub(r"(figure-\d+)-\d+", r"\1", name) for name in drawn} == wanted


def test_a_table_that_records_do_not_have_is_named_with_the_reason(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["paper", "finmcp", str(run), "--figure", "2"]) == 0
    assert capsys.readouterr().err == "mcpbench: Figure 2 of FinMCP-Bench is not in records: it is a drawing.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--table", "9"], "FinMCP-Bench has no table 9; mcpbench paper finmcp --list shows what it has."),
        (["--suite", "other"], "no run has an attempt of the suite 'other'; there are: finmcp."),
        (["--format", "svg"], "there are 3 charts; name one with --figure, or a directory with --out."),
    ],
    ids=["table", "suite", "charts"],
)
def test_a_mistake_is_one_line_that_says_what_would_be_right(
    run: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["paper", "finmcp", str(run), *arguments]) == 2
    assert capsys.readouterr().err == f"mcpbench: {message}\n"


@pytest.mark.parametrize("suite", SUITES)
def test_the_list_names_every_table_and_figure_and_so_does_the_documentation(
    suite: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, suite, "--list").splitlines()
    items = paper_of(suite).items
    assert len(lines) == 1 + len(items)
    page = (Path(__file__).parents[2] / "docs" / "reference" / "paper.md").read_text(encoding="utf-8")
    section = page.partition(f"## `{suite}`")[2].partition("\n## `")[0]
    for item in items:
        assert f"| {item.name} | {item.title} | " in section, item.name
        assert item.computed in section, item.name
