"""The results of allure-pytest contain attempts, scores and labels."""

import csv
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

RESULTS = "allure-results"


@pytest.fixture(autouse=True)
def with_other_plugins(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Load Allure, which other tests leave out."""
    monkeypatch.delenv("PYTEST_ADDOPTS")


def results(project: pytest.Pytester) -> dict[str, dict[str, Any]]:
    """Return the results of Allure by the name of the test case."""
    texts = (path.read_text(encoding="utf-8") for path in Path(project.path / RESULTS).glob("*-result.json"))
    return {result["name"]: result for result in map(json.loads, texts)}


def attachments(project: pytest.Pytester, result: dict[str, Any]) -> dict[str, str]:
    """Return the texts of a result's attachments by their names."""
    return {
        each["name"]: (project.path / RESULTS / each["source"]).read_text(encoding="utf-8")
        for each in result["attachments"]
    }


@pytest.mark.parametrize("workers", [(), pytest.param(("-n", "1"), marks=pytest.mark.extra)], ids=["one", "worker"])
def test_allure_shows_the_attempt_with_scores_calls_and_labels(
    project: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    project.runpytest_inprocess(f"--alluredir={RESULTS}", "--model=oracle", "--model=noop", *workers)
    found = results(project)
    right, wrong = found["read-shopping[oracle]"], found["read-shopping[noop]"]
    assert (right["status"], wrong["status"]) == ("passed", "failed")
    assert right["description"] == 'What does the note "Shopping" say?'
    assert wrong["titlePath"] == ["notes", "noop"]
    assert wrong["statusDetails"]["message"].startswith("ast 0 < 1: ")
    labels = {(label["name"], label["value"]) for label in wrong["labels"]}
    assert labels >= {
        ("parentSuite", "notes"),
        ("suite", "noop"),
        ("model", "noop"),
        ("outcome", "failed"),
        ("tag", "kind: reading"),
        ("failure.rules", "no_tool_called"),
    }
    texts = attachments(project, right)
    assert texts["attempt"].startswith("notes · read-shopping · oracle · trial 1\noutcome:  passed\n")
    assert "→ read_note (notes/read_note)" in texts["attempt"]
    assert "= read_note(title='Shopping')" in texts["expected and actual calls"]
    (score,) = (row for row in csv.DictReader(texts["scores"].splitlines()) if row["metric"] == "ast")
    assert (score["value"], score["status"]) == ("1.0", "scored")
    assert "- read_note(title='Shopping')" in attachments(project, wrong)["expected and actual calls"]


def containers(project: pytest.Pytester) -> list[str]:
    """Return the names of the fixtures that Allure shows beside test cases."""
    texts = (path.read_text(encoding="utf-8") for path in Path(project.path / RESULTS).glob("*-container.json"))
    return sorted(fixture["name"] for text in texts for fixture in json.loads(text).get("befores", ()))


def test_a_test_case_of_allure_begins_and_ends_with_its_attempt(project: pytest.Pytester) -> None:
    project.runpytest_inprocess(f"--alluredir={RESULTS}", "--model=oracle", "--mcpbench-out=out")
    found = results(project)
    (file,) = (project.path / "out").glob("records*.jsonl")
    records = list(map(json.loads, file.read_text(encoding="utf-8").splitlines()))
    assert len(records) == len(found) == 2
    for record in records:
        begin = datetime.fromisoformat(record["started_at"]).timestamp()
        case = found[f"{record['task_id']}[oracle]"]
        assert (case["start"], case["stop"]) == (round(begin * 1000), round((begin + record["seconds"]) * 1000))


def test_allure_shows_the_fixtures_of_users_and_not_those_of_the_plugin(project: pytest.Pytester) -> None:
    project.makeconftest("""
        import pytest

        @pytest.fixture(autouse=True)
        def of_the_user():
            yield

        @pytest.fixture
        def mcp_agent(mcp_agent):
            return mcp_agent
    """)
    project.runpytest_inprocess(f"--alluredir={RESULTS}", "--model=oracle", "-p", "no:syrupy")
    assert [result["status"] for result in results(project).values()] == ["passed", "passed"]
    assert containers(project) == ["mcp_agent", "mcp_agent", "of_the_user", "of_the_user"]


def test_an_attempt_that_ends_in_its_setup_is_attached(project: pytest.Pytester) -> None:
    project.makefile(
        ".mcpbench.yaml", notes="servers: {gone: {command: no-such-program}}\ntasks: [{id: t, ask: x, tool: y}]"
    )
    project.runpytest_inprocess(f"--alluredir={RESULTS}", "--model=oracle")
    (result,) = results(project).values()
    assert {"name": "outcome", "value": "error"} in result["labels"]
    assert "── error ──" in attachments(project, result)["attempt"]
