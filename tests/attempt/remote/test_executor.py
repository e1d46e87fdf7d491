"""Attempts run in other processes, are restarted when these are lost, and have one result."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.attempt.attempt import Attempt, AttemptResult
from pytest_mcpbench.attempt.components import AgentRef, AttemptComponents, JudgeRef, MetricRef
from pytest_mcpbench.attempt.local_executor import LocalExecutor
from pytest_mcpbench.attempt.remote import worker_pool
from pytest_mcpbench.attempt.remote.executor import RemoteExecutor
from pytest_mcpbench.attempt.remote.worker_pool import WorkerPool
from pytest_mcpbench.attempt.sandbox import open_sandbox
from pytest_mcpbench.core.errors import EngineError, StorageError
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Context, Task
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.runs.evidence_journal import EvidenceJournal
from tests.attempt.remote.loopback import LoopbackCluster, a_suite, an_attempt, runner_settings
from tests.builders import a_task, expected_call

ExecutorOf = Callable[..., RemoteExecutor]
NOTES = ServerRef(name="notes", transport="in_process", factory="fixtures.notes_server:server")
SECONDS = 30


@pytest.fixture
def executor_of(tmp_path: Path) -> Iterator[ExecutorOf]:
    """Return a function that creates an executor for a cluster, with a local executor as fallback."""
    local = LocalExecutor(concurrency=2, root=tmp_path, models=Models({}))
    with ExitStack() as exits:
        exits.callback(local.close)

        def make_executor(cluster: LoopbackCluster, *, same_machine: bool = False) -> RemoteExecutor:
            pool = WorkerPool(cluster, concurrency=cluster.settings.concurrency)
            executor = RemoteExecutor(local, pool, same_machine=same_machine)
            exits.callback(executor.close)
            return executor

        yield make_executor


@pytest.fixture
def attempt_of(tmp_path: Path) -> Iterator[Callable[..., Attempt]]:
    """Return a function that creates an attempt at a task, by default of the suite with the notes server."""
    with ExitStack() as exits:

        def make_attempt(task: Task, suite: SuiteManifest | None = None, **fields: Any) -> Attempt:
            suite = suite or SUITE.model_copy(update={"directory": str(tmp_path)})
            sandbox = exits.enter_context(open_sandbox(task, suite.directory, tmp_path / "sandboxes"))
            return an_attempt(task, suite, sandbox, **fields)

        yield make_attempt


SUITE = a_suite(Path("/"), servers={"notes": NOTES})


def add_idea(number: int = 0, **fields: Any) -> Task:
    call = expected_call("add_note", {"title": "Idea"})
    return a_task((call,), id=f"task-{number}", servers=("notes",), tools=("add_note",), **fields)


def result(executor: RemoteExecutor, attempt: Attempt) -> AttemptResult:
    return executor.submit(attempt).result(SECONDS)


def test_the_evidence_is_sent_back(executor_of: ExecutorOf, attempt_of: Callable[..., Attempt]) -> None:
    attempt = attempt_of(add_idea())
    outcome = result(executor_of(LoopbackCluster(runner_settings(), node=1)), attempt)
    assert outcome.error is None
    assert [call.result.text for call in outcome.evidence.calls if call.result] == ["added n2"]
    assert outcome.evidence.notes.made_on == "node"
    assert attempt.sandbox.diff() == outcome.evidence.worlds
    assert list(attempt.sandbox.before["notes"]["notes"]) == ["n1"]
    assert list(attempt.sandbox.after["notes"]["notes"]) == ["n1", "n2"]


def test_a_remote_attempt_gives_the_same_evidence_as_a_local_one(
    executor_of: ExecutorOf, attempt_of: Callable[..., Attempt]
) -> None:
    executor = executor_of(LoopbackCluster(runner_settings(), node=1))
    remote = result(executor, attempt_of(add_idea()))
    local_result = result(executor, attempt_of(add_idea(), components=None, local_only_reason="it is to be compared"))
    assert (remote.evidence.worlds, remote.evidence.tools) == (
        local_result.evidence.worlds,
        local_result.evidence.tools,
    )
    assert executor.summary_lines() == [
        "attempts per node: 1 on node",
        "attempts run in this process: 1, because it is to be compared",
    ]


@pytest.mark.parametrize("same_machine", [True, False])
def test_an_attempt_in_a_directory_whose_name_is_not_utf_8_is_run_in_this_process(
    executor_of: ExecutorOf, attempt_of: Callable[..., Attempt], tmp_path: Path, same_machine: bool
) -> None:
    directory = tmp_path / os.fsdecode(b"caf\xe9")
    directory.mkdir()
    executor = executor_of(LoopbackCluster(runner_settings(), node=1), same_machine=same_machine)
    outcome = result(executor, attempt_of(add_idea(), SUITE.model_copy(update={"directory": str(directory)})))
    assert [call.result.text for call in outcome.evidence.calls if call.result] == ["added n2"]
    (line,) = executor.summary_lines()
    assert line.startswith("attempts run in this process: 1, because the name of its directory b'")
    assert "caf\\xe9' is not UTF-8" in line


def test_an_error_is_sent_back(executor_of: ExecutorOf, attempt_of: Callable[..., Attempt]) -> None:
    suite = SUITE.model_copy(update={"servers": {"notes": ServerRef(name="notes", transport="stdio", command="gone")}})
    outcome = result(executor_of(LoopbackCluster(runner_settings(), node=1)), attempt_of(add_idea(), suite))
    assert outcome.error is not None
    assert (outcome.error.kind, "'gone' was not found" in str(outcome.error)) == ("server", True)


def test_the_files_of_a_suite_are_sent_once_to_each_process(
    executor_of: ExecutorOf, attempt_of: Callable[..., Attempt], tmp_path: Path
) -> None:
    (tmp_path / "seed").mkdir()
    (tmp_path / "seed" / "letter.txt").write_text("Dear all")
    suite = a_suite(tmp_path, servers={"notes": NOTES})
    cluster = LoopbackCluster(runner_settings(), node=1)
    executor = executor_of(cluster)
    for number in range(3):
        attempt = attempt_of(add_idea(number, context=Context(files="seed")), suite)
        assert result(executor, attempt).error is None
        assert attempt.sandbox.after["files"]["files"]["letter.txt"]["text"] == "Dear all"
    assert [worker.received_blobs for worker in cluster.workers] == [2]


def test_attempts_of_a_lost_process_are_restarted_in_another(
    executor_of: ExecutorOf, attempt_of: Callable[..., Attempt]
) -> None:
    cluster = LoopbackCluster(runner_settings(), a=1, b=1)
    cluster.losses["a"] = 1
    executor = executor_of(cluster)
    futures = [executor.submit(attempt_of(add_idea(number))) for number in range(6)]
    outcome = [future.result(SECONDS) for future in futures]
    assert [one.error for one in outcome] == [None] * 6
    assert [one.evidence.task_id for one in outcome] == [f"task-{number}" for number in range(6)]
    assert "attempts restarted because their process was lost: 1" in executor.summary_lines()


def test_an_attempt_whose_process_is_lost_every_time_is_an_error(
    executor_of: ExecutorOf, attempt_of: Callable[..., Attempt]
) -> None:
    cluster = LoopbackCluster(runner_settings(), node=1)
    cluster.losses["node"] = 99
    outcome = result(executor_of(cluster), attempt_of(add_idea()))
    assert isinstance(outcome.error, EngineError)
    assert "started 4 times" in str(outcome.error)
    assert cluster.starts["node"] == 4


def test_a_dead_node_is_not_used_again(executor_of: ExecutorOf, attempt_of: Callable[..., Attempt]) -> None:
    cluster = LoopbackCluster(runner_settings(), a=1, b=1)
    cluster.dead.add("a")
    cluster.slots = lambda: LoopbackCluster(runner_settings(), a=1, b=1).nodes  # type: ignore[method-assign]  # found out late
    executor = executor_of(cluster)
    notes = [result(executor, attempt_of(add_idea(number))).evidence.notes for number in range(2)]
    assert [each.made_on for each in notes] == ["b", "b"]


def test_what_waits_for_a_node_that_leaves_runs_on_one_that_joins(
    executor_of: ExecutorOf, attempt_of: Callable[..., Attempt], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_pool, "WATCH_SECONDS", 0.01)
    cluster = LoopbackCluster(runner_settings(), a=1)
    cluster.silent.add("a")
    executor = executor_of(cluster)
    cluster.nodes = Counter(b=1)
    outcome = result(executor, attempt_of(add_idea()))
    assert (outcome.error, outcome.evidence.notes.made_on) == (None, "b")


def test_without_a_usable_node_attempts_are_errors_with_the_reason(
    executor_of: ExecutorOf, attempt_of: Callable[..., Attempt]
) -> None:
    outcome = result(executor_of(LoopbackCluster(runner_settings(version="0.0.1"), node=1)), attempt_of(add_idea()))
    assert isinstance(outcome.error, EngineError)
    assert "no node is left" in str(outcome.error)
    assert "this machine has 0.0.1; install the same version on every node" in str(outcome.error)


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
def test_an_attempt_that_cannot_be_sent_runs_locally(
    executor_of: ExecutorOf,
    attempt_of: Callable[..., Attempt],
    suite: SuiteManifest,
    fields: dict[str, Any],
    reason: str,
) -> None:
    executor = executor_of(LoopbackCluster(runner_settings(), node=1))
    outcome = result(executor, attempt_of(add_idea(), suite, **fields))
    assert not outcome.evidence.notes.made_on
    (line,) = executor.summary_lines()
    assert reason in line


def test_the_worker_asks_the_judge_if_metrics_have_an_address(
    executor_of: ExecutorOf, attempt_of: Callable[..., Attempt]
) -> None:
    refs = {"coverage": MetricRef(address="pytest_mcpbench.metrics.coverage:Coverage")}
    components = AttemptComponents(agent=AgentRef(name="oracle"), judge=JudgeRef(name="keyfacts", metrics=refs))
    task = add_idea(
        expected={
            "calls": [{"calls": [{"tool": "add_note", "arguments": {"title": "Idea"}}]}],
            "claims": ["It holds 42."],
        }
    )
    attempt = attempt_of(task, components=components)
    outcome = result(executor_of(LoopbackCluster(runner_settings(), node=1)), attempt)
    assert [verdict.judge for verdict in outcome.evidence.verdicts.values()] == ["keyfacts"]


class Decided:
    """Judge that is an object of this process."""

    name = identity = "decided"

    async def decide(self, question: Question) -> Verdict:
        return Verdict(label=question.labels[0], score=1.0, judge="decided", prompt_version="1")


def test_this_process_asks_a_judge_that_is_an_object(
    executor_of: ExecutorOf, attempt_of: Callable[..., Attempt]
) -> None:
    question = Question(kind="claim", statement="It is done.", evidence="Done.")
    attempt = attempt_of(add_idea(), questions=lambda *_: [question], judge=Decided())
    outcome = result(executor_of(LoopbackCluster(runner_settings(), node=1)), attempt)
    assert [(key, verdict.judge) for key, verdict in outcome.evidence.verdicts.items()] == [(question.key, "decided")]


def test_no_judge_is_asked_about_evidence_that_cannot_be_stored(
    executor_of: ExecutorOf, attempt_of: Callable[..., Attempt], tmp_path: Path
) -> None:
    (tmp_path / "full").touch()
    journal = EvidenceJournal(tmp_path / "full", "main")
    question = Question(kind="claim", statement="It is done.", evidence="Done.")
    attempt = attempt_of(add_idea(), questions=lambda *_: [question], judge=Decided(), journal=journal)
    outcome = result(executor_of(LoopbackCluster(runner_settings(), node=1)), attempt)
    assert isinstance(outcome.error, StorageError)
    assert outcome.evidence.verdicts == {}


def test_an_attempt_that_its_lost_process_had_stored_is_not_made_again(
    executor_of: ExecutorOf, attempt_of: Callable[..., Attempt], tmp_path: Path
) -> None:
    cluster = LoopbackCluster(runner_settings(), node=1)
    cluster.unsent_responses["node"] = 99
    question = Question(kind="claim", statement="It is done.", evidence="Done.")
    journal = EvidenceJournal(tmp_path / "run", "main")
    attempt = attempt_of(add_idea(), questions=lambda *_: [question], judge=Decided(), journal=journal)
    outcome = result(executor_of(cluster, same_machine=True), attempt)
    journal.close()
    assert outcome.error is None
    assert [call.tool for call in outcome.evidence.calls] == ["add_note"]
    assert outcome.evidence.verdicts[question.key].judge == "decided"
    assert cluster.starts["node"] == 2  # the first request asks for the suite only
