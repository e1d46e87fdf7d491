"""Executor that sends attempts to worker processes and runs locally those that cannot be sent."""

import asyncio
from collections import Counter
from concurrent.futures import Future
from dataclasses import replace

from pytest_mcpbench.attempt.attempt import Attempt, AttemptResult, PartialEvidence, store_result, stored_result
from pytest_mcpbench.attempt.local_executor import LocalExecutor
from pytest_mcpbench.attempt.remote.messages import AttemptResponse
from pytest_mcpbench.attempt.remote.sandbox_state import restore_sandbox
from pytest_mcpbench.attempt.remote.serializer import AttemptSerializer, LocalOnlyError
from pytest_mcpbench.attempt.remote.worker_pool import PooledWorker, WorkerLostError, WorkerPool
from pytest_mcpbench.attempt.verdicts import add_verdicts, missing_verdicts, renew_verdicts
from pytest_mcpbench.concurrency import LoopThread
from pytest_mcpbench.core.errors import EngineError
from pytest_mcpbench.core.evidence import AttemptNotes

MAX_RESTARTS = 3
"""Number of times an attempt is started again after its worker was lost."""

CLOSE_SECONDS = 5.0


class RemoteExecutor:
    """Executor that runs each attempt in a worker of the pool.

    An attempt that was started several times has one result: that of the worker which finished it.

    Args:
        local: Executor of this process for attempts that cannot be sent.
        workers: Pool of worker processes.
        same_machine: ``True`` if the workers see the files of this process.
    """

    def __init__(self, local: LocalExecutor, workers: WorkerPool, *, same_machine: bool = False) -> None:
        self._local = local
        self._workers = workers
        self._serializer = AttemptSerializer(same_machine=same_machine)
        self._notes_node = not same_machine
        self._node_counts: Counter[str] = Counter()
        self._local_counts: Counter[str] = Counter()
        self._restarts = 0
        self._loop = LoopThread("mcpbench engine")

    def submit(self, attempt: Attempt) -> "Future[AttemptResult]":
        """Start an attempt; cancelling the future cancels the attempt."""
        return self._loop.start(self._run(attempt))

    def close(self) -> None:
        """Cancel everything in flight in the workers and stop them; return within bounded time."""
        self._loop.close(self._workers.close(), within_seconds=CLOSE_SECONDS)

    @property
    def capacity(self) -> int:
        """Number of attempts that can be in flight at the same time."""
        return self._workers.capacity

    @property
    def local_counts(self) -> dict[str, int]:
        """Number of attempts that ran in this process, by reason."""
        return dict(self._local_counts)

    def summary_lines(self) -> list[str]:
        """Return lines about where attempts ran, which of them ran in this process, and which were restarted."""
        nodes = ", ".join(f"{count} on {node}" for node, count in sorted(self._node_counts.items()))
        lines = [f"attempts per node: {nodes}"] if nodes else []
        lines += [f"attempts run in this process: {count}, because {why}" for why, count in self._local_counts.items()]
        if self._restarts:
            lines.append(f"attempts restarted because their process was lost: {self._restarts}")
        return [*lines, *self._workers.problems]

    async def _run(self, attempt: Attempt) -> AttemptResult:
        try:
            request = self._serializer.serialize(attempt)
            return await self._run_in_worker(attempt, request)
        except LocalOnlyError as error:
            self._local_counts[str(error)] += 1
            return await asyncio.wrap_future(self._local.submit(attempt))

    async def _run_in_worker(self, attempt: Attempt, request: bytes) -> AttemptResult:
        last_loss = ""
        for _ in range(1 + MAX_RESTARTS):
            try:
                async with self._workers.acquire() as worker:
                    response = await self._send(worker, request)
                # Outside: the worker is free again while the files of the sandbox are written here.
                return await self._result(response, attempt, worker)
            except WorkerLostError as error:
                stored = await self._stored(attempt)
                if stored is not None:
                    return stored
                self._restarts += 1
                last_loss = str(error)
            except EngineError as error:
                return _failure(attempt, error)
        self._restarts -= 1  # the last loss was not followed by a restart
        starts = 1 + MAX_RESTARTS
        return _failure(
            attempt, EngineError(f"started {starts} times, and its process was lost each time: {last_loss}")
        )

    async def _stored(self, attempt: Attempt) -> AttemptResult | None:
        """Return the result of an attempt that its lost worker had stored, with the verdicts that are missing."""
        if not self._serializer.same_machine:
            return None
        result = await asyncio.to_thread(stored_result, attempt)
        if result is None or not missing_verdicts(attempt, result.evidence):
            return result
        evidence = await asyncio.to_thread(self._local.call, lambda _: renew_verdicts(attempt, result.evidence))
        return store_result(attempt, replace(result, evidence=evidence))

    async def _send(self, worker: PooledWorker, request: bytes) -> AttemptResponse:
        """Return a worker's response to a request, after sending it the blobs that it does not have."""
        # Optimistic: nearly every request finds its blobs in the worker, so they are sent only on demand.
        for _ in range(2):
            response = AttemptResponse.model_validate_json(await worker.run_attempt(request))
            if response.kind != "blobs_missing":
                return response
            for digest in response.missing_blobs:
                await worker.send_blob(self._serializer.blob(digest))
        raise EngineError(f"{worker.node} still lacks data that was sent to it: {', '.join(response.missing_blobs)}")

    async def _result(self, response: AttemptResponse, attempt: Attempt, worker: PooledWorker) -> AttemptResult:
        if response.kind == "rejected":
            raise LocalOnlyError(response.reason)
        assert response.evidence is not None
        self._node_counts[worker.node] += 1
        # In a thread: writing the files of a sandbox must not block the responses of other attempts.
        await asyncio.to_thread(restore_sandbox, response.sandbox, response.evidence.worlds, attempt.sandbox)
        notes = self._notes(response.evidence.notes, response, worker)
        evidence = response.evidence.model_copy(update={"notes": notes})
        if response.error is not None:
            return AttemptResult(evidence, response.error.to_error(), seconds=response.seconds)
        return await self._finished(attempt, AttemptResult(evidence, seconds=response.seconds))

    async def _finished(self, attempt: Attempt, result: AttemptResult) -> AttemptResult:
        """Return the result with verdicts that only this process can obtain, and store it if its worker cannot."""
        if not self._serializer.same_machine:
            result = store_result(attempt, result)
        if result.error is not None or not _needs_local_verdicts(attempt):
            return result
        # Through the local executor's loop, to which the judge's connections belong.
        evidence = await asyncio.to_thread(self._local.call, lambda _: add_verdicts(attempt, result.evidence))
        return store_result(attempt, replace(result, evidence=evidence))

    def _notes(self, notes: AttemptNotes, response: AttemptResponse, worker: PooledWorker) -> AttemptNotes:
        made_on = worker.node if self._notes_node else ""
        files = "left there" if response.sandbox.is_incomplete else ""
        return notes.model_copy(update={"made_on": made_on, "files": files})


def _needs_local_verdicts(attempt: Attempt) -> bool:
    return attempt.judge is not None and attempt.components is not None and attempt.components.judge is None


def _failure(attempt: Attempt, error: EngineError) -> AttemptResult:
    return PartialEvidence(attempt.plan, attempt.sandbox).failed(error, seconds=0.0)
