"""Registry of the models that play the users of tasks in this process."""

from typing import TYPE_CHECKING

from pytest_mcpbench.core.model_names import NO_USER
from pytest_mcpbench.options.settings import Settings

if TYPE_CHECKING:
    from pytest_mcpbench.agents.users.dialogue import User
    from pytest_mcpbench.core.task import Task
    from pytest_mcpbench.models.chat_request import RequestForms
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.models import SessionModels


class UserRegistry:
    """Users of tasks; the models that play them are shared by all attempts of the process."""

    def __init__(self, settings: Settings, models: "SessionModels") -> None:
        self._settings = settings
        self._models = models
        self._forms: dict[str, RequestForms] = {}

    def user(self, job: "Job", task: "Task") -> "User | None":
        """Return the user of an attempt; ``None`` if the user's messages are those of the task.

        Raises:
            TaskError: the task's user has no script, and no model plays them.
            UsageError: no model has the name.
        """
        from pytest_mcpbench.agents.users.factory import make_user
        from pytest_mcpbench.agents.users.model import user_forms

        name = job.user
        forms = self._forms.setdefault(name, user_forms())
        return make_user(task, name, self._models.models, trial=job.trial, forms=forms)

    def plays(self, job: "Job") -> bool:
        """Return whether a model plays the user of the job's task."""
        task = job.loaded.task
        has_goal = task is not None and task.user is not None and bool(task.user.goal)
        return has_goal and not job.suite.route and job.user != NO_USER
