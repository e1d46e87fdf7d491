"""Check of a profile: run the client with a probe server and a recording provider, and compare what it sends."""

import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio

from pytest_mcpbench.agents.programs.external_agent import ProgramProcess
from pytest_mcpbench.clients import probe_server
from pytest_mcpbench.clients.probe_server import DESCRIPTION, IN_CONTENT, IN_STRUCTURED, INSTRUCTIONS, TOOL
from pytest_mcpbench.clients.profile import ClientProfile
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.servers.environment import server_environment
from pytest_mcpbench.servers.watchdog import Watchdog

_SECONDS = 180.0
_SERVER = "probeserver"
_RESOURCES = re.compile(r"read_?mcp_?resource", re.IGNORECASE)
WHOLE = "whole"


@dataclass(frozen=True)
class Invocation:
    """How a client is run once, as its users run it, with the probe as its only server."""

    command: tuple[str, ...]
    environment: Mapping[str, str]


def _claude(home: Path, origin: str, server: Sequence[str]) -> list[Invocation]:
    file = home / "mcp.json"
    entry = {"command": server[0], "args": [*server[1:]]}
    file.write_text(json.dumps({"mcpServers": {_SERVER: entry}}), encoding="utf-8")
    command = (
        *("--print", "--output-format", "stream-json", "--verbose", "--permission-mode", "dontAsk"),
        *("--mcp-config", str(file), "--strict-mcp-config", "--setting-sources", ""),
        *("--allowedTools", f"mcp__{_SERVER}"),
    )
    environment = {
        "ANTHROPIC_BASE_URL": origin,
        "ANTHROPIC_API_KEY": "sk-ant-check",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        # Its default at Anthropic's own address; at another one it lists all tools.
        "ENABLE_TOOL_SEARCH": "true",
    }
    return [Invocation(command, environment)]


def _codex(home: Path, origin: str, server: Sequence[str]) -> list[Invocation]:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(
        'approval_policy = "never"\nsandbox_mode = "read-only"\ncheck_for_update_on_startup = false\n'
        f'model_provider = "check"\n[model_providers.check]\nname = "check"\nbase_url = "{origin}/v1"\n'
        f'wire_api = "responses"\nenv_key = "CHECK_KEY"\n[mcp_servers.{_SERVER}]\ncommand = {json.dumps(server[0])}\n'
        f'args = {json.dumps([*server[1:]])}\ndefault_tools_approval_mode = "approve"\n',
        encoding="utf-8",
    )
    environment = {"CODEX_HOME": str(home / ".codex"), "CHECK_KEY": "check"}
    command = ("exec", "--json", "--skip-git-repo-check", "-")
    # Its default model calls tools from JavaScript, which the scripted model does not write: results are observed with
    # a model that calls tools itself.
    return [Invocation(command, environment), Invocation((*command[:-1], "--model", "gpt-5.1", "-"), environment)]


_CLIENTS: Mapping[str, tuple[str, Callable[[Path, str, Sequence[str]], list[Invocation]]]] = {
    "claude-code": ("claude", _claude),
    "codex": ("codex", _codex),
}
CHECKED = tuple(_CLIENTS)
"""Profiles that can be checked: those of programs without a window."""


@dataclass(frozen=True)
class ComparedValue:
    """One value of a profile beside what the program sends."""

    name: str
    stated: Any
    """``None``: the profile does not say."""
    observed: Any
    """``None``: not observed."""

    @property
    def differs(self) -> bool:
        """Return whether the program sends something else than the profile says."""
        return self.observed is not None and self.observed != (self.stated if self.stated is not None else WHOLE)


@dataclass(frozen=True)
class ClientCheck:
    """Outcome of a check."""

    name: str
    version: str
    """Version of the installed program."""
    checked_with: str | None
    """Version of the profile."""
    lines: tuple[ComparedValue, ...]

    @property
    def differs(self) -> bool:
        """Return whether the program sends something else than the profile says."""
        return any(line.differs for line in self.lines)


