"""Tables of MCP-Atlas against averages that are computed here from the raw records."""

import random
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any

import pytest

from pytest_mcpbench.cli.command_line import main
from tests.papers import arithmetic as plain
from tests.papers.cells import assert_cells, cells_of, known, number
from tests.papers.runs import MODELS, raw_records, write_run

RULES = {
    "tool_usage:no_tools_called": "No tools called",
    "tool_usage:incorrect_tool_parameters": "Incorrect tool parameters",
    "tool_usage:missing_tool_calls": "Missing tool calls",
    "tool_usage:wrong_tool_selection": "Wrong tool selection",
}
JUDGED = {
    "task_understanding:partial_task_completion": "Partial task completion",
    "response_quality:incorrect_conclusion": "Incorrect conclusion",
    "task_understanding:misunderstood_task": "Misunderstood task",
    "logical_errors:flawed_reasoning": "Flawed reasoning",
}
ONLY_PATTERNS = {
    "task_understanding:skipped_steps": "Skipped steps",
    "task_understanding:insufficient_exploration": "Insufficient exploration",
    "tool_usage:capability_discovery_missing": "Capability discovery missing",
}
CATEGORIES = {"tool_usage": "Tool Usage", "task_understanding": "Task Understanding"}
CATEGORIES |= {"response_quality": "Response Quality", "logical_errors": "Logical Errors"}
TASKS = [
    (f"task-{index}", {"ENV-CODING": "ENV-CODING"} if index % 3 else {"ENV-FINANCIAL": "ENV-FINANCIAL"})
    for index in range(12)
]
SHARES = (0.0, 0.25, 0.5, 0.7, 0.75, 0.8, 1.0)


def attempt(draw: random.Random, tags: Mapping[str, str]) -> dict[str, Any]:
    coverage: float | str = draw.choice(SHARES) if draw.random() < 0.9 else "the judge did not answer"
    is_good = isinstance(coverage, float) and draw.random() < float(tags["skill"])
    if is_good:
        coverage = draw.choice((0.75, 0.8, 1.0))
    # The run's floor is 1, so that attempts which pass in the paper have failed here and have a failure mode.
    is_failed = isinstance(coverage, float) and coverage < 1
    return {
        "outcome": "unscored" if isinstance(coverage, str) else "failed" if is_failed else "passed",
        "floors": {"coverage": 1.0},
        "scores": {"coverage": coverage},
        "failures": {"atlas_primary_2025": [draw.choice([*RULES])] if is_failed else []},
        "comparison": [{"expected": f"{name}(x=1)", "actual": "", "verdict": "missing"} for name in ("read", "find")],
        "run": {"tools": [tool("files", "read"), tool("web", "find"), tool("web", "open")]},
    }


def always_right(draw: random.Random, tags: Mapping[str, str]) -> dict[str, Any]:
    return {**attempt(draw, tags), "outcome": "passed", "scores": {"coverage": 1.0}, "failures": {}}


def judged(draw: random.Random, tags: Mapping[str, str]) -> dict[str, Any]:
    made = attempt(draw, tags)
    modes = made["failures"]["atlas_primary_2025"]
    label = [draw.choice([*RULES, *JUDGED])] if modes else []
    scores = {**made["scores"], "failure_modes": 0.0 if modes else 1.0}
    return {**made, "failures": {"atlas_primary_2025": label}, "scores": scores}


def judged_by_patterns(draw: random.Random, tags: Mapping[str, str]) -> dict[str, Any]:
    made = attempt(draw, tags)
    modes = made["failures"]["atlas_primary_2025"]
    label = [draw.choice([*RULES, *ONLY_PATTERNS])] if modes else []
    scores = {**made["scores"], "failure_patterns": 0.0 if modes else 1.0}
    return {**made, "failures": {"atlas_primary_2025": label}, "scores": scores}


def tool(server: str, name: str) -> dict[str, Any]:
    return {"name": f"{server}_{name}", "server": server, "tool": name}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", "atlas", TASKS, attempt)


def reaches(threshold: float, record: dict[str, Any], assumed: float | None = None) -> float | None:
    coverage = plain.value(record, "coverage", assumed)
    return None if coverage is None else float(coverage >= threshold)


def share_that_reaches(threshold: float, records: list[dict[str, Any]], model: str) -> tuple[float, float]:
    own = plain.made(plain.of_model(records, model))
    low, high = (plain.macro(own, partial(reaches, threshold, assumed=assumed)) for assumed in (0.0, 1.0))
    assert low is not None
    assert high is not None
    return low, high


