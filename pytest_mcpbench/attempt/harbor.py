"""Attempts at tasks of Harbor: the servers of a container, which record the calls of its agent, and the verdict.

One process holds the world of the attempt behind the proxies that programs have in a run. It has a task without its
reference: what is expected comes with the tests, after the agent has ended.
"""

import asyncio
import json
import os
import signal
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from pydantic import Field

from pytest_mcpbench.agents.agent import AgentEnvironment
from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.agents.programs.episode import Episode
from pytest_mcpbench.agents.programs.program import ProgramReport, Workplace
from pytest_mcpbench.agents.programs.proxy_settings import ProxySettings
from pytest_mcpbench.attempt.attempt import Attempt
from pytest_mcpbench.attempt.harbor_connection import (
    ATTEMPT,
    PROCESS_ID,
    RESULT,
    ROOT,
    SERVERS,
    ensure_served,
    root,
    wait_for,
)
from pytest_mcpbench.attempt.run import run_attempt
from pytest_mcpbench.attempt.sandbox import open_sandbox, sandbox_in
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.errors import error_with_place
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.model_names import DEFAULT_JUDGE
from pytest_mcpbench.core.planning import AttemptPlan, Overrides, TaskPlan, plan_task, planned_metric_settings
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.score import JudgedMetric, Metric, Scorecard, scorecard
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Context, Task
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.files.atomic_file import replace_file
from pytest_mcpbench.judges.factory import make_judge
from pytest_mcpbench.metrics.catalogue import resolve
from pytest_mcpbench.models.factory import Models

NAME = "harbor"
"""Name of the agent, whatever program it is."""
ANSWER = "app/answer.txt"
TASK = "mcpbench/task.json"
SOLUTION = "solution/task.json"
TESTS = "tests/task.json"
_END_SECONDS = 300.0
"""Time for the last calls and for the rules that judge; Harbor gives the verifier ten minutes."""


class HarborTask(FrozenModel):
    """One task with everything that it needs of its suite."""

    suite: SuiteManifest
    task: Task
    servers: dict[str, str]
    """Names of the servers with exposed tools -> their names for agents."""

    @classmethod
    def read(cls, path: Path) -> "HarborTask":
        """Return the content of a file, with the place of the suite's files on this machine."""
        content = cls.model_validate_json(path.read_bytes())
        suite = content.suite.model_copy(update={"directory": str(path.parent)})
        return content.model_copy(update={"suite": suite})

    @property
    def plan(self) -> TaskPlan:
        """Return limits, floors and metrics as in a run without options."""
        return plan_task(self.suite, self.task, Overrides())

    @property
    def metrics(self) -> dict[str, Metric]:
        """Return the metrics that have a floor, by name."""
        return {name: resolve(name, planned_metric_settings(self.suite, name)) for name in self.plan.floors}

    @property
    def judge(self) -> str:
        """Return the name of the judge."""
        return self.suite.judge or DEFAULT_JUDGE

    def questions(self, evidence: AttemptEvidence) -> list[Question]:
        """Return the questions for the judge."""
        judged = [metric for metric in self.metrics.values() if isinstance(metric, JudgedMetric)]
        return [question for metric in judged for question in metric.questions(self.task, evidence)]


class AttemptOutcome(FrozenModel):
    """Evidence of the attempt or, if there can be no verdict, the error."""

    evidence: AttemptEvidence | None = None
    error: str = ""


class Reward(FrozenModel):
    """Verdict of the tests."""

    reward: int | None
    """1 for an attempt that passes, 0 for one that fails; ``None`` without a verdict."""
    reasons: tuple[str, ...] = ()
    scores: dict[str, float | None] = Field(default_factory=dict)


# The process that holds the world of the attempt.


@dataclass
class _ContainerAgent:
    """Agent that somebody else runs: it works through the proxies until the tests begin."""

    sandbox: Sandbox
    tests_began: anyio.Event = field(default_factory=anyio.Event)
    name: str = NAME
    model: str | None = None
    has_sessions: bool = False
    sums_session: bool = False
    must_list_tools: bool = False
    stderr: str = ""
    unreported_usage: Usage = field(default_factory=Usage)

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        trajectory = await Episode(self, task, arena, {}).play(ProxySettings("stdio", "own"))
        # A limit may have ended the attempt before.
        await self.tests_began.wait()
        # The worlds are compared when the servers have ended.
        self.sandbox.checks = HarborTask.read(root() / TESTS).task.expected.state
        return trajectory

    async def work(self, workplace: Workplace) -> ProgramReport:
        """Say where the proxies are, and return the answer when the tests begin."""
        servers = {server.name: server.configuration for server in workplace.servers}
        replace_file(root() / ATTEMPT / SERVERS, json.dumps(servers).encode())
        await self.tests_began.wait()
        file = root() / ANSWER
        answer = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        return ProgramReport(answer=answer, stop=None if answer.strip() else "declined")

    async def close(self) -> None:
        """Do nothing: the agent has ended before the tests begin."""


