"""Tables of MCP-RADAR against averages that are computed here from the raw records."""

import csv
import io
import random
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from pytest_mcpbench.cli.command_line import main
from tests.papers import arithmetic as plain
from tests.papers.cells import assert_cells, cells_of, number
from tests.papers.runs import MODELS, chance, raw_records, write_run, write_swept_run

NAMES = {"math": "Math", "websearch": "Websearch", "email": "Email", "calendar": "Calendar"}
NAMES |= {"filemanagement": "Filemanagement", "terminal": "Terminal"}
PRECISE = ("math", "websearch")
SIZES = {"math": 5, "websearch": 3, "email": 6, "calendar": 2, "filemanagement": 4, "terminal": 3}
ERRORS = {
    "tool_use:parameter_error": "Parameter Error",
    "tool_use:inaccurate_tool_invocation": "Inaccurate Tool Invocation",
    "reasoning:tool_omission": "Tool Omission",
    "reasoning:redundant_tool_invocation": "Redundant Tool Invocation",
    "other:incorrect_result": "Other Types",
    "other:excessive_rounds": "Other Types",
}


def tags_of(domain: str, index: int) -> dict[str, str]:
    if domain in PRECISE:
        return {"domain": domain, "kind": "precise"}
    return {"domain": domain, "kind": "fuzzy", "steps": "multi" if index % 2 else "single"}


TASKS = [(f"{name}-{index}", tags_of(name, index)) for name, size in SIZES.items() for index in range(size)]


def attempt(draw: random.Random, tags: Mapping[str, str]) -> dict[str, Any]:
    right = chance(draw, tags)
    is_precise = tags["kind"] == "precise"
    calls = {"expected": 2.0 if tags.get("steps") == "multi" else 1.0}
    matched = calls["expected"] if right else float(draw.randint(0, 1))
    tried = matched if right else matched + draw.randint(0, 1)
    return {
        "outcome": draw.choice(("passed", "failed")),
        "scores": {
            "answer": right if is_precise else None,
            "operation": None if is_precise else right,
            "dtsr": None if is_precise else draw.random(),
        },
        "counts": {"operation": {**calls, "right_calls": matched, "reference_tool_calls": float(tried)}},
        "failures": {"radar": draw.sample([*ERRORS], draw.randint(0, 3))},
    }


def without_tokens(draw: random.Random, tags: Mapping[str, str]) -> dict[str, Any]:
    return {**attempt(draw, tags), "run": {"trajectory": {"steps": []}}}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", "radar", TASKS, attempt)


def accuracy(record: dict[str, Any]) -> float | None:
    return plain.value(record, "answer" if record["tags"]["domain"] in PRECISE else "operation")


def tokens(record: dict[str, Any]) -> float | None:
    return plain.usage(record, "input_tokens", "output_tokens")


def efficiency(records: list[dict[str, Any]], domain: str) -> dict[str, float]:
    spent = {
        model: plain.macro(plain.made(plain.of_model(records, model), domain=domain), tokens) or 0.0 for model in MODELS
    }
    most, least = max(spent.values()), min(spent.values())
    return {model: (most - mean) / (most - least) for model, mean in spent.items()}


def performance(
    records: list[dict[str, Any]], domains: tuple[str, ...], *, with_dtsr: bool
) -> dict[Any, plain.Expected]:
    expected: dict[Any, plain.Expected] = {}
    for domain in domains:
        for model in MODELS:
            own = plain.made(plain.of_model(records, model), domain=domain)
            expected[NAMES[domain], "ACC.", "", model] = plain.macro(own, accuracy)
            expected[NAMES[domain], "CRE.", "", model] = efficiency(records, domain)[model]
            if with_dtsr and domain not in PRECISE:
                expected[NAMES[domain], "DTSR.", "", model] = plain.macro_of(own, "dtsr")
    return expected


