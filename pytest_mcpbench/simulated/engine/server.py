"""MCP server for a simulation and the world of one attempt."""

import json
from collections.abc import Sequence
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server import Server, ServerRequestContext

from pytest_mcpbench.core.context import ContextTree
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.core.tool import Content
from pytest_mcpbench.simulated.engine.definition import SimulationDefinition
from pytest_mcpbench.simulated.engine.failure import ToolFailure

WORLD_URI = "mcpbench://world"
"""URI of the resource with the current tree of the world as JSON; ``/before`` is appended for the initial tree."""

Request = ServerRequestContext[Any]


def serve_world(simulation: SimulationDefinition, world: World) -> Server[Any]:
    """Create a server for one world; everything that does not depend on the world is shared between servers."""
    session = _Session(simulation, world)
    return Server(
        simulation.name,
        version=simulation.version,
        instructions=simulation.instructions,
        on_list_tools=session.list_tools,
        on_call_tool=session.call_tool,
        on_list_resources=session.list_resources,
        on_read_resource=session.read_resource,
    )


class _Session:
    """Request handlers of one server."""

    def __init__(self, simulation: SimulationDefinition, world: World) -> None:
        self._simulation = simulation
        self._world = world
        self._state = simulation.state(world)

    async def list_tools(self, _request: Request, _page: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        tools: list[types.Tool] = []
        for tool in self._simulation.table.values():
            output = self._simulation.output_schemas.get(tool.name)
            hints = self._simulation.annotations.get(tool.name)
            tools.append(
                types.Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=tool.input_schema,
                    output_schema=dict(output) if output else None,
                    annotations=types.ToolAnnotations.model_validate(hints) if hints else None,
                )
            )
        return types.ListToolsResult(tools=tools)

    async def call_tool(self, _request: Request, call: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            value = self._simulation.call(self._state, call.name, call.arguments or {})
        except ToolFailure as failure:
            message = types.TextContent(text=str(failure))
            return types.CallToolResult(content=[message], is_error=self._simulation.flags_failures)
        structured = self._simulation.structured and self._simulation.structured(call.name, value)
        content: list[Any]
        if isinstance(value, Content):
            content = [_block(value)]
        elif isinstance(value, Sequence) and value and all(isinstance(block, Content) for block in value):
            content = [_block(block) for block in value]
        else:
            indent = self._simulation.indent
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=indent)
            content = [types.TextContent(text=text)]
        return types.CallToolResult(content=content, structured_content=structured)

    async def list_resources(
        self, _request: Request, _page: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        own = [types.Resource(name=uri.rpartition("/")[2], uri=uri) for uri in self._simulation.resources]
        world = [types.Resource(name=uri, uri=uri, mime_type="application/json") for uri in self._trees()]
        return types.ListResourcesResult(resources=own + world)

    async def read_resource(
        self, _request: Request, request: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(request.uri)
        trees = self._trees()
        if uri in self._simulation.resources:
            text = self._simulation.resources[uri](self._state)
        elif uri in trees:
            text = trees[uri].text()
        else:
            known_uris = ", ".join([*self._simulation.resources, *trees])
            raise MCPError(types.INVALID_PARAMS, f"there is no resource {uri}; there are: {known_uris}.")
        mime_type = "application/json" if uri in trees else "text/plain"
        contents = types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
        return types.ReadResourceResult(contents=[contents])

    def _trees(self) -> dict[str, ContextTree]:
        trees = {WORLD_URI: self._world.after, f"{WORLD_URI}/before": self._world.before}
        return {uri: tree for uri, tree in trees.items() if tree is not None}


def _block(block: Content) -> Any:
    if block.type == "image":
        return types.ImageContent(data=block.data or "", mime_type=block.mime_type or "")
    if block.type == "audio":
        return types.AudioContent(data=block.data or "", mime_type=block.mime_type or "")
    if block.type == "resource_link":
        return types.ResourceLink(name=block.uri or "", uri=block.uri or "", mime_type=block.mime_type)
    if block.type == "resource" and block.data is not None:
        blob = types.BlobResourceContents(uri=block.uri or "", mime_type=block.mime_type, blob=block.data)
        return types.EmbeddedResource(resource=blob)
    return types.TextContent(text=block.text or "")
