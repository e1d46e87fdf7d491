"""Attempts with a faulty server or provider, and what came of them."""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from mcp.server import MCPServer

from fixtures.faults.fault import Fault
from pytest_mcpbench.agents.agent import Agent
from pytest_mcpbench.attempt.attempt import Attempt
from pytest_mcpbench.attempt.run import run_attempt
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.score import implied_floors, scorecard
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import AnswerCheck, Expected, Task
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.metrics.catalogue import resolve
from pytest_mcpbench.metrics.failure_analysis.primary_mode import failures
from tests.builders import a_plan, a_task, expected_call
from tests.servers.subjects import REPOSITORY, a_suite

FAULTY_SERVER = REPOSITORY / "fixtures" / "faults" / "stdio_server.py"

ECHOING = a_task((expected_call("echo", {"text": "hi"}),), ask="Say hi by echo.")
"""Task that needs a call and its result."""
ECHOING = ECHOING.model_copy(
    update={"expected": ECHOING.expected.model_copy(update={"answer_check": AnswerCheck(contains=("hi",))})}
)
LONGEST_SECONDS = 12.0
"""Far less than the limits that do not concern a fault, and much more than an idle machine needs."""
SILENT = a_task(expected=Expected(forbidden_tools="all"), ask="Do nothing.")
"""Task in which nothing is to be called."""


@dataclass(frozen=True)
class Seen:
    """Outcome of an attempt, in the terms of the matrix."""

    outcome: str
    message: str = ""
    labels: tuple[str, ...] = ()
    seconds: float = 0.0
    requests: int | None = None
    evidence: AttemptEvidence | None = None


class EchoingModel:
    """Model that calls ``echo`` and answers with its result."""

    name = "echoing"

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSpec],  # noqa: ARG002 - the protocol's name
        settings: ModelSettings,  # noqa: ARG002 - the protocol's name
    ) -> Reply:
        if messages[-1].role == "tool":
            return Reply(text=messages[-1].text)
        return Reply(calls=(Call(id="1", name="echo", arguments={"text": "hi"}),))


def echo_server() -> MCPServer:
    server = MCPServer("echo", log_level="CRITICAL")

    @server.tool()
    def echo(text: str) -> str:
        """Say it back."""
        return text

    return server


def faulty_command(fault: str) -> dict[str, Any]:
    return {"transport": "stdio", "command": sys.executable, "arguments": ("-S", str(FAULTY_SERVER), fault)}


def rows(faults: Sequence[Fault]) -> list[Any]:
    """Return the faults as parameters of a test; those that take long are run after the others."""
    marks = {True: [pytest.mark.extra], False: []}
    return [pytest.param(fault, id=fault.name, marks=marks[fault.is_slow]) for fault in faults]


def assert_as_declared(fault: Fault, *attempts: Seen) -> None:
    """Check what came of one attempt, or of several that must have the same outcome."""
    for seen in attempts:
        assert seen.outcome == fault.outcome, seen
        assert fault.message in (seen.message if "error" in fault.outcome else (*seen.labels, "")), seen
        assert fault.requests in (None, seen.requests)
        assert seen.seconds < LONGEST_SECONDS
        assert seen.evidence is not None
        written = seen.evidence.model_dump_json()
        assert AttemptEvidence.model_validate_json(written).model_dump_json() == written


async def attempt_with(pool: ServerPool, server: ServerRef, agent: Agent, task: Task) -> Seen:
    """Run one attempt and score it as a run does."""
    with TemporaryDirectory(prefix="fault-") as directory:
        attempt = Attempt(
            plan=a_plan(task, a_suite(server)),
            agent=agent,
            sandbox=Sandbox(path=Path(directory)),
            questions=lambda _task, _evidence: (),
        )
        started = time.perf_counter()
        result = await run_attempt(attempt, pool)
        seconds = time.perf_counter() - started
    return _seen(task, result.evidence, result.error, seconds)


def _seen(task: Task, evidence: AttemptEvidence, error: McpBenchError | None, seconds: float) -> Seen:
    if error is not None:
        return Seen(f"{error.kind} error", str(error), seconds=seconds, evidence=evidence)
    floors = implied_floors(task.expected)
    card = scorecard(task, evidence, {name: resolve(name) for name in floors}, floors)
    outcome = "passed" if card.passed else "failed"
    return Seen(outcome, labels=failures(task, evidence)["rules"], seconds=seconds, evidence=evidence)