def check_client(name: str, profile: ClientProfile) -> ClientCheck:
    """Run the installed program of a client and compare what it sends with its profile.

    Raises:
        UsageError: no program of the client is installed, or it asks no model within three minutes.
    """
    if name not in _CLIENTS:
        raise UsageError(f"{name} cannot be run without a window; these can be checked: {', '.join(CHECKED)}")
    program, invocations = _CLIENTS[name]
    executable = shutil.which(program)
    if executable is None:
        raise UsageError(f"the program {program!r} is not on the search path (PATH)")
    observed: dict[str, Any] = {}
    with TemporaryDirectory(prefix="mcpbench-client-") as directory:
        home = Path(directory)
        log = home / "probe.jsonl"
        server = (sys.executable, "-I", "-S", str(Path(probe_server.__file__)), str(log))
        with RecordingProvider().serving() as provider:
            for invocation in invocations(home, provider.origin, server):
                provider.bodies.clear()
                said = anyio.run(_run, executable, invocation, home)
                if not provider.bodies:
                    raise UsageError(f"{program} asked no model within {_SECONDS:g} s: {said[-500:].strip()}")
                observed = {**observe(provider.bodies), **observed}
        observed["capabilities"] = _capabilities(log)
        environment = server_environment({"HOME": str(home)})
        done = subprocess.run(
            [executable, "--version"], capture_output=True, text=True, check=False, timeout=60, env=environment
        )
        found = re.search(r"\d+(?:\.\d+)+\S*", done.stdout)
        version = found[0] if found else "unknown"
    facts = profile.facts.model_dump(mode="json")
    names = dict.fromkeys((*profile.values, *observed))
    lines = tuple(ComparedValue(each, facts.get(each), observed.get(each)) for each in names)
    return ClientCheck(name, version, profile.version, lines)


async def _run(executable: str, invocation: Invocation, home: Path) -> str:
    """Run the program to its end, and return the end of its stderr."""
    environment = server_environment({"HOME": str(home), **invocation.environment})
    watchdog = Watchdog()
    try:
        process = ProgramProcess(
            (executable, *invocation.command), environment=environment, directory=home, watchdog=watchdog
        )
        with anyio.move_on_after(_SECONDS):
            async with process:
                await process.run(f"Call {TOOL} once.")
        return process.stderr
    finally:
        watchdog.close()


