"""Attempts on a Ray cluster of two nodes, one of which may be killed; pytest reports the same as without Ray."""

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import chat_server, says
from pytest_mcpbench.plugin.execution.budget import BUDGET_USED_UP
from pytest_mcpbench.runs.records import read_records

pytestmark = [
    pytest.mark.extra,
    pytest.mark.xdist_group("ray"),  # one cluster for all of them
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs Ray: pip install 'pytest-mcpbench[ray]'"),
]

REPOSITORY = Path(__file__).parents[3]
STORE_BYTES = 80 * 2**20
TASKS = 6
_PATIENCE_SECONDS = 120
"""On a busy machine Ray takes up to a minute to start its workers."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Return a cluster with a head node of one processor; tests add and remove other nodes."""
    from ray.cluster_utils import Cluster

    # Ray leaves a handler of its own in this process.
    handler = signal.getsignal(signal.SIGTERM)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(REPOSITORY))
        patch.setenv("RAY_DISABLE_IMPORT_WARNING", "1")
        head = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": STORE_BYTES}
        cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        yield cluster
        cluster.shutdown()
    signal.signal(signal.SIGTERM, handler)


@pytest.fixture
def second_node(cluster: Any) -> Any:
    """Return the other node, also with one processor; it is started again if a test has killed it."""
    if not cluster.worker_nodes:
        cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
    return next(iter(cluster.worker_nodes))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a directory with tasks on the notes server, and with tasks that wait for the file ``go``."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = default\n")
    notes = [
        {"id": f"add-{number}", "ask": "Write it down.", "tool": "add_note", "arguments": {"title": f"Idea {number}"}}
        for number in range(TASKS)
    ]
    waiting = [
        {"id": f"wait-{number}", "ask": "Wait.", "tool": "wait", "arguments": {"name": str(number)}}
        for number in range(TASKS)
    ]
    _write(tmp_path / "notes.mcpbench.yaml", {"factory": "fixtures.notes_server:server"}, notes)
    settings = {"factory": "fixtures.waiting_server:server", "settings": {"directory": str(tmp_path)}}
    _write(tmp_path / "waiting.mcpbench.yaml", settings, waiting)
    return tmp_path


@pytest.mark.long
def test_attempts_are_spread_and_reported_in_order(cluster: Any, second_node: Any, project: Path) -> None:
    with _pytest(project, cluster, "notes.mcpbench.yaml", "--model=oracle", "--model=noop", "-v") as run:
        output, _ = run.communicate(timeout=_PATIENCE_SECONDS)
    assert run.returncode == pytest.ExitCode.TESTS_FAILED
    # A message of Ray's may stand between an item and its outcome.
    reported = re.findall(r"^notes\.mcpbench\.yaml::(\S+) .*?\b(?:PASSED|FAILED)\b", output, re.MULTILINE | re.DOTALL)
    assert reported == [f"add-{number}[{model}]" for number in range(TASKS) for model in ("oracle", "noop")]
    records = [record for _, record in read_records(project / "out")]
    assert sorted({record.outcome for record in records if record.model == "oracle"}) == ["passed"]
    assert len({record.evidence.notes.made_on for record in records if record.evidence}) == 2
    assert "attempts per node: " in output


@pytest.mark.long
def test_ctrl_c_ends_what_is_in_flight_on_the_nodes(cluster: Any, second_node: Any, project: Path) -> None:
    with _pytest(project, cluster, "waiting.mcpbench.yaml", "--model=oracle", "--mcpbench-concurrency=3") as run:
        _until(lambda: len(_waiting(project)) == TASKS)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=_PATIENCE_SECONDS)
        assert run.returncode == pytest.ExitCode.INTERRUPTED


@pytest.mark.long
def test_what_a_killed_node_was_making_is_made_by_another_and_recorded_once(
    cluster: Any, second_node: Any, project: Path
) -> None:
    with _pytest(project, cluster, "waiting.mcpbench.yaml", "--model=oracle", "--mcpbench-concurrency=6") as run:
        _until(lambda: len(_waiting(project)) == TASKS)
        cluster.remove_node(second_node, allow_graceful=False)
        for path in _waiting(project):
            path.unlink()
        _until(lambda: len(_waiting(project)) == TASKS // 2)
        (project / "go").touch()
        output, _ = run.communicate(timeout=_PATIENCE_SECONDS)
    assert run.returncode == pytest.ExitCode.OK, output
    records = [record for _, record in read_records(project / "out")]
    assert sorted(record.task_id for record in records) == [f"wait-{number}" for number in range(TASKS)]
    assert "attempts restarted because their process was lost: 3" in output, output


def test_a_budget_is_exceeded_by_no_more_than_what_is_in_flight(cluster: Any, second_node: Any, project: Path) -> None:
    tasks = [{"id": f"say-{number}", "ask": "Say yes.", "answer": "yes"} for number in range(30)]
    (project / "say.mcpbench.yaml").write_text(json.dumps({"tasks": tasks}))
    with chat_server(lambda _: says("<answer>yes</answer>")) as provider:
        # A reply, which reads 100 tokens, costs $0.1.
        price = f'priced = {{url = "{provider.url}", input_price = 1000, output_price = 0}}\n'
        (project / "pyproject.toml").write_text(f"[tool.mcpbench.models]\n{price}")
        budget = ("--model=priced", "--mcpbench-max-cost=0.5", "--mcpbench-concurrency=2")
        with _pytest(project, cluster, "say.mcpbench.yaml", *budget) as run:
            output, _ = run.communicate(timeout=_PATIENCE_SECONDS)
        ran = len(provider.requests)
    assert run.returncode == BUDGET_USED_UP, output
    in_flight = 2 * 2 + 1  # two on each node, and that of the item
    assert 5 <= ran <= 5 + in_flight
    assert f"budget used up: {ran} of 30 attempts ran (--mcpbench-max-cost=0.5: $" in output
    assert len(list(read_records(project / "out"))) == ran


def test_a_cluster_that_does_not_answer_is_a_usage_error(project: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "--mcpbench-engine=ray://127.0.0.1:1", "notes.mcpbench.yaml"],
        cwd=project,
        env=_environment(),
        capture_output=True,
        text=True,
        timeout=_PATIENCE_SECONDS,
    )
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert "no Ray cluster answers at 127.0.0.1:1" in run.stdout + run.stderr


def _write(path: Path, server: dict[str, Any], tasks: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps({"servers": {path.name.partition(".")[0]: server}, "tasks": tasks}))


def _pytest(project: Path, cluster: Any, *arguments: str) -> "subprocess.Popen[str]":
    engine = f"--mcpbench-engine=ray://{cluster.address}"
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", engine, "--mcpbench-out=out", "-p", "no:cacheprovider", *arguments],
        cwd=project,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _waiting(project: Path) -> list[Path]:
    """Return one file for each attempt in flight."""
    return list(project.glob("waiting-*"))


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY)}


def _until(condition: Callable[[], bool], seconds: float = _PATIENCE_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition was not met in time"
        time.sleep(0.05)
