"""Budgets of a run: what still begins, what is skipped, and what the reports say."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, ChatServer, chat_server, says
from pytest_mcpbench.plugin.execution.budget import BUDGET_USED_UP
from pytest_mcpbench.runs.records import read_records
from tests.plugin.conftest import usage_error

TASKS = 12
PRICES = '"priced" = {{url = "{url}", input_price = 1000, output_price = 0}}\n"unpriced" = "{url}"\n'
"""A reply, which reads 100 tokens, costs $0.1."""
WORKERS = [["-p", "no:xdist"], pytest.param(["-n2"], marks=pytest.mark.extra)]


@pytest.fixture
def provider(project: pytest.Pytester) -> Iterator[ChatServer]:
    def answer(_: object) -> Answer:
        return says("Done.")

    with chat_server(answer) as server:
        Path("pyproject.toml").write_text("[tool.mcpbench.models]\n" + PRICES.format(url=server.url), encoding="utf-8")
        tasks = "".join(f"  - {{id: t{number}, ask: Do nothing., never: [add_note]}}\n" for number in range(TASKS))
        Path("notes.mcpbench.yaml").write_text(
            'servers: {notes: {factory: "fixtures.notes_server:server"}}\ntasks:\n' + tasks, encoding="utf-8"
        )
        yield server


def fail_task(name: str) -> None:
    file = Path("notes.mcpbench.yaml")
    right = f"id: {name}, ask: Do nothing., never: [add_note]"
    file.write_text(
        file.read_text("utf-8").replace(right, right.replace("never: [add_note]", "tool: add_note")), encoding="utf-8"
    )


def run(project: pytest.Pytester, *arguments: str) -> tuple[pytest.RunResult, dict[str, Any]]:
    result = project.runpytest_inprocess(
        "--model=priced", "--mcpbench-json=report.json", "-rs", *arguments, no_reraise_ctrlc=True
    )
    return result, json.loads(Path("report.json").read_text(encoding="utf-8"))


def recorded() -> int:
    """The number of attempts that the records of the only run have."""
    (directory,) = Path(".mcpbench/runs").iterdir()
    return len(list(read_records(directory)))


@pytest.mark.parametrize("workers", WORKERS, ids=["one process", "two workers"])
def test_no_attempt_begins_after_the_budget_is_spent(
    project: pytest.Pytester, provider: ChatServer, workers: list[str]
) -> None:
    result, report = run(project, "--mcpbench-max-cost=0.3", "--mcpbench-concurrency=2", *workers)
    ran, in_flight = len(provider.requests), 3 * (2 if "-n2" in workers else 1)
    assert result.ret == BUDGET_USED_UP
    assert 3 <= ran <= 3 + in_flight
    assert result.parseoutcomes() == {"passed": ran, "skipped": TASKS - ran}
    assert len(report["entries"]) == ran
    assert (report["end"]["cause"], report["end"]["ran"], report["end"]["selected"]) == ("budget", ran, TASKS)
    assert "--mcpbench-max-cost=0.3: $0." in report["end"]["reason"]
    result.stdout.fnmatch_lines(
        [f"budget used up: {ran} of {TASKS} attempts ran (--mcpbench-max-cost=0.3: $*is spent)"]
    )
    result.stdout.fnmatch_lines(["SKIPPED * notes.mcpbench.yaml*: budget: --mcpbench-max-cost=0.3: $* is spent"])


def test_a_budget_that_is_reached_exactly_is_used_up(project: pytest.Pytester, provider: ChatServer) -> None:
    result, _ = run(project, "--mcpbench-max-cost=0.3", "--mcpbench-concurrency=1", "--mcpbench-markdown=report.md")
    assert (result.ret, len(provider.requests)) == (BUDGET_USED_UP, 3)
    assert "budget used up: 3 of 12 attempts ran" in Path("report.md").read_text(encoding="utf-8")


def test_a_budget_that_all_tasks_keep_to_changes_nothing(project: pytest.Pytester, provider: ChatServer) -> None:
    result, report = run(project, "--mcpbench-max-cost=1.2", "--mcpbench-max-seconds=600")
    assert (result.ret, len(provider.requests), report["end"]) == (pytest.ExitCode.OK, TASKS, None)


def test_a_failed_task_decides_the_exit_code(project: pytest.Pytester, provider: ChatServer) -> None:
    fail_task("t1")
    result, report = run(project, "--mcpbench-max-cost=0.3", "--mcpbench-concurrency=1")
    assert (result.ret, report["end"]["cause"]) == (pytest.ExitCode.TESTS_FAILED, "budget")


def test_no_attempt_begins_after_the_seconds(project: pytest.Pytester, provider: ChatServer) -> None:
    result, report = run(project, "--mcpbench-max-seconds=0.000001", "--mcpbench-concurrency=1")
    assert (result.ret, len(provider.requests)) == (BUDGET_USED_UP, 1)
    assert report["end"]["reason"].startswith("--mcpbench-max-seconds=1e-06: the first attempt began ")


@pytest.mark.extra
def test_reused_attempts_cost_nothing(project: pytest.Pytester, provider: ChatServer) -> None:
    run(project, "--mcpbench-max-cost=0.3", "--mcpbench-concurrency=1", "--mcpbench-out=first")
    result, report = run(
        project,
        "--mcpbench-max-cost=0.5",
        "--mcpbench-concurrency=1",
        "--mcpbench-out=first",
        "--mcpbench-resume=first",
    )
    assert (result.ret, len(provider.requests), report["end"]["ran"]) == (BUDGET_USED_UP, 3 + 5, 8)
    spent = {key: round(value, 6) for key, value in report["spending"].items()}
    assert spent == {"attempts": 5, "cost_usd": 0.5, "taken_over": 3, "whole_cost_usd": 0.8}
    result.stdout.fnmatch_lines(["cost of this run: $0.5000 (5 attempts); of all 8: $0.8000 (3 were taken over)"])
    result, report = run(project, "--mcpbench-out=first", "--mcpbench-resume=first")
    assert (result.ret, report["end"], "end" in report["facts"]) == (pytest.ExitCode.OK, None, False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model=unpriced"], "--mcpbench-max-cost: the price of unpriced is unknown; give it an alias"),
        (["--mcpbench-judge=unpriced"], "--mcpbench-max-cost: the price of unpriced is unknown; give it an alias"),
        (["--mcpbench-max-cost=0"], "--mcpbench-max-cost must be more than 0, not 0"),
        (["--mcpbench-max-seconds=-1"], "--mcpbench-max-seconds must be more than 0, not -1"),
        (["-d", "--tx=ssh=elsewhere"], "--mcpbench-max-cost and --mcpbench-max-seconds need workers on this machine"),
    ],
    ids=["model", "judge", "no cost", "no time", "remote workers"],
)
def test_a_budget_that_cannot_be_kept_is_a_usage_error(
    project: pytest.Pytester, provider: ChatServer, arguments: list[str], message: str
) -> None:
    assert usage_error(project, "--mcpbench-max-cost=1", *arguments).startswith(message)
    assert not provider.requests


def test_agents_without_a_model_are_free(project: pytest.Pytester, provider: ChatServer) -> None:
    result = project.runpytest_inprocess("--model=oracle", "--mcpbench-max-cost=0.001")
    result.assert_outcomes(passed=TASKS)


AGENT = """
from pytest_mcpbench import PythonAgent, ProgramReport, Usage

