"""``mcpbench login``: log in to a server at a URL with OAuth, and store the tokens."""

import argparse
import sys
import webbrowser

import anyio
from mcp.client.auth.utils import is_valid_client_metadata_url

from pytest_mcpbench.cli.server_names import add_directory_argument, selected_servers
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.servers.login import log_in


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("servers", nargs=1, metavar="SERVER", help="a URL, or the name of a configured server")
    add_directory_argument(parser)
    parser.add_argument("--no-browser", action="store_true", help="print the page to open, and open none")
    parser.add_argument(
        "--client-metadata-url", metavar="URL", help="document of the client (CIMD), in place of a registration"
    )


def run(options: argparse.Namespace) -> int:
    (server,) = selected_servers(options)
    if server.ref.transport not in ("http", "sse"):
        raise UsageError(f"{server.name!r} is no server at a URL, so that there is no login.")

    client_url = options.client_metadata_url
    if client_url is not None and not is_valid_client_metadata_url(client_url):
        raise UsageError(f"--client-metadata-url: {client_url} is no https address with a path.")

    async def show(page: str) -> None:
        print(f"Open this page to log in:\n{page}", file=sys.stderr)
        if not options.no_browser:
            webbrowser.open(page)

    tools = anyio.run(log_in, server.ref, show, client_url)
    print(f"logged in to {server.name}, which lists {tools} tools")
    return 0
