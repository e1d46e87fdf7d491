"""Cluster within the test process; its workers exchange bytes, as those of any other cluster do."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

from pytest_mcpbench import __version__
from pytest_mcpbench.agents.agent import Agent
from pytest_mcpbench.agents.factory import make_agent
from pytest_mcpbench.attempt.attempt import Attempt
from pytest_mcpbench.attempt.components import AgentRef, AttemptComponents
from pytest_mcpbench.attempt.remote.messages import RunnerSettings
from pytest_mcpbench.attempt.remote.runner import RemoteAttemptRunner
from pytest_mcpbench.attempt.remote.serializer import Blob
from pytest_mcpbench.attempt.remote.worker_pool import WorkerLostError
from pytest_mcpbench.core.errors import EngineError, UsageError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.models.factory import Models
from tests.builders import a_plan


class LoopbackWorker:
    """Worker that is lost as often as its cluster demands."""

    def __init__(self, node: str, cluster: "LoopbackCluster") -> None:
        self.node = node
        self.received_blobs = 0
        self._cluster = cluster
        self._runner: RemoteAttemptRunner | None = None

    async def start(self) -> None:
        if self.node in self._cluster.dead:
            raise WorkerLostError(f"node {self.node} is dead")
        if self.node in self._cluster.silent:
            await asyncio.Event().wait()
        try:
            self._runner = RemoteAttemptRunner(self._cluster.settings)
        except UsageError as error:
            raise EngineError(str(error)) from None

    async def run_attempt(self, request: bytes) -> bytes:
        self._cluster.starts[self.node] += 1
        if self._cluster.losses[self.node]:
            self._cluster.losses[self.node] -= 1
            raise WorkerLostError(f"a process of node {self.node} was killed")
        assert self._runner is not None
        response = await self._runner.run_attempt(request)
        if self.received_blobs and self._cluster.unsent_responses[self.node]:
            self._cluster.unsent_responses[self.node] -= 1
            raise WorkerLostError(f"a process of node {self.node} was killed")
        return response

    async def send_blob(self, blob: Blob) -> None:
        self.received_blobs += 1
        assert self._runner is not None
        self._runner.store_blob(blob.content, is_archive=blob.is_archive)

    async def close(self) -> None:
        self.kill()

    def kill(self) -> None:
        if self._runner is not None:
            self._runner.close()


class LoopbackCluster:
    """Nodes with slots; ``losses`` is the number of attempts that each node loses, before or after their end."""

    def __init__(self, settings: RunnerSettings, **slots: int) -> None:
        self.settings = settings
        self.losses: Counter[str] = Counter()
        self.unsent_responses: Counter[str] = Counter()
        self.starts: Counter[str] = Counter()
        self.dead: set[str] = set()
        self.silent: set[str] = set()
        """Nodes whose workers are never ready."""
        self.workers: list[LoopbackWorker] = []
        self.nodes = Counter(slots)

    def slots(self) -> "Counter[str]":
        return Counter({node: count for node, count in self.nodes.items() if node not in self.dead})

    def start_worker(self, node: str) -> LoopbackWorker:
        self.workers.append(LoopbackWorker(node, self))
        return self.workers[-1]

    def close(self) -> None:
        pass


def runner_settings(**fields: Any) -> RunnerSettings:
    return RunnerSettings(**{"version": __version__, "concurrency": 2, **fields})


def a_suite(directory: Path, **fields: Any) -> SuiteManifest:
    files = (TaskFileRef(path="tasks.yaml", loader="native"),)
    return SuiteManifest(**{"name": "s", "directory": str(directory), "files": files, **fields})


def _none(task: Task, evidence: AttemptEvidence) -> tuple[()]:
    return ()


def an_attempt(task: Task, suite: SuiteManifest, sandbox: Any, *, agent: Agent | None = None, **fields: Any) -> Attempt:
    """Return an attempt of the oracle that any process can run."""
    fields = {"components": AttemptComponents(agent=AgentRef(name="oracle")), "questions": _none, **fields}
    agent = agent or make_agent("oracle", Models({}))
    return Attempt(plan=a_plan(task, suite, model="oracle"), agent=agent, sandbox=sandbox, **fields)
