"""Provider on the loopback interface that records what a client sends to its model, and answers from a script.

It speaks two interfaces, streamed: Anthropic's messages and OpenAI's responses. The scripted model loads the probe's
tool if it has to, calls it once, and then says that it is done.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pytest_mcpbench.clients.probe_server import TOOL

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
