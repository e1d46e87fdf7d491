"""Attempts that xdist workers send to a real provider process."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, fails, says
from pytest_mcpbench.attempt.attempt import Attempt
from pytest_mcpbench.attempt.components import AgentRef, AttemptComponents
from pytest_mcpbench.attempt.engines.on_provider import ProviderCluster
from pytest_mcpbench.attempt.local_executor import LocalExecutor
from pytest_mcpbench.attempt.provider.supervisor import ProviderSupervisor
from pytest_mcpbench.attempt.remote.executor import RemoteExecutor
from pytest_mcpbench.attempt.remote.worker_pool import WorkerPool
from pytest_mcpbench.attempt.sandbox import open_sandbox
from pytest_mcpbench.core.errors import EngineError, ModelError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import Context, Task
from pytest_mcpbench.models.factory import Models
from tests.attempt.remote.loopback import a_suite, an_attempt
from tests.builders import a_task, expected_call

pytestmark = pytest.mark.extra
SECONDS = 60
NOTES = ServerRef(name="notes", transport="in_process", factory="fixtures.notes_server:server")
Workers = Callable[..., tuple[ProviderSupervisor, RemoteExecutor]]
AttemptOf = Callable[..., Attempt]


@pytest.fixture
def exits() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def worker(tmp_path: Path, exits: ExitStack) -> Workers:
    """Return a function that creates the supervisor of a run and the executor of a worker."""

    def start(*, attempts: int = 2) -> tuple[ProviderSupervisor, RemoteExecutor]:
        supervisor = ProviderSupervisor(aliases={}, verdicts=tmp_path / "verdicts", attempts=attempts)
        exits.callback(supervisor.close)
        local = LocalExecutor(concurrency=2, root=tmp_path, models=Models({}))
        exits.callback(local.close)
        executor = RemoteExecutor(
            local, WorkerPool(ProviderCluster(supervisor.address), concurrency=2), same_machine=True
        )
        exits.callback(executor.close)
        return supervisor, executor

    return start


@pytest.fixture
def attempt_of(tmp_path: Path, exits: ExitStack) -> AttemptOf:
    def make_attempt(task: Task, *, agent: str = "oracle", **fields: Any) -> Attempt:
        suite = a_suite(tmp_path, servers={"notes": NOTES})
        sandbox = exits.enter_context(open_sandbox(task, suite.directory, tmp_path / "sandboxes"))
        return an_attempt(
            task, suite, sandbox, **{"components": AttemptComponents(agent=AgentRef(name=agent)), **fields}
        )

    return make_attempt


def writing_task() -> Task:
    return a_task((expected_call("add_note", {"title": "Idea"}),), servers=("notes",), tools=("add_note",))


def test_the_attempt_runs_in_the_provider_process_without_a_note_of_it(worker: Workers, attempt_of: AttemptOf) -> None:
    supervisor, executor = worker()
    result = executor.submit(attempt_of(writing_task())).result(SECONDS)
    assert result.error is None
    assert [call.tool for call in result.evidence.calls] == ["add_note"]
    assert not result.evidence.notes.made_on
    assert supervisor.process_id is not None
    assert executor.local_counts == {}


def test_the_attempt_works_in_the_sandbox_of_the_worker(worker: Workers, attempt_of: AttemptOf, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text("A")
    attempt = attempt_of(writing_task().model_copy(update={"context": Context(files="files")}))
    _, executor = worker()
    result = executor.submit(attempt).result(SECONDS)
    assert result.error is None
    assert list(attempt.sandbox.before["files"]["files"]) == ["a.txt"]
    assert (attempt.sandbox.path / "a.txt").read_text() == "A"


def test_an_attempt_that_cannot_be_sent_runs_in_the_worker(worker: Workers, attempt_of: AttemptOf) -> None:
    supervisor, executor = worker()
    result = executor.submit(
        attempt_of(writing_task(), components=None, local_only_reason="a fixture is there")
    ).result(SECONDS)
    assert result.error is None
    assert executor.local_counts == {"a fixture is there": 1}
    assert supervisor.process_id is None


def test_an_error_of_the_model_is_sent_back(worker: Workers, attempt_of: AttemptOf) -> None:
    _, executor = worker()
    with chat_server([fails(401, "who are you")]) as server:
        result = executor.submit(attempt_of(writing_task(), agent=server.url)).result(SECONDS)
    assert isinstance(result.error, ModelError)


def test_an_attempt_whose_process_was_killed_is_restarted(worker: Workers, attempt_of: AttemptOf) -> None:
    supervisor, executor = worker()
    requests: list[int] = []

    def kill_first(_: dict[str, Any]) -> Answer:
        requests.append(1)
        if len(requests) == 1:
            assert supervisor.process_id is not None
            os.kill(supervisor.process_id, signal.SIGKILL)
        return says("Done.")

    with chat_server(kill_first) as server:
        result = executor.submit(attempt_of(writing_task(), agent=server.url)).result(SECONDS)
    assert result.error is None
    assert result.evidence.trajectory.answer == "Done."
    assert executor.summary_lines()[-1] == "attempts restarted because their process was lost: 1"


def test_a_process_that_does_not_run_attempts_answers_with_an_error(worker: Workers, attempt_of: AttemptOf) -> None:
    _, executor = worker(attempts=0)
    result = executor.submit(attempt_of(writing_task())).result(SECONDS)
    assert isinstance(result.error, EngineError)
    assert "this provider process does not run attempts" in str(result.error)
