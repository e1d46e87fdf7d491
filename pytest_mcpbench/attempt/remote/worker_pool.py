"""Pool of worker processes: they are started when they are needed and replaced when they are lost."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from pytest_mcpbench.attempt.remote.serializer import Blob
from pytest_mcpbench.core.errors import EngineError

CLOSE_SECONDS = 2.0
"""Time in which a worker may stop its servers; after it the worker is killed."""

MAX_FAILED_STARTS = 3
"""Number of workers of a node that may end before they are ready; after it the node is not used any more."""

QUARANTINE_SECONDS = 20.0
"""Time in which no worker is started on a node that lost one, as long as other nodes have workers."""

WATCH_SECONDS = 5.0
"""Time after which the nodes of the cluster are looked at again."""

Result = TypeVar("Result")


class WorkerLostError(Exception):
    """Loss of a worker process and of the attempts in it; the message describes how it ended."""


class Worker(Protocol):
    """Process that runs attempts. Every coroutine may raise WorkerLostError."""

    node: str
    """Name of its machine, for people."""

    async def start(self) -> None:
        """Wait until the worker is ready.

        Raises:
            EngineError: neither this worker nor any other on its node can become ready.
        """
        ...

    async def run_attempt(self, request: bytes) -> bytes:
        """Run an attempt and return the response; cancelling this coroutine cancels the attempt."""
        ...

    async def send_blob(self, blob: Blob) -> None:
        """Send a blob that requests refer to."""
        ...

    async def close(self) -> None:
        """Stop the servers of the worker."""
        ...

    def kill(self) -> None:
        """End the worker at once."""
        ...


class Cluster(Protocol):
    """Machines on which workers can be started."""

    def slots(self) -> "Counter[str]":
        """Return the maximum number of workers on each node that is alive now."""
        ...

    def start_worker(self, node: str) -> Worker:
        """Start a worker on a node and return it without waiting until it is ready."""
        ...

    def close(self) -> None:
        """Disconnect from the cluster."""
        ...


@dataclass(eq=False)
class PooledWorker:
    """Worker of a pool; what it was asked for ends with its node."""

    worker: Worker
    node: str
    in_flight: int = 0
    node_lost: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.ready = asyncio.ensure_future(self._while_node_lives(self.worker.start()))

    async def run_attempt(self, request: bytes) -> bytes:
        """Run an attempt, see :meth:`Worker.run_attempt`."""
        return await self._while_node_lives(self.worker.run_attempt(request))

    async def send_blob(self, blob: Blob) -> None:
        """Send a blob that requests refer to."""
        await self._while_node_lives(self.worker.send_blob(blob))

    async def _while_node_lives(self, request: Coroutine[Any, Any, Result]) -> Result:
        # Ray never ends a call of an actor whose node was killed while the actor started (tried with Ray 2.60).
        call, loss = asyncio.ensure_future(request), asyncio.ensure_future(self.node_lost.wait())
        try:
            await asyncio.wait({call, loss}, return_when=asyncio.FIRST_COMPLETED)
            if call.done():
                return call.result()
            raise WorkerLostError(f"node {self.node} has left the cluster")
        finally:
            call.cancel()
            loss.cancel()


class WorkerPool:
    """Pool that assigns each attempt to an idle worker, a new worker, or the least busy one, in this order."""

    def __init__(self, cluster: Cluster, *, concurrency: int) -> None:
        self._cluster = cluster
        self._concurrency = concurrency
        self._slots = cluster.slots()
        self._workers: list[PooledWorker] = []
        self._rejected_nodes: dict[str, str] = {}
        """Reason why no worker on the node can run attempts, by node."""
        self._failed_starts: Counter[str] = Counter()
        self._quarantined: set[str] = set()
        """Nodes that lost a worker recently."""
        self._changed = asyncio.Condition()
        self._watch: asyncio.Task[None] | None = None
        if not self._slots.total():
            raise EngineError("the cluster has no CPU for attempts; start its nodes with --num-cpus=1 or more.")

    @property
    def capacity(self) -> int:
        """Number of attempts that can be in flight at the same time."""
        return self._slots.total() * self._concurrency

    @property
    def problems(self) -> list[str]:
        """Descriptions of the nodes that could not be used."""
        return [f"node {node} was not used: {why}" for node, why in self._rejected_nodes.items()]

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[PooledWorker]:
        """Reserve a place for one attempt in a ready worker; wait until there is one.

        Raises:
            EngineError: no node is left on which a worker could run.
            WorkerLostError: raised by the body and passed on; the worker is removed from the pool.
        """
        member = await self._reserve()
        try:
            yield member
        except WorkerLostError:
            await self._remove(member)
            raise
        finally:
            member.in_flight -= 1
            await self._notify()

    async def close(self) -> None:
        """Stop every worker."""
        if self._watch is not None:
            self._watch.cancel()
        if self._workers:
            await asyncio.wait([asyncio.create_task(_close(each)) for each in self._workers], timeout=CLOSE_SECONDS)
        for member in self._workers:
            member.worker.kill()
        self._cluster.close()

    async def _reserve(self) -> PooledWorker:
        """Return a ready worker with its count of attempts in flight increased by one."""
        while True:
            async with self._changed:
                while (member := self._available()) is None:
                    await self._changed.wait()
                # Counted before it is ready: other attempts that wait must not all choose the same new worker.
                member.in_flight += 1
            is_ready = False
            try:
                is_ready = await self._wait_until_ready(member)
            finally:
                member.in_flight -= not is_ready  # also if the wait is cancelled
            if is_ready:
                return member

    def _available(self) -> PooledWorker | None:
        least_busy = min(self._workers, key=lambda member: member.in_flight, default=None)
        if least_busy is not None and least_busy.in_flight == 0:
            return least_busy
        node = self._node_with_free_slot()
        if node is not None:
            return self._start_worker(node)
        if least_busy is None:
            problems = "".join(f" {problem}." for problem in self.problems)
            raise EngineError(f"no node is left to run attempts on.{problems}")
        return least_busy if least_busy.in_flight < self._concurrency else None

    def _node_with_free_slot(self) -> str | None:
        """Return the node with the most free slots; ``None`` if all slots are taken."""
        taken = Counter(member.node for member in self._workers)
        # A lost worker may mean that its node is going down, and a cluster takes a while to notice that. A node in
        # quarantine is still better than none.
        avoided = {*self._rejected_nodes, *(self._quarantined if self._workers else ())}
        free = {node: count - taken[node] for node, count in self._slots.items() if node not in avoided}
        node = max(free, key=lambda node: free[node], default=None)
        return node if node is not None and free[node] > 0 else None

    def _start_worker(self, node: str) -> PooledWorker:
        if self._watch is None:
            self._watch = asyncio.create_task(self._watch_nodes())
        member = PooledWorker(self._cluster.start_worker(node), node)
        self._workers.append(member)
        return member

    async def _watch_nodes(self) -> None:
        """Use nodes that join the cluster, and give up the workers of those that have left it."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            self._slots = await asyncio.to_thread(self._cluster.slots)
            for member in self._workers:
                if not self._slots[member.node]:
                    member.node_lost.set()
            await self._notify()

    async def _wait_until_ready(self, member: PooledWorker) -> bool:
        """Wait for the start of a worker; return whether it succeeded."""
        try:
            # Shielded: several attempts wait for the same start, and one that is cancelled must not cancel it.
            await asyncio.shield(member.ready)
        except EngineError as error:
            self._rejected_nodes[member.node] = str(error)
            self._workers = [each for each in self._workers if each.node != member.node]
        except WorkerLostError as error:
            self._failed_starts[member.node] += 1
            if self._failed_starts[member.node] >= MAX_FAILED_STARTS:
                self._rejected_nodes[member.node] = f"its processes end before they can run attempts: {error}"
            await self._remove(member)
        else:
            return True
        await self._notify()
        return False

    async def _remove(self, member: PooledWorker) -> None:
        """Remove a lost worker and refresh the slots of the cluster."""
        # Each of its attempts reports the loss; only the first report counts.
        if member in self._workers:
            self._workers.remove(member)
            member.worker.kill()
            self._quarantined.add(member.node)
            asyncio.get_running_loop().call_later(QUARANTINE_SECONDS, self._quarantined.discard, member.node)
            self._slots = await asyncio.to_thread(self._cluster.slots)

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()


async def _close(member: PooledWorker) -> None:
    with suppress(WorkerLostError):
        await member.worker.close()
