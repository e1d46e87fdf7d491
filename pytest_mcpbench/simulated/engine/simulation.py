"""The declaration of a simulated server."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine.dialect import ZOD, Dialect
from pytest_mcpbench.simulated.engine.failure import MissingScope, ToolFailure
from pytest_mcpbench.simulated.engine.tool import SimulatedTool

if TYPE_CHECKING:
    from mcp.server import Server


def _as_it_is(result: Any) -> Any:
    return result


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
    answer: Callable[[Any], Any] = _as_it_is
    """What the service puts around every result."""
    failure: str | Callable[[ToolFailure], str] = "{message}"
    """What a :class:`ToolFailure` reads like; a tool of which the real server says more puts that into the message."""
    scopes: Mapping[str, str] = field(default_factory=dict)
    """Tool -> the permission that it needs. Those of the account's token are the list ``scopes`` at the root of the
    state's ``tree``; a tree without one grants all."""
    flags_failures: bool = True
    """Whether a failure has ``isError``. Some real servers answer with the message alone; ours flag it all the same, so
    that a failed call counts as one. ``False`` where a test needs the real thing."""
    indent: int | None = None
    """Indentation of results that are no text."""
    structured: Callable[[str, Any], Any] | None = None
    """What a tool's result is as structured content, where the real server gives that beside the text."""
    output_schemas: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Tool -> schema of its structured content."""
    annotations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Tool -> the real server's hints on what it does (``readOnlyHint`` and so on)."""
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
            self._check_scope(state, name)
            return self.answer(self._tool(name).call(state, arguments))
        except ToolFailure as failure:
            raise ToolFailure(self._text(name, failure), verbatim=True) from failure
        except SandboxError as refusal:
            raise ToolFailure(self._text(name, ToolFailure(str(refusal))), verbatim=True) from refusal

    def server(self, world: World) -> "Server[Any]":
        """An MCP server on the world of one attempt."""
        from pytest_mcpbench.simulated.engine.server import serve_world

        return serve_world(self, world)

    def _text(self, tool: str, failure: ToolFailure) -> str:
        failure.tool = tool
        if failure.verbatim:
            return str(failure)
        return self.failure.format(message=failure) if isinstance(self.failure, str) else self.failure(failure)

    def _check_scope(self, state: Any, tool: str) -> None:
        if tool in self.scopes and state.tree.has("scopes"):
            granted = state.tree.get("scopes")
            if self.scopes[tool] not in granted:
                raise MissingScope(self.scopes[tool], granted)

    def _tool(self, name: str) -> SimulatedTool:
        if name not in self.table:
            raise ToolFailure(self.dialect.unknown_tool.format(name=name), verbatim=not self.dialect.wrapped)
        return self.table[name]
