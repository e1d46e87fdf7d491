"""Faults of providers are told apart."""

from dataclasses import replace
from functools import partial
from typing import Any

import anyio
import pytest

from fixtures.chat_server import Answer, chat_server, says
from fixtures.faults.fault import Fault
from fixtures.faults.provider_rows import ATTEMPTS, PROVIDER_FAULTS, ProviderFault
from pytest_mcpbench.agents.llm import LlmAgent
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.chat import ModelSettings
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.models import response_body
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.models.rate_limited_model import RetryPolicy
from tests.faults.attempts import ECHOING, SILENT, Seen, assert_as_declared, attempt_with, echo_server, rows

QUICK_SECONDS = 0.2
"""Limit that a fault runs into."""
LATER_SECONDS = 1.0
"""Time limit of the attempt for a fault that lasts until then."""
POLICY = RetryPolicy(attempts=ATTEMPTS, first_seconds=0.001, longest_seconds=0.001)
BY_NAME = {row.fault.name: row for row in PROVIDER_FAULTS}


@pytest.mark.parametrize("fault", rows([row.fault for row in PROVIDER_FAULTS]))
def test_a_fault_of_a_provider_has_the_declared_outcome(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    if fault.bound == "idle_seconds":
        monkeypatch.setattr(response_body, "IDLE_SECONDS", QUICK_SECONDS)
    tasks = [ECHOING, SILENT] if fault.is_before_agent else [ECHOING]
    assert_as_declared(fault, *[anyio.run(attempt, BY_NAME[fault.name], task) for task in tasks])


async def attempt(row: ProviderFault, task: Task) -> Seen:
    """Return the outcome of a task whose model is behind the faulty provider."""
    settings = ModelSettings(timeout_seconds=QUICK_SECONDS if row.fault.bound == "timeout_seconds" else 60.0)
    server = ServerRef(name="echo", transport="in_process", factory=echo_server)
    with chat_server(partial(respond, row, [])) as provider:
        async with Models({}, POLICY) as models, ServerPool() as pool:
            limits = Limits(seconds=LATER_SECONDS) if row.fault.bound == "seconds" else Limits()
            agent = LlmAgent(models.get(f"{provider.url}#m"), settings, limits)
            seen = await attempt_with(pool, server, agent, task)
        return replace(seen, requests=len(provider.requests))


def respond(row: ProviderFault, earlier: list[Any], body: dict[str, Any]) -> Answer:
    """Return the faulty response, or a right one."""
    earlier.append(body)
    if len(earlier) >= row.first_request if row.persists else len(earlier) == 1:
        return row.answer
    last = body["messages"][-1]
    return says(str(last["content"])) if last["role"] == "tool" else says(None, ("echo", {"text": "hi"}))
