"""The provider process itself: ``python -m pytest_mcpbench.runtime.provider FD`` with its setup on standard input.

It ends when standard input does, which the kernel closes with the process that started it, however that ended.
"""

import asyncio
import json
import os
import socket
import sys
import threading
from pathlib import Path
from typing import Any

from pytest_mcpbench.runtime.models.names import Models
from pytest_mcpbench.runtime.provider.service import Service


def main() -> None:
    """Serve the listening socket that was handed over."""
    setup = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_starter, daemon=True).start()
    asyncio.run(_serve(socket.socket(fileno=int(sys.argv[1])), setup))


def _end_with_starter() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


async def _serve(listener: socket.socket, setup: dict[str, Any]) -> None:
    async with Models(setup["aliases"]) as models:
        service = Service(models, verdicts=Path(setup["verdicts"]), status=Path(setup["status"]))
        server = await asyncio.start_unix_server(service.converse, sock=listener)
        async with server, asyncio.TaskGroup() as group:
            group.create_task(service.report())
            group.create_task(server.serve_forever())


if __name__ == "__main__":
    main()
