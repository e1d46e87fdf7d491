"""The official conformance suite against the client, the proxies of external agents and a simulated server.

Both versions of the suite are pinned in ``.ci/setup``. What fails is listed with its reason, so that a new failure and
one that has gone are seen.
"""

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import anyio
import pytest

from pytest_mcpbench.agents.programs.call_recorder import CallRecorder
from pytest_mcpbench.agents.programs.proxy import open_proxies
from pytest_mcpbench.agents.programs.proxy_settings import ProxySettings
from pytest_mcpbench.core.task import Limits
from tests.agents.arenas import TinyArena
from tests.builders import a_tool
from tests.listening import HOST, wait_until_it_listens
from tests.servers.subjects import INSTALLED, REPOSITORY

pytestmark = [pytest.mark.extra, pytest.mark.npm]

SUITE = INSTALLED / "conformance" / "node_modules"
NODE = SUITE / "node" / "bin" / "node"
VERSIONS = {
    "2025-11-25": SUITE / "@modelcontextprotocol" / "conformance" / "dist" / "index.js",
    "2026-07-28": SUITE / "conformance-next" / "dist" / "index.js",
}
CLIENT = REPOSITORY / "fixtures" / "conformance_client.py"

FAILING = {
    # mcp 2.3 refuses a result without resultType, which the scenario sends last; the client then ends with an error.
    "sep-2322-client-request-state": {"exit code"},
    # The checks call a tool of the suite's own server that needs a capability.
    "server-stateless": {"sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"},
    # The servers have no prompts and no templates.
    "caching": {"sep-2549-prompts-list-caching-hints", "sep-2549-resources-templates-list-caching-hints"},
}
FAILING_FOR_PROXIES = {
    **FAILING,
    # A proxy has no resources either.
    "caching": {*FAILING["caching"], "sep-2549-resources-list-caching-hints"},
    # A proxy refuses every request with an origin, because no page in a browser may call it.
    "dns-rebinding-protection": {"localhost-host-valid-accepted"},
}


def failures(kind: str, version: str, scenario: str, *arguments: str) -> set[str]:
    """Return the ids of the checks that failed, and ``exit code`` if something else did."""
    if not NODE.exists():
        pytest.skip(f"{NODE} is missing; .ci/setup installs it")
    filters = ("--spec-version", version) if version == "2026-07-28" else ()
    command = [NODE, VERSIONS[version], kind, *arguments, "--scenario", scenario, *filters]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    output = re.sub(r"\x1b\[\d+m", "", done.stdout + done.stderr)
    assert "Test Results" in output, output
    failed = set(re.findall(r"\[([\w$-]+) *\] FAILURE", output))
    return failed or ({"exit code"} if done.returncode else set())


@pytest.mark.parametrize(
    ("version", "scenario"),
    [
        ("2025-11-25", "initialize"),
        ("2025-11-25", "tools_call"),
        ("2025-11-25", "elicitation-sep1034-client-defaults"),
        ("2025-11-25", "sse-retry"),
        ("2026-07-28", "tools_call"),
        ("2026-07-28", "request-metadata"),
        ("2026-07-28", "sep-2322-client-request-state"),
        ("2026-07-28", "http-standard-headers"),
        ("2026-07-28", "http-custom-headers"),
        ("2026-07-28", "http-invalid-tool-headers"),
        ("2026-07-28", "json-schema-ref-no-deref"),
        ("2026-07-28", "json-schema-2020-12-preservation"),
    ],
)
def test_the_client_conforms(version: str, scenario: str) -> None:
    command = f"env PYTHONPATH={REPOSITORY} {sys.executable} {CLIENT}"
    assert failures("client", version, scenario, "--command", command) == FAILING.get(scenario, set())


SERVER_SCENARIOS = [
    ("2025-11-25", "server-initialize"),
    ("2025-11-25", "ping"),
    ("2025-11-25", "tools-list"),
    ("2025-11-25", "dns-rebinding-protection"),
    ("2026-07-28", "server-stateless"),
    ("2026-07-28", "tools-list"),
    ("2026-07-28", "caching"),
    ("2026-07-28", "http-header-validation"),
    ("2026-07-28", "dns-rebinding-protection"),
]


@pytest.fixture(scope="module")
def simulated() -> Iterator[str]:
    with socket.create_server((HOST, 0)) as listening:
        port = listening.getsockname()[1]
    command = [sys.executable, "-m", "pytest_mcpbench.cli", "serve", "calendar", "--transport=http", f"--port={port}"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until_it_listens(process, port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(("version", "scenario"), SERVER_SCENARIOS)
def test_a_simulated_server_conforms(simulated: str, version: str, scenario: str) -> None:
    assert failures("server", version, scenario, "--url", simulated) == FAILING.get(scenario, set())


@pytest.mark.parametrize(("version", "scenario"), SERVER_SCENARIOS)
def test_the_proxy_of_a_server_conforms(tmp_path: Path, version: str, scenario: str) -> None:
    async def check() -> set[str]:
        arena = TinyArena((a_tool("echo", description="Says it back."),), directory=tmp_path)
        async with open_proxies(arena, CallRecorder(arena, Limits()), ProxySettings()) as (proxied,):
            look = partial(failures, "server", version, scenario, "--url", proxied.url or "")
            return await anyio.to_thread.run_sync(look)

    assert anyio.run(check) == FAILING_FOR_PROXIES.get(scenario, set())
