"""Soak: runs in which servers and the provider fail at random, until a time is over.

    python benchmarks/soak.py --minutes 60                              # everything fails now and then
    python benchmarks/soak.py --runs 1 --tasks 500 --crash 0.01         # a stdio server that dies in 1 % of its calls
    python benchmarks/soak.py --runs 1 --tasks 300 --drop 0.05          # a URL that drops 1 connection in 20
    python benchmarks/soak.py --runs 1 --tasks 2000 --in-flight 1800 --refuse 0.2   # rate limits on one key
    python benchmarks/soak.py --runs 1 --tasks 10000 -- -n 8            # options after -- go to pytest

Each run must end by itself and have each attempt once. Printed are the attempts by outcome, the errors by kind, what
is lost or doubled, restarts, seconds, the processor time of all runs until then, and the peak memory of the largest
process. The exit code is 1 if anything is lost, doubled, internal, or does not end.
"""

import argparse
import asyncio
import json
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ALLOWED = {"server", "model"}
"""Kinds of errors that a failing server or provider may cause."""
_TOOL = {
    "name": "look_up",
    "description": "Look a key up.",
    "inputSchema": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
    "annotations": {"readOnlyHint": True},
}
_STDIO_SERVER = """
import json, random, sys, time
from os import _exit
share, tool = float(sys.argv[1]), json.loads(sys.argv[2])
generator = random.SystemRandom()
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "tools/call" and generator.random() < share:
        _exit(3)
    print(json.dumps(answer(message, tool)), flush=True) if "id" in message else None
"""
_ANSWER = '''
def answer(message, tool):
    """Return the response of the server to a request."""
    method, parameters = message["method"], message.get("params") or {}
    results = {
        "initialize": lambda: {
            "protocolVersion": parameters["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "soak", "version": "1"},
        },
        "tools/list": lambda: {"tools": [tool]},
        "tools/call": lambda: {"content": [{"type": "text", "text": "value of " + parameters["arguments"]["key"]}]},
    }
    return {"jsonrpc": "2.0", "id": message["id"], "result": results.get(method, dict)()}
'''


@dataclass(frozen=True)
class Faults:
    """Shares of the requests that fail."""

    crash: float
    """Calls at which the process of the stdio server ends."""
    drop: float
    """Requests at which the server at a URL drops the connection."""
    refuse: float
    """Requests that the provider refuses with 429."""
    fail: float
    """Requests that the provider fails: an error 500, half a reply, or a dropped connection."""


Respond = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]


