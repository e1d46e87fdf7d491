"""Overhead of an attempt on a Ray cluster and in this process: `python benchmarks/engine_overhead.py [ATTEMPTS]`."""

import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_mcpbench import __version__
from pytest_mcpbench.agents.factory import make_agent
from pytest_mcpbench.attempt.attempt import Attempt, AttemptResult
from pytest_mcpbench.attempt.components import AgentRef, AttemptComponents
from pytest_mcpbench.attempt.engines.factory import make_cluster
from pytest_mcpbench.attempt.local_executor import LocalExecutor
from pytest_mcpbench.attempt.remote.executor import RemoteExecutor
from pytest_mcpbench.attempt.remote.messages import RunnerSettings
from pytest_mcpbench.attempt.remote.worker_pool import WorkerPool
from pytest_mcpbench.attempt.sandbox import open_sandbox
from pytest_mcpbench.core.planning import AttemptPlan, Overrides, plan_task
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.models.factory import Models

CONCURRENCY = 8
ONE_CALL = {"calls": [{"calls": [{"tool": "add_note", "arguments": {"title": "Idea"}}]}]}
Submit = Callable[[Attempt], "Future[AttemptResult]"]


def main(attempts: int = 300) -> None:
    """Print milliseconds per attempt, sequentially and all at once, in this process and on Ray."""
    with ExitStack() as exits:
        home = LocalExecutor(concurrency=CONCURRENCY, root=Path.cwd(), models=Models({}))
        exits.callback(home.close)
        cluster: Any = make_cluster("ray", RunnerSettings(version=__version__, concurrency=CONCURRENCY))
        fleet = RemoteExecutor(home, WorkerPool(cluster, concurrency=CONCURRENCY))
        exits.callback(fleet.close)
        seats = cluster.seats().total()
        for name, submit in {"this process": home.submit, f"Ray, {seats} processes": fleet.submit}.items():
            _milliseconds_per_attempt(submit, attempts=4 * seats, at_once=True)
            alone = _milliseconds_per_attempt(submit, attempts=attempts // 3, at_once=False)
            together = _milliseconds_per_attempt(submit, attempts=attempts, at_once=True)
            print(f"{name:20} one after the other {alone:6.2f} ms, all at once {together:6.2f} ms an attempt")


def _milliseconds_per_attempt(submit: Submit, *, attempts: int, at_once: bool) -> float:
    with TemporaryDirectory() as directory, ExitStack() as exits:
        suite = _suite(directory)
        pending = [_attempt(number, suite, exits) for number in range(attempts)]
        begin = time.perf_counter()
        if at_once:
            results = [future.result() for future in [submit(attempt) for attempt in pending]]
        else:
            results = [submit(attempt).result() for attempt in pending]
        seconds = time.perf_counter() - begin
    assert not any(result.error for result in results)
    return seconds / attempts * 1000


def _suite(directory: str) -> SuiteManifest:
    notes = ServerRef(name="notes", transport="in_process", factory="fixtures.notes_server:server")
    files = (TaskFileRef(path="tasks.yaml", loader="native"),)
    return SuiteManifest(name="s", directory=directory, files=files, servers={"notes": notes})


def _attempt(number: int, suite: SuiteManifest, exits: ExitStack) -> Attempt:
    fields = {"turns": [{"user": "Do it."}], "servers": ["notes"], "tools": ["add_note"], "expected": ONE_CALL}
    task = Task.model_validate({"id": f"task-{number}", **fields})
    sandbox = exits.enter_context(open_sandbox(task, suite.directory))
    return Attempt(
        plan=AttemptPlan.of_task(plan_task(suite, task, Overrides()), suite, model="oracle"),
        agent=make_agent("oracle", Models({})),
        sandbox=sandbox,
        questions=lambda *_: (),
        components=AttemptComponents(agent=AgentRef(name="oracle")),
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
