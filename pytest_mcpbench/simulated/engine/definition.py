"""Definition of a simulated server, without MCP."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine.dialect import ZOD, Dialect
from pytest_mcpbench.simulated.engine.failure import MissingScope, ToolFailure
from pytest_mcpbench.simulated.engine.tool import SimulatedTool


def _identity(result: Any) -> Any:
    return result


@dataclass(frozen=True)
class SimulationDefinition:
    """A simulated server: its name, the state that it keeps, and its tools."""

    name: str
    """Name that the server reports to clients."""
    state: Callable[[World], Any]
    """Factory of the state of one attempt, which each tool receives as its first argument."""
    tools: tuple[Callable[..., Any], ...]
    """Tool functions, in the order in which the server lists them."""
    dialect: Dialect = ZOD
    version: str = "1.0.0"
    answer: Callable[[Any], Any] = _identity
    """Function that wraps each result in the service's response envelope."""
    failure: str | Callable[[ToolFailure], str] = "{message}"
    """Format of a :class:`ToolFailure`: a template with ``{message}``, or a function.

    Where a real tool adds its own text to an error, the tool function includes that text in the message.
    """
    scopes: Mapping[str, str] = field(default_factory=dict)
    """Mapping of tools to the permission that each requires.

    The permissions of the account's token are the list ``scopes`` at the root of the state's ``tree``; a tree without
    that list grants all of them.
    """
    flags_failures: bool = True
    """Use of ``isError`` in results of failed calls.

    Some real servers return only the error message. Simulations set ``isError`` anyway so that a failed call is counted
    as failed; a test that compares with the real server sets this to ``False``.
    """
    indent: int | None = None
    """Indentation of results that are returned as JSON."""
    structured: Callable[[str, Any], Any] | None = None
    """Function that computes the structured content of a tool's result, for servers that return it along with the text.
    """
    output_schemas: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Mapping of tools to the schemas of their structured content."""
    annotations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Mapping of tools to the real server's annotations, such as ``readOnlyHint``."""
    resources: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    """Mapping of resource URIs of the real server to functions that compute the text from the state."""
    instructions: str | None = None
    hyphenated: bool = False
    """Hyphens in the names of tools, where the functions' names have underscores."""

    @cached_property
    def table(self) -> dict[str, SimulatedTool]:
        """Tools by name; their schemas are built once per process."""
        tools = (SimulatedTool(function, self.dialect, self.hyphenated) for function in self.tools)
        return {tool.name: tool for tool in tools}

    def call(self, state: Any, name: str, arguments: Mapping[str, Any]) -> Any:
        """Call a tool without MCP and return its result; raise :class:`ToolFailure` with the text of the server's
        error.

        Changes that the tree rejects, such as an unknown id or a dangling reference, are reported as failures too, and
        so are numbers and dates beyond what can be computed.
        """
        try:
            if name in self.scopes and state.tree.has("scopes"):
                granted_scopes = state.tree.get("scopes")
                if self.scopes[name] not in granted_scopes:
                    raise MissingScope(self.scopes[name], granted_scopes)
            if name not in self.table:
                raise ToolFailure(self.dialect.unknown_tool.format(name=name), verbatim=not self.dialect.wrapped)
            return self.answer(self.table[name].call(state, arguments))
        except ToolFailure as failure:
            raise ToolFailure(self._text(name, failure), verbatim=True) from failure
        except (SandboxError, OverflowError) as refusal:
            raise ToolFailure(self._text(name, ToolFailure(str(refusal))), verbatim=True) from refusal

    def _text(self, tool: str, failure: ToolFailure) -> str:
        failure.tool = tool
        if failure.verbatim:
            return str(failure)
        return self.failure.format(message=failure) if isinstance(self.failure, str) else self.failure(failure)
