"""Attempts in a real provider process, as workers hand them on."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, fails, says
from pytest_mcpbench.core.errors import EngineError, ModelError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import Context, Task
from pytest_mcpbench.runtime.attempt import Attempt
from pytest_mcpbench.runtime.components import AgentRef, AttemptComponents
from pytest_mcpbench.runtime.engines.on_provider import ProviderCluster
from pytest_mcpbench.runtime.local_executor import LocalExecutor
from pytest_mcpbench.runtime.models.factory import Models
from pytest_mcpbench.runtime.provider.supervisor import ProviderSupervisor
from pytest_mcpbench.runtime.remote.executor import RemoteExecutor
from pytest_mcpbench.runtime.remote.worker_pool import WorkerPool
from pytest_mcpbench.runtime.sandbox import open_sandbox
from tests.builders import a_task, expected_call
from tests.runtime.remote.loopback import a_suite, an_attempt

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
    """The process of a run, and the fleet of a worker."""

    def made(*, attempts: int = 2) -> tuple[ProviderSupervisor, RemoteExecutor]:
        supervisor = ProviderSupervisor(aliases={}, verdicts=tmp_path / "verdicts", attempts=attempts)
        exits.callback(supervisor.close)
        home = LocalExecutor(concurrency=2, root=tmp_path, models=Models({}))
        exits.callback(home.close)
        fleet = RemoteExecutor(home, WorkerPool(ProviderCluster(supervisor.address), concurrency=2), same_machine=True)
        exits.callback(fleet.close)
        return supervisor, fleet

    return made


@pytest.fixture
def attempt_of(tmp_path: Path, exits: ExitStack) -> AttemptOf:
    def made(task: Task, *, agent: str = "oracle", **fields: Any) -> Attempt:
        suite = a_suite(tmp_path, servers={"notes": NOTES})
        sandbox = exits.enter_context(open_sandbox(task, suite.directory, tmp_path / "sandboxes"))
        return an_attempt(
            task, suite, sandbox, **{"components": AttemptComponents(agent=AgentRef(name=agent)), **fields}
        )

    return made


def writing() -> Task:
    return a_task((expected_call("add_note", {"title": "Idea"}),), servers=("notes",), tools=("add_note",))


def test_the_attempt_is_made_there_and_says_nothing_of_it(worker: Workers, attempt_of: AttemptOf) -> None:
    supervisor, fleet = worker()
    made = fleet.submit(attempt_of(writing())).result(SECONDS)
    assert made.error is None
    assert [call.tool for call in made.evidence.calls] == ["add_note"]
    assert "made_on" not in made.evidence.notes
    assert supervisor.process_id is not None
    assert fleet.local_counts == {}


def test_its_directory_is_the_one_that_the_worker_has_opened(
    worker: Workers, attempt_of: AttemptOf, tmp_path: Path
) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text("A")
    attempt = attempt_of(writing().model_copy(update={"context": Context(files="files")}))
    _, fleet = worker()
    made = fleet.submit(attempt).result(SECONDS)
    assert made.error is None
    assert list(attempt.sandbox.before["files"]["files"]) == ["a.txt"]
    assert (attempt.sandbox.path / "a.txt").read_text() == "A"


def test_what_only_the_worker_can_make_is_made_by_it(worker: Workers, attempt_of: AttemptOf) -> None:
    supervisor, fleet = worker()
    made = fleet.submit(attempt_of(writing(), components=None, local_only_reason="a fixture is there")).result(SECONDS)
    assert made.error is None
    assert fleet.local_counts == {"a fixture is there": 1}
    assert supervisor.process_id is None


def test_an_error_of_the_model_comes_home(worker: Workers, attempt_of: AttemptOf) -> None:
    _, fleet = worker()
    with chat_server([fails(401, "who are you")]) as server:
        made = fleet.submit(attempt_of(writing(), agent=server.url)).result(SECONDS)
    assert isinstance(made.error, ModelError)


def test_an_attempt_whose_process_was_killed_is_made_again(worker: Workers, attempt_of: AttemptOf) -> None:
    supervisor, fleet = worker()
    asked: list[int] = []

    def kill_first(_: dict[str, Any]) -> Answer:
        asked.append(1)
        if len(asked) == 1:
            assert supervisor.process_id is not None
            os.kill(supervisor.process_id, signal.SIGKILL)
        return says("Done.")

    with chat_server(kill_first) as server:
        made = fleet.submit(attempt_of(writing(), agent=server.url)).result(SECONDS)
    assert made.error is None
    assert made.evidence.trajectory.answer == "Done."
    assert fleet.summary_lines()[-1] == "attempts restarted because their process was lost: 1"


def test_a_process_that_makes_no_attempts_says_so(worker: Workers, attempt_of: AttemptOf) -> None:
    _, fleet = worker(attempts=0)
    made = fleet.submit(attempt_of(writing())).result(SECONDS)
    assert isinstance(made.error, EngineError)
    assert "this provider process does not run attempts" in str(made.error)
