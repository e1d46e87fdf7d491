"""Worker side of a remote executor: it rebuilds the attempts that another process sends and runs them."""

import asyncio
import importlib.util
import os
import pickle
import threading
from contextlib import ExitStack
from pathlib import Path

from pytest_mcpbench import __version__
from pytest_mcpbench.agents.agent import Agent
from pytest_mcpbench.agents.factory import make_agent
from pytest_mcpbench.agents.users.factory import make_user
from pytest_mcpbench.attempt.attempt import Attempt, AttemptResult
from pytest_mcpbench.attempt.components import AgentRef, JudgeRef
from pytest_mcpbench.attempt.local_executor import LocalExecutor
from pytest_mcpbench.attempt.remote.messages import (
    AttemptContext,
    AttemptRequest,
    AttemptResponse,
    RunnerSettings,
    SerializedError,
    digest_of,
)
from pytest_mcpbench.attempt.remote.sandbox_state import capture_sandbox
from pytest_mcpbench.attempt.sandbox import open_sandbox, sandbox_in
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Judge, Question
from pytest_mcpbench.core.planning import AttemptPlan
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.score import JudgedMetric
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.files import archive
from pytest_mcpbench.files.scratch import ScratchDirectory, sweep
from pytest_mcpbench.judges.cache import VerdictCache
from pytest_mcpbench.judges.factory import make_judge
from pytest_mcpbench.metrics.catalogue import configure
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.runs.evidence_journal import EvidenceJournal
from pytest_mcpbench.servers.exposure import servers_needed
from pytest_mcpbench.servers.isolation import make_isolation
from pytest_mcpbench.servers.secret_filter import SecretFilter
from pytest_mcpbench.suite_files.references import import_object


class RejectedError(Exception):
    """Error for an attempt that cannot run in this process; the message is the reason."""


class RemoteAttemptRunner:
    """Runner of the attempts of another process, with its own loop, servers, models, agents and judge.

    Its coroutines may run on any loop.

    Args:
        settings: Settings from the other process.
        root: Working directory of servers that have none; by default a temporary directory.
        verdicts: Directory of the cache of verdicts; by default a temporary directory.
    """

    def __init__(self, settings: RunnerSettings, *, root: Path | None = None, verdicts: Path | None = None) -> None:
        if settings.version != __version__:
            raise UsageError(
                f"it has pytest-mcpbench {__version__}, this machine has {settings.version}; "
                "install the same version on every node"
            )
        os.environ.update(settings.environment)
        sweep()
        self._scratch = ScratchDirectory()
        self._root = self._scratch.path
        self._verdicts = verdicts or self._root / "verdicts"
        self.models = Models(settings.aliases, cache=self._verdicts.parent)
        self.executor = LocalExecutor(
            concurrency=settings.concurrency,
            root=root or self._root,
            models=self.models,
            isolation=make_isolation(settings.isolation),
        )
        self._component_lock = threading.Lock()
        self._is_closed = False
        self._contexts: dict[str, _ContextComponents] = {}
        self._archives: dict[str, Path] = {}
        self._secrets = SecretFilter.of_environment()
        self._secrets.add_models((), settings.aliases)
        self._journals: dict[str, EvidenceJournal] = {}
        """Journals by the directory of their run."""

    async def run_attempt(self, request: bytes) -> bytes:
        """Return the :class:`AttemptResponse` to an :class:`AttemptRequest`, both as JSON.

        Cancelling the coroutine cancels the attempt.
        """
        attempt_request = AttemptRequest.model_validate_json(request)
        missing = [] if attempt_request.context in self._contexts else [attempt_request.context]
        if attempt_request.archive is not None and attempt_request.archive not in self._archives:
            missing.append(attempt_request.archive)
        if missing:
            response = AttemptResponse(kind="blobs_missing", missing_blobs=tuple(missing))
        else:
            try:
                response = await self._run(attempt_request)
            except RejectedError as error:
                response = AttemptResponse(kind="rejected", reason=str(error))
        return response.model_dump_json(exclude_unset=True).encode()

    def store_blob(self, content: bytes, *, is_archive: bool) -> None:
        """Store a blob that a response reported as missing."""
        digest = digest_of(content)
        if is_archive:
            self._archives[digest] = archive.extract_once(content, self._root / "suites" / digest)
        else:
            context = AttemptContext.model_validate_json(content)
            self._secrets.add_suite(context.suite)
            self._contexts[digest] = _ContextComponents(context)

    def close(self) -> None:
        """Cancel what is in flight, stop every server and remove the temporary files."""
        self._is_closed = True
        self.executor.close()
        self._scratch.remove()

    async def _run(self, request: AttemptRequest) -> AttemptResponse:
        with ExitStack() as exits:
            # In threads: copying seeds and reading sandboxes would block the responses to other requests.
            attempt = await asyncio.to_thread(self._attempt, request, exits)
            # A request may have waited for its thread while close() ran; the closed executor would never run it.
            if self._is_closed:
                raise RejectedError("the worker process is closed")
            result = await asyncio.wrap_future(self.executor.submit(attempt))
            with_files = request.sandbox_directory is None
            return await asyncio.to_thread(_response, result, attempt.sandbox, with_files=with_files)

    def _attempt(self, request: AttemptRequest, exits: ExitStack) -> Attempt:
        components = self._contexts[request.context]
        context = components.context
        directory = self._suite_directory(request)
        suite = context.suite.model_copy(update={"directory": str(directory)})
        plan = AttemptPlan(request.task, suite, request.description)
        for server in servers_needed(plan.task, suite):
            if isinstance(server.factory, str):
                _require_module(server.factory, f"its server {server.name!r}")
        # Several threads build attempts; the agent and the judge of a context are created once.
        with self._component_lock:
            agent, judge = components.agent(self.models), components.judge(self.models, self._verdicts)
            journal = self._journal(request.journal_directory)
            name, trial = context.components.user, request.description.trial
            user = make_user(request.task, name, self.models, trial=trial) if plan.has_user else None
        return Attempt(
            plan=plan,
            agent=agent,
            sandbox=self._sandbox(request, directory, exits),
            questions=components.questions,
            judge=judge,
            user=user,
            journal=journal,
        )

    def _journal(self, directory: str | None) -> EvidenceJournal | None:
        """Return the journal of this process in the directory of a run; the component lock has to be held."""
        if directory is None:
            return None
        if directory not in self._journals:
            self._journals[directory] = EvidenceJournal(Path(directory), f"shared-{os.getpid()}", self._secrets)
        return self._journals[directory]

    def _suite_directory(self, request: AttemptRequest) -> Path:
        if request.suite_directory:
            return Path(request.suite_directory)
        return self._archives[request.archive] if request.archive else self._root

    def _sandbox(self, request: AttemptRequest, suite_directory: Path, exits: ExitStack) -> Sandbox:
        if request.sandbox_directory is not None:
            return sandbox_in(Path(request.sandbox_directory), request.task)
        return exits.enter_context(open_sandbox(request.task, suite_directory, self._root / "sandboxes"))


