"""Tables of MCPToolBench++ against averages that are computed here from the raw records."""

import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.papers import arithmetic as plain
from tests.papers.cells import assert_cells, cells_of, number
from tests.papers.runs import MODELS, chance, raw_records, write_run

NAMES = {"browser": "Browser", "filesystem": "File System", "search": "Search", "map": "Map", "pay": "Pay"}
NAMES |= {"finance": "Finance", "cross": "cross"}
SIZES = {"browser": 4, "filesystem": 2, "search": 3, "map": 5, "pay": 1, "finance": 0, "cross": 2}
TASKS = [(f"{name}-{index}", {"category": name}) for name, size in SIZES.items() for index in range(size)]


def attempt(draw: random.Random, tags: Mapping[str, str]) -> dict[str, Any]:
    right, calls = chance(draw, tags), draw.randint(0, 4)
    good = draw.randint(0, calls)
    bad = [{"text": draw.choice(("Request timed out", "Session not found", "ENOENT: no such file"))}] * (calls - good)
    return {
        "outcome": draw.choice(("passed", "failed", "unscored")),
        "scores": {"ast": right, "tool_success": good / calls if calls else None},
        "counts": {"tool_success": {"part": float(good), "whole": float(calls)}},
        "run": {"tools": [tool("web", "fetch")], **steps_with([*([{"text": "found it"}] * good), *bad])},
    }


def tool(server: str, name: str) -> dict[str, Any]:
    return {"name": name, "server": server, "tool": name, "input_schema": {"properties": {"url": {}}}}


def steps_with(results: list[dict[str, Any]]) -> dict[str, Any]:
    calls = [
        {
            "id": str(index),
            "name": "fetch",
            "tool": "fetch",
            "server": "web",
            "arguments": {},
            "result": {"content": [{"type": "text", **result}], "is_error": result["text"] != "found it"},
        }
        for index, result in enumerate(results)
    ]
    return {"trajectory": {"steps": [{"calls": calls}, {"text": "done"}]}}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", "toolbench", TASKS, attempt)


def trial(record: dict[str, Any]) -> float:
    """The paper's trial: the calls are those of the reference, and every one that was made succeeded."""
    success = plain.value(record, "tool_success")
    return float(plain.value(record, "ast") == 1 and success in (1, None))


