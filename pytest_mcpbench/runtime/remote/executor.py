"""The executor that sends attempts to other processes; those that cannot be sent are made in this one."""

import asyncio
from collections import Counter
from concurrent.futures import Future

from pydantic import JsonValue

from pytest_mcpbench.core.errors import EngineError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.runtime.attempt import Attempt, AttemptResult, add_verdicts
from pytest_mcpbench.runtime.local_executor import LocalExecutor
from pytest_mcpbench.runtime.loop_thread import LoopThread
from pytest_mcpbench.runtime.remote.messages import Answer
from pytest_mcpbench.runtime.remote.sandbox_state import restore_sandbox
from pytest_mcpbench.runtime.remote.serializer import AttemptSerializer, LocalOnlyError
from pytest_mcpbench.runtime.remote.worker_pool import Worker, WorkerLostError, WorkerPool

MOST_LOSSES = 3
"""How often an attempt is begun again after the process that made it was lost."""

CLOSE_SECONDS = 5.0


class RemoteExecutor:
    """Sends each attempt to a process of the crew. What comes home is the attempt's only result: one that was begun
    again after a loss has one record.
    """

    def __init__(self, home: LocalExecutor, crew: WorkerPool, *, same_machine: bool = False) -> None:
        self._home = home
        self._crew = crew
        self._packer = AttemptSerializer(same_machine=same_machine)
        self._says_where = not same_machine
        self._made_on: Counter[str] = Counter()
        self._stayed: Counter[str] = Counter()
        self._losses = 0
        self._loop = LoopThread("mcpbench engine")

    def submit(self, attempt: Attempt) -> "Future[AttemptResult]":
        return self._loop.start(self._made(attempt))

    def close(self) -> None:
        """Returns within bounded time; no attempt is in flight anywhere."""
        self._loop.close(self._crew.close(), within_seconds=CLOSE_SECONDS)

    @property
    def capacity(self) -> int:
        """Attempts that can be in flight at once."""
        return self._crew.capacity

    @property
    def local_counts(self) -> dict[str, int]:
        """Why attempts were made here, and how many."""
        return dict(self._stayed)

    def summary_lines(self) -> list[str]:
        """Where attempts were made, which stayed and why, what was lost."""
        where = ", ".join(f"{count} on {node}" for node, count in sorted(self._made_on.items()))
        said = [f"attempts were made on {len(self._made_on)} nodes: {where}"] if where else []
        said += [f"made here, not elsewhere: {count}, because {why}" for why, count in self._stayed.items()]
        if self._losses:
            said.append(f"begun again, because the process that made them was lost: {self._losses}")
        return [*said, *self._crew.problems]

    async def _made(self, attempt: Attempt) -> AttemptResult:
        try:
            request = self._packer.packed(attempt)
            return await self._made_away(attempt, request)
        except LocalOnlyError as error:
            self._stayed[str(error)] += 1
            return await asyncio.wrap_future(self._home.submit(attempt))

    async def _made_away(self, attempt: Attempt, request: bytes) -> AttemptResult:
        last = ""
        for _ in range(1 + MOST_LOSSES):
            try:
                async with self._crew.place() as post:
                    answer = await self._asked(post, request)
                return await self._arrived(answer, attempt, post)
            except WorkerLostError as error:
                self._losses += 1
                last = str(error)
            except EngineError as error:
                return _not_made(attempt, error)
        self._losses -= 1
        problem = f"begun {1 + MOST_LOSSES} times, and each time the process that made it was lost; at last: {last}"
        return _not_made(attempt, EngineError(problem))

    async def _asked(self, post: Worker, request: bytes) -> Answer:
        """The answer of a process, which is given the parcels that it has not got."""
        for _ in range(2):
            answer = Answer.model_validate_json(await post.make(request))
            if answer.kind != "wanting":
                return answer
            for digest in answer.wanting:
                await post.give(self._packer.parcel(digest))
        raise EngineError(f"{post.node} keeps asking for what it was given: {', '.join(answer.wanting)}")

    async def _arrived(self, answer: Answer, attempt: Attempt, post: Worker) -> AttemptResult:
        if answer.kind == "refused":
            raise LocalOnlyError(answer.reason)
        assert answer.evidence is not None
        self._made_on[post.node] += 1
        await asyncio.to_thread(restore_sandbox, answer.sandbox_evidence, answer.evidence.worlds, attempt.sandbox)
        where: dict[str, JsonValue] = {"made_on": post.node} if self._says_where else {}
        left: dict[str, JsonValue] = {"files": "left there"} if answer.sandbox_evidence.left_behind else {}
        evidence = answer.evidence.model_copy(update={"notes": answer.evidence.notes | where | left})
        error = answer.error.error() if answer.error is not None else None
        if (
            error is None
            and attempt.judge is not None
            and attempt.components is not None
            and attempt.components.judge is None
        ):
            evidence = await asyncio.to_thread(self._home.call, lambda _: add_verdicts(attempt, evidence))
        return AttemptResult(evidence, error, seconds=answer.seconds)


def _not_made(attempt: Attempt, error: EngineError) -> AttemptResult:
    evidence = AttemptEvidence(
        task_id=attempt.task.id, model=attempt.model, trial=attempt.trial, trajectory=Trajectory()
    )
    return AttemptResult(evidence, error)
