"""Estimates of what is asked beside the agent's model: judges, and models that play users."""

from collections.abc import Sequence

from pytest_mcpbench.core.conversation import Exchange
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.run_estimate import (
    MESSAGE_TOKENS,
    REPLY_TOKENS,
    AttemptEstimate,
    Cost,
    Load,
    reference_turns,
)
from pytest_mcpbench.core.simulated_user import SimulatedUser
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.token_estimate import estimate_tokens
from pytest_mcpbench.core.trajectory import NO_USAGE, Conversation
from pytest_mcpbench.runtime.users.prompts import user_messages

QUESTION = Load(requests=1, read=900, written=100)
"""Load of one question to a judge, without earlier verdicts."""


def judge_estimate(task: Task, cost: Cost) -> AttemptEstimate:
    """Return the estimate of the questions about an attempt."""
    count = questions(task)
    load = Load(count, QUESTION.read * count, QUESTION.written * count)
    return AttemptEstimate.of_loads(load, load, cost)


def questions(task: Task) -> int:
    """Return the number of claims and checkpoints of a task."""
    return len(task.expected.claims) + len(task.expected.checkpoints)


def user_estimate(task: Task, user: SimulatedUser, cost: Cost, earlier: Sequence[RunRecord]) -> AttemptEstimate:
    """Return the estimate of the messages that a model writes as the user in an attempt.

    Args:
        task: The task.
        user: Its user.
        cost: Price of the model.
        earlier: Attempts at the task or its suite in which the same model played the user; without any, the agent's
            turns are those of the reference.
    """
    messages = min(reference_turns(task) if task.expected.replies else (user.turns + 1) // 2, user.turns)
    typical = _load(task, user, messages) if not earlier else _mean_load(earlier)
    return AttemptEstimate.of_loads(typical, _load(task, user, user.turns), cost, user.cost_usd)


def conversations_with(name: str, attempts: Sequence[RunRecord]) -> list[RunRecord]:
    """Return the attempts in which a model of this name played the user, and its tokens are known."""
    return [
        record
        for record in attempts
        if (said := _conversation(record)) is not None
        and said.user == name
        and all(message.usage.output_tokens is not None for message in said.messages)
    ]


def _load(task: Task, user: SimulatedUser, messages: int) -> Load:
    """Return the load of a number of messages, each of which follows the whole conversation so far."""
    first = user_messages(user, [Exchange(task.turns[0].user, "")])
    fixed = sum(estimate_tokens(message.text) for message in first)
    read = sum(fixed + REPLY_TOKENS + (REPLY_TOKENS + MESSAGE_TOKENS) * before for before in range(messages))
    return Load(messages, read, messages * MESSAGE_TOKENS)


def _mean_load(earlier: Sequence[RunRecord]) -> Load:
    said = [conversation for record in earlier if (conversation := _conversation(record)) is not None]
    usage = sum((message.usage for each in said for message in each.messages), NO_USAGE)
    count = len(said)
    # The first message is the task's; each further one was a request.
    return Load(
        sum(len(each.messages) - 1 for each in said) / count,
        (usage.input_tokens or 0) / count,
        (usage.output_tokens or 0) / count,
        (usage.cached_tokens or 0) / count,
    )


def _conversation(record: RunRecord) -> Conversation | None:
    return record.evidence.trajectory.conversation if record.evidence is not None else None
