"""Concurrent attempts of a local executor, and their cancellation."""

import asyncio
import functools
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

from pytest_mcpbench.agents.agent import AgentEnvironment
from pytest_mcpbench.attempt.attempt import Attempt
from pytest_mcpbench.attempt.local_executor import LocalExecutor
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.concurrency import LoopThread, wait_for_result
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.models.factory import Models
from tests.builders import a_plan, a_task
from tests.servers.subjects import SCRIPTS, a_suite, odd

MOST_SECONDS = 60
"""Limit far below every timeout of a server, and long enough for a busy machine."""


@pytest.fixture
def executor(tmp_path: Path) -> Iterator[LocalExecutor]:
    executor = LocalExecutor(concurrency=1, root=tmp_path, models=Models({}))
    yield executor
    executor.close()


def test_a_ctrl_c_ends_the_wait_and_what_was_waited_for(executor: LocalExecutor) -> None:
    cancelled = threading.Event()

    async def press_and_wait_for_ever(_pool: ServerPool) -> None:
        press = functools.partial(signal.pthread_kill, threading.main_thread().ident or 0, signal.SIGINT)
        asyncio.get_running_loop().call_later(0.1, press)
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.set()

    with pytest.raises(KeyboardInterrupt):
        executor.call(press_and_wait_for_ever)
    assert cancelled.wait(timeout=MOST_SECONDS)


def test_closing_cancels_what_nobody_knows_of_any_more(executor: LocalExecutor) -> None:
    begun, cancelled = threading.Event(), threading.Event()

    async def wait_for_ever(_pool: ServerPool) -> None:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.set()

    _in_a_thread(executor, wait_for_ever)
    assert begun.wait(timeout=MOST_SECONDS)
    executor.close()
    assert cancelled.is_set()


def test_closing_does_not_wait_for_code_that_holds_the_loop(
    executor: LocalExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_mcpbench.attempt.local_executor.CLOSE_SECONDS", 0.2)
    begun, released = threading.Event(), threading.Event()

    async def hold(_pool: ServerPool) -> None:
        begun.set()
        released.wait()

    holding = _in_a_thread(executor, hold)
    assert begun.wait(timeout=MOST_SECONDS)
    # It would wait for ever.
    executor.close()
    released.set()
    holding.join()


@pytest.mark.parametrize(
    ("manner", "is_called"),
    [
        pytest.param("silent", False, id="it does not answer initialize"),
        pytest.param("silent-list", False, id="it does not list its tools"),
        pytest.param("plain", True, id="it does not answer a call"),
        pytest.param("stubborn", True, id="it heeds no signal"),
    ],
)
def test_closing_ends_a_server_at_every_stage(
    executor: LocalExecutor, tmp_path: Path, manner: str, *, is_called: bool
) -> None:
    pid, opened = tmp_path / "pid", threading.Event()
    command = f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec {sys.executable} -S {SCRIPTS / 'odd.py'} {manner}"
    server = odd(command="/bin/sh", arguments=("-c", command))

    async def use(pool: ServerPool) -> None:
        async with pool.arena(a_task(), a_suite(server), Sandbox(path=tmp_path)) as arena:
            opened.set()
            await arena.read("odd", "silent", {})

    _in_a_thread(executor, use)
    _until(lambda: opened.is_set() if is_called else pid.exists())
    executor.close()
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()


def test_the_next_servers_are_started_while_an_agent_acts(executor: LocalExecutor, tmp_path: Path) -> None:
    """The only agent that may act waits until a second server runs."""
    pids = tmp_path / "pids"
    pids.mkdir()
    command = f"echo > {pids}/$$; exec {sys.executable} -S {SCRIPTS / 'odd.py'}"
    server = odd(command="/bin/sh", arguments=("-c", command))

    class Waiting:
        name = "waiting"

        async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:  # noqa: ARG002 - what an agent takes
            with anyio.fail_after(4 * MOST_SECONDS):
                while len(list(pids.iterdir())) < 2:
                    await anyio.sleep(0.01)
            return Trajectory()

    def attempt(trial: int) -> Attempt:
        sandbox = Sandbox(path=tmp_path)
        suite = a_suite(server)
        return Attempt(a_plan(a_task(), suite, trial=trial), Waiting(), sandbox, questions=lambda _task, _run: ())

    futures = [executor.submit(attempt(trial)) for trial in range(2)]
    assert [wait_for_result(future).error for future in futures] == [None, None]


def test_a_wait_can_be_interrupted_by_its_callback() -> None:
    loop = LoopThread("test")
    future = loop.start(anyio.sleep_forever())
    with pytest.raises(InterruptedError):
        wait_for_result(future, on_wait=_interrupt)
    assert future.cancelled()
    assert loop.close(asyncio.sleep(0), within_seconds=MOST_SECONDS)


def _interrupt() -> None:
    raise InterruptedError


def _in_a_thread(executor: LocalExecutor, use: Callable[[ServerPool], Awaitable[None]]) -> threading.Thread:
    def call() -> None:
        with suppress(CancelledError, ServerError):
            executor.call(use)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    return thread


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 4 * MOST_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)
