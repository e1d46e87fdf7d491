"""Tasks and users that name the directory of their attempt as ``{sandbox}``."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic_core import PydanticSerializationError

from pytest_mcpbench.agents.users.dialogue import UserReply, WrappedUser
from pytest_mcpbench.core.chat import Exchange
from pytest_mcpbench.core.elicitation import Elicitation
from pytest_mcpbench.core.sandbox import SANDBOX, Sandbox
from pytest_mcpbench.core.task import Context, Task


def filled_task(task: Task, sandbox: Sandbox) -> Task:
    """Return a task as an attempt works on it: with the attempt's directory in place of ``{sandbox}``."""
    # Skills may be large and name no directory; the worlds of servers are filled as the sandbox is made.
    if not _names_directory(task):
        return task
    small = task.model_copy(update={"context": Context(), "offered_skills": ()})
    kept = {"context": task.context, "offered_skills": task.offered_skills}
    return sandbox.filled(small).model_copy(update=kept)


def _names_directory(task: Task) -> bool:
    # Every attempt asks; this is one call into pydantic's core.
    try:
        return SANDBOX in task.model_dump_json(exclude={"context", "offered_skills"})
    except PydanticSerializationError:  # lone surrogates
        return True


@dataclass(frozen=True)
class DirectedUser(WrappedUser):
    """User whose goal and rules have ``{sandbox}`` for the directory, and who says and hears the directory itself.

    So the requests to a model that plays the user are the same in each attempt.
    """

    sandbox: Sandbox

    async def reply(self, exchanges: Sequence[Exchange]) -> UserReply:
        """Return the message that follows these exchanges."""
        reply = await self.user.reply(self._heard(exchanges))
        return replace(reply, message=self.sandbox.filled(reply.message))

    async def elicited(self, exchanges: Sequence[Exchange], asked: Elicitation) -> Elicitation | None:
        """Return a server's question with the user's answer."""
        answered = await self.user.elicited(self._heard(exchanges), self.sandbox.portable(asked))
        return None if answered is None else self.sandbox.filled(answered)

    def _heard(self, exchanges: Sequence[Exchange]) -> list[Exchange]:
        directory = str(self.sandbox.path)
        return [Exchange(*(said.replace(directory, SANDBOX) for said in exchange)) for exchange in exchanges]
