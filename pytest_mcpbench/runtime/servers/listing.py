"""Complete lists of a server's tools and resources, which the protocol returns in pages."""

from collections.abc import AsyncIterator, Awaitable, Callable

import mcp_types as types
from mcp import Client, MCPError

from pytest_mcpbench.runtime.servers.failures import ProtocolViolationError

ResourcePage = Callable[[str | None], Awaitable[types.ListResourcesResult | None]]


async def all_tools(client: Client) -> AsyncIterator[types.Tool]:
    """Yield the tools of every page of ``tools/list``; nothing for a server that has no tools."""
    seen: set[str] = set()
    cursor: str | None = None
    while True:
        try:
            page = await client.list_tools(cursor=cursor)
        except MCPError as error:
            # Some servers list tools although they do not declare the capability: so it is tried in any case.
            if error.code == types.METHOD_NOT_FOUND and client.server_capabilities.tools is None:
                return
            raise
        for tool in page.tools:
            yield tool
        cursor = page.next_cursor
        if not cursor:
            return
        if cursor in seen:
            raise ProtocolViolationError(f"tools/list returned the cursor {cursor!r} twice")
        seen.add(cursor)


async def all_resource_uris(request_page: ResourcePage) -> frozenset[str]:
    """Return the URIs of every page of ``resources/list``.

    Args:
        request_page: Function that requests the page at a cursor; it returns ``None`` if the server refuses.
    """
    uris: set[str] = set()
    cursors: set[str | None] = set()
    cursor: str | None = None
    while cursor not in cursors:  # a server that repeats a cursor would be asked for ever
        cursors.add(cursor)
        page = await request_page(cursor)
        if page is not None:
            uris.update(str(resource.uri) for resource in page.resources)
            cursor = page.next_cursor or None
    return frozenset(uris)
