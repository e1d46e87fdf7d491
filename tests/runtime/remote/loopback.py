"""A cluster in this process: its posts get requests and give answers as bytes, like those of any other."""

from collections import Counter
from pathlib import Path
from typing import Any

from pytest_mcpbench import __version__
from pytest_mcpbench.core.errors import EngineError, UsageError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.runtime.agent import Agent
from pytest_mcpbench.runtime.agents.factory import make_agent
from pytest_mcpbench.runtime.attempt import Attempt
from pytest_mcpbench.runtime.components import AgentRef, AttemptComponents
from pytest_mcpbench.runtime.models.factory import Models
from pytest_mcpbench.runtime.remote.messages import RunnerSettings
from pytest_mcpbench.runtime.remote.runner import AttemptRunner
from pytest_mcpbench.runtime.remote.serializer import Blob
from pytest_mcpbench.runtime.remote.worker_pool import WorkerLostError


class LoopbackWorker:
    """A maker; it is lost when its cluster says so."""

    def __init__(self, node: str, cluster: "LoopbackCluster") -> None:
        self.node = node
        self.parcels = 0
        self._cluster = cluster
        self._maker: AttemptRunner | None = None

    async def begin(self) -> None:
        if self.node in self._cluster.dead:
            raise WorkerLostError(f"node {self.node} is dead")
        try:
            self._maker = AttemptRunner(self._cluster.setup)
        except UsageError as error:
            raise EngineError(str(error)) from None

    async def make(self, request: bytes) -> bytes:
        self._cluster.begun[self.node] += 1
        if self._cluster.losses[self.node]:
            self._cluster.losses[self.node] -= 1
            raise WorkerLostError(f"a process of node {self.node} was killed")
        assert self._maker is not None
        return await self._maker.make(request)

    async def give(self, parcel: Blob) -> None:
        self.parcels += 1
        assert self._maker is not None
        self._maker.give(parcel.content, is_archive=parcel.is_archive)

    async def close(self) -> None:
        self.kill()

    def kill(self) -> None:
        if self._maker is not None:
            self._maker.close()


class LoopbackCluster:
    """Nodes with seats; ``losses`` says how many attempts each loses."""

    def __init__(self, setup: RunnerSettings, **seats: int) -> None:
        self.setup = setup
        self.losses: Counter[str] = Counter()
        self.begun: Counter[str] = Counter()
        self.dead: set[str] = set()
        self.posts: list[LoopbackWorker] = []
        self._seats = Counter(seats)

    def seats(self) -> "Counter[str]":
        return Counter({node: count for node, count in self._seats.items() if node not in self.dead})

    def open(self, node: str) -> LoopbackWorker:
        self.posts.append(LoopbackWorker(node, self))
        return self.posts[-1]

    def close(self) -> None:
        pass


def a_setup(**fields: Any) -> RunnerSettings:
    return RunnerSettings(**{"version": __version__, "concurrency": 2, **fields})


def a_suite(directory: Path, **fields: Any) -> SuiteManifest:
    files = (TaskFileRef(path="tasks.yaml", loader="native"),)
    return SuiteManifest(**{"name": "s", "directory": str(directory), "files": files, **fields})


def _none(task: Task, evidence: AttemptEvidence) -> tuple[()]:
    return ()


def an_attempt(task: Task, suite: SuiteManifest, sandbox: Any, *, agent: Agent | None = None, **fields: Any) -> Attempt:
    """An attempt of the oracle that can be made anywhere."""
    given = {"components": AttemptComponents(agent=AgentRef(name="oracle")), "questions": _none, **fields}
    made = agent or make_agent("oracle", Models({}))
    return Attempt(task=task, suite=suite, model="oracle", trial=0, agent=made, sandbox=sandbox, **given)
