"""Makes the attempts that another process sends: with its own loop, servers, models, agents and judge."""

import asyncio
import importlib.util
import os
import pickle
import shutil
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path

from pytest_mcpbench import __version__
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.score import JudgedMetric
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.catalogue import configured
from pytest_mcpbench.runtime.agent import Agent
from pytest_mcpbench.runtime.agents.factory import make_agent
from pytest_mcpbench.runtime.attempt import Attempt, AttemptResult
from pytest_mcpbench.runtime.components import AgentRef, JudgeRef
from pytest_mcpbench.runtime.judge import Judge
from pytest_mcpbench.runtime.judges.factory import make_judge
from pytest_mcpbench.runtime.local_executor import LocalExecutor
from pytest_mcpbench.runtime.models.factory import Models
from pytest_mcpbench.runtime.remote import archive
from pytest_mcpbench.runtime.remote.errors import SerializedError
from pytest_mcpbench.runtime.remote.messages import Answer, AttemptRequest, Common, RunnerSettings, digest_of
from pytest_mcpbench.runtime.remote.sandbox_state import capture_sandbox
from pytest_mcpbench.runtime.sandbox import open_sandbox, sandbox_in
from pytest_mcpbench.runtime.servers.exposure import servers_needed
from pytest_mcpbench.runtime.suites.references import resolved


class RejectedError(Exception):
    """An attempt that cannot be made here; the text says why."""


class AttemptRunner:
    """The attempts of one process, for another one. Its coroutines may run on any loop.

    Args:
        setup: What it is begun with.
        root: Where commands without a working directory run: that of pytest, if it is on this machine, else one of
            its own.
        verdicts: Where the verdicts of judges are kept; else in a directory of its own.
    """

    def __init__(self, setup: RunnerSettings, *, root: Path | None = None, verdicts: Path | None = None) -> None:
        if setup.version != __version__:
            raise UsageError(
                f"there is pytest-mcpbench {__version__}, here {setup.version}; install the same on every node"
            )
        os.environ.update(setup.environment)
        self._root = Path(tempfile.mkdtemp(prefix="mcpbench-"))
        self._verdicts = verdicts or self._root / "verdicts"
        self.models = Models(setup.aliases)
        self.rollouts = LocalExecutor(concurrency=setup.concurrency, root=root or self._root, models=self.models)
        self._making = threading.Lock()
        self._is_closed = False
        self._commons: dict[str, _Made] = {}
        self._archives: dict[str, Path] = {}

    async def make(self, request: bytes) -> bytes:
        """The :class:`Answer` to a :class:`AttemptRequest`, both as JSON; cancelling it cancels the attempt."""
        asked = AttemptRequest.model_validate_json(request)
        wanting = tuple(self._wanting(asked))
        if wanting:
            answer = Answer(kind="wanting", wanting=wanting)
        else:
            try:
                answer = await self._made(asked)
            except RejectedError as error:
                answer = Answer(kind="refused", reason=str(error))
        return answer.model_dump_json(exclude_unset=True).encode()

    def give(self, content: bytes, *, is_archive: bool) -> None:
        """Take a parcel that an answer said was wanting."""
        digest = digest_of(content)
        if is_archive:
            self._archives[digest] = archive.unpacked(content, self._root / "suites" / digest)
        else:
            self._commons[digest] = _Made(Common.model_validate_json(content))

    def close(self) -> None:
        """Cancel what is in flight, stop every server, leave nothing on disk."""
        self._is_closed = True
        self.rollouts.close()
        shutil.rmtree(self._root, ignore_errors=True)

    def _wanting(self, asked: AttemptRequest) -> list[str]:
        wanting = [] if asked.common in self._commons else [asked.common]
        return wanting if asked.files is None or asked.files in self._archives else [*wanting, asked.files]

    async def _made(self, asked: AttemptRequest) -> Answer:
        with ExitStack() as exits:
            attempt = await asyncio.to_thread(self._attempt, asked, exits)
            if self._is_closed:
                raise RejectedError("the process that was to make it is closed")
            made = await asyncio.wrap_future(self.rollouts.submit(attempt))
            return await asyncio.to_thread(_answer, made, attempt.sandbox, with_files=asked.sandbox is None)

    def _attempt(self, asked: AttemptRequest, exits: ExitStack) -> Attempt:
        kept = self._commons[asked.common]
        directory = Path(asked.directory) if asked.directory else self._unpacked(asked)
        suite = kept.common.suite.model_copy(update={"directory": str(directory)})
        for server in servers_needed(asked.task, suite):
            if isinstance(server.factory, str):
                _require_module(server.factory, f"its server {server.name!r}")
        with self._making:
            agent, judge = kept.agent(self.models), kept.judge(self.models, self._verdicts)
        if asked.sandbox is not None:
            sandbox = sandbox_in(Path(asked.sandbox), asked.task)
        else:
            sandbox = exits.enter_context(open_sandbox(asked.task, directory, self._root / "sandboxes"))
        return Attempt(
            task=asked.task,
            suite=suite,
            model=kept.common.model,
            trial=asked.trial,
            agent=agent,
            sandbox=sandbox,
            questions=kept.questions,
            judge=judge,
        )

    def _unpacked(self, asked: AttemptRequest) -> Path:
        return self._archives[asked.files] if asked.files else self._root


class _Made:
    """A :class:`Common` with what is made from it, once."""

    def __init__(self, common: Common) -> None:
        self.common = common
        self._agent: Agent | None = None
        self._judge: Judge | None = None
        self._metrics: list[JudgedMetric] = []

    def agent(self, models: Models) -> Agent:
        if self._agent is None:
            self._agent = _agent(self.common.parts.agent, models)
        return self._agent

    def judge(self, models: Models, cache: Path) -> Judge | None:
        ref = self.common.parts.judge
        if ref is not None and self._judge is None:
            self._metrics = _metrics(ref)
            self._judge = make_judge(ref.name, models, cache=cache)
        return self._judge

    def questions(self, task: Task, evidence: AttemptEvidence) -> list[Question]:
        return [question for metric in self._metrics for question in metric.questions(task, evidence)]


def _agent(ref: AgentRef, models: Models) -> Agent:
    if ref.pickled is None:
        return make_agent(ref.name, models, temperature=ref.temperature)
    try:
        agent: Agent = pickle.loads(ref.pickled)
    except Exception as error:
        raise RejectedError(f"its agent {ref.name!r} cannot be unpickled there: {error}") from error
    return agent


def _metrics(ref: JudgeRef) -> list[JudgedMetric]:
    made = []
    for name, metric in ref.metrics.items():
        _require_module(metric.address, f"its metric {name!r}")
        made.append(configured(name, resolved(metric.address), metric.settings))
    return [metric for metric in made if isinstance(metric, JudgedMetric)]


def _require_module(address: str, what: str) -> None:
    module = address.partition(":")[0]
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        found = None
    if found is None:
        raise RejectedError(f"{what} is made by {address}, and there is no module {module} there")


def _answer(made: AttemptResult, sandbox: Sandbox, *, with_files: bool) -> Answer:
    error = SerializedError.of(made.error) if made.error is not None else None
    evidence = capture_sandbox(sandbox, with_files=with_files)
    return Answer(kind="made", evidence=made.evidence, error=error, seconds=made.seconds, sandbox_evidence=evidence)
