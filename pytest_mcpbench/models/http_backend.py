"""Backend for OpenAI-compatible APIs that needs no provider SDK.

The behaviour of httpx2 that it relies on was tried with version 2.16.2.
"""

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.secret_sources import secrets_of_url
from pytest_mcpbench.core.secrets import Secrets
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.files.bounded_decoding import ENCODINGS
from pytest_mcpbench.models.aliases import expanded_headers
from pytest_mcpbench.models.chat_reply import parse_reply
from pytest_mcpbench.models.chat_request import request_body
from pytest_mcpbench.models.embedding_response import parse_embeddings
from pytest_mcpbench.models.provider_error import ProviderError, error_from_response, redact, unreachable_reason
from pytest_mcpbench.models.response_body import BoundedResponse, read_response
from pytest_mcpbench.models.tool_names import ToolNames

if TYPE_CHECKING:
    import httpx2


@dataclass
class ClientPool:
    """HTTP clients of one event loop, one for each request in flight."""

    # A client scans all of its connections several times for each request, and asks the system about those that are
    # idle, so that the time of a request would grow with the number of requests in flight (seen in httpx2 2.16.2).

    create_client: "Callable[[], httpx2.AsyncClient]"
    _clients: "list[httpx2.AsyncClient]" = field(default_factory=list)
    _idle: "list[httpx2.AsyncClient]" = field(default_factory=list)

    @contextmanager
    def client(self) -> "Iterator[httpx2.AsyncClient]":
        """Provide a client for one request: the one that was used last, or a new one."""
        if self._idle:
            client = self._idle.pop()
        else:
            client = self.create_client()
            self._clients.append(client)
        try:
            yield client
        finally:
            self._idle.append(client)

    async def aclose(self) -> None:
        """Close all connections."""
        for client in self._clients:
            await client.aclose()


_DATA = "data:"
_END = "[DONE]"
_JOINED_FIELDS = ("content", "reasoning_content", "refusal")
"""Texts of a message of which a streamed reply has parts."""
_THOUGHT_FIELDS = ("reasoning_details", "reasoning_items", "thinking_blocks")
"""Lists of thoughts of which a streamed reply has parts."""
_TEXT_OF_THOUGHTS = {"reasoning.text": "text", "reasoning.summary": "summary", "thinking": "thinking"}
"""Type of a thought -> its text, which arrives in pieces; thoughts of other types arrive whole."""


class StreamedCompletion:
    """Chat completion that arrives as server-sent events, joined to an ordinary response."""

    def __init__(self) -> None:
        self._rest = b""
        self._body: dict[str, Any] = {}
        self._message: dict[str, Any] = {"role": "assistant"}
        self._calls: dict[int, dict[str, Any]] = {}
        self._finish_reason: str | None = None
        self._error: Any = None
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
            event = line.decode(errors="replace").strip()
            if not event.startswith(_DATA):
                continue
            content = event.removeprefix(_DATA).strip()
            if content == _END:
                self._is_complete = True
                continue
            try:
                chunk = json.loads(content)
            except (ValueError, RecursionError):
                shown = redact(content, most=200)
                raise ProviderError("invalid_response", f"an event of the response is not JSON: {shown!r}") from None
            if isinstance(chunk, dict):
                self._add(chunk)

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
        return {
            **self._body,
            "choices": [{"index": 0, "message": message, "finish_reason": self._finish_reason, "error": self._error}],
        }

    def _add(self, chunk: dict[str, Any]) -> None:
        self._body |= {key: value for key, value in chunk.items() if key in ("id", "model", "usage", "error") and value}
        match chunk.get("choices"):
            case [{"delta": dict() as delta} as choice, *_]:
                self._finish_reason = choice.get("finish_reason") or self._finish_reason
                self._error = choice.get("error") or self._error
            case _:
                return
        for name in _JOINED_FIELDS:
            if isinstance(delta.get(name), str) and delta[name]:
                self._message[name] = self._message.get(name, "") + delta[name]
                self.has_token = True
        for name in _THOUGHT_FIELDS:
            for part in _objects(delta.get(name)):
                _add_thought(self._message.setdefault(name, []), part)
                self.has_token = True
        fields = delta.get("provider_specific_fields")
        if isinstance(fields, dict):
            # litellm repeats the lists of Anthropic whole with each addition (``ModelResponseIterator`` of version
            # 1.110.2), and sends each signature of Gemini once.
            known = self._message.setdefault("provider_specific_fields", {})
            for name, value in fields.items():
                earlier = known.get(name)
                is_addition = isinstance(earlier, list) and isinstance(value, list) and value[: len(earlier)] != earlier
                known[name] = [*earlier, *value] if is_addition else value
        for call in _objects(delta.get("tool_calls")):
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


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _add_thought(thoughts: list[dict[str, Any]], part: dict[str, Any]) -> None:
    """Add a part of a thought, whose signature may arrive after its text and is valid for the whole text only.

    OpenRouter numbers thoughts by ``index``. litellm does not: there the signature ends a thought.
    """
    kind, index = part.get("type"), part.get("index")
    text = _TEXT_OF_THOUGHTS.get(str(kind))
    candidates = thoughts if index is not None else [each for each in thoughts[-1:] if not each.get("signature")]
    begun = next((each for each in candidates if (each.get("type"), each.get("index")) == (kind, index)), None)
    if text is None:
        thoughts.append(part)
        return
    present = {name: value for name, value in part.items() if value not in (None, "")}
    if begun is None:
        # The text of a thought that its provider does not show is empty, and must be sent back all the same.
        thoughts.append({text: "", **present})
    else:
        begun |= {**present, text: f"{begun[text]}{present.get(text, '')}"}


