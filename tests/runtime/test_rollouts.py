"""Attempts in flight and their end."""

import asyncio
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from pytest_mcpbench.runtime.arena import ServerPool
from pytest_mcpbench.runtime.models.names import Models
from pytest_mcpbench.runtime.rollouts import Rollouts


@pytest.fixture
def rollouts(tmp_path: Path) -> Iterator[Rollouts]:
    rollouts = Rollouts(concurrency=1, root=tmp_path, models=Models({}))
    yield rollouts
    rollouts.close()


def test_closing_cancels_what_a_ctrl_c_kept_the_caller_from_knowing(rollouts: Rollouts) -> None:
    begun, cancelled = threading.Event(), threading.Event()

    async def wait_for_ever(_pool: ServerPool) -> None:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.set()

    rollouts.call(_press_ctrl_c_while_the_next_call_is_on_its_way)
    with pytest.raises(KeyboardInterrupt):
        rollouts.call(wait_for_ever)
    assert begun.wait(timeout=5)
    rollouts.close()
    assert cancelled.is_set()


async def _press_ctrl_c_while_the_next_call_is_on_its_way(_pool: ServerPool) -> None:
    caller = threading.main_thread().ident
    assert caller is not None

    def press() -> None:
        threading.Event().wait(0.2)  # the loop stands still, so that the caller waits for it
        signal.pthread_kill(caller, signal.SIGINT)

    asyncio.get_running_loop().call_soon(press)
