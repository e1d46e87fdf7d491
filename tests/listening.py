"""Waiting for servers in other processes."""

import socket
import subprocess
import time
from contextlib import closing
from typing import Any

HOST = "127.0.0.1"
_PATIENCE_SECONDS = 60


def wait_until_it_listens(process: "subprocess.Popen[Any]", port: int) -> None:
    """Wait until a server accepts connections at a port of this machine; fails if its process ends first."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not _listens(port):
        assert process.poll() is None, f"the server ended with exit code {process.returncode} before it listened"
        assert time.monotonic() < deadline, f"the server does not listen after {_PATIENCE_SECONDS} seconds"
        time.sleep(0.01)


def _listens(port: int) -> bool:
    try:
        connection = socket.create_connection((HOST, port), timeout=1)
    except OSError:
        return False
    with closing(connection):
        # Linux connects a socket with itself if it happens to give it the port that nobody listens at.
        return bool(connection.getsockname() != connection.getpeername())
