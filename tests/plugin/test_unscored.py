"""Attempts without a verdict: the whole reason is told, and every table counts them alike."""

import json

import pytest

REASON = "mine: there is nothing to measure, for " + "reasons that take a while to tell, " * 5 + "alas"
METRIC = """
from pytest_mcpbench.core.score import Score

def pytest_mcpbench_metrics():
    return {{"mine": lambda task, run: Score.not_applicable({!r}) if task.id == "add-idea" else Score.of(1.0)}}
""".format(REASON.removeprefix("mine: "))
RUN = ("--model=oracle", "--mcpbench-floor=mine=0.5", "--mcpbench-json=run.json")


def test_the_reason_is_told_in_full(project: pytest.Pytester) -> None:
    project.makeconftest(METRIC)
    result = project.runpytest_inprocess(*RUN, "-ra")
    result.stdout.fnmatch_lines([f"UNSCORED notes.mcpbench.yaml::add-idea[[]oracle[]] - {REASON}"])
    short = project.runpytest_inprocess(*RUN)
    short.stdout.no_fnmatch_line("UNSCORED *")
    told = " ".join(" ".join(short.stdout.lines).split())
    assert f"Unscored: 1 × {REASON} records:" in told


def test_metrics_and_results_count_the_same(project: pytest.Pytester) -> None:
    project.makeconftest(METRIC)
    project.runpytest_inprocess(*RUN)
    (made,) = json.loads((project.path / "run.json").read_text(encoding="utf-8"))["summaries"]
    mine = made["metrics"]["mine"]
    assert (made["attempts"], made["passed"], made["unscored"]) == (2, 1, 1)
    assert (mine["n"], mine["unscored"], mine["not_applicable"]) == (1, 1, 0)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 0, None),
        (("--mcpbench-unscored=fail",), 1, "the run fails, because 1 attempt is unscored (--mcpbench-unscored=fail)"),
        (
            ("-k", "add-idea", "--mcpbench-unscored=pass"),
            1,
            "the run fails, because none of its attempts has a verdict",
        ),
        (("-k", "not add-idea", "--mcpbench-unscored=fail"), 0, None),
        pytest.param(
            ("-n1", "--mcpbench-unscored=fail"),
            1,
            "the run fails, because 1 attempt is unscored",
            marks=pytest.mark.extra,
        ),
    ],
    ids=["pass by default", "fail", "no verdict at all", "all decided", "workers"],
)
def test_attempts_without_a_verdict_and_the_exit_code(
    project: pytest.Pytester, arguments: tuple[str, ...], code: int, said: str | None
) -> None:
    project.makeconftest(METRIC)
    result = project.runpytest_inprocess(*RUN, *arguments)
    assert (result.ret, said is None or f"mcpbench: {said}" in result.stdout.str()) == (code, True)


def test_pytest_html_calls_them_unscored(project: pytest.Pytester) -> None:
    project.makeconftest(METRIC)
    project.runpytest_inprocess(*RUN, "--html=report.html", "--self-contained-html")
    page = (project.path / "report.html").read_text(encoding="utf-8")
    assert "1 Skipped or unscored" in page
    assert "&gt;Unscored&lt;td" in page


def test_a_task_that_every_attempt_passes_is_an_error(project: pytest.Pytester) -> None:
    (project.path / "notes.mcpbench.yaml").write_text(
        "server: python server.py\ntasks:\n  - ask: Do it.\n", encoding="utf-8"
    )
    result = project.runpytest_inprocess("--model=noop")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*notes.mcpbench.yaml:3: nothing is expected of an attempt*"])
    result.stdout.no_fnmatch_line("*<TaskItem*")
