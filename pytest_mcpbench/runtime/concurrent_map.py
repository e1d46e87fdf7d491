"""Application of a coroutine function to many items, some of them at the same time."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import anyio

Item = TypeVar("Item")
Mapped = TypeVar("Mapped")


async def concurrent_map(
    items: Sequence[Item], work: Callable[[Item], Awaitable[Mapped]], *, concurrency: int
) -> list[Mapped]:
    """Return the results of ``work`` for all items, in their order; at most ``concurrency`` of them run at a time."""
    results: dict[int, Mapped] = {}
    slots = anyio.CapacityLimiter(concurrency)

    async def one(index: int, item: Item) -> None:
        async with slots:
            results[index] = await work(item)

    async with anyio.create_task_group() as group:
        for index, item in enumerate(items):
            group.start_soon(one, index, item)
    return [results[index] for index in range(len(items))]
