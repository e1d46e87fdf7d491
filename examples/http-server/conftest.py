"""Start of the server for a run of pytest, unless ``TRAMS_URL`` names one that runs already."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

SERVER = pytest.StashKey[subprocess.Popen[bytes]]()
START_SECONDS = 30


def pytest_configure(config):
    # The workers of pytest-xdist inherit the variable, so that all of them use one server.
    if "TRAMS_URL" in os.environ:
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = config.stash[SERVER] = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("server.py"), str(port)]
    )
    deadline = time.monotonic() + START_SECONDS
    while not listens(port):
        if process.poll() is not None or time.monotonic() > deadline:
            pytest.exit(f"server.py does not listen on port {port}", returncode=1)
        time.sleep(0.05)
    os.environ["TRAMS_URL"] = f"http://127.0.0.1:{port}/mcp"


def pytest_unconfigure(config):
    process = config.stash.get(SERVER, None)
    if process is not None:
        process.terminate()
        process.wait()
        os.environ.pop("TRAMS_URL", None)


def listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
