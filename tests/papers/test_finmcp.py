"""Tables of FinMCP-Bench against averages that are computed here from the raw records."""

import random
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pytest

from tests.papers import arithmetic as plain
from tests.papers.cells import assert_cells, cells_of, number
from tests.papers.runs import MODELS, chance, raw_records, write_run

KINDS = {"single_tool": "Single-Tool", "multi_tool": "Multi-Tool", "multi_turn": "Multi-Turn"}
SCENARIOS = ("PTS", "MAR", "FP", "PSC", "IE", "IPA", "OC", "ASM", "CLA", "TEO")
LEVELS = {"easy": "Easy", "medium": "Medium", "hard": "Hard"}
CALLS = {"easy": 2, "medium": 7, "hard": 12}


def tags_of(index: int) -> dict[str, str]:
    kind, level = [*KINDS][index % 3], [*LEVELS][index % 2]
    scenario = SCENARIOS[index % 9]
    tags = {"kind": kind, "difficulty": level, "scenario": scenario, "sub_scenario": f"{scenario}-{index % 4}"}
    return {**tags, "parallel": "parallel"} if index % 5 == 0 else tags


TASKS = [(f"task-{index}", tags_of(index)) for index in range(20)]


def attempt(draw: random.Random, tags: Mapping[str, str]) -> dict[str, Any]:
    expected = 1 if tags["kind"] == "single_tool" else CALLS[tags["difficulty"]]
    called = draw.randint(0, 2 * expected)
    hits = draw.randint(0, min(called, expected))
    counts = {"hits": float(hits), "called": float(called), "expected": float(expected)}
    both = called + expected
    lines = ["search(q='a & b') & read(id=1)", *(f"turn {number}: read(id={number})" for number in range(1, expected))]
    scores = {
        "tool_precision": hits / called if called else 0.0,
        "tool_recall": hits / expected,
        "tool_f1": 2 * hits / both,
        "emr": chance(draw, tags),
    }
    return {
        "scores": scores,
        "counts": dict.fromkeys(("tool_precision", "tool_recall", "tool_f1"), counts),
        "expected": lines[:expected],
        "turns": ["one", "two", "three"] if tags["kind"] == "multi_turn" else ["one"],
        "comparison": [{"expected": f"read(id={n})", "actual": "", "verdict": "missing"} for n in range(expected)],
    }


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", "finmcp", TASKS, attempt)


def micro(records: list[dict[str, Any]], of: str) -> float | None:
    """TP, TR or TF1 of the calls of all attempts together."""
    hits, called, expected = plain.pooled(records, "tool_f1", "hits", "called", "expected")
    wholes = {"TP": called, "TR": expected, "TF1": (called + expected) / 2}
    return (hits / wholes[of] if wholes[of] else 0.0) if records else None


def test_table_2_pools_calls_over_attempts_and_averages_emr_over_tasks(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected: dict[tuple[str, ...], plain.Expected] = {}
    for model in MODELS:
        own = plain.made(plain.of_model(raw_records(run), model))
        for tag, name in {**KINDS, "": "All"}.items():
            some = plain.made(own, kind=tag) if tag else own
            expected |= {(model, name, metric): micro(some, metric) for metric in ("TP", "TR", "TF1")}
            expected[model, name, "EMR"] = plain.macro_of(some, "emr")
    assert_cells(cells_of(capsys, "finmcp", run, "--table", "2"), expected)


def test_the_sample_tells_macro_from_micro_averages(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = cells_of(capsys, "finmcp", run, "--table", "2")
    own = plain.made(plain.of_model(raw_records(run), "bert"))
    for column, metric in (("TP", "tool_precision"), ("TR", "tool_recall"), ("TF1", "tool_f1")):
        assert number(cells, "bert", "All", column) != pytest.approx(plain.macro_of(own, metric), abs=1e-3)
    assert number(cells, "bert", "All", "EMR") != pytest.approx(plain.flat_mean(own, "emr"), abs=1e-3)


@pytest.mark.extra
@pytest.mark.parametrize(
    ("figure", "tag", "names"),
    [("4", "scenario", dict(zip(SCENARIOS, SCENARIOS, strict=True))), ("5", "difficulty", LEVELS)],
    ids=["scenario", "difficulty"],
)
def test_figures_4_and_5_pool_f1_by_scenario_and_difficulty(
    run: Path, capsys: pytest.CaptureFixture[str], figure: str, tag: str, names: dict[str, str]
) -> None:
    records = plain.made(raw_records(run))
    expected = {
        (name, "", model): micro(plain.made(plain.of_model(records, model), **{tag: value}), "TF1")
        for model in MODELS
        for value, name in names.items()
    }
    assert_cells(cells_of(capsys, "finmcp", run, "--figure", figure), expected)


def test_table_1_and_figure_1_describe_the_tasks(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = cells_of(capsys, "finmcp", run, "--table", "1")
    tags = [tags for _, tags in TASKS]
    sizes = [CALLS[each["difficulty"]] for each in tags if each["kind"] == "multi_tool"]
    assert number(cells, "All", "Samples", "", "Number") == len(TASKS)
    assert number(cells, "All", "Easy", "", "Number") == sum(each["difficulty"] == "easy" for each in tags)
    for statistic in ("MCP calls per instance", "Steps per instance"):
        assert number(cells, "Multi-Tool", statistic, "", "Median") == median(sizes)
        assert number(cells, "Multi-Tool", statistic, "", "Avg") == fmean(sizes)
    parallel = sum(each["kind"] == "multi_tool" and "parallel" in each for each in tags)
    assert number(cells, "Multi-Tool", "Samples having parallel calls", "", "Number") == parallel
    assert number(cells, "Multi-Turn", "Number of turns", "", "Avg") == 3
    figure = cells_of(capsys, "finmcp", run, "--figure", "1")
    assert sum(number(figure, *place) or 0 for place in figure) == len(TASKS)
