"""Assembly of a chat completion that arrives as server-sent events into an ordinary response."""

import json
from typing import Any

from pytest_mcpbench.runtime.models.provider_error import ProviderError

_DATA = "data:"
_END = "[DONE]"
_JOINED_FIELDS = ("content", "reasoning_content", "refusal")


class StreamedCompletion:
    """Chunks of one response, joined as they arrive."""

    def __init__(self) -> None:
        self._rest = b""
        self._body: dict[str, Any] = {}
        self._message: dict[str, Any] = {"role": "assistant"}
        self._calls: dict[int, dict[str, Any]] = {}
        self._finish_reason: str | None = None
        self._is_complete = False
        self.has_token = False
        """Whether a part of the reply has arrived."""

    def feed(self, data: bytes) -> None:
        """Read the next bytes.

        Raises:
            ProviderError: an event is not JSON.
        """
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._read_line(line.decode(errors="replace").strip())

    def body(self) -> dict[str, Any]:
        """Return the response.

        Raises:
            ProviderError: the stream ended before the reply did.
        """
        self.feed(b"\n")
        if "error" in self._body:
            return self._body
        if not self._is_complete and self._finish_reason is None:
            raise ProviderError("connection", "the stream of the response ended before the reply did")
        calls = [self._calls[index] for index in sorted(self._calls)]
        message = {**self._message, **({"tool_calls": calls} if calls else {})}
        return {**self._body, "choices": [{"index": 0, "message": message, "finish_reason": self._finish_reason}]}

    def _read_line(self, line: str) -> None:
        if not line.startswith(_DATA):
            return
        data = line.removeprefix(_DATA).strip()
        if data == _END:
            self._is_complete = True
            return
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            raise ProviderError("invalid_response", f"an event of the response is not JSON: {data[:200]!r}") from None
        if isinstance(chunk, dict):
            self._add(chunk)

    def _add(self, chunk: dict[str, Any]) -> None:
        self._body |= {key: value for key, value in chunk.items() if key in ("id", "model", "usage", "error") and value}
        match chunk.get("choices"):
            case [{"delta": dict() as delta} as choice, *_]:
                self._finish_reason = choice.get("finish_reason") or self._finish_reason
                self._add_delta(delta)

    def _add_delta(self, delta: dict[str, Any]) -> None:
        for name in _JOINED_FIELDS:
            if isinstance(delta.get(name), str) and delta[name]:
                self._message[name] = self._message.get(name, "") + delta[name]
                self.has_token = True
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            if isinstance(call, dict):
                self._add_call(call)
                self.has_token = True

    def _add_call(self, part: dict[str, Any]) -> None:
        """Add a part of a call: the name arrives first and whole, the arguments in pieces."""
        index = part.get("index")
        call = self._calls.setdefault(
            index if isinstance(index, int) else len(self._calls), {"function": {"name": "", "arguments": ""}}
        )
        call |= {key: value for key, value in part.items() if key not in ("index", "function") and value}
        function = part.get("function")
        if isinstance(function, dict):
            call["function"]["name"] = function.get("name") or call["function"]["name"]
            call["function"]["arguments"] += str(function.get("arguments") or "")
