"""Workers of xdist hand their attempts on to one process, and do not import what makes them."""

import json
import os
from collections.abc import Iterator

import pytest

from fixtures.chat_server import chat_server, says
from pytest_mcpbench.options import parallelism
from pytest_mcpbench.runs.records import read_records

pytestmark = pytest.mark.extra

_CONFTEST = """
import json, os, sys
from pathlib import Path

_HEAVY = ("mcp", "litellm", "httpx2", "numpy", "sympy")

def pytest_sessionfinish(session):
    worker = getattr(session.config, "workerinput", {}).get("workerid")
    if worker is not None:
        Path(f"worker-{worker}.json").write_text(json.dumps([name for name in _HEAVY if name in sys.modules]))
"""
_SESSION_FIXTURE = """
import pytest

@pytest.fixture(scope="session", autouse=True)
def database():
    yield
"""


@pytest.fixture
def url() -> Iterator[str]:
    with chat_server(lambda _: says("Milk.")) as server:
        yield server.url


def _imported(project: pytest.Pytester) -> list[list[str]]:
    return [json.loads(path.read_text()) for path in project.path.glob("worker-*.json")]


@pytest.mark.long
def test_no_worker_imports_mcp(project: pytest.Pytester, url: str) -> None:
    project.makeconftest(_CONFTEST)
    result = project.runpytest_inprocess(
        f"--model={url}", "-n2", "--trials=4", "--mcpbench-engine=shared", "--mcpbench-out=out"
    )
    result.assert_outcomes(failed=8)
    assert _imported(project) == [[]] * 2
    records = [record for _, record in read_records(project.path / "out")]
    assert sorted((record.task_id, record.trial) for record in records) == [
        (task, trial) for task in ("add-idea", "read-shopping") for trial in range(1, 5)
    ]
    assert {record.evidence.trajectory.answer for record in records if record.evidence} == {"Milk."}


def test_with_a_fixture_of_the_project_each_worker_makes_its_own(project: pytest.Pytester) -> None:
    project.makeconftest(_CONFTEST + _SESSION_FIXTURE)
    result = project.runpytest_inprocess("--model=oracle", "-n2", "--mcpbench-engine=shared")
    result.assert_outcomes(passed=2)
    assert all("mcp" in names for names in _imported(project))
    result.stdout.fnmatch_lines("mcpbench: 2 attempts ran in the workers themselves: the fixture 'database' *")


@pytest.mark.long
def test_a_first_failure_ends_the_run(project: pytest.Pytester, url: str) -> None:
    result = project.runpytest_inprocess(f"--model={url}", "-n2", "-x", "--trials=20", "--mcpbench-engine=shared")
    assert result.ret == pytest.ExitCode.INTERRUPTED or result.parseoutcomes()["failed"] < 40


@pytest.mark.long
def test_without_workers_nothing_is_handed_on(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("--model=oracle", "--mcpbench-engine=shared").assert_outcomes(passed=2)


@pytest.mark.parametrize(("cores", "workers", "crowded"), [(2, 2, False), (2, 3, True), (16, 32, False)])
def test_few_processors_with_more_workers_are_crowded(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, cores: int, workers: int, *, crowded: bool
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    config = pytester.parseconfig()
    monkeypatch.setattr(config.option, "tx", ["popen"] * workers, raising=False)
    assert parallelism.is_crowded(config) is crowded
