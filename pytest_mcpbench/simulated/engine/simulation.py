"""Declaration of a simulated server."""

from typing import TYPE_CHECKING, Any

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine.definition import SimulationDefinition

if TYPE_CHECKING:
    from mcp.server import Server


class Simulation(SimulationDefinition):
    """A simulated server that can be served over MCP."""

    def server(self, world: World) -> "Server[Any]":
        """Create an MCP server for the world of one attempt."""
        from pytest_mcpbench.simulated.engine.server import serve_world

        return serve_world(self, world)
