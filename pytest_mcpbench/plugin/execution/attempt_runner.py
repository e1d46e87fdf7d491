"""Evidence of the item that pytest is at."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.plugin.collection.failures import AttemptError
from pytest_mcpbench.plugin.collection.item_state import ITEM_STATE
from pytest_mcpbench.plugin.execution.attempt_builder import describe_item

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pytest_mcpbench.agents.agent import Agent
    from pytest_mcpbench.attempt.attempt import AttemptResult
    from pytest_mcpbench.core.evidence import AttemptEvidence
    from pytest_mcpbench.core.sandbox import Sandbox
    from pytest_mcpbench.core.server import ServerRef
    from pytest_mcpbench.core.task import Task
    from pytest_mcpbench.plugin.collection.item_state import ItemState
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.attempt_builder import AttemptBuilder
    from pytest_mcpbench.plugin.execution.attempt_executor import AttemptExecutor
    from pytest_mcpbench.plugin.execution.budget_gate import BudgetGate
    from pytest_mcpbench.plugin.execution.lookahead import LookAhead
    from pytest_mcpbench.plugin.execution.resume import EarlierAttempts


class AttemptRunner:
    """Source of the evidence of an item: an earlier run, look-ahead, or an attempt that runs now."""

    def __init__(
        self,
        builder: "AttemptBuilder",
        executor: "AttemptExecutor",
        lookahead: "LookAhead",
        earlier: "EarlierAttempts",
        budget_gate: "BudgetGate",
    ) -> None:
        self._builder = builder
        self._executor = executor
        self._lookahead = lookahead
        self._earlier = earlier
        self._budget_gate = budget_gate

    def sandbox(self, item: pytest.Item, job: "Job", task: "Task", exits: ExitStack) -> "Sandbox":
        """Return the sandbox of the attempt that look-ahead has started, or a new one; ``exits`` closes it."""
        return self._lookahead.sandbox(item, exits) or self._builder.open_sandbox(job, task, exits)

    def empty_sandbox(self) -> "AbstractContextManager[Sandbox]":
        """Return a sandbox of no attempt, for fixtures of tests without a task."""
        return self._builder.empty_sandbox()

    def evidence(
        self,
        item: pytest.Item,
        task: "Task",
        servers: "Mapping[str, ServerRef]",
        sandbox: "Sandbox",
        agent: "Agent",
    ) -> "AttemptEvidence":
        """Return the evidence of the item's attempt. Raises :class:`AttemptError` if the attempt failed."""
        state = item.stash[ITEM_STATE]
        earlier = self._earlier.attempt(state.job)
        if earlier is not None and earlier.evidence is not None:
            description = describe_item(item, state.job, state.started_at)
            attempt = self._builder.attempt(state.job, description, task, servers, sandbox, agent)
            state.seconds = earlier.seconds
            state.is_taken_over = self._earlier.is_of_earlier_run(state.job)
            state.evidence = self._executor.judge_again(attempt, earlier.evidence)
            return state.evidence
        future = self._lookahead_future(item, state)
        if future is None:
            # Again, because the setup of the item may have taken long.
            self._budget_gate.check(item, state.job)
            state.description = describe_item(item, state.job, state.started_at)
            attempt = self._builder.attempt(state.job, state.description, task, servers, sandbox, agent)
            future = self._executor.submit(attempt, item, state.job)
        self._lookahead.start_after(item)
        return _evidence_of(self._executor.wait(future, item), state)

    def _lookahead_future(self, item: pytest.Item, state: "ItemState") -> "Future[AttemptResult] | None":
        pending = self._lookahead.take(item)
        if pending is None:
            return None
        state.started_at, state.description = pending.description.started_at, pending.description
        return pending.future


def _evidence_of(result: "AttemptResult", state: "ItemState") -> "AttemptEvidence":
    """Return the evidence; store it first, because the record has it even if the attempt failed."""
    state.evidence, state.seconds = result.evidence, result.seconds
    if result.error is not None:
        raise AttemptError(result.error)
    return result.evidence
