"""Attempts are made in other processes, begun again when these are lost, and come home once."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.errors import EngineError
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Context, Task
from pytest_mcpbench.runtime.attempt import Attempt, AttemptResult
from pytest_mcpbench.runtime.components import AgentRef, AttemptComponents, JudgeRef, MetricRef
from pytest_mcpbench.runtime.local_executor import LocalExecutor
from pytest_mcpbench.runtime.models.factory import Models
from pytest_mcpbench.runtime.remote.executor import RemoteExecutor
from pytest_mcpbench.runtime.remote.worker_pool import WorkerPool
from pytest_mcpbench.runtime.sandbox import open_sandbox
from tests.builders import a_task, expected_call
from tests.runtime.remote.loopback import LoopbackCluster, a_suite, an_attempt, runner_settings

Fleets = Callable[[LoopbackCluster], RemoteExecutor]
NOTES = ServerRef(name="notes", transport="in_process", factory="fixtures.notes_server:server")
SECONDS = 30


@pytest.fixture
def fleet_of(tmp_path: Path) -> Iterator[Fleets]:
    """A fleet over a cluster, with this process to fall back on."""
    home = LocalExecutor(concurrency=2, root=tmp_path, models=Models({}))
    with ExitStack() as exits:
        exits.callback(home.close)

        def made(cluster: LoopbackCluster) -> RemoteExecutor:
            fleet = RemoteExecutor(home, WorkerPool(cluster, concurrency=cluster.settings.concurrency))
            exits.callback(fleet.close)
            return fleet

        yield made


@pytest.fixture
def attempt_of(tmp_path: Path) -> Iterator[Callable[..., Attempt]]:
    """An attempt at a task, of the suite with the notes server unless told otherwise."""
    with ExitStack() as exits:

        def made(task: Task, suite: SuiteManifest | None = None, **fields: Any) -> Attempt:
            suite = suite or SUITE.model_copy(update={"directory": str(tmp_path)})
            sandbox = exits.enter_context(open_sandbox(task, suite.directory, tmp_path / "sandboxes"))
            return an_attempt(task, suite, sandbox, **fields)

        yield made


SUITE = a_suite(Path("/"), servers={"notes": NOTES})


def add_idea(number: int = 0, **fields: Any) -> Task:
    call = expected_call("add_note", {"title": "Idea"})
    return a_task((call,), id=f"task-{number}", servers=("notes",), tools=("add_note",), **fields)


def result(fleet: RemoteExecutor, attempt: Attempt) -> AttemptResult:
    return fleet.submit(attempt).result(SECONDS)


def test_the_evidence_comes_home(fleet_of: Fleets, attempt_of: Callable[..., Attempt]) -> None:
    attempt = attempt_of(add_idea())
    made = result(fleet_of(LoopbackCluster(runner_settings(), node=1)), attempt)
    assert made.error is None
    assert [call.result.text for call in made.evidence.calls if call.result] == ["added n2"]
    assert made.evidence.notes == {"made_on": "node"}
    assert attempt.sandbox.diff() == made.evidence.worlds
    assert list(attempt.sandbox.before["notes"]["notes"]) == ["n1"]
    assert list(attempt.sandbox.after["notes"]["notes"]) == ["n1", "n2"]


def test_elsewhere_it_is_the_same_attempt_as_here(fleet_of: Fleets, attempt_of: Callable[..., Attempt]) -> None:
    fleet = fleet_of(LoopbackCluster(runner_settings(), node=1))
    away = result(fleet, attempt_of(add_idea()))
    here = result(fleet, attempt_of(add_idea(), components=None, local_only_reason="it is to be compared"))
    assert (away.evidence.worlds, away.evidence.tools) == (here.evidence.worlds, here.evidence.tools)
    assert fleet.summary_lines() == [
        "attempts per node: 1 on node",
        "attempts run in this process: 1, because it is to be compared",
    ]


def test_an_error_comes_home(fleet_of: Fleets, attempt_of: Callable[..., Attempt]) -> None:
    suite = SUITE.model_copy(update={"servers": {"notes": ServerRef(name="notes", transport="stdio", command="gone")}})
    made = result(fleet_of(LoopbackCluster(runner_settings(), node=1)), attempt_of(add_idea(), suite))
    assert made.error is not None
    assert (made.error.kind, "'gone' was not found" in str(made.error)) == ("server", True)


def test_what_a_suite_holds_travels_once_to_each_process(
    fleet_of: Fleets, attempt_of: Callable[..., Attempt], tmp_path: Path
) -> None:
    (tmp_path / "seed").mkdir()
    (tmp_path / "seed" / "letter.txt").write_text("Dear all")
    suite = a_suite(tmp_path, servers={"notes": NOTES})
    cluster = LoopbackCluster(runner_settings(), node=1)
    fleet = fleet_of(cluster)
    for number in range(3):
        attempt = attempt_of(add_idea(number, context=Context(files="seed")), suite)
        assert result(fleet, attempt).error is None
        assert attempt.sandbox.after["files"]["files"]["letter.txt"]["text"] == "Dear all"
    assert [worker.received_blobs for worker in cluster.workers] == [2]


def test_attempts_of_a_lost_process_are_begun_again_elsewhere(
    fleet_of: Fleets, attempt_of: Callable[..., Attempt]
) -> None:
    cluster = LoopbackCluster(runner_settings(), a=1, b=1)
    cluster.losses["a"] = 1
    fleet = fleet_of(cluster)
    futures = [fleet.submit(attempt_of(add_idea(number))) for number in range(6)]
    made = [future.result(SECONDS) for future in futures]
    assert [one.error for one in made] == [None] * 6
    assert [one.evidence.task_id for one in made] == [f"task-{number}" for number in range(6)]
    assert "attempts restarted because their process was lost: 1" in fleet.summary_lines()


def test_an_attempt_that_is_lost_again_and_again_is_an_error_and_no_score(
    fleet_of: Fleets, attempt_of: Callable[..., Attempt]
) -> None:
    cluster = LoopbackCluster(runner_settings(), node=1)
    cluster.losses["node"] = 99
    made = result(fleet_of(cluster), attempt_of(add_idea()))
    assert isinstance(made.error, EngineError)
    assert "started 4 times" in str(made.error)
    assert cluster.starts["node"] == 4


def test_a_node_that_dies_is_done_without(fleet_of: Fleets, attempt_of: Callable[..., Attempt]) -> None:
    cluster = LoopbackCluster(runner_settings(), a=1, b=1)
    cluster.dead.add("a")
    cluster.slots = lambda: LoopbackCluster(runner_settings(), a=1, b=1)._slots  # type: ignore[method-assign]  # found out late
    fleet = fleet_of(cluster)
    assert [result(fleet, attempt_of(add_idea(number))).evidence.notes for number in range(2)] == [{"made_on": "b"}] * 2


def test_without_any_node_that_fits_attempts_are_errors_that_say_why(
    fleet_of: Fleets, attempt_of: Callable[..., Attempt]
) -> None:
    made = result(fleet_of(LoopbackCluster(runner_settings(version="0.0.1"), node=1)), attempt_of(add_idea()))
    assert isinstance(made.error, EngineError)
    assert "no node is left" in str(made.error)
    assert "this machine has 0.0.1; install the same version on every node" in str(made.error)


def test_a_cluster_without_processors_is_refused() -> None:
    with pytest.raises(EngineError, match="no CPU"):
        WorkerPool(LoopbackCluster(runner_settings(), node=0), concurrency=2)


@pytest.mark.parametrize(
    ("suite", "fields", "reason"),
    [
        pytest.param(
            SUITE.model_copy(update={"servers": {"notes": NOTES.model_copy(update={"factory": print})}}),
            {},
            "its server 'notes' is an object of this process",
            id="a server that is an object",
        ),
        pytest.param(
            SUITE.model_copy(update={"servers": {"notes": NOTES.model_copy(update={"factory": "nowhere:server"})}}),
            {},
            "the worker has no module nowhere",
            id="a server whose module is not there",
        ),
        pytest.param(
            SUITE,
            {"components": AttemptComponents(agent=AgentRef(name="mine", pickled=b"cnowhere\nAgent\n."))},
            "its agent 'mine' cannot be unpickled in the worker",
            id="an agent whose class is not there",
        ),
    ],
)
def test_what_cannot_be_made_elsewhere_is_made_here(
    fleet_of: Fleets, attempt_of: Callable[..., Attempt], suite: SuiteManifest, fields: dict[str, Any], reason: str
) -> None:
    fleet = fleet_of(LoopbackCluster(runner_settings(), node=1))
    made = result(fleet, attempt_of(add_idea(), suite, **fields))
    assert "made_on" not in made.evidence.notes
    (remark,) = fleet.summary_lines()
    assert reason in remark


def test_verdicts_are_asked_for_there_where_metrics_have_an_address(
    fleet_of: Fleets, attempt_of: Callable[..., Attempt]
) -> None:
    refs = {"coverage": MetricRef(address="pytest_mcpbench.metrics.coverage:Coverage")}
    components = AttemptComponents(agent=AgentRef(name="oracle"), judge=JudgeRef(name="keyfacts", metrics=refs))
    task = add_idea(expected={"calls": [{"calls": [{"tool": "add_note"}]}], "claims": ["It holds 42."]})
    attempt = attempt_of(task, components=components)
    made = result(fleet_of(LoopbackCluster(runner_settings(), node=1)), attempt)
    assert [verdict.judge for verdict in made.evidence.verdicts.values()] == ["keyfacts"]


class Decided:
    """A judge that is an object of this process."""

    name = "decided"

    async def decide(self, question: Question) -> Verdict:
        return Verdict(label=question.labels[0], score=1.0, judge="decided", prompt_version="1")


def test_verdicts_are_asked_for_here_where_they_cannot_be_there(
    fleet_of: Fleets, attempt_of: Callable[..., Attempt]
) -> None:
    question = Question(kind="claim", statement="It is done.", evidence="Done.")
    attempt = attempt_of(add_idea(), questions=lambda *_: [question], judge=Decided())
    made = result(fleet_of(LoopbackCluster(runner_settings(), node=1)), attempt)
    assert [(key, verdict.judge) for key, verdict in made.evidence.verdicts.items()] == [(question.key, "decided")]
