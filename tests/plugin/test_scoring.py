"""Two verdicts of each attempt from the same scores: by the paper's criterion, and with the suite's guards."""

import json

import pytest

TASKS = """
servers: {notes: {factory: "fixtures.notes_server:server"}}
floors: {mine: 1}
guards: {careful: 1}
tasks:
  - {id: wrong, ask: "Do it.", answer: Done}
  - {id: careless, ask: "Do it.", answer: Done}
  - {id: right, ask: "Do it.", answer: Done}
"""
METRICS = """
from pytest_mcpbench.core.score import Score

def pytest_mcpbench_metrics():
    return {
        "mine": lambda task, run: Score.verdict(task.id != "wrong"),
        "careful": lambda task, run: Score.verdict(task.id == "right"),
    }
"""


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        ((), {"right"}),
        (("--mcpbench-scoring=paper",), {"right", "careless"}),
        pytest.param(("--mcpbench-scoring=paper", "-n1"), {"right", "careless"}, marks=pytest.mark.extra),
    ],
    ids=["the suite decides", "by the paper", "workers"],
)
def test_both_verdicts_are_in_record_and_report_whichever_decides(
    project: pytest.Pytester, arguments: tuple[str, ...], passed: set[str]
) -> None:
    (project.path / "notes.mcpbench.yaml").write_text(TASKS, encoding="utf-8")
    project.makeconftest(METRICS)
    project.runpytest_inprocess("--model=oracle", "--mcpbench-json=run.json", "--mcpbench-out=out", *arguments)
    files = (project.path / "out").glob("records-*.jsonl")
    records = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    assert {record["task_id"] for record in records if record["outcome"] == "passed"} == passed
    assert {record["task_id"]: record["verdicts"] for record in records} == {
        "wrong": {"paper": "failed", "guarded": "failed"},
        "careless": {"paper": "passed", "guarded": "failed"},
        "right": {"paper": "passed", "guarded": "passed"},
    }
    modes = {record["task_id"]: record["failures"]["atlas_primary"] for record in records}
    assert modes == {"wrong": ["no_tool_use"], "careless": [], "right": []}, "a paper's failures are not a guard's"
    (made,) = json.loads((project.path / "run.json").read_text(encoding="utf-8"))["summaries"]
    rates = {scoring: round(rate["pass_rate"], 3) for scoring, rate in made["rates"].items()}
    assert rates == {"paper": 0.667, "guarded": 0.333}