@pytest.mark.extra
def test_tables_2_and_3_have_acc_cre_and_dtsr_of_their_domains(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = raw_records(run)
    assert_cells(cells_of(capsys, "radar", run, "--table", "2"), performance(records, PRECISE, with_dtsr=False))
    fuzzy = tuple(name for name in NAMES if name not in PRECISE)
    assert_cells(cells_of(capsys, "radar", run, "--table", "3"), performance(records, fuzzy, with_dtsr=True))


@pytest.mark.extra
def test_figure_4_has_the_same_numbers_by_domain(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = performance(raw_records(run), tuple(NAMES), with_dtsr=True)
    # A domain has a cell for each of the three charts, which the CSV tells apart by the title in `table`.
    rows = chart_rows(capsys, run)
    for (domain, metric, _, model), wanted in expected.items():
        assert rows[metric.rstrip("."), domain, model] == pytest.approx(wanted, abs=1e-12)


def chart_rows(capsys: pytest.CaptureFixture[str], run: Path) -> dict[tuple[str, str, str], float]:
    assert main(["paper", "radar", str(run), "--figure", "4", "--format", "csv"]) == 0
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    return {(row["table"].rpartition(": ")[2], row["Domain"], row["column"]): float(row["value"]) for row in rows}


def mean_accuracy(records: list[dict[str, Any]], model: str) -> float:
    own = plain.made(plain.of_model(records, model))
    return fmean(plain.macro(plain.made(own, domain=domain), accuracy) or 0.0 for domain in NAMES)


@pytest.mark.extra
def test_table_6_has_the_mean_over_domains_for_each_limit_of_rounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = {
        rounds: write_run(tmp_path / f"k{rounds}", "radar", TASKS, attempt, rounds=rounds, seed=rounds)
        for rounds in (15, 5, 10)
    }
    cells = cells_of(capsys, "radar", *runs.values(), "--table", "6")
    expected = {
        (f"K={rounds}", "", model): mean_accuracy(raw_records(runs[rounds]), model)
        for rounds in runs
        for model in MODELS
    }
    assert_cells(cells, expected)
    assert [place[0] for place in cells][:: len(MODELS)] == ["K=5", "K=10", "K=15"]
    pooled = plain.macro(plain.made(plain.of_model(raw_records(runs[5]), "ada")), accuracy)
    assert number(cells, "K=5", "", "ada") != pytest.approx(pooled, abs=1e-3)


def test_runs_under_different_conditions_are_never_averaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [
        write_run(tmp_path / str(rounds), "radar", TASKS, attempt, rounds=rounds, seed=rounds, models=("ada",))
        for rounds in (5, 10)
    ]
    cells = cells_of(capsys, "radar", *runs, "--table", "2")
    for run, rounds in zip(runs, (5, 10), strict=True):
        own = plain.made(raw_records(run), domain="math")
        assert number(cells, "Math", "ACC.", "", f"ada (rounds {rounds})") == pytest.approx(plain.macro(own, accuracy))


@pytest.mark.extra
@pytest.mark.parametrize(
    ("name", "values", "table"),
    [("rounds", {"5": {"rounds": 5}, "10": {"rounds": 10}}, "6"), ("hint", {"none": {}, "tools": {}}, "4")],
)
def test_a_swept_run_has_the_numbers_of_a_run_for_each_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, values: dict[str, dict[str, int]], table: str
) -> None:
    def run_with(value: str, limits: dict[str, int]) -> Path:
        tasks = [(task, {**tags, **({"hint": "2"} if value == "tools" else {})}) for task, tags in TASKS]
        conditions = {"hint": value} if name == "hint" else {}
        return write_run(
            tmp_path / value, "radar", tasks, attempt, conditions=conditions, rounds=limits.get("rounds", 20)
        )

    runs = {value: run_with(value, limits) for value, limits in values.items()}
    swept = write_swept_run(tmp_path / "swept", name, runs)
    expected = cells_of(capsys, "radar", *runs.values(), "--table", table)
    assert "ada" in {place[-1] for place in expected}
    assert cells_of(capsys, "radar", swept, "--table", table) == expected


def test_the_same_attempts_in_two_runs_are_told_apart_by_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [
        write_run(tmp_path / name, "radar", TASKS, attempt, seed=seed, models=("ada",))
        for seed, name in enumerate("xy")
    ]
    cells = cells_of(capsys, "radar", *runs, "--table", "2")
    for run, name in zip(runs, "xy", strict=True):
        own = plain.made(raw_records(run), domain="math")
        assert number(cells, "Math", "ACC.", "", f"ada [{name}]") == pytest.approx(plain.macro(own, accuracy))


@pytest.mark.extra
def test_table_5_has_both_prompts_and_their_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    react = write_run(tmp_path / "react", "radar", TASKS, attempt, conditions={"prompt": "react"}, seed=1)
    concise = write_run(tmp_path / "concise", "radar", TASKS, attempt, seed=2)
    expected: dict[tuple[str, ...], float | None] = {}
    for model in MODELS:
        first, second = mean_accuracy(raw_records(react), model), mean_accuracy(raw_records(concise), model)
        expected |= {("ReAct", "", model): first, ("Concise", "", model): second, ("Δ", "", model): second - first}
    assert_cells(cells_of(capsys, "radar", concise, react, "--table", "5"), expected)


def test_table_4_has_the_cells_with_and_without_a_hint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    without = write_run(tmp_path / "without", "radar", TASKS, attempt, seed=1)
    tasks = [(name, {**tags, "hint": "2"}) for name, tags in TASKS]
    with_hint = write_run(tmp_path / "with", "radar", tasks, attempt, conditions={"hint": "tools"}, seed=2)
    expected: dict[tuple[str, ...], float | None] = {}
    for model in MODELS:
        for row, run, cell in (
            ("2/", without, "all"),
            ("2/2", with_hint, "all"),
            ("1/1", with_hint, "fewer"),
            ("1/2", with_hint, "some"),
        ):
            own = plain.made(plain.of_model(raw_records(run), model), steps="multi")
            expected["ACC", row, "", model] = plain.macro(own, partial(is_kind, cell))
    assert_cells(cells_of(capsys, "radar", without, with_hint, "--table", "4"), expected)


def is_kind(cell: str, record: dict[str, Any]) -> float:
    return float(kind(record) == cell)


def kind(record: dict[str, Any]) -> str:
    score = record["scorecard"]["scores"]["operation"]
    right, tried = score["counts"]["right_calls"], score["counts"]["reference_tool_calls"]
    if score["value"] == 1:
        return "all"
    if right in (0, score["counts"]["expected"]):
        return "other"
    return "fewer" if right == tried else "some"


@pytest.mark.extra
def test_figure_6_has_the_shares_of_errors_of_wrong_attempts(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = cells_of(capsys, "radar", run, "--figure", "6")
    for tag, group in (("precise", "Precise Answer"), ("fuzzy", "Fuzzy Match")):
        for model in (*MODELS, "All models"):
            own = [
                record
                for record in plain.made(raw_records(run), kind=tag)
                if accuracy(record) == 0 and model in (record["model"], "All models")
            ]
            labels = Counter(ERRORS[label] for record in own for label in record["failures"]["radar"])
            for name in set(ERRORS.values()):
                assert number(cells, name, group, model) == pytest.approx(labels[name] / labels.total())
            assert cells["Faulty Reasoning", group, model]["reason"].startswith("needs a judge")


@pytest.mark.extra
def test_agents_without_a_model_change_neither_efficiency_nor_the_errors_of_all_models(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    control = write_run(tmp_path / "control", "radar", TASKS, without_tokens, models=("noop",))
    for place in (("--table", "2"), ("--figure", "6")):
        alone, beside = (cells_of(capsys, "radar", *runs, *place) for runs in ((run,), (run, control)))
        assert {place: beside[place] for place in alone} == alone
        assert len(beside) > len(alone)


def test_table_1_and_figure_3_count_tasks(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, figure = cells_of(capsys, "radar", run, "--table", "1"), cells_of(capsys, "radar", run, "--figure", "3")
    assert {place[1]: number(table, *place) for place in table if place[-1] == "Quantity"} == {
        NAMES[domain]: size for domain, size in SIZES.items()
    }
    assert (number(figure, "Email", "", "Single-tool"), number(figure, "Email", "", "Multi-tool")) == (3, 3)
    assert figure["Math", "", "Single-tool"]["value"] == ""
    assert "no tag `steps`" in figure["Math", "", "Single-tool"]["reason"]


def test_efficiency_needs_two_models_that_use_tokens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_run(tmp_path / "one", "radar", TASKS, attempt, models=("ada",))
    cell = cells_of(capsys, "radar", run, "--table", "2")["Math", "CRE.", "", "ada"]
    assert (cell["value"], cell["reason"]) == ("", "CRE compares models: it needs the tokens of two")
