"""Tasks, definitions and users that name the directory of their attempt as ``{sandbox}``."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic_core import PydanticSerializationError

from pytest_mcpbench.agents.users.dialogue import UserReply, WrappedUser
from pytest_mcpbench.core.chat import Exchange
from pytest_mcpbench.core.elicitation import Elicitation
from pytest_mcpbench.core.sandbox import Sandbox, with_directory
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Context, Task
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.text.paths import SANDBOX


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


def filled_suite(suite: SuiteManifest, sandbox: Sandbox) -> SuiteManifest:
    """Return a suite whose agents see definitions of a lock or an earlier run as a server in the sandbox says them."""
    if not suite.shown_tools:
        return suite
    tools = {
        server: tuple(_filled_tool(tool, sandbox) for tool in tools) for server, tools in suite.shown_tools.items()
    }
    read = with_directory(suite.shown_instructions, lambda: sandbox.path)
    return suite.model_copy(update={"shown_tools": tools, "shown_instructions": read})


def _filled_tool(tool: ToolSpec, sandbox: Sandbox) -> ToolSpec:
    if SANDBOX not in tool.model_dump_json():
        return tool
    texts = ("description", "input_schema", "output_schema", "annotations", "listing")
    return tool.model_copy(update={name: with_directory(getattr(tool, name), lambda: sandbox.path) for name in texts})


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
        directory = str(self.sandbox.location)
        return [Exchange(*(said.replace(directory, SANDBOX) for said in exchange)) for exchange in exchanges]
