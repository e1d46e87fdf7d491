"""Interface of an open connection to one server, as an attempt uses it."""

from pathlib import Path
from typing import Any, Protocol

from pytest_mcpbench.core.elicitation import Elicitation
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.sampling import Sampling
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ContextMethod, ToolResult, ToolSpec


class ServerRespondent(Protocol):
    """Respondent to the questions that servers ask the user during calls."""

    @property
    def is_prepared(self) -> bool:
        """Return whether questions are expected."""
        ...

    async def answer(self, asked: Elicitation, *, server: str, tool: str) -> Elicitation:
        """Return the question with its answer. Raises McpBenchError if nobody can answer it."""
        ...

    async def sample(self, asked: Sampling) -> Sampling | None:
        """Return a request for a message with the reply; ``None`` if no model answers. Raises ModelError."""
        ...


class ServerConnection(Protocol):
    """Open connection to one server; see :class:`~pytest_mcpbench.servers.connection.Connection`."""

    @property
    def ref(self) -> ServerRef: ...

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """All tools of the server under its own names, in its own order."""
        ...

    @property
    def facts(self) -> ServerFacts: ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the server's author about behaviour that only this client tolerates."""
        ...

    @property
    def pid(self) -> int | None:
        """Id of the server's process, if it is one of this client."""
        ...

    @property
    def directory(self) -> Path | None:
        """Configured working directory of the server's process."""
        ...

    async def ready(self) -> None:
        """Wait until the tools are listed. Raises ServerError if the server is not there."""
        ...

    async def call(
        self, tool: str, arguments: dict[str, Any], respondent: ServerRespondent | None = None
    ) -> ToolResult:
        """Call a tool and return its result; errors that the agent may read are results.

        Args:
            tool: The server's own name of the tool.
            arguments: Arguments of the call by name.
            respondent: Respondent to what the server asks the user meanwhile; ``None``: every question is declined.

        Raises:
            McpBenchError: the server is gone, or replayed, and this call was not recorded; or the respondent raised it.
        """
        ...

    async def request(self, method: ContextMethod, arguments: dict[str, Any]) -> ToolResult:
        """Return the answer to a request about resources or prompts; errors that the agent may read are results.

        Raises:
            McpBenchError: the server is gone, or replayed, and this request was not recorded.
        """
        ...

    async def has_resource(self, uri: str) -> bool:
        """Return whether the server lists a resource."""
        ...

    async def read_text(self, uri: str) -> str | None:
        """Return the text of a resource; ``None`` if the server has no such resource."""
        ...