pass_rate = partial(share_that_reaches, 0.75)


def coverage(records: list[dict[str, Any]], model: str) -> plain.Expected:
    return plain.macro_of(plain.made(plain.of_model(records, model)), "coverage")


def ends_of(number: plain.Expected) -> tuple[float, float]:
    assert number is not None
    return number if isinstance(number, tuple) else (number, number)


def failed(records: list[dict[str, Any]], model: str) -> list[dict[str, Any]]:
    return [record for record in plain.made(plain.of_model(records, model)) if reaches(0.75, record) == 0]


def shares(records: list[dict[str, Any]], model: str) -> dict[str, float]:
    own = failed(records, model)
    counts = Counter(record["failures"]["atlas_primary_2025"][0] for record in own)
    return {label: counts[label] / len(own) for label in (*RULES, *JUDGED, *ONLY_PATTERNS)}


def test_table_5_has_pass_rates_at_75_percent_whatever_the_floor_and_the_best_model_first(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = raw_records(run)
    expected: dict[tuple[str, ...], plain.Expected] = {}
    for model in MODELS:
        expected[model, "", "Pass Rate"] = pass_rate(records, model)
        expected[model, "", "Average Coverage"] = coverage(records, model)
    cells = cells_of(capsys, "atlas", run, "--table", "5")
    assert_cells(cells, expected)
    assert [place[0] for place in cells][::2] == ["claude", "bert", "ada"]
    by_floor = plain.macro(plain.of_model(records, "claude"), lambda record: float(record["outcome"] == "passed"))
    assert pass_rate(records, "claude")[0] != pytest.approx(by_floor)


def test_a_range_says_of_how_many_attempts_and_what_decides_the_others(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = plain.made(plain.of_model(raw_records(run), "claude"))
    decided = sum(plain.value(record, "coverage") is not None for record in own)
    low, high = (f"{end * 100:.2f}" for end in pass_rate(raw_records(run), "claude"))
    assert main(["paper", "atlas", str(run), "--table", "5"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert f"claude {low} – {high} ({decided} of {len(own)} decided)" in text
    assert "(coverage: the judge did not answer); mcpbench rescore RUN --judge=MODEL decides those" in text


def test_table_9_has_the_pass_rates_with_intervals_and_ranks(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells, records = cells_of(capsys, "atlas", run, "--table", "9"), raw_records(run)
    ends = {model: [number(cells, model, "", end) or 0.0 for end in ("low", "high")] for model in MODELS}
    for model in MODELS:
        least, greatest = pass_rate(records, model)
        assert known(cells, model, "", "Pass Rate") == pytest.approx((least, greatest))
        assert ends[model][0] < least <= greatest < ends[model][1]
        above = sum(ends[other][0] > ends[model][1] for other in MODELS)
        assert number(cells, model, "", "Rank (UB)") == 1 + above


def test_agents_without_a_model_are_not_the_best_one_and_change_no_number_over_models(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    controls = write_run(tmp_path / "controls", "atlas", TASKS, always_right, models=("oracle",))
    for table in ("1", "4", "6", "7", "9"):
        alone, beside = (cells_of(capsys, "atlas", *runs, "--table", table) for runs in ((run,), (run, controls)))
        assert {place: beside[place] for place in alone} == alone
    assert number(beside, "oracle", "", "Rank (UB)") is None


@pytest.mark.extra
def test_table_4_has_the_quartiles_over_models(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records, cells = raw_records(run), cells_of(capsys, "atlas", run, "--table", "4")
    for name, read in (("Pass Rate", pass_rate), ("Coverage", coverage)):
        for end, column in enumerate(("least", "greatest")):
            each = [ends_of(read(records, model))[end] for model in MODELS]
            first, _, third = quantiles(each, n=4, method="inclusive")
            found = [float(cells[name, "", heading][column]) for heading in ("Top", "25 %", "75 %")]
            assert found == pytest.approx([max(each), first, third])


@pytest.mark.parametrize("with_judge", [False, True], ids=["rules", "judge"])
def test_failure_tables_are_of_attempts_below_75_percent_and_need_a_judge_for_what_rules_cannot_see(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], with_judge: bool
) -> None:
    run = write_run(tmp_path / "run", "atlas", TASKS, judged if with_judge else attempt)
    own = {model: shares(raw_records(run), model) for model in MODELS}
    patterns, averages = (cells_of(capsys, "atlas", run, "--table", table) for table in ("8", "7"))
    for label, name in {**RULES, **JUDGED}.items():
        found = [number(patterns, name, "", model) for model in MODELS]
        category = CATEGORIES[label.partition(":")[0]]
        mean = number(averages, category, name, "", "Avg. share of failures")
        if label in JUDGED and not with_judge:
            assert (found, mean) == ([None] * 3, None)
        else:
            assert found == pytest.approx([own[model][label] for model in MODELS])
            assert mean == pytest.approx(fmean(own[model][label] for model in MODELS))
    assert all(number(patterns, name, "", "ada") is None for name in ONLY_PATTERNS.values())


def test_a_judge_that_is_asked_for_patterns_finds_those_that_no_mode_means(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = write_run(tmp_path / "run", "atlas", TASKS, judged_by_patterns)
    own, cells = shares(raw_records(run), "ada"), cells_of(capsys, "atlas", run, "--table", "8")
    assert {label: number(cells, name, "", "ada") for label, name in ONLY_PATTERNS.items()} == pytest.approx(
        {label: own[label] for label in ONLY_PATTERNS}
    )
    assert any(own[label] for label in ONLY_PATTERNS)


def test_table_6_has_the_range_of_each_category_over_the_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = write_run(tmp_path / "run", "atlas", TASKS, judged)
    cells = cells_of(capsys, "atlas", run, "--table", "6")
    own = {model: shares(raw_records(run), model) for model in MODELS}
    for category, name in CATEGORIES.items():
        sums = [
            sum(share for label, share in own[model].items() if label.partition(":")[0] == category) for model in MODELS
        ]
        assert [number(cells, name, "Model", model) for model in MODELS] == pytest.approx(sums)
        ends = [number(cells, name, "Range", end) for end in ("low", "high")]
        assert ends == pytest.approx([min(sums), max(sums)])


@pytest.mark.extra
def test_the_coverage_curve_has_the_share_at_each_threshold(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells, records = cells_of(capsys, "atlas", run, "--figure", "1"), raw_records(run)
    for threshold in (0.05, 0.5, 0.7, 0.75, 0.8, 1.0):
        for model in MODELS:
            share = share_that_reaches(threshold, records, model)
            assert known(cells, f"{threshold:.2f}", "", model) in (pytest.approx(share), pytest.approx(share[0]))


def test_tables_1_to_3_describe_the_tasks(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    glance = cells_of(capsys, "atlas", run, "--table", "1")
    found = {place[-1]: cell["value"] or cell["least"] for place, cell in glance.items()}
    assert (found["Tasks"], found["MCP Servers"], found["Tools"], found["Tool Calls/Task"]) == (
        "12.0",
        "2.0",
        "3.0",
        "2–2",
    )
    assert float(found["Top Pass Rate"]) == pytest.approx(pass_rate(raw_records(run), "claude")[0])
    servers = cells_of(capsys, "atlas", run, "--table", "2")
    assert servers["ENV-CODING", "", "Tasks"]["value"] == "8.0"
    assert servers["ENV-CODING", "", "Servers"]["value"] == "files, web"
    complexity = cells_of(capsys, "atlas", run, "--table", "3")
    assert complexity["Tasks that require several servers (%)", "", "Value"]["value"] == "1.0"
    assert complexity["Tools exposed per task", "", "Value"]["value"] == "3–3"
    assert complexity["Tasks with conditional logic (%)", "", "Value"]["value"] == ""


def test_table_2_has_the_servers_of_each_category_and_table_3_the_share_of_conditional_tasks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = [(name, {**tags, "conditional": "no" if index % 4 else "yes"}) for index, (name, tags) in enumerate(TASKS)]
    categories = {"ENV-CODING": ["files", "git"], "ENV-FINANCIAL": ["web"]}
    run = write_run(tmp_path / "run", "atlas", tasks, attempt, categories=categories)
    servers = cells_of(capsys, "atlas", run, "--table", "2")
    assert servers["ENV-CODING", "", "Servers"]["value"] == "files"
    assert servers["ENV-FINANCIAL", "", "Servers"]["value"] == "web"
    complexity = cells_of(capsys, "atlas", run, "--table", "3")
    assert number(complexity, "Tasks with conditional logic (%)", "", "Value") == 0.25
