"""The provider process itself: ``python -m pytest_mcpbench.runtime.provider FD`` with its setup on standard input.

It ends when standard input does, which the kernel closes with the process that started it, however that ended.
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
from pytest_mcpbench.runtime.models.factory import Models
from pytest_mcpbench.runtime.provider.service import Service


def main() -> None:
    """Serve the listening socket that was handed over."""
    setup = json.loads(sys.stdin.buffer.readline())
    listener = socket.socket(fileno=int(sys.argv[1]))
    if setup["attempts"]:
        _serve_with_attempts(listener, setup)
    else:
        _end_with_starter()
        asyncio.run(_serve_alone(listener, setup))


def _serve_with_attempts(listener: socket.socket, setup: dict[str, Any]) -> None:
    """On the loop of the attempts, where their models are asked."""
    from pytest_mcpbench.runtime.remote.messages import RunnerSettings
    from pytest_mcpbench.runtime.remote.runner import AttemptRunner

    # What is left behind where this process is killed goes with the directory of the run.
    tempfile.tempdir = str(Path(setup["status"]).parent)
    made = RunnerSettings(version=__version__, concurrency=setup["attempts"], aliases=setup["aliases"])
    maker = AttemptRunner(made, root=Path(setup["root"]), verdicts=Path(setup["verdicts"]))
    _end_with_starter(maker.close)
    service = _service(maker.models, setup, maker=maker)
    maker.rollouts.call(lambda _: _serve(listener, service))


async def _serve_alone(listener: socket.socket, setup: dict[str, Any]) -> None:
    async with Models(setup["aliases"]) as models:
        await _serve(listener, _service(models, setup))


def _service(models: Models, setup: dict[str, Any], **more: Any) -> Service:
    return Service(models, verdicts=Path(setup["verdicts"]), status=Path(setup["status"]), **more)


async def _serve(listener: socket.socket, service: Service) -> None:
    server = await asyncio.start_unix_server(service.converse, sock=listener)
    async with server, asyncio.TaskGroup() as group:
        group.create_task(service.report())
        group.create_task(server.serve_forever())


def _end_with_starter(close: Callable[[], None] = lambda: None) -> None:
    def wait() -> None:
        sys.stdin.buffer.read()
        try:
            close()
        finally:
            os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    main()
