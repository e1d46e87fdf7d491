"""Login to a server at a URL: the authorization code flow of OAuth with a redirect to this machine."""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs, urlsplit

from mcp import Client
from mcp.client.auth import AuthorizationCodeResult

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.servers.oauth import interactive_oauth, store_metadata
from pytest_mcpbench.servers.transports import HttpTransport

_PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nYou can close this page.\n"


async def log_in(ref: ServerRef, show: Callable[[str], Awaitable[None]], client_url: str | None = None) -> int:
    """Log in, store the tokens and return the number of tools that the server then lists.

    Args:
        ref: Server to log in to.
        show: Function that shows the address of a page to the user.
        client_url: Address of a document with the metadata of the client; without one the client registers itself.
    """
    answer: asyncio.Future[AuthorizationCodeResult] = asyncio.get_running_loop().create_future()

    async def receive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        target = head.split(" ")[1]
        query = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
        if "code" in query and not answer.done():
            answer.set_result(
                AuthorizationCodeResult(code=query["code"], state=query.get("state"), iss=query.get("iss"))
            )
        elif "error" in query and not answer.done():
            answer.set_exception(ConnectionError(query.get("error_description", query["error"])))
        writer.write(_PAGE)
        await writer.drain()
        writer.close()

    async def wait() -> AuthorizationCodeResult:
        return await answer

    async with await asyncio.start_server(receive, "127.0.0.1", 0) as listener:
        port = listener.sockets[0].getsockname()[1]
        auth = interactive_oauth(ref, f"http://127.0.0.1:{port}/callback", show, wait, client_url)
        async with Client(HttpTransport(ref, dict(ref.headers), auth=auth).target, mode="legacy") as client:
            tools = (await client.list_tools()).tools
        store_metadata(auth)
    return len(tools)
