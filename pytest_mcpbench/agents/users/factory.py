"""Factory of the users of tasks."""

from pytest_mcpbench.agents.users.dialogue import ScriptedUser, User
from pytest_mcpbench.agents.users.model import ModelUser, user_forms
from pytest_mcpbench.core.errors import TaskError, UsageError
from pytest_mcpbench.core.model_names import NO_USER
from pytest_mcpbench.core.suite import place_of
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.models.chat_request import RequestForms
from pytest_mcpbench.models.factory import Models, UnknownModelError


def make_user(
    task: Task, model: str, models: Models, *, trial: int = 1, forms: RequestForms | None = None
) -> User | None:
    """Return the user of a task; ``None`` if its user does not answer.

    Args:
        task: The task.
        model: Name of the model that plays users with a goal; ``none``: scripts only.
        models: Source of the model.
        trial: Number of the attempt, which is the seed of the model's replies.
        forms: Forms of request that the model accepts, as far as they are known.

    Raises:
        TaskError: the task's user has no script, and no model plays them.
        UsageError: no model has the name.
    """
    user = task.user
    if user is None:
        return None
    if model == NO_USER or not user.goal:
        if user.script:
            return ScriptedUser(user.script)
        remedy = "Name a model with --mcpbench-user=MODEL, or give the user a `script`."
        raise TaskError("the user has a goal, and no model plays them.", place_of(task), "user", remedy)
    try:
        made = models.get(model)
    except UnknownModelError as error:
        raise UsageError(f"--mcpbench-user={model}: {error.with_names(NO_USER)}") from None
    return ModelUser(made, user, seed=trial, model_identity=models.identity(model), forms=forms or user_forms())
