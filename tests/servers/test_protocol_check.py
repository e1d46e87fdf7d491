"""The protocol check: right servers pass, and each rule that is broken is found."""

import sys
from pathlib import Path

import anyio
import pytest

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.protocol_findings import CHECKS, ProtocolFinding, faults
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.servers.protocol_check import check_protocol
from tests.servers.subjects import SCRIPTS, isolated, npm, url_server

SERVER = """
import json, sys, time

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
TOOLS = [{"name": "double", "inputSchema": SCHEMA}, {"name": "triple", "inputSchema": SCHEMA}]

class Error(Exception):
    pass

def initialize(params):
    version = params["protocolVersion"] if FAULT == "unknown-version" else "2025-11-25"
    info = {"name": "s"} if FAULT == "initialize" else {"name": "s", "version": "1"}
    capabilities = {} if FAULT == "capability" else {"tools": {}}
    return {"protocolVersion": version, "capabilities": capabilities, "serverInfo": info}

def tools_list(params):
    cursor = params.get("cursor")
    if cursor not in (None, "2") and FAULT not in ("invalid-cursor", "one-page"):
        raise Error(-32602, "no such cursor")
    if FAULT == "endless":
        return {"tools": [], "nextCursor": "2"}
    if FAULT == "one-page":
        return {"tools": TOOLS}
    page = TOOLS[1:] if cursor else TOOLS[:1]
    if FAULT == "twice":
        page = TOOLS[:1]
    if FAULT == "schema":
        page = [{"name": "x%s" % cursor, "inputSchema": {"type": "objekt"}}]
    return {"tools": page} if cursor else {"tools": page, "nextCursor": "2"}

def tools_call(params):
    known = params["name"] in ("double", "triple")
    if not known and FAULT != "unknown-tool":
        raise Error(-32602, "unknown tool")
    if known and "a" not in params["arguments"] and FAULT != "invalid-arguments":
        return {"content": [{"type": "text", "text": "a is missing"}], "isError": True}
    return {"content": []}

METHODS = {"initialize": initialize, "tools/list": tools_list, "tools/call": tools_call,
           "ping": lambda params: {"pong": 1} if FAULT == "ping" else {}}

if FAULT == "stdout":
    print("ready", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        if FAULT == "unknown-notification" and "mcpbench" in request["method"]:
            sys.exit(1)
        continue
    reply = {"jsonrpc": "2.0", "id": str(request["id"]) if FAULT == "id" else request["id"]}
    try:
        if request["method"] not in METHODS and FAULT != "unknown-method":
            raise Error(-32602 if FAULT == "unknown-method-code" else -32601, "unknown method")
        reply["result"] = METHODS.get(request["method"], lambda params: {})(request.get("params") or {})
    except Error as error:
        reply["error"] = {"code": error.args[0], "message": error.args[1]}
    print(json.dumps(reply), flush=True)
if FAULT == "shutdown":
    time.sleep(60)
"""


def found(directory: Path, *arguments: str) -> dict[str, str]:
    (directory / "server.py").write_text(SERVER)
    command = ("-S", str(directory / "server.py"), *arguments)
    timeouts = ServerTimeouts(start_seconds=5)
    ref = ServerRef(name="s", transport="stdio", command=sys.executable, arguments=command, timeouts=timeouts)
    return {finding.check: finding.verdict for finding in anyio.run(check_protocol, ref)}


def test_a_server_that_keeps_the_rules_passes_each_check(tmp_path: Path) -> None:
    assert found(tmp_path) == {**dict.fromkeys(CHECKS, "ok"), "discover": "skipped"}


@pytest.mark.extra
@pytest.mark.parametrize(
    ("fault", "check", "verdict"),
    [
        *((name, name, "fault") for name in CHECKS if name not in ("era", "discover", "invalid-cursor", "tools-list")),
        ("unknown-method-code", "unknown-method", "warning"),
        ("invalid-cursor", "invalid-cursor", "warning"),
        ("one-page", "invalid-cursor", "skipped"),
        ("id", "ping", "fault"),
        ("endless", "tools-list", "fault"),
        ("twice", "tools-list", "fault"),
        ("schema", "tools-list", "fault"),
        ("capability", "tools-list", "fault"),
    ],
)
def test_each_broken_rule_is_found_and_what_no_client_meets_is_none(
    tmp_path: Path, fault: str, check: str, verdict: str
) -> None:
    assert found(tmp_path, fault)[check] == verdict


def test_a_server_in_this_process_is_checked_too() -> None:
    ref = ServerRef(name="notes", transport="in_process", factory="fixtures.notes_server:server")
    findings = anyio.run(check_protocol, ref)
    assert not faults(findings)
    skipped = {finding.check for finding in findings if finding.verdict == "skipped"}
    assert skipped == {"discover", "invalid-cursor", "stdout", "shutdown"}


def modern(*fault: str) -> dict[str, ProtocolFinding]:
    arguments = ("-S", str(SCRIPTS / "modern.py"), *fault)
    timeouts = ServerTimeouts(start_seconds=5)
    ref = ServerRef(name="m", transport="stdio", command=sys.executable, arguments=arguments, timeouts=timeouts)
    return {finding.check: finding for finding in anyio.run(check_protocol, ref)}


def test_of_a_server_without_handshake_no_handshake_is_demanded() -> None:
    findings = modern()
    skipped = {"initialize", "ping", "unknown-notification", "invalid-cursor"}
    assert {check: finding.verdict for check, finding in findings.items()} == {
        check: "skipped" if check in skipped else "ok" for check in CHECKS
    }
    assert findings["era"].text == "without a handshake: 2026-07-28 only"


@pytest.mark.parametrize(
    "fault", ["unknown-version", "unknown-method", "tools-list", "unknown-tool", "invalid-arguments"]
)
def test_each_rule_that_a_server_without_handshake_breaks_is_found(fault: str) -> None:
    assert modern(fault)[fault].verdict == "fault"


def test_a_server_of_neither_era_breaks_the_rules() -> None:
    assert modern("discover")["era"].verdict == "fault"


def test_a_server_of_both_eras_at_a_url_is_checked_and_named_so() -> None:
    with url_server() as url:
        ref = ServerRef(name="s", transport="http", url=f"{url}/mcp")
        findings = {finding.check: finding for finding in anyio.run(check_protocol, ref)}
    assert not faults(tuple(findings.values()))
    assert findings["era"].text == "both: with a handshake, and 2026-07-28"


@pytest.mark.npm
@pytest.mark.parametrize("package", ["server-memory", "server-everything"])
def test_servers_from_npm_keep_the_rules(package: str) -> None:
    assert not faults(anyio.run(check_protocol, npm(package, name="s")))


@pytest.mark.isolated
def test_the_time_server_keeps_the_rules() -> None:
    assert not faults(anyio.run(check_protocol, isolated("mcp-server-time", name="time")))


def test_a_server_that_cannot_be_reached_is_an_error_and_no_traceback() -> None:
    ref = ServerRef(name="gone", transport="http", url="http://127.0.0.1:9/mcp?key=abcdef12345")
    with pytest.raises(ServerError, match=r"server .gone. failed to start: http://127.0.0.1:9/mcp: ConnectError: "):
        anyio.run(check_protocol, ref)