_COMPLETIONS = "/chat/completions"
_EMBEDDINGS = "/embeddings"
_EMBEDDING_SECONDS = 120.0
"""Limit for one embedding request."""
_CONNECT_SECONDS = 30.0
"""Limit for opening a connection; the caller limits the complete request."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_UNNAMED_MODEL = "default"
"""Model name for servers with one model; most of them accept any name."""


_STREAM = {"stream": True, "stream_options": {"include_usage": True}}


def _ignore(_data: bytes) -> None:
    """Ignore a part of a body."""


@dataclass(frozen=True)
class Endpoint:
    """Address of a model and the peculiarities of its API."""

    url: str
    """Base URL, such as ``https://api.openai.com/v1``."""
    model: str | None = None
    """``None``: the only model of the server, whose name is requested if the server requires it."""
    api_key_env: str | None = None
    max_tokens_field: str = "max_tokens"
    headers: Mapping[str, str] = field(default_factory=dict)
    """Additional headers, with ``${NAME}`` for variables of the environment."""

    @property
    def base(self) -> str:
        """The URL without a path that requests append themselves."""
        return self.url.rstrip("/").removesuffix(_COMPLETIONS).removesuffix(_EMBEDDINGS)


class HttpBackend:
    """Backend that sends each request as one POST on a kept-alive connection.

    Connections belong to the event loop that opened them; requests on another loop open new ones.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._model = endpoint.model or _UNNAMED_MODEL
        self._pool: ClientPool | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._urls: dict[str, httpx2.URL] = {}

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        if any(tool.is_deferred for tool in tools):
            problem = "chat completions have no tool search of a provider; choose another --mcpbench-tool-search"
            raise ProviderError("setup", problem)
        calls = [call.name for message in messages for call in message.calls]
        names = ToolNames([*(tool.name for tool in tools), *calls])
        body = request_body(messages, tools, settings, names, self.endpoint.max_tokens_field)
        stream = _TimedStream() if settings.streaming else None
        started = time.perf_counter()
        if stream is None:
            response_body = await self._request_json(body, settings.timeout_seconds)
        else:
            response = await self._request(_COMPLETIONS, body | _STREAM, settings.timeout_seconds, stream.feed)
            # A server that does not stream sends the response at once.
            has_events = "event-stream" in response.headers.get("content-type", "")
            response_body = stream.completion.body() if has_events else _decode_json(response)
        seconds = time.perf_counter() - started
        reply = parse_reply(response_body, names, calls_before=len(calls), seconds=seconds)
        if stream is None or stream.first_token is None:
            return reply
        return reply.model_copy(update={"first_token_seconds": stream.first_token - started})

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector for each text."""
        response_body = await self._request_json({"input": list(texts)}, _EMBEDDING_SECONDS, _EMBEDDINGS)
        return parse_embeddings(response_body, len(texts))

    async def aclose(self) -> None:
        pool, self._pool, self._loop = self._pool, None, None
        if pool is not None:
            await pool.aclose()

    async def _request_json(self, body: dict[str, Any], timeout_seconds: float, path: str = _COMPLETIONS) -> Any:
        """Send a POST and return the decoded body."""
        return _decode_json(await self._request(path, body, timeout_seconds))

    async def _request(
        self, path: str, body: dict[str, Any], timeout_seconds: float, feed: Callable[[bytes], None] = _ignore
    ) -> BoundedResponse:
        """Send a POST and return a successful response; the name of an unnamed model is discovered after a 404."""
        response = await self._post(path, body, timeout_seconds, feed)
        if response.status == 404 and self._model == _UNNAMED_MODEL and await self._discover_model(timeout_seconds):
            response = await self._post(path, body, timeout_seconds, feed)
        if response.is_success:
            return response
        raise error_from_response(
            response.status, response.text, response.headers, now=datetime.now(UTC), secrets=self._secrets()
        )

    async def _post(
        self, path: str, body: dict[str, Any], timeout_seconds: float, feed: Callable[[bytes], None]
    ) -> BoundedResponse:
        return await self._send("POST", path, timeout_seconds, {"model": self._model, **body}, feed)

    async def _discover_model(self, timeout_seconds: float) -> bool:
        """Use the name of the server's only model from now on; return whether there is one.

        Raises:
            ProviderError: the server has several models.
        """
        response = await self._send("GET", "/models", timeout_seconds)
        match _decode_json(response) if response.is_success else None:
            case {"data": [{"id": str() as only}]}:
                self._model = only
                return True
            case {"data": [{"id": str()}, *_] as several}:
                served = ", ".join(str(model.get("id")) for model in several)
                raise ProviderError(
                    "setup", f"the server has several models, choose one with {self._address}/…#NAME: {served}"
                )
        return False

    async def _send(
        self,
        method: str,
        path: str,
        timeout_seconds: float,
        body: dict[str, Any] | None = None,
        feed: Callable[[bytes], None] = _ignore,
    ) -> BoundedResponse:
        import httpx2  # imported here, because most runs do not use this backend

        content = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        try:
            with anyio.fail_after(timeout_seconds), self._pool_of_running_loop().client() as client:
                # Not client.stream(), which parses the URL again for each request.
                headers = httpx2.Headers(self._headers())
                headers.setdefault("User-Agent", client.headers["User-Agent"])
                timeouts = {"timeout": client.timeout.as_dict()}
                request = httpx2.Request(
                    method,
                    self._url(path),
                    headers=headers,
                    cookies=client.cookies,
                    content=content,
                    extensions=timeouts,
                )
                response = await client.send(request, stream=True)
                try:
                    return await read_response(response, feed)
                finally:
                    await response.aclose()
        except (TimeoutError, httpx2.ReadTimeout, httpx2.WriteTimeout) as error:
            raise ProviderError("timeout", f"did not answer within {timeout_seconds:g} s") from error
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            reason = unreachable_reason(error) or self._redacted_message(error)
            raise ProviderError("unreachable", f"{self._address} cannot be reached: {reason}") from error
        except httpx2.HTTPError as error:
            raise ProviderError(
                "connection", f"{self._address} closed the connection: {self._redacted_message(error)}"
            ) from error
        except httpx2.InvalidURL as error:
            raise ProviderError(
                "setup", f"{self._address} is not a valid URL: {self._redacted_message(error)}"
            ) from error

    def _url(self, path: str) -> "httpx2.URL":
        import httpx2

        if path not in self._urls:
            self._urls[path] = httpx2.URL(self.endpoint.base + path)
        return self._urls[path]

    def _pool_of_running_loop(self) -> ClientPool:
        import httpx2

        loop = asyncio.get_running_loop()
        if self._pool is None or self._loop is not loop:
            parts = urlsplit(self.endpoint.base)
            # The clients share one TLS context.
            create_client = partial(
                httpx2.AsyncClient,
                timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
                # Loading the certificates takes 50 ms, which plain HTTP does not need.
                verify=httpx2.create_ssl_context() if parts.scheme == "https" else False,
                # A proxy from HTTP_PROXY cannot reach this machine's loopback interface.
                trust_env=parts.hostname not in _LOOPBACK,
            )
            self._pool, self._loop = ClientPool(create_client), loop
        return self._pool

    @property
    def _address(self) -> str:
        parts = urlsplit(self.endpoint.base)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": ENCODINGS}
        if self.endpoint.api_key_env:
            key = os.environ.get(self.endpoint.api_key_env, "").strip()
            if not key or not key.isascii():
                problem = "contains characters that are not allowed in a key" if key else "is not set"
                raise ProviderError("setup", f"the environment variable {self.endpoint.api_key_env} {problem}")
            headers["Authorization"] = f"Bearer {key}"
        return {**headers, **expanded_headers(self.endpoint.headers)}

    def _secrets(self) -> Secrets:
        variable = self.endpoint.api_key_env or ""
        key = os.environ.get(variable, "").strip()
        return secrets_of_url(self.endpoint.url, "model") | Secrets({key: variable} if key else {})

    def _redacted_message(self, error: BaseException) -> str:
        return redact(str(error) or type(error).__name__, self._secrets())


@dataclass
class _TimedStream:
    """Streamed response with the time of its first token."""

    completion: StreamedCompletion = field(default_factory=StreamedCompletion)
    first_token: float | None = None

    def feed(self, data: bytes) -> None:
        self.completion.feed(data)
        if self.first_token is None and self.completion.has_token:
            self.first_token = time.perf_counter()


def _decode_json(response: BoundedResponse) -> Any:
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        start = redact(" ".join(response.text.split()), most=200)
        raise ProviderError("invalid_response", f"the response is not valid JSON: {start!r}", response.status) from None
