"""Fake model provider on the loopback interface, OpenAI-compatible, with a fixed latency per response.

    python benchmarks/provider.py

Prints its port. The latency is part of the base URL: ``http://127.0.0.1:PORT/0.5/v1``. The response to a request with
tools is a call of ``look_up``, unless the last message is a tool result; every other response is a sentence.
"""

import asyncio
import json
from typing import Any

ANSWER = "It is kept there: value of k"
CALL = {"id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": '{"key": "k"}'}}
_MODELS = {"object": "list", "data": [{"id": "bench", "object": "model"}]}


class Provider(asyncio.Protocol):
    """Server side of one persistent connection, which handles one request at a time."""

    def __init__(self) -> None:
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, separator, body = self._received.partition(b"\r\n\r\n")
        if separator and len(body) >= _content_length(head):
            self._received = b""
            self._answer_in_time(head, body)

    def _answer_in_time(self, head: bytes, body: bytes) -> None:
        path = head.split(b" ", 2)[1].decode()
        latency = float(path.split("/")[1]) if body else 0.0
        answer = _response(_completion(body) if body else _MODELS)
        asyncio.get_running_loop().call_later(latency, self._send, answer)

    def _send(self, answer: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(answer)


def _content_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.split(b":")[1])
    return 0


def _completion(body: bytes) -> dict[str, Any]:
    request = json.loads(body)
    calls = request.get("tools") and request["messages"][-1]["role"] != "tool"
    message = {"content": None, "tool_calls": [CALL]} if calls else {"content": ANSWER}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "bench",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", **message},
                "finish_reason": "tool_calls" if calls else "stop",
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def _response(content: dict[str, Any]) -> bytes:
    body = json.dumps(content).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def main() -> None:
    """Serve until the process is terminated."""
    server = await asyncio.get_running_loop().create_server(Provider, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
