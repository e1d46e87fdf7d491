"""MCP server of a city's trams at a URL; the first argument is its port."""

import sys
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

server = MCPServer("trams", log_level="WARNING")
DEPARTURES = {
    "Harbour": {1: ["08:05", "08:20", "08:35"], 4: ["08:10", "08:40"]},
    "Museum": {1: ["08:12", "08:27", "08:42"]},
    "Stadium": {4: ["08:25", "08:55"]},
}
FAVOURITES: list[str] = []
READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
Stop = Annotated[str, Field(description="Name of a stop, e.g. 'Harbour'")]


class Departure(BaseModel):
    """A tram that leaves a stop."""

    line: int
    time: str


@server.tool(annotations=READ_ONLY)
def list_stops() -> list[str]:
    """List all stops. Use it to find the name of a stop."""
    return list(DEPARTURES)


@server.tool(annotations=READ_ONLY)
def list_departures(
    stop: Stop, line: Annotated[int | None, Field(description="Number of a line, e.g. 4")] = None
) -> list[Departure]:
    """List the departures from a stop. Use it when somebody asks when a tram leaves."""
    if stop not in DEPARTURES:
        raise ToolError(f"there is no stop {stop!r}; list_stops shows all")
    departures = [Departure(line=number, time=time) for number, times in DEPARTURES[stop].items() for time in times]
    return [each for each in departures if line in (None, each.line)]


@server.tool(annotations=CHANGES)
def add_favourite(stop: Stop) -> list[str]:
    """Add a stop to the favourites. Use it when somebody wants to remember a stop."""
    if stop not in FAVOURITES:
        FAVOURITES.append(stop)
    return FAVOURITES


@server.tool(annotations=READ_ONLY)
def list_favourites() -> list[str]:
    """List the favourite stops. Use it when somebody asks for stops that were remembered."""
    return FAVOURITES


@server.tool(annotations=CHANGES)
def clear_favourites() -> list[str]:
    """Remove all stops from the favourites. Use it when somebody wants to begin anew."""
    FAVOURITES.clear()
    return FAVOURITES


if __name__ == "__main__":
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
