"""The table of metrics by tags of ``mcpbench report``, in every format."""

import csv
import io
import json
from pathlib import Path

import pytest

from pytest_mcpbench.cli.command_line import main
from tests.papers import arithmetic as plain
from tests.papers.runs import MODELS, raw_records, write_run
from tests.papers.test_toolbench import SIZES, TASKS, attempt


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", "toolbench", TASKS, attempt)


def printed(capsys: pytest.CaptureFixture[str], run: Path, *arguments: str) -> str:
    assert main(["report", str(run), "--by", "category", "--metric", "ast,tokens", *arguments]) == 0
    return capsys.readouterr().out


def test_csv_and_json_have_the_averages_of_the_records(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(printed(capsys, run, "--format", "csv"))))
    found = {(row["category"], row["group"], row["column"]): float(row["value"]) for row in rows}
    expected = {}
    for model in MODELS:
        own = plain.made(plain.of_model(raw_records(run), model))
        for category in (*(name for name, size in SIZES.items() if size), "all"):
            some = own if category == "all" else plain.made(own, category=category)
            expected[category, "ast", model] = plain.macro_of(some, "ast")
            expected[category, "tokens", model] = plain.macro(some, tokens)
    assert found == pytest.approx(expected)
    cells = json.loads(printed(capsys, run, "--format", "json"))["cells"]
    values = {(cell["tags"].get("category", "all"), cell["metric"], cell["model"]): cell["value"] for cell in cells}
    assert values == pytest.approx(expected)


def tokens(record: plain.Json) -> float | None:
    return plain.usage(record, "input_tokens", "output_tokens")


@pytest.mark.parametrize(
    ("form", "telling"),
    [
        ("terminal", "─── ast ────────  ──── tokens ───"),
        ("markdown", "### toolbench: ast, tokens by category"),
        ("latex", r"\multicolumn{3}{c}{tokens}"),
        ("html", "<caption>ast, tokens by category</caption>"),
    ],
)
def test_the_table_is_written_in_every_format(
    run: Path, capsys: pytest.CaptureFixture[str], form: str, telling: str
) -> None:
    text = printed(capsys, run, "--format", form)
    assert telling in text
    assert all(model in text for model in MODELS)


def test_an_unknown_tag_is_one_line_that_names_those_that_exist(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(run), "--by", "categry"]) == 2
    assert capsys.readouterr().err == "mcpbench: no attempt has the tag 'categry'; there are: category.\n"
