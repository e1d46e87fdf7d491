"""Entry point of the provider process: ``python -m pytest_mcpbench.attempt.provider FD``.

FD is the descriptor of a listening socket; the first line of standard input is the setup as JSON.
"""

import asyncio
import json
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_mcpbench import __version__
from pytest_mcpbench.attempt.provider.service import ProviderService
from pytest_mcpbench.models.factory import Models


def main() -> None:
    """Serve the connections of the inherited listening socket until the parent process ends."""
    setup = json.loads(sys.stdin.buffer.readline())
    listener = socket.socket(fileno=int(sys.argv[1]))
    if setup["attempts"]:
        _serve_with_attempts(listener, setup)
    else:
        _exit_with_parent()
        asyncio.run(_serve_without_attempts(listener, setup))


def _serve_with_attempts(listener: socket.socket, setup: dict[str, Any]) -> None:
    """Serve on the loop of the attempts, to which their models belong."""
    from pytest_mcpbench.attempt.remote.messages import RunnerSettings
    from pytest_mcpbench.attempt.remote.runner import RemoteAttemptRunner

    # If this process is killed, the supervisor removes its temporary files together with the directory of the socket.
    tempfile.tempdir = str(Path(setup["status"]).parent)
    settings = RunnerSettings(
        version=__version__,
        concurrency=setup["attempts"],
        aliases=setup["aliases"],
        isolation=setup["isolation"],
    )
    runner = RemoteAttemptRunner(settings, root=Path(setup["root"]), verdicts=Path(setup["verdicts"]))
    _exit_with_parent(runner.close)
    service = _service(runner.models, setup, runner=runner)
    runner.executor.call(lambda _: _serve(listener, service))


async def _serve_without_attempts(listener: socket.socket, setup: dict[str, Any]) -> None:
    async with Models(setup["aliases"], cache=Path(setup["verdicts"]).parent) as models:
        await _serve(listener, _service(models, setup))


def _service(models: Models, setup: dict[str, Any], **options: Any) -> ProviderService:
    return ProviderService(models, verdicts=Path(setup["verdicts"]), status=Path(setup["status"]), **options)


async def _serve(listener: socket.socket, service: ProviderService) -> None:
    if sys.platform == "win32":
        raise NotImplementedError
    server = await asyncio.start_unix_server(service.handle_connection, sock=listener)
    async with server, asyncio.TaskGroup() as group:
        group.create_task(service.write_status())
        group.create_task(server.serve_forever())


def _exit_with_parent(close: Callable[[], None] = lambda: None) -> None:
    """Start a thread that ends this process when the parent process does."""

    def wait() -> None:
        # The kernel closes the pipe when the parent process ends, even if it was killed.
        sys.stdin.buffer.read()
        try:
            close()
        finally:
            # Not sys.exit(): in a thread it would end the thread only.
            os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    main()
