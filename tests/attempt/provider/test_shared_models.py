"""Connections of workers to a real provider process, which asks a chat server on loopback."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from fixtures.chat_server import Answer, ChatServer, chat_server, fails, refusing_url, says
from pytest_mcpbench.attempt.provider.shared_models import SharedModels
from pytest_mcpbench.attempt.provider.supervisor import ProviderSupervisor
from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError, UsageError
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.usage import NO_USAGE, Usage
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.models.scripted import ScriptedModel
from tests.builders import a_tool

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")

HELLO = (ChatMessage("user", "Hello"),)
CLAIM = Question(kind="claim", statement="It is red.", evidence="A red thing.")
PRICED = {"input_price": 1.0, "output_price": 5.0}


def aliases(url: str) -> dict[str, Any]:
    return {"mine": {"url": url, "model": "small", **PRICED}}


@contextmanager
def a_supervisor(url: str, directory: Path) -> Iterator[ProviderSupervisor]:
    supervisor = ProviderSupervisor(aliases=aliases(url), verdicts=directory / "verdicts")
    try:
        yield supervisor
    finally:
        supervisor.close()


def as_workers(
    supervisor: ProviderSupervisor, url: str, use: Callable[[SharedModels, SharedModels], Awaitable[Any]]
) -> Any:
    """What comes of the use of two workers' models."""

    async def run() -> Any:
        async with (
            SharedModels(aliases(url), supervisor.address) as one,
            SharedModels(aliases(url), supervisor.address) as two,
        ):
            return await use(one, two)

    return anyio.run(run)


async def ask(models: Models) -> Reply:
    reply = await models.get("mine").complete(HELLO, (a_tool("a"),), ModelSettings(timeout_seconds=10))
    return reply.model_copy(update={"seconds": 0.0})


def alone(url: str) -> Any:
    """Return the reply of the model without a provider process."""

    async def run() -> Any:
        async with Models(aliases(url)) as models:
            return await ask(models)

    return anyio.run(run)


def test_a_reply_is_what_it_is_without_the_process(tmp_path: Path) -> None:
    with (
        chat_server([says("So", ("a", {"n": 1}))] * 2) as server,
        a_supervisor(server.url, tmp_path) as supervisor,
    ):
        shared = as_workers(supervisor, server.url, lambda one, _: ask(one))
        assert shared == alone(server.url)
    first, second = server.bodies
    assert first == second


@pytest.mark.parametrize("answer", [fails(401, "no key sk-123456789"), fails(400, "bad")], ids=["a refusal", "a fault"])
def test_an_error_is_what_it_is_without_the_process(tmp_path: Path, answer: Answer) -> None:
    with chat_server([answer] * 2) as server, a_supervisor(server.url, tmp_path) as supervisor:
        with pytest.raises(ModelError) as shared:
            as_workers(supervisor, server.url, lambda one, _: ask(one))
        with pytest.raises(ModelError) as own:
            alone(server.url)
    assert vars(shared.value) == vars(own.value)
    assert "sk-123456789" not in str(shared.value)


def test_a_provider_that_is_not_there_is_an_error_of_the_model(tmp_path: Path) -> None:
    message = r"model 'mine': .* cannot be reached: connection refused"
    with (
        refusing_url() as url,
        a_supervisor(url, tmp_path) as supervisor,
        pytest.raises(ModelError, match=message),
    ):
        as_workers(supervisor, url, lambda one, _: ask(one))


def test_a_refusal_to_one_worker_holds_the_others_back(tmp_path: Path) -> None:
    arrivals: list[float] = []

    def refuse_first(_: dict[str, Any]) -> Answer:
        arrivals.append(time.monotonic())
        return fails(429, Retry_After="1") if len(arrivals) == 1 else says("So")

    async def one_after_the_other(one: SharedModels, two: SharedModels) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(ask, one)
            while not arrivals:
                await anyio.sleep(0.01)
            await anyio.sleep(0.1)
            group.start_soon(ask, two)

    with chat_server(refuse_first) as server, a_supervisor(server.url, tmp_path) as supervisor:
        as_workers(supervisor, server.url, one_after_the_other)
    assert len(arrivals) == 3
    assert min(arrivals[1:]) - arrivals[0] >= 1