def observe(bodies: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the facts of a profile that requests of a client to its model show; unknown ones are left out."""
    texts = [text for body in bodies for text in _texts(body)]
    found: dict[str, Any] = {"instruction_characters": _shown(INSTRUCTIONS, texts) or 0}
    described = _shown(DESCRIPTION, texts)
    if described is not None:
        found["description_characters"] = described
    names = {text for text in texts if re.fullmatch(rf"\w+{TOOL}", text) and _SERVER in text}
    if names:
        found["name_form"] = min(names).replace(_SERVER, "{server}").replace(TOOL, "{tool}")
    tools = (each for body in bodies for tool in body.get("tools") or [] for each in tool.get("tools", [tool]))
    # A deferred definition is sent only because it was searched for.
    is_listed = any(str(each.get("name", "")).endswith(TOOL) and not each.get("defer_loading") for each in tools)
    found["presentation"] = "listed" if is_listed else "search"
    if not is_listed:
        # A text that is the name alone belongs to a definition or a call.
        lists = [text for text in texts if re.search(rf"{_SERVER}\W?_*{TOOL}", text) and not re.fullmatch(r"\w+", text)]
        shows_lines = any(DESCRIPTION[:6] in text for text in lists)
        found["deferred_tools"] = "lines" if shows_lines else "names" if lists else "none"
    forms = [
        form for form, mark in (("content", IN_CONTENT), ("structured", IN_STRUCTURED)) if any(mark in t for t in texts)
    ]
    if forms:
        found["result_form"] = " and ".join(forms)
    found["server_resources"] = "tools" if any(_RESOURCES.search(text) for text in texts) else "none"
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for each in value.values() for text in _texts(each))
    elif isinstance(value, list):
        yield from (text for each in value for text in _texts(each))


def _shown(original: str, texts: Iterable[str]) -> int | str | None:
    """Return how many characters of a text were sent at most, or that it was sent whole; ``None`` if nothing was."""
    start = original[:6]
    lengths = [_common(original, text[text.index(start) :]) for text in texts if start in text]
    most = max(lengths, default=None)
    return WHOLE if most == len(original) else most


def _common(original: str, text: str) -> int:
    """Return the length of the common beginning."""
    pairs = zip(original, text, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(original), len(text)))


def _capabilities(log: Path) -> list[str] | None:
    """Return the capabilities that the client declared to the probe; ``None`` if it did not connect."""
    messages = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
    declared = next((each["params"]["capabilities"] for each in messages if each.get("method") == "initialize"), None)
    if declared is None:
        return None
    kept = {name: value for name, value in declared.items() if name != "experimental"}
    return sorted([*kept, *(f"{name}.{part}" for name, value in kept.items() for part in value)])


# Provider on the loopback interface that records what a client sends to its model, and answers from a script.
#
# It speaks two interfaces, streamed: Anthropic's messages and OpenAI's responses. The scripted model loads the
# probe's tool if it has to, calls it once, and then says that it is done.

_SEARCH = "ToolSearch"
"""Claude Code's tool that loads the definitions of deferred tools."""
_USAGE = {"input_tokens": 100, "output_tokens": 20}


class RecordingProvider:
    """Provider that keeps the bodies of all requests, in order."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                provider.bodies.append(body)
                events = _responses(body) if "input" in body else _messages(body)
                data = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_arguments: Any) -> None:
                """Write nothing to stderr."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        """URL without a path."""

    @contextmanager
    def serving(self) -> Iterator["RecordingProvider"]:
        """Answer requests while the context is open."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()


def _messages(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events of Anthropic's interface for the model's next message."""
    used = [
        block["name"]
        for message in body["messages"]
        if message["role"] == "assistant" and isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_use"
    ]
    names = [tool["name"] for tool in body.get("tools", [])]
    probe = next((name for name in names if name.endswith(TOOL)), "")
    if probe and probe not in used:
        name, arguments = probe, json.dumps({"text": "hello"})
    elif not probe and _SEARCH in names and _SEARCH not in used:
        name, arguments = _SEARCH, json.dumps({"query": TOOL.replace("_", " "), "max_results": 5})
    else:
        name, arguments = "", ""
    identity = str(len(body["messages"]))
    head = {"id": f"msg_{identity}", "type": "message", "role": "assistant", "model": body["model"], "content": []}
    block: dict[str, Any] = {"type": "tool_use", "id": f"toolu_{identity}", "name": name, "input": {}}
    text = {"type": "text", "text": ""}
    delta = {"type": "input_json_delta", "partial_json": arguments} if name else {"type": "text_delta", "text": "Done."}
    stop = {"stop_reason": "tool_use" if name else "end_turn", "stop_sequence": None}
    return [
        {"type": "message_start", "message": {**head, "stop_reason": None, "stop_sequence": None, "usage": _USAGE}},
        {"type": "content_block_start", "index": 0, "content_block": block if name else text},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": _USAGE},
        {"type": "message_stop"},
    ]


def _responses(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events of OpenAI's interface for the model's next item."""
    identity = str(len(body["input"]))
    is_called = any(item.get("type") == "function_call" for item in body["input"])
    text = {"type": "output_text", "text": "Done.", "annotations": []}
    item: dict[str, Any] = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}
    for tool in body.get("tools", []) if not is_called else ():
        for each in tool.get("tools", [tool]):
            if str(each.get("name", "")).endswith(TOOL):
                item = {
                    "type": "function_call",
                    "id": f"fc_{identity}",
                    "call_id": f"call_{identity}",
                    "name": each["name"],
                    "arguments": '{"text": "hello"}',
                    "status": "completed",
                    **({"namespace": tool["name"]} if "tools" in tool else {}),
                }
    usage = {**_USAGE, "total_tokens": 120}
    response = {
        "id": f"resp_{identity}",
        "object": "response",
        "created_at": 0,
        "model": body["model"],
        "status": "completed",
        "output": [item],
        "usage": usage,
    }
    return [
        {"type": "response.created", "sequence_number": 0, "response": {**response, "output": [], "usage": None}},
        {"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": item},
        {"type": "response.output_item.done", "sequence_number": 2, "output_index": 0, "item": item},
        {"type": "response.completed", "sequence_number": 3, "response": response},
    ]
