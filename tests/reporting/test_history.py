"""History of runs: points of runs, the file that keeps them, and what is shown of them."""

import json
import re
from pathlib import Path

import pytest

from pytest_mcpbench.cli import main
from pytest_mcpbench.core.gate.result import GateResult
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.reporting.aggregates.pass_rate import RANGES
from pytest_mcpbench.reporting.data.history import (
    history_points,
    history_table,
    joined_runs,
    merge_points,
    parse_history,
)
from pytest_mcpbench.reporting.page.history_page import history_page
from tests.cli.test_command_line import run_of, write
from tests.reporting.samples import a_report, an_entry

USAGE = Usage(input_tokens=900, output_tokens=100, cached_tokens=0, cost_usd=0.01)
NEW_FIELDS = {"end", "suite_tasks", "selection"}
"""Fields of the second version."""
OUTCOMES = {"a": "passed", "b": "failed", "c": "passed"}


def records(outcomes: dict[str, str]) -> list[RunRecord]:
    return run_of(outcomes)


def test_a_point_has_rate_cost_tokens_and_the_size_of_descriptions() -> None:
    entries = [
        an_entry(task, outcome, usage=USAGE, offered={"s": {"tools": 2, "tokens": tokens}})
        for task, outcome, tokens in (("a", "passed", 300), ("b", "unscored", 410), ("c", "error", 300))
    ]
    (point,) = history_points(a_report(*entries, facts={"started_at": "2026-11-01T10:00:00"}), commit="abc")
    assert (point.rate.text, point.errors, point.commit) == ("50 – 100 % (1 of 2 decided)", 1, "abc")
    assert (point.cost_usd, point.tokens, point.definition_tokens) == (0.01, 1000, 410)


def test_of_a_comparison_the_candidate_counts_with_the_verdict_of_its_gate() -> None:
    arms = [an_entry("t", outcome, arm=arm) for arm, outcome in (("old", "passed"), ("new", "failed"))]
    gate = GateResult(
        node_id="gate", suite="s", model="m", baseline="old", candidate="new", verdict="REGRESSED", fails=True, tasks=1
    )
    (point,) = history_points(a_report(*arms, gates=(gate,)))
    assert (point.suite, point.rate.text, point.gate) == ("s", "0.0 %", "REGRESSED")


def test_runs_are_added_to_the_file_once_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kept" / "history.jsonl"
    for day, outcomes in (("02", {"a": "failed"}), ("01", OUTCOMES), ("01", OUTCOMES)):
        run = write(tmp_path / f"run-{day}-{len(outcomes)}", records(outcomes), started_at=f"2026-11-{day}T10:00:00")
        assert main(["history", str(run), "--file", str(file), "--commit", f"{day}abcdef"]) == 0
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [(line["commit"], line["tasks"], line["passed"]) for line in lines] == [
        ("01abcdef", 3, 2),
        ("02abcdef", 1, 0),
    ]
    capsys.readouterr()
    assert main(["history", "--file", str(file), "--format", "markdown"]) == 0
    assert capsys.readouterr().out.count("| s | m |") == 2


def test_a_damaged_file_is_an_error_that_names_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "history.jsonl"
    file.write_text('\n{"run": "x"}\n')
    assert main(["history", "--file", str(file)]) == 2
    assert "history.jsonl:2: not a point of a history" in capsys.readouterr().err


def test_the_page_has_curves_and_no_text_of_models_as_markup() -> None:
    reports = [
        a_report(
            *(an_entry(str(n), "passed" if n < day else "failed", model="<b>m", usage=USAGE) for n in range(4)),
            facts={"started_at": f"2026-11-0{day}T10:00:00"},
        )
        for day in (1, 2, 3)
    ]
    points = merge_points(point for report in reports for point in history_points(report))
    assert [point.rate.text for point in points] == ["25.0 %", "50.0 %", "75.0 %"]
    assert len(history_table(points).rows) == 3
    html = "".join(history_page(points))
    assert html.count("<svg") == 3
    assert "<b>m" not in html
    assert parse_history("", "nothing") == []


def test_runs_of_a_part_of_the_tasks_are_marked_and_not_joined_with_whole_ones() -> None:
    facts = {"contents": {"s": {"tasks": ["0", "1", "2", "3"]}}}
    ends = {3: {"cause": "interrupted", "reason": "SIGINT", "selected": 4}}
    reports = [
        a_report(
            *(an_entry(str(n), usage=USAGE) for n in range(tasks)),
            facts={**facts, "started_at": f"2026-11-0{day}T10:00:00", "end": ends.get(day)},
        )
        for day, tasks in ((1, 4), (2, 1), (3, 4), (4, 4))
    ]
    points = merge_points(point for report in reports for point in history_points(report))
    interrupted = "interrupted after the last attempt: 4 attempts ran (SIGINT)"
    assert [point.part for point in points] == ["", "1 of 4 tasks", interrupted, ""]
    assert [row[-1] for row in history_table(points).rows] == [point.part for point in points]
    html = "".join(history_page(points))
    (line, *_) = re.findall(r'<polyline points="([^"]*)" class="s1 stroke"', html)
    assert len(line.split()) == 2
    assert html.count('class="s1 hollow"') == 2 * html.count("<svg")
    assert f"run 2: 1 of 4 tasks; run 3: {interrupted}." in html


def test_the_page_says_ranges_and_has_no_curves_of_agents_without_a_model_beside_models() -> None:
    entries = [an_entry(task, outcome) for task, outcome in (("a", "passed"), ("b", "unscored"))]
    points = merge_points(history_points(a_report(*entries, an_entry("a", model="oracle"))))
    html = "".join(history_page(points))
    assert "<title>m, run 1: 50 – 100 % (1 of 2 decided)</title>" in html
    assert RANGES in html
    assert "<title>oracle" not in html
    assert [row[1] for row in history_table(points).rows] == ["m", "oracle (no model)"]


def test_runs_of_the_same_sample_are_joined() -> None:
    facts = {"contents": {"s": {"tasks": ["0", "1", "2", "3"]}}}
    points = [
        point
        for day in (1, 2)
        for point in history_points(
            a_report(*map(an_entry, "01"), facts={**facts, "started_at": f"2026-11-0{day}T10:00:00"})
        )
    ]
    assert joined_runs(points) == {point.run for point in points}


def test_a_file_of_the_first_version_is_read() -> None:
    (point,) = history_points(a_report(an_entry("t")))
    older = {name: value for name, value in json.loads(point.model_dump_json()).items() if name not in NEW_FIELDS}
    assert parse_history(json.dumps(older | {"version": 1}), "f")[0].part == ""
