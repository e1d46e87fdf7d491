"""Serving of the local page on a port of the loopback interface, until Ctrl-C."""

import errno
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from starlette.applications import Starlette

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.runtime.viewer.application import application
from pytest_mcpbench.runtime.viewer.guard import Guard
from pytest_mcpbench.runtime.viewer.pages import Pages
from pytest_mcpbench.runtime.viewer.run_index import RunIndex

HOST = "127.0.0.1"
_SECONDS_TO_END = 2


class _Server(uvicorn.Server):
    """Server that says when it answers."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_start()


@dataclass(frozen=True)
class ViewSettings:
    """Settings of the local server."""

    port: int = 0
    """Port to listen on; 0 for a free one."""
    author: str = ""
    """Author of new notes."""
    opens_browser: bool = True


def serve(directories: Sequence[Path], settings: ViewSettings, announce: Callable[[str], None]) -> None:
    """Serve the page of runs until Ctrl-C, and pass its address to ``announce``.

    Raises:
        UsageError: the port is taken.
    """
    with (
        TemporaryDirectory(prefix="mcpbench-view-") as scratch,
        closing(RunIndex(directories, Path(scratch))) as index,
    ):
        pages = Pages(index, f"mcpbench: {', '.join(index.names)}")

        def make(guard: Guard) -> Starlette:
            index.start()
            return application(index, pages, guard=guard, author=settings.author)

        serve_application(make, settings, announce)


def serve_application(
    make: Callable[[Guard], Starlette], settings: ViewSettings, announce: Callable[[str], None]
) -> None:
    """Serve an application until Ctrl-C, and pass its address to ``announce``.

    Args:
        make: Builds the application for the guard of its requests; called as soon as the port is known to be free.
        settings: Port, and whether a browser is opened.
        announce: Takes the address once the application answers.

    Raises:
        UsageError: the port is taken.
    """
    with closing(_listen(settings.port)) as listener:
        port = listener.getsockname()[1]
        guard = Guard(hosts=frozenset({f"{HOST}:{port}", f"localhost:{port}"}), token=secrets.token_urlsafe(16))
        url = f"http://{HOST}:{port}/{guard.token}/"
        _run(make(guard), listener, lambda: _announce(url, announce, opens_browser=settings.opens_browser))


def _run(app: Starlette, listener: socket.socket, on_start: Callable[[], None]) -> None:
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="critical",
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )
    # uvicorn ends in order and then raises the signal again.
    with suppress(KeyboardInterrupt):
        _Server(config, on_start).run(sockets=[listener])


def _announce(url: str, announce: Callable[[str], None], *, opens_browser: bool) -> None:
    announce(url)
    if opens_browser:
        # A browser in the terminal would block the server that it is to show.
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise UsageError(f"port {port} of {HOST} is taken; choose another one with --port.") from None
        raise
    return listener
