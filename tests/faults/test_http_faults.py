"""Faults of servers at a URL are told apart."""

import asyncio
from functools import partial
from typing import Any

import anyio
import pytest

from fixtures.chat_server import Answer, chat_server
from fixtures.faults.fault import Fault
from fixtures.faults.http_rows import HTTP_FAULTS, HttpFault, right_response
from pytest_mcpbench.agents.llm import LlmAgent
from pytest_mcpbench.agents.noop import NoopAgent
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from tests.faults.attempts import ECHOING, SILENT, EchoingModel, Seen, assert_as_declared, attempt_with, rows

QUICK_SECONDS = 0.6
"""Limit that a fault runs into."""
BY_NAME = {row.fault.name: row for row in HTTP_FAULTS}


@pytest.mark.extra
@pytest.mark.parametrize("fault", rows([row.fault for row in HTTP_FAULTS]))
def test_a_fault_of_a_server_at_a_url_has_the_declared_outcome(fault: Fault) -> None:
    assert_as_declared(fault, *anyio.run(attempts, BY_NAME[fault.name]))


async def attempts(row: HttpFault) -> list[Seen]:
    """Return the outcome of a task that needs a call and, for a fault that comes before, of one that needs none."""
    with chat_server(partial(respond, row)) as peer:
        port = peer.url.split(":")[2].partition("/")[0]
        url = row.url.replace("{port}", port) if row.url else peer.url
        server = ServerRef(name="faulty", transport="http", url=url, timeouts=_timeouts(row.fault), state="per_task")
        async with ServerPool() as pool:
            tries = [attempt_with(pool, server, LlmAgent(EchoingModel()), ECHOING)]
            if row.fault.is_before_agent:
                tries.append(attempt_with(pool, server, NoopAgent(), SILENT))
            return await asyncio.gather(*tries)


def respond(row: HttpFault, request: dict[str, Any]) -> Answer:
    """Return the faulty response to the request that has the fault, and right ones to the others."""
    is_faulty = row.response is not None and request.get("method") == row.method
    return row.response(request) if is_faulty and row.response else right_response(request)


def _timeouts(fault: Fault) -> ServerTimeouts:
    quick: dict[str, Any] = {} if fault.bound == "at once" else {fault.bound: QUICK_SECONDS}
    return ServerTimeouts(**quick)