async def serve() -> None:
    """Serve the servers of the task until SIGTERM, then store the outcome of the attempt."""
    result = AttemptOutcome(error="the process that held the servers ended early")
    try:
        result = await _served(HarborTask.read(root() / TASK))
    except Exception as error:
        result = AttemptOutcome(error=f"the process that held the servers ended: {error_with_place(error)}")
        raise
    finally:
        replace_file(root() / ATTEMPT / RESULT, result.model_dump_json().encode())


async def _served(file: HarborTask) -> AttemptOutcome:
    async with Models({}) as models, ServerPool() as pool:
        with open_sandbox(file.task, file.suite.directory) as sandbox:
            agent = _ContainerAgent(sandbox)
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, agent.tests_began.set)
            attempt = Attempt(
                plan=AttemptPlan.of_task(file.plan, file.suite, model=NAME),
                agent=agent,
                sandbox=sandbox,
                questions=lambda _task, evidence: HarborTask.read(root() / TESTS).questions(evidence),
                judge=make_judge(file.judge, models),
            )
            done = await run_attempt(attempt, pool)
    return AttemptOutcome(evidence=done.evidence) if done.error is None else AttemptOutcome(error=str(done.error))


# What the tests and the solution run.


def verdict() -> Reward:
    """End the attempt and return its verdict."""
    ensure_served()
    directory = root() / ATTEMPT
    result = directory / RESULT
    if not result.exists():
        if not _terminate(int((directory / PROCESS_ID).read_text())):
            return Reward(reward=None, reasons=("the process that held the servers was killed",))
        wait_for([result], _END_SECONDS, "ended")
    outcome = AttemptOutcome.model_validate_json(result.read_bytes())
    if outcome.evidence is None:
        return Reward(reward=None, reasons=(outcome.error,))
    file = HarborTask.read(root() / TESTS)
    return _reward(scorecard(file.plan.task, outcome.evidence, file.metrics, file.plan.floors))


def _terminate(process: int) -> bool:
    """Ask a process to end, and return whether it was still there."""
    try:
        os.kill(process, signal.SIGTERM)
    except ProcessLookupError:
        return False
    # In a container whose first process waits for no others, one that was killed stays as a zombie.
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    return True


def _reward(card: Scorecard) -> Reward:
    unscored = [f"{name}: {card.scores[name].unscored}" for name in card.unscored]
    failed = [f"{name}: {reason}" for name in card.shortfalls for reason in card.scores[name].reasons]
    rewards = {"passed": (1, []), "failed": (0, failed), "unscored": (None, unscored)}
    reward, reasons = rewards[card.verdict]
    scores = {name: score.value for name, score in card.scores.items()}
    return Reward(reward=reward, reasons=tuple(reasons), scores=scores)


async def solve() -> str:
    """Play the reference through the servers of the attempt, and return the answer."""
    file = HarborTask.read(root() / SOLUTION)
    variables = {ROOT: os.environ[ROOT]} if ROOT in os.environ else {}
    servers = {
        name: ServerRef(
            name=name,
            transport="stdio",
            command="mcpbench",
            arguments=("harbor", "connect", shown),
            environment=variables,
            sequential=file.suite.servers[name].sequential,
        )
        for name, shown in file.servers.items()
    }
    suite = file.suite.model_copy(update={"servers": servers})
    # The process that holds the world has prepared it.
    own = {"servers": (), "context": Context(), "setup": (), "reset": ()}
    task = file.plan.task.model_copy(update=own)
    with tempfile.TemporaryDirectory() as directory:
        async with ServerPool() as pool, pool.arena(task, suite, sandbox_in(Path(directory), task)) as arena:
            trajectory = await OracleAgent().attempt(task, arena)
    return trajectory.answer
