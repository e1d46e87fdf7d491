"""Workers of xdist ask their models in one process of the run."""

import json
from pathlib import Path

import pytest

from fixtures.chat_server import chat_server, says

_CONFTEST = """
import json, os, sys
from pathlib import Path

def pytest_sessionfinish(session):
    worker = getattr(session.config, "workerinput", {}).get("workerid")
    if worker is not None:
        address = session.config.workerinput["mcpbench"]["provider_address"]
        Path(f"worker-{worker}.json").write_text(json.dumps([address, "litellm" in sys.modules]))
"""


@pytest.fixture
def said_by_workers(project: pytest.Pytester) -> pytest.Pytester:
    """Each worker writes down where it asks, and whether it has imported litellm."""
    project.makeconftest(_CONFTEST)
    return project


def _workers(project: pytest.Pytester) -> list[tuple[str, bool]]:
    return [tuple(json.loads(path.read_text())) for path in sorted(project.path.glob("worker-*.json"))]


@pytest.mark.long
def test_both_workers_ask_through_one_process_that_ends_with_the_run(said_by_workers: pytest.Pytester) -> None:
    with chat_server(lambda _: says("Milk.")) as server:
        result = said_by_workers.runpytest_inprocess(f"--model={server.url}", "-n2", "--trials=4")
    result.assert_outcomes(failed=8)
    assert len(server.requests) == 8
    (first, _), (second, _) = _workers(said_by_workers)
    assert first == second
    assert not Path(first).exists()


@pytest.mark.long
def test_no_worker_imports_litellm(said_by_workers: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTED_VLLM_API_KEY", "nothing")
    with chat_server(lambda _: says("Milk.")) as server:
        monkeypatch.setenv("HOSTED_VLLM_API_BASE", server.url)
        result = said_by_workers.runpytest_inprocess("--model=hosted_vllm/small", "-n1")
    result.assert_outcomes(failed=2)
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer nothing"] * 2
    assert [has_litellm for _, has_litellm in _workers(said_by_workers)] == [False]


@pytest.mark.extra
def test_a_run_without_workers_starts_no_process(said_by_workers: pytest.Pytester) -> None:
    said_by_workers.makeconftest("""
        import threading

        def pytest_sessionfinish():
            assert "mcpbench provider" not in [thread.name for thread in threading.enumerate()]
    """)
    with chat_server(lambda _: says("Milk.")) as server:
        result = said_by_workers.runpytest_inprocess(f"--model={server.url}", "-p", "no:xdist")
    result.assert_outcomes(failed=2)
