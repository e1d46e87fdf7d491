"""Tasks that are marked xfail: pytest says what it says of any test, records and tables what the attempt came to."""

from typing import Any

import pytest

from pytest_mcpbench.runs.records import read_report

MARKED = """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.xfail(reason="known", strict={strict}))
"""
SERVERLESS = """
import pytest

@pytest.fixture
def mcp_servers():
    from pytest_mcpbench.core.server import ServerRef
    return {"notes": ServerRef(name="notes", transport="in_process", factory="nowhere:server")}
"""


@pytest.mark.parametrize(
    ("model", "strict", "more", "pytest_says", "outcome"),
    [
        pytest.param("noop", True, "", {"xfailed": 2}, "failed", id="fails"),
        pytest.param("oracle", True, "", {"failed": 2}, "passed", id="passes where it must not"),
        pytest.param("oracle", False, "", {"xpassed": 2}, "passed", id="passes"),
        pytest.param("oracle", True, SERVERLESS, {"xfailed": 2}, "error", id="cannot be made"),
    ],
)
def test_an_expected_failure_is_recorded_as_what_it_is(
    project: pytest.Pytester, model: str, strict: bool, more: str, pytest_says: dict[str, Any], outcome: str
) -> None:
    project.makeconftest(MARKED.format(strict=strict) + more)
    result = project.runpytest_inprocess(f"--model={model}", "--mcpbench-out=run", "-rA")
    result.assert_outcomes(**pytest_says)
    entries = read_report(project.path / "run").entries
    assert [(entry.outcome, entry.is_xfail) for entry in entries] == [(outcome, True)] * 2
    if outcome != "error":
        result.stdout.fnmatch_lines([f"(of the {outcome} attempts 2 were marked xfail)"])


def test_the_comment_names_a_task_that_passes_where_it_must_not(project: pytest.Pytester) -> None:
    project.makeconftest(MARKED.format(strict=True))
    project.runpytest_inprocess("--model=oracle", "--mcpbench-out=run", "--mcpbench-markdown=r.md")
    comment = (project.path / "r.md").read_text(encoding="utf-8")
    assert "✗ **The run failed** (exit code 1).\n* **test:** notes.mcpbench.yaml::" in comment
    assert "XPASS(strict)" in comment
