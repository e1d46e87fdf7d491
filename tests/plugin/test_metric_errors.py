"""A metric of a user's that does not work is told in a sentence: its name, its place, what it should return."""

import pytest

METRICS = """
from pytest_mcpbench.core.score import Score

def half(task, run):
    return 0.5

def true(task, run):
    return True

class Deep:
    def __call__(self, task, run):
        return self.inner(run)

    def inner(self, run):
        return run.calls[3].result

def pytest_mcpbench_metrics():
    return {"half": half, "true": true, "deep": Deep()}
"""


@pytest.mark.parametrize(
    ("metric", "lines"),
    [
        pytest.param(
            "half", ["metric 'half' (conftest.py:3) returned 0.5, not a Score; return Score.of(0.5)"], id="a number"
        ),
        pytest.param(
            "true",
            ["metric 'true' (conftest.py:6) returned True, not a Score; return Score.verdict(True)"],
            id="a truth",
        ),
        pytest.param(
            "deep",
            [
                "metric 'deep' (conftest.py:10) raised IndexError: tuple index out of range",
                "  conftest.py:11: in __call__: return self.inner(run)",
                "  conftest.py:14: in inner: return run.calls[[]3].result",
            ],
            id="raises",
        ),
    ],
)
def test_the_error_is_the_authors_sentence(project: pytest.Pytester, metric: str, lines: list[str]) -> None:
    project.makeconftest(METRICS)
    result = project.runpytest_inprocess("--model=oracle", f"--mcpbench-metric={metric}", "-k", "add-idea")
    result.assert_outcomes(errors=1, deselected=1)
    result.stdout.fnmatch_lines([*lines, f"ERROR notes.mcpbench.yaml::add-idea[[]oracle[]] - metric '{metric}' (*"])
    assert "pytest_mcpbench/" not in result.stdout.str()
    assert "pydantic" not in result.stdout.str()
