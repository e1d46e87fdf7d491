"""The processes that make attempts for another one: begun when they are needed, replaced when they are lost."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

from pytest_mcpbench.core.errors import EngineError
from pytest_mcpbench.runtime.remote.serializer import Blob

CLOSE_SECONDS = 2.0
"""How long a process may take to stop its servers; then it is killed."""

MOST_FALSE_STARTS = 3
"""How many processes of a node may end before they could make an attempt; then it is not used."""

DOUBT_SECONDS = 20.0
"""How long no process is begun on a node that lost one, as long as there are others: a cluster needs some time to find
out that a node is gone."""


class WorkerLostError(Exception):
    """A process is gone, and with it what it was making; the text says how it ended."""


class Worker(Protocol):
    """A process that makes attempts. Every coroutine may raise LostError."""

    node: str
    """The machine that it runs on, for people."""

    async def begin(self) -> None:
        """Wait until it can make attempts; EngineError where it never will, nor any other on its node."""
        ...

    async def make(self, request: bytes) -> bytes:
        """Make the attempt in the worker; cancelling this call cancels the attempt there."""
        ...

    async def give(self, parcel: Blob) -> None: ...

    async def close(self) -> None:
        """Stop its servers."""
        ...

    def kill(self) -> None: ...


class Cluster(Protocol):
    """Where processes run."""

    def seats(self) -> "Counter[str]":
        """Node -> how many processes can be there; of the nodes that are alive now."""
        ...

    def open(self, node: str) -> Worker:
        """Start a process; does not wait for it."""
        ...

    def close(self) -> None: ...


@dataclass(eq=False)
class _Member:
    post: Worker
    node: str
    ready: "asyncio.Task[None]"
    in_flight: int = 0


class WorkerPool:
    """Gives each attempt a place: in an idle process, in a new one where none is idle, else in the least busy one."""

    def __init__(self, cluster: Cluster, *, concurrency: int) -> None:
        self._cluster = cluster
        self._concurrency = concurrency
        self._seats = cluster.seats()
        self._members: list[_Member] = []
        self._unfit: dict[str, str] = {}
        """Node -> why no process on it can make attempts."""
        self._false_starts: Counter[str] = Counter()
        self._doubted: set[str] = set()
        """Nodes on which a process was lost a moment ago: they may be going themselves."""
        self._changed = asyncio.Condition()
        if not self._seats.total():
            raise EngineError("the cluster has no CPU for attempts; begin its nodes with --num-cpus=1 or more.")

    @property
    def capacity(self) -> int:
        """Attempts that can be in flight at once."""
        return self._seats.total() * self._concurrency

    @property
    def problems(self) -> list[str]:
        """Nodes that could not be used, with the reason."""
        return [f"node {node} was not used: {why}" for node, why in self._unfit.items()]

    @asynccontextmanager
    async def place(self) -> AsyncIterator[Worker]:
        """A process for one attempt, ready; waits until there is one.

        Raises:
            EngineError: there is no node on which one could be.
            LostError: from the body, too: the process is not used again.
        """
        member = await self._chosen()
        try:
            yield member.post
        except WorkerLostError:
            await self._lose(member)
            raise
        finally:
            member.in_flight -= 1
            async with self._changed:
                self._changed.notify_all()

    async def close(self) -> None:
        """Stop every process."""
        if self._members:
            await asyncio.wait([asyncio.create_task(_close(each)) for each in self._members], timeout=CLOSE_SECONDS)
        for member in self._members:
            member.post.kill()
        self._cluster.close()

    async def _chosen(self) -> _Member:
        """A member that is ready, with one more in flight."""
        while True:
            async with self._changed:
                while (member := self._free()) is None:
                    await self._changed.wait()
                member.in_flight += 1
            is_ready = False
            try:
                is_ready = await self._is_ready(member)
            finally:
                member.in_flight -= not is_ready
            if is_ready:
                return member

    def _free(self) -> _Member | None:
        least = min(self._members, key=lambda member: member.in_flight, default=None)
        if least is not None and least.in_flight == 0:
            return least
        node = self._node_with_a_seat()
        if node is not None:
            return self._opened(node)
        if least is None:
            raise EngineError("no node is left to make attempts on." + "".join(f" {said}." for said in self.problems))
        return least if least.in_flight < self._concurrency else None

    def _node_with_a_seat(self) -> str | None:
        """The node with most seats free."""
        taken = Counter(member.node for member in self._members)
        avoided = {*self._unfit, *(self._doubted if self._members else ())}
        free = {node: count - taken[node] for node, count in self._seats.items() if node not in avoided}
        node = max(free, key=lambda node: free[node], default=None)
        return node if node is not None and free[node] > 0 else None

    def _opened(self, node: str) -> _Member:
        post = self._cluster.open(node)
        member = _Member(post, node, asyncio.ensure_future(post.begin()))
        self._members.append(member)
        return member

    async def _is_ready(self, member: _Member) -> bool:
        try:
            await asyncio.shield(member.ready)
        except EngineError as error:
            self._unfit[member.node] = str(error)
            self._members = [each for each in self._members if each.node != member.node]
        except WorkerLostError as error:
            self._false_starts[member.node] += 1
            if self._false_starts[member.node] >= MOST_FALSE_STARTS:
                self._unfit[member.node] = f"its processes end before they can make attempts: {error}"
            await self._lose(member)
        else:
            return True
        async with self._changed:
            self._changed.notify_all()
        return False

    async def _lose(self, member: _Member) -> None:
        """Do without it, and look which nodes there are still."""
        if member in self._members:
            self._members.remove(member)
            member.post.kill()
            self._doubted.add(member.node)
            asyncio.get_running_loop().call_later(DOUBT_SECONDS, self._doubted.discard, member.node)
            self._seats = await asyncio.to_thread(self._cluster.seats)


async def _close(member: _Member) -> None:
    with suppress(WorkerLostError):
        await member.post.close()
