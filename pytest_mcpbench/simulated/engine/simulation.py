"""The declaration of a simulated server."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine.dialect import ZOD, Dialect
from pytest_mcpbench.simulated.engine.failure import ToolFailure
from pytest_mcpbench.simulated.engine.tool import SimulatedTool

if TYPE_CHECKING:
    from mcp.server import Server


@dataclass(frozen=True)
class Simulation:
    """A simulated server: what it is called, the state behind it and the tools in front."""

    name: str
    """Name under which the server introduces itself."""
    state: Callable[[World], Any]
    """Opens the state of one attempt; each tool gets it as its first argument."""
    tools: tuple[Callable[..., Any], ...]
    """Functions, in the order in which the server lists them."""
    dialect: Dialect = ZOD
    version: str = "1.0.0"
    failure: str = "{message}"
    """What a :class:`ToolFailure` reads like; a tool of which the real server says more puts that into the message."""
    flags_failures: bool = True
    """Whether a failure has ``isError``. Some real servers answer with the message alone; ours flag it all the same, so
    that a failed call counts as one. ``False`` where a test needs the real thing."""
    indent: int | None = None
    """Indentation of results that are no text."""
    resources: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    """URI of a resource of the real server -> its text, from the state."""
    instructions: str | None = None

    @cached_property
    def table(self) -> dict[str, SimulatedTool]:
        """The tools by name; their schemas are made once a process."""
        made = (SimulatedTool(function, self.dialect) for function in self.tools)
        return {tool.name: tool for tool in made}

    def call(self, state: Any, name: str, arguments: Mapping[str, Any]) -> Any:
        """What a tool returns, without any MCP; :class:`ToolFailure` has the text that the server answers with.

        What the tree refuses (an unknown id, a reference that leads nowhere) is a failure too.
        """
        try:
            return self._tool(name).call(state, arguments)
        except ToolFailure as failure:
            text = str(failure) if failure.verbatim else self.failure.format(message=failure)
            raise ToolFailure(text, verbatim=True) from failure
        except SandboxError as refusal:
            raise ToolFailure(self.failure.format(message=refusal), verbatim=True) from refusal

    def server(self, world: World) -> "Server[Any]":
        """An MCP server on the world of one attempt."""
        from pytest_mcpbench.simulated.engine.server import serve_world

        return serve_world(self, world)

    def _tool(self, name: str) -> SimulatedTool:
        if name not in self.table:
            raise ToolFailure(self.dialect.unknown_tool.format(name=name))
        return self.table[name]