class _ContextComponents:
    """Agent, judge and metrics of an :class:`AttemptContext`, each created at its first use."""

    def __init__(self, context: AttemptContext) -> None:
        self.context = context
        self._agent: Agent | None = None
        self._judge: Judge | None = None
        self._metrics: list[JudgedMetric] = []

    def agent(self, models: Models) -> Agent:
        if self._agent is None:
            self._agent = _make_agent(self.context.components.agent, models)
        return self._agent

    def judge(self, models: Models, cache: Path) -> Judge | None:
        ref = self.context.components.judge
        if ref is not None and self._judge is None:
            self._metrics = _make_metrics(ref)
            self._judge = make_judge(ref.name, models, cache=VerdictCache(cache, self._secrets()))
        return self._judge

    def _secrets(self) -> SecretFilter:
        secrets = SecretFilter.of_environment()
        secrets.add_suite(self.context.suite)
        return secrets

    def questions(self, task: Task, evidence: AttemptEvidence) -> list[Question]:
        return [question for metric in self._metrics for question in metric.questions(task, evidence)]


def _make_agent(ref: AgentRef, models: Models) -> Agent:
    if ref.pickled is None:
        return make_agent(ref.name, models, temperature=ref.temperature)
    try:
        agent: Agent = pickle.loads(ref.pickled)
    except Exception as error:  # unpickling runs code of the user's class
        raise RejectedError(f"its agent {ref.name!r} cannot be unpickled in the worker: {error}") from error
    return agent


def _make_metrics(ref: JudgeRef) -> list[JudgedMetric]:
    metrics = []
    for name, metric in ref.metrics.items():
        _require_module(metric.address, f"its metric {name!r}")
        metrics.append(configure(name, import_object(metric.address), metric.settings))
    return [metric for metric in metrics if isinstance(metric, JudgedMetric)]


def _require_module(address: str, subject: str) -> None:
    module = address.partition(":")[0]
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise RejectedError(f"{subject} is created by {address}, and the worker has no module {module}")


def _response(result: AttemptResult, sandbox: Sandbox, *, with_files: bool) -> AttemptResponse:
    error = SerializedError.from_error(result.error) if result.error is not None else None
    return AttemptResponse(
        kind="finished",
        evidence=result.evidence,
        error=error,
        seconds=result.seconds,
        sandbox=capture_sandbox(sandbox, with_files=with_files),
    )