def test_a_question_of_two_workers_is_asked_once_and_paid_once(tmp_path: Path) -> None:
    verdicts: list[Verdict] = []

    async def both(one: SharedModels, two: SharedModels) -> None:
        async def decide(models: SharedModels) -> None:
            judge = models.judge("mine")
            assert judge is not None
            verdicts.append(await judge.decide(CLAIM))

        async with anyio.create_task_group() as group:
            group.start_soon(decide, one)
            group.start_soon(decide, two)

    with (
        chat_server([says('{"reason": "Red.", "label": "fulfilled"}')]) as server,
        a_supervisor(server.url, tmp_path) as supervisor,
    ):
        as_workers(supervisor, server.url, both)
    assert [verdict.label for verdict in verdicts] == ["fulfilled", "fulfilled"]
    paid = Usage(input_tokens=100, output_tokens=20, cost_usd=0.0002)
    assert sorted((verdict.usage for verdict in verdicts), key=lambda usage: usage.cost_usd or 0) == [NO_USAGE, paid]


def test_the_process_says_what_was_spent(tmp_path: Path) -> None:
    with chat_server([says("So")]) as server, a_supervisor(server.url, tmp_path) as supervisor:
        assert (supervisor.status, supervisor.process_id) == (None, None)
        as_workers(supervisor, server.url, lambda one, _: ask(one))
        _until(lambda: supervisor.status is not None and supervisor.status.cost_usd == pytest.approx(0.0002))


def test_when_the_process_dies_its_requests_are_errors_and_later_ones_are_answered(tmp_path: Path) -> None:
    def kill_first(_: dict[str, Any]) -> Answer:
        if len(server.requests) == 1:
            assert supervisor.process_id is not None
            os.kill(supervisor.process_id, signal.SIGKILL)
        return says("So")

    async def twice(one: SharedModels, _: SharedModels) -> Reply:
        with pytest.raises(ModelError, match="the process that asks the models for all workers did not answer"):
            await ask(one)
        return await ask(one)

    server: ChatServer
    with chat_server(kill_first) as server, a_supervisor(server.url, tmp_path) as supervisor:
        assert as_workers(supervisor, server.url, twice).text == "So"


def test_a_process_that_cannot_start_is_an_error_and_not_a_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with (
        a_supervisor("http://127.0.0.1:9/v1", tmp_path) as supervisor,
        pytest.raises(ModelError, match="did not answer"),
    ):
        as_workers(supervisor, "http://127.0.0.1:9/v1", lambda one, _: ask(one))


def test_a_script_is_played_in_the_worker_and_a_wrong_name_is_refused_there(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text('["So"]')
    models = SharedModels({}, tmp_path / "nobody-listens")
    assert isinstance(models.get(f"scripted:{tmp_path}/script.json"), ScriptedModel)
    assert models.judge(f"scripted:{tmp_path}/script.json") is None
    with pytest.raises(UsageError, match="no model is called 'nobody'"):
        models.get("nobody")


def test_only_its_user_can_reach_the_process(tmp_path: Path) -> None:
    with a_supervisor("http://127.0.0.1:9/v1", tmp_path) as supervisor:
        modes = [path.stat().st_mode & 0o777 for path in (supervisor.address.parent, supervisor.address)]
        assert modes == [0o700, 0o600]
    assert not supervisor.address.parent.exists()


_STARTS_AND_WAITS = """
import sys, time
from pathlib import Path
import anyio
from pytest_mcpbench.attempt.provider.supervisor import ProviderSupervisor
supervisor = ProviderSupervisor(aliases={}, verdicts=Path(sys.argv[1]))
async def connect():
    await anyio.connect_unix(supervisor.address)
    while supervisor.process_id is None:
        await anyio.sleep(0.01)
    print(supervisor.process_id, flush=True)
    await anyio.sleep(60)
anyio.run(connect)
"""


def test_the_process_ends_when_the_run_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _STARTS_AND_WAITS, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        started = int(run.stdout.readline())
        assert _is_alive(started)
        run.kill()
    _until(lambda: not _is_alive(started))


def _is_alive(process: int) -> bool:
    """Return whether a process runs; a zombie does not (in a container it may never be reaped)."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _until(condition: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition was not met in time"
        time.sleep(0.02)
