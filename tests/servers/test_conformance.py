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
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import Limits
from tests.listening import HOST, wait_until_it_listens
from tests.servers.subjects import INSTALLED, REPOSITORY, a_suite, an_arena

pytestmark = [pytest.mark.extra, pytest.mark.npm]

SUITE = INSTALLED / "conformance" / "node_modules"
NODE = SUITE / "node" / "bin" / "node"
VERSIONS = {
    "2025-11-25": SUITE / "@modelcontextprotocol" / "conformance" / "dist" / "index.js",
    "2026-07-28": SUITE / "conformance-next" / "dist" / "index.js",
}
EXTENSIONS = {"auth/client-credentials-basic"}
"""Scenarios that belong to no version of the protocol."""
CLIENT = REPOSITORY / "fixtures" / "conformance_client.py"

FAILING = {
    # mcp 2.3 refuses a result without resultType, which the scenario sends last; the client then ends with an error.
    "sep-2322-client-request-state": {"exit code"},
    # The checks call a tool of the suite's own server that needs a capability.
    "server-stateless": {"sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"},
    # The servers have no prompts and no templates.
    "caching": {"sep-2549-prompts-list-caching-hints", "sep-2549-resources-templates-list-caching-hints"},
}
NOT_RUN = {
    "auth/": "a user logs in with a browser: `mcpbench login` (tests/servers/test_oauth.py), or the client has a key",
    "sep-2640-": "skills that a server offers are not read",
}
"""Scenarios of clients, by their beginnings, that are not run, and why."""
FAILING_FOR_PROXIES = {
    "completion-complete": "arguments are not completed for programs",
    "dns-rebinding-protection": "a request with an origin is refused, because no page in a browser may call a proxy",
    "json-schema-2020-12": "the server has no such tool; that schemas are kept is tested in tests/agents/programs",
}
FAILING_BY_VERSION = {
    "2025-11-25": {
        "elicitation-sep1330-enums": "the server has no such tool; the form is passed on as it is",
        "logging-set-level": "log messages of servers are not passed on",
        "tools-call-with-logging": "log messages of servers are not passed on",
        "tools-call-sampling": "the model of --mcpbench-sampling answers, or nobody: no request reaches the program",
        "resources-subscribe": "updates of resources are not passed on",
        "resources-unsubscribe": "updates of resources are not passed on",
        "server-sse-polling": "a stream that is cut off is not taken up again",
    },
    "2026-07-28": {
        "server-stateless": "two checks call a tool of the suite's own server that needs a capability",
        "http-custom-header-server-validation": "the server has no tool whose parameters are headers",
        "input-required-result-": "tools and prompts of the suite's own server; a question of a server that still has "
        "the handshake is such a result, and tests/agents/programs answers it",
    },
}
"""Scenarios of servers, by their beginnings, that fail for proxies, and why."""


def run(kind: str, version: str, *arguments: str) -> str:
    """Return what the suite prints, without colours."""
    if not NODE.exists():
        pytest.skip(f"{NODE} is missing; .ci/setup installs it")
    is_dated = version == "2026-07-28" and kind != "list" and not EXTENSIONS.intersection(arguments)
    filters = ("--spec-version", version) if is_dated else ()
    command = [NODE, VERSIONS[version], kind, *arguments, *filters]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    return re.sub(r"\x1b\[\d+m", "", f"{done.stdout}{done.stderr}\nexit code {done.returncode}")


def failures(kind: str, version: str, scenario: str, *arguments: str) -> set[str]:
    """Return the ids of the checks that failed, and ``exit code`` if something else did."""
    output = run(kind, version, *arguments, "--scenario", scenario)
    assert "Test Results" in output, output
    failed = set(re.findall(r"\[([\w$-]+) *\] FAILURE", output))
    return failed or ({"exit code"} if not output.endswith("exit code 0") else set())


CLIENT_SCENARIOS = [
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
    ("2026-07-28", "auth/client-credentials-basic"),
]


@pytest.mark.parametrize(("version", "scenario"), CLIENT_SCENARIOS)
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


@pytest.mark.parametrize("version", VERSIONS)
def test_the_proxy_of_a_server_conforms(tmp_path: Path, version: str) -> None:
    factory = "fixtures.servers.conforming:server"
    ref = ServerRef(name="conforming", transport="in_process", factory=factory, mode="legacy")
    settings = ProxySettings(tool_names="own", answering="program")

    async def check() -> str:
        async with an_arena(a_suite(ref), Sandbox(path=tmp_path)) as arena:
            recorder = CallRecorder(arena, Limits(rounds=1000))
            async with open_proxies(arena, recorder, settings) as (proxied,):
                arguments = ("--url", proxied.url or "", "--suite", "all")
                return await anyio.to_thread.run_sync(partial(run, "server", version, *arguments))

    output = anyio.run(check)
    failed = re.findall(r"^✗ ([\w-]+):", output, re.MULTILINE)
    reasons = {**FAILING_FOR_PROXIES, **FAILING_BY_VERSION[version]}
    assert {reason for reason in reasons if not any(each.startswith(reason) for each in failed)} == set()
    assert [each for each in failed if not each.startswith(tuple(reasons))] == []
    assert "✓ tools-call-with-progress" in output


def test_each_scenario_of_clients_is_run_or_has_a_reason() -> None:
    listed = re.findall(r"^  - (\S+) ", run("list", "2026-07-28", "--client"), re.MULTILINE)
    chosen = {scenario for _, scenario in CLIENT_SCENARIOS}
    assert chosen - {*listed} == set()
    assert [each for each in listed if each not in chosen and not each.startswith(tuple(NOT_RUN))] == []
