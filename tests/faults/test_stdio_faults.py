"""Faults of servers on stdio are told apart."""

import asyncio
from typing import Any

import anyio
import pytest

from fixtures.faults.fault import Fault
from fixtures.faults.stdio_rows import STDIO_FAULTS
from pytest_mcpbench.agents.llm import LlmAgent
from pytest_mcpbench.agents.noop import NoopAgent
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.servers import reply_watch
from tests.faults.attempts import (
    ECHOING,
    SILENT,
    EchoingModel,
    Seen,
    assert_as_declared,
    attempt_with,
    faulty_command,
    rows,
)

QUICK_SECONDS = 0.6
"""Limit that a fault runs into."""


@pytest.mark.parametrize("fault", rows(STDIO_FAULTS))
def test_a_fault_of_a_stdio_server_has_the_declared_outcome(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reply_watch, "SILENCE_SECONDS", QUICK_SECONDS)
    assert_as_declared(fault, *anyio.run(attempts, fault))


async def attempts(fault: Fault) -> list[Seen]:
    """Return the outcome of a task that needs a call and, for a fault that comes before, of one that needs none."""
    server = ServerRef(name="faulty", timeouts=_timeouts(fault), **faulty_command(fault.name))
    async with ServerPool() as pool:
        tries = [attempt_with(pool, server, LlmAgent(EchoingModel()), ECHOING)]
        if fault.is_before_agent:
            tries.append(attempt_with(pool, server, NoopAgent(), SILENT))
        return await asyncio.gather(*tries)


def _timeouts(fault: Fault) -> ServerTimeouts:
    quick: dict[str, Any] = {} if fault.bound in ("at once", "grace") else {fault.bound: QUICK_SECONDS}
    return ServerTimeouts(**quick)