@contextmanager
def listen(respond: Respond) -> Iterator[int]:
    """Yield the port of an HTTP server on loopback, in a thread of its own."""

    async def serve_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
                await respond(await reader.readexactly(int(lengths[0].split(b":")[1]) if lengths else 0), writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    starting = asyncio.start_server(serve_connection, "127.0.0.1", 0, backlog=4096)
    server = asyncio.run_coroutine_threadsafe(starting, loop).result()
    yield server.sockets[0].getsockname()[1]
    loop.call_soon_threadsafe(server.close)


def send(writer: asyncio.StreamWriter, status: str, content: Any, header: str = "") -> None:
    """Write a response with JSON, or without content."""
    body = b"" if content is None else json.dumps(content).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{header}\r\n"
    writer.write(head.encode() + body)


def mcp_server(faults: Faults) -> Respond:
    """Return an MCP server over streamable HTTP that drops connections."""
    names: dict[str, Any] = {}
    exec(_ANSWER, names)

    async def respond(body: bytes, writer: asyncio.StreamWriter) -> None:
        message = json.loads(body) if body else {}
        if random.random() < faults.drop:
            writer.transport.abort()
        elif not message:
            send(writer, "405 Method Not Allowed", None)
        elif "id" not in message:
            send(writer, "202 Accepted", None)
        else:
            send(writer, "200 OK", names["answer"](message, _TOOL))

    return respond


def provider(faults: Faults, latency: float) -> Respond:
    """Return a provider that calls the tool, then answers with its result, and fails now and then."""

    async def respond(body: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(random.uniform(0.5, 1.5) * latency)
        if not body:
            send(writer, "200 OK", {"object": "list", "data": [{"id": "soak", "object": "model"}]})
        elif random.random() < faults.refuse:
            send(writer, "429 Too Many Requests", {"error": {"message": "slow down"}}, "Retry-After: 1\r\n")
        elif random.random() < faults.fail:
            fault = random.choice(("500", "half", "drop"))
            if fault == "500":
                send(writer, "500 Internal Server Error", {"error": {"message": "out of cheese"}})
                return
            if fault == "half":
                writer.write(
                    b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"id": "1", '
                )
                await writer.drain()
            writer.close()
        else:
            send(writer, "200 OK", _completion(json.loads(body)))

    return respond


def _completion(request: dict[str, Any]) -> dict[str, Any]:
    asked, last = request["messages"][-1]["role"] != "tool", request["messages"][-1]["content"]
    key = next(each["content"] for each in request["messages"] if each["role"] == "user").split()[-1]
    function = {"name": request["tools"][0]["function"]["name"], "arguments": json.dumps({"key": key})}
    calls = {"content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]}
    message = calls if asked else {"content": f"<answer>{last}</answer>"}
    choice = {
        "index": 0,
        "message": {"role": "assistant", **message},
        "finish_reason": "tool_calls" if asked else "stop",
    }
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "soak", "choices": [choice], "usage": usage}


def write_suite(directory: Path, tasks: int, faults: Faults, port: int) -> None:
    """Write a suite whose tasks use the server over stdio and the one at a URL in turn."""
    (directory / "stdio_server.py").write_text(_ANSWER + _STDIO_SERVER)
    (directory / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-S", str(directory / "stdio_server.py"), str(faults.crash), json.dumps(_TOOL)]
    servers = {
        "process": {"command": command[0], "arguments": command[1:], "state": "shared"},
        "url": {"url": f"http://127.0.0.1:{port}/mcp"},
    }
    used = [name for name, share in (("process", faults.crash), ("url", faults.drop)) if share] or [*servers]
    content = {
        "servers": servers,
        "tasks": [
            {
                "id": f"t{n:05}",
                "ask": f"Say t{n:05}",
                "answer": f"value of t{n:05}",
                "servers": [used[n % len(used)]],
                "tool": "look_up",
            }
            for n in range(tasks)
        ],
    }
    (directory / "soak.mcpbench.yaml").write_text(json.dumps(content))


def run_once(arguments: argparse.Namespace, faults: Faults, urls: tuple[int, int]) -> bool:
    """Run all tasks once and print what came of it; return whether everything is as it must be."""
    with tempfile.TemporaryDirectory(prefix="soak-") as place:
        directory = Path(place)
        write_suite(directory, arguments.tasks, faults, urls[1])
        command = [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=short"),
            *("--model", f"http://127.0.0.1:{urls[0]}/v1", "--mcpbench-out", "out", "--mcpbench-json", "report.json"),
            f"--mcpbench-concurrency={arguments.in_flight}",
            *arguments.options,
        ]
        began = time.monotonic()
        with (directory / "output").open("w") as output:
            process = subprocess.Popen(command, cwd=directory, stdout=output, stderr=subprocess.STDOUT)
            try:
                code: int | str = process.wait(arguments.timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                code = "no end"
        seconds = time.monotonic() - began
        text = (directory / "output").read_text(errors="replace")
        return _print_result(arguments.tasks, directory / "report.json", code, seconds, text)


def _print_result(tasks: int, report: Path, code: int | str, seconds: float, output: str) -> bool:
    entries = json.loads(report.read_text())["entries"] if report.exists() else []
    counts = Counter(entry["task_id"] for entry in entries)
    lost, doubled = tasks - len(counts), sum(count > 1 for count in counts.values())
    outcomes = Counter(entry["outcome"] for entry in entries)
    kinds = Counter(entry["error_kind"] for entry in entries if entry["outcome"] == "error")
    restarts = sum(sum(entry["restarts"].values()) for entry in entries)
    repeated = sum(entry["repeated_calls"] for entry in entries)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{tasks} tasks: {dict(outcomes)}, errors {dict(kinds)}, lost {lost}, doubled {doubled}, restarts {restarts}, "
        f"calls repeated {repeated}, exit {code}, {seconds:.0f} s, "
        f"{used.ru_utime + used.ru_stime:.0f} s of processor time so far, {used.ru_maxrss // 1024} MB",
        flush=True,
    )
    for message, times in Counter(e["error"][:200] for e in entries if e["outcome"] == "error").most_common(3):
        print(f"  {times} times: {message}", flush=True)
    is_right = code in (0, 1) and not lost and not doubled and set(kinds) <= _ALLOWED and "INTERNALERROR" not in output
    if not is_right:
        print(output[-3000:], flush=True)
    return is_right


def main() -> None:
    """Run until the time is over, or as often as the option says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--tasks", type=int, default=400)
    parser.add_argument("--in-flight", type=int, default=16)
    parser.add_argument("--latency", type=float, default=0.1)
    parser.add_argument("--timeout", type=float, default=3600.0, help="seconds after which a run counts as hanging")
    for name in Faults.__dataclass_fields__:
        parser.add_argument(f"--{name}", type=float, default=None, help=f"share; see {name} in the source")
    parser.add_argument("options", nargs="*", help="options of pytest, after --")
    arguments = parser.parse_args()
    named = {name: getattr(arguments, name) for name in Faults.__dataclass_fields__}
    # Without a share, everything fails now and then; with one, only what is named.
    usual = 0.0 if any(share is not None for share in named.values()) else 0.01
    faults = Faults(**{name: usual if share is None else share for name, share in named.items()})
    end = time.monotonic() + 60 * arguments.minutes
    results = []
    with listen(provider(faults, arguments.latency)) as model, listen(mcp_server(faults)) as server:
        while len(results) < arguments.runs or time.monotonic() < end:
            results.append(run_once(arguments, faults, (model, server)))
    print(f"{len(results)} runs, {results.count(False)} of them wrong")
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