async def answer(turn):
    {body}

def pytest_mcpbench_make_agent(model):
    return PythonAgent("mine", answer) if model == "mine" else None
"""


def test_an_agent_that_raises_is_an_error_of_its_attempts_and_ends_no_run(
    project: pytest.Pytester, provider: ChatServer
) -> None:
    project.makeconftest(AGENT.format(body="raise ValueError('lost')"))
    result, report = run(project, "--model=mine", "--mcpbench-max-cost=1", "--mcpbench-concurrency=1", "-k[mine]")
    assert (report["end"], {entry["outcome"] for entry in report["entries"]}) == (None, {"error"})
    result.assert_outcomes(errors=TASKS)


def test_an_agent_that_reports_no_cost_ends_the_run_by_its_name(project: pytest.Pytester, provider: ChatServer) -> None:
    project.makeconftest(AGENT.format(body="return 'Done.'"))
    _, report = run(project, "--model=mine", "--mcpbench-max-cost=1", "--mcpbench-concurrency=1", "-k[mine]")
    assert report["end"]["cause"] == "budget"
    assert "because the agent mine reports no cost of its attempt at t" in report["end"]["reason"]


def test_a_run_that_is_interrupted_before_its_first_attempt_ended_records_nothing_and_says_so(
    project: pytest.Pytester, provider: ChatServer
) -> None:
    project.makeconftest("def pytest_runtest_logstart(nodeid):\n    raise KeyboardInterrupt\n")
    result = project.runpytest_inprocess(
        *("--model=oracle", "--mcpbench-markdown=report.md", "--mcpbench-page=page.html"), no_reraise_ctrlc=True
    )
    result.stdout.fnmatch_lines(
        [f"mcpbench: interrupted: 0 of {TASKS} attempts ran (Ctrl-C); no attempt had ended, so that nothing *"]
    )
    assert not Path("page.html").exists()
    assert "interrupted" in Path("report.md").read_text("utf-8")


@pytest.mark.parametrize(
    "workers", [pytest.param((), id="one process"), pytest.param(("-n2",), id="two workers", marks=pytest.mark.extra)]
)
def test_a_run_that_is_interrupted_says_how_much_of_it_ran(
    project: pytest.Pytester, provider: ChatServer, workers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Set where these tests run in workers themselves.
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    project.makeconftest(
        "import os\n"
        "def pytest_runtest_logreport(report):\n"
        "    is_worker = 'PYTEST_XDIST_WORKER' in os.environ\n"
        "    if 't2[' in report.nodeid and report.when == 'teardown' and not is_worker:\n"
        "        raise KeyboardInterrupt('SIGTERM')\n"
    )
    result, report = run(project, "--mcpbench-page=page.html", *workers)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    # Attempts that had ended ahead of the interrupted item are recorded and count too.
    ran = recorded()
    end = {"cause": "interrupted", "reason": "SIGTERM", "ran": ran, "fresh_trials": 0, "selected": TASKS}
    # A controller may not have heard from a worker how many tests there are.
    assert report["end"].pop("tests_left") in ((None, TASKS - ran) if workers else (TASKS - ran,))
    assert report["end"] == end
    told = f"interrupted: {ran} of {TASKS}" if ran < TASKS else f"interrupted after the last attempt: {ran}"
    result.stdout.fnmatch_lines([f"{told} attempts ran (SIGTERM)"])
    assert f"The run is not complete: {told} attempts" in Path("page.html").read_text("utf-8")


def test_a_run_that_stops_at_a_failure_says_how_much_of_it_ran(project: pytest.Pytester, provider: ChatServer) -> None:
    fail_task("t1")
    result, report = run(project, "-x", "--mcpbench-max-cost=0.3")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    reason = "stopping after 1 failures"
    end = {"cause": "stopped", "reason": reason, "ran": recorded(), "fresh_trials": 0, "selected": TASKS}
    assert report["end"] == {**end, "tests_left": TASKS - recorded()}