def test_table_2_has_ast_and_pass_at_1_of_each_category(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = raw_records(run)
    expected: dict[tuple[str, ...], plain.Expected] = {}
    for model in MODELS:
        for tag, name in NAMES.items():
            own = plain.made(plain.of_model(records, model), category=tag)
            expected[model, name, "AST"] = plain.macro_of(own, "ast")
            expected[model, name, "Pass@1"] = plain.macro(own, trial)
    assert_cells(cells_of(capsys, "toolbench", run, "--table", "2"), expected)
    assert expected["ada", "Finance", "AST"] is None


def test_pass_at_1_is_the_judges_where_the_run_has_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def judged(draw: random.Random, tags: Mapping[str, str]) -> dict[str, Any]:
        made = attempt(draw, tags)
        return {**made, "scores": {**made["scores"], "response": draw.choice((0.5, 1.0))}}

    run = write_run(tmp_path / "run", "toolbench", TASKS, judged)
    cells = cells_of(capsys, "toolbench", run, "--table", "2")
    own = plain.made(plain.of_model(raw_records(run), "ada"), category="map")
    by_judge = plain.macro(
        own, lambda record: float(plain.value(record, "ast") == plain.value(record, "response") == 1)
    )
    assert number(cells, "ada", "Map", "Pass@1") == pytest.approx(by_judge)
    assert by_judge != pytest.approx(plain.macro(own, trial))


def test_the_sample_tells_a_mean_over_attempts_and_one_with_errors_as_0_from_the_mean_over_tasks(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = cells_of(capsys, "toolbench", run, "--table", "2")
    own = [
        record for record in raw_records(run) if record["tags"]["category"] == "browser" and record["model"] == "ada"
    ]
    right = number(cells, "ada", "Browser", "AST")
    assert right != pytest.approx(plain.flat_mean(plain.made(own), "ast"))
    assert right != pytest.approx(plain.macro(own, lambda record: plain.value(record, "ast") or 0.0))


def test_each_cell_has_its_attempts_tasks_and_errors(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cell = cells_of(capsys, "toolbench", run, "--table", "2")["bert", "Map", "AST"]
    every = [record for record in raw_records(run) if record["tags"]["category"] == "map" and record["model"] == "bert"]
    scored = plain.made(every)
    assert (int(cell["n"]), int(cell["tasks"])) == (len(scored), len({record["task_id"] for record in scored}))
    assert int(cell["errors"]) == len(every) - len(scored)
    assert float(cell["low"]) <= float(cell["value"]) <= float(cell["high"])


@pytest.mark.extra
def test_figures_have_the_values_of_the_table_and_success_is_pooled_over_calls(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = cells_of(capsys, "toolbench", run, "--table", "2")
    for figure, column in (("3", "AST"), ("4", "Pass@1")):
        turned = {(name, "", model): number(table, model, name, column) for model in MODELS for name in NAMES.values()}
        assert_cells(cells_of(capsys, "toolbench", run, "--figure", figure), turned)
    expected: dict[tuple[str, ...], plain.Expected] = {}
    for model in MODELS:
        for tag, name in NAMES.items():
            own = plain.made(plain.of_model(raw_records(run), model), category=tag)
            good, calls = plain.pooled(own, "tool_success", "part", "whole")
            expected[name, "", model] = good / calls if calls else None
    assert_cells(cells_of(capsys, "toolbench", run, "--figure", "5"), expected)


def test_figure_6_and_table_4_count_failed_calls_by_cause(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    causes = {"Request timed out": "timeout", "Session not found": "session_error"}
    found: Counter[tuple[str, ...]] = Counter()
    for record in plain.made(raw_records(run)):
        for call in record["run"]["trajectory"]["steps"][0]["calls"]:
            text = call["result"]["content"][0]["text"]
            if text != "found it":
                cause = causes.get(text, "resource_not_found")
                found[NAMES[record["tags"]["category"]], cause, "", record["model"]] += 1
    cells = cells_of(capsys, "toolbench", run, "--figure", "6")
    assert {place: number(cells, *place) for place in cells if number(cells, *place)} == found
    table = cells_of(capsys, "toolbench", run, "--table", "4")
    map_calls = sum(count for (name, cause, _, _), count in found.items() if (name, cause) == ("Map", "timeout"))
    assert number(table, "Map", "timeout", "", "Calls") == map_calls
    assert table["Map", "timeout", "", "Most frequent log"]["value"] == "Request timed out"


@pytest.mark.extra
def test_table_1_counts_tasks_and_table_3_lists_tools(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = cells_of(capsys, "toolbench", run, "--table", "1")
    sizes = {NAMES[tag]: size for tag, size in SIZES.items() if size}
    assert {name: number(table, name, "", "Number Instance") for name in sizes} == sizes
    assert number(table, "Total", "", "Number Instance") == sum(sizes.values())
    assert number(table, "Total", "", "MCP Tool Count") == 1
    assert cells_of(capsys, "toolbench", run, "--table", "3")["Map", "web", "", "Tools"]["value"] == "fetch"


def test_tables_1_and_3_have_the_tools_of_the_categorys_servers_with_tokens_as_the_paper_counts_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    search = {"name": "搜索", "server": "maps", "tool": "搜索", "input_schema": {}}

    def everything(draw: random.Random, tags: Mapping[str, str]) -> dict[str, Any]:
        made = attempt(draw, tags)
        return {**made, "run": {**made["run"], "tools": [tool("web", "fetch"), search]}}

    categories = {"browser": ["web"], "map": ["maps"]}
    run = write_run(tmp_path / "run", "toolbench", TASKS, everything, categories=categories)
    table = cells_of(capsys, "toolbench", run, "--table", "1")
    counts = {name: number(table, name, "", "MCP Tool Count") for name in ("Browser", "Map", "cross", "Total")}
    assert counts == {"Browser": 1, "Map": 1, "cross": 2, "Total": 2}
    # By tiktoken's own copy of the vocabulary: {"type": "function", "function": {"name": "\u641c\u7d22", …}}.
    assert number(table, "Map", "", "Tokens Per Tool") == 30
    listed = cells_of(capsys, "toolbench", run, "--table", "3")
    assert {place[:2]: cell["value"] for place, cell in listed.items() if place[0] in ("Browser", "Map")} == {
        ("Browser", "web"): "fetch",
        ("Map", "maps"): "搜索",
    }


def test_pass_at_1_has_no_value_where_servers_replay_a_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    why = "the servers replay a recording, which does not show whether a call would succeed"

    def replayed(draw: random.Random, tags: Mapping[str, str]) -> dict[str, Any]:
        made = attempt(draw, tags)
        return {**made, "scores": {**made["scores"], "tool_success": why}}

    run = write_run(tmp_path / "replayed", "toolbench", TASKS, replayed)
    cells = cells_of(capsys, "toolbench", run, "--table", "2")
    assert cells["ada", "Map", "Pass@1"]["value"] == ""
    assert "replay a recording" in cells["ada", "Map", "Pass@1"]["reason"]
    assert cells["ada", "Map", "AST"]["value"] != ""
