"""Attempts of models at tasks during a run, whose usage counts towards its budget."""

from pytest_mcpbench.agents.agent import Agent
from pytest_mcpbench.agents.llm import LlmAgent
from pytest_mcpbench.agents.users.dialogue import User
from pytest_mcpbench.agents.users.model import UserModelError
from pytest_mcpbench.attempt.attempt import AttemptResult
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.usage import NO_USAGE
from pytest_mcpbench.generation.pipeline.candidates import Drop
from pytest_mcpbench.generation.pipeline.questions import Questions
from pytest_mcpbench.generation.pipeline.reply_cache import question_key
from pytest_mcpbench.generation.pipeline.setup import Setup


async def attempt_with_model(
    setup: Setup, questions: Questions, task: Task, user: User | None = None
) -> AttemptEvidence | Drop:
    """Return what the run's model did with a task.

    A call that fails on the server, or a model that does not play the user, is a reason to drop the candidate; other
    errors end the run.
    """
    result = await counted_attempt(setup, task, LlmAgent(questions.model), user=user)
    if isinstance(result.error, ServerError) and result.error.phase == "call":
        return Drop("a call fails on the server", str(result.error))
    if isinstance(result.error, UserModelError):
        return Drop("the model does not play the user", result.error.problem)
    if result.error is not None:
        raise result.error
    return result.evidence


async def counted_attempt(
    setup: Setup, task: Task, agent: Agent, *, trial: int = 1, user: User | None = None
) -> AttemptResult:
    """Return an attempt of an agent, whose usage counts. Raises BudgetError if nothing is left for it."""
    if setup.replies is not None:
        setup.replies.check_budget(agent.name)
    result = await setup.player.play(task, agent, trial=trial, user=user)
    trajectory = (result.error.trajectory if result.error is not None else None) or result.evidence.trajectory
    if setup.replies is not None:
        key = question_key("attempt", agent.name, setup.settings.seed, task.id, task.turns[0].user, trial)
        user_usage = trajectory.conversation.usage if trajectory.conversation else NO_USAGE
        usage = trajectory.usage + user_usage
        setup.replies.put(key, prompt=task.turns[0].user, reply=trajectory.answer, usage=usage)
    return result
