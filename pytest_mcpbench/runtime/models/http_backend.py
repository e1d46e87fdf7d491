"""A lean client for OpenAI-compatible chat-completions APIs: no provider's SDK, kept connections."""

import asyncio
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.models.calls_in_text import extract_calls_from_text
from pytest_mcpbench.runtime.models.chat_reply import parse_reply
from pytest_mcpbench.runtime.models.chat_request import request_body
from pytest_mcpbench.runtime.models.client_pool import ClientPool
from pytest_mcpbench.runtime.models.embedding_response import parse_embeddings
from pytest_mcpbench.runtime.models.provider_error import ProviderError, error_from_response, redact
from pytest_mcpbench.runtime.models.tool_names import ToolNames
from pytest_mcpbench.runtime.models.unreachable import unreachable_reason

if TYPE_CHECKING:
    import httpx2

_COMPLETIONS = "/chat/completions"
_EMBEDDINGS = "/embeddings"
_EMBEDDING_SECONDS = 120.0
_MAX_CONNECTIONS = 1024
_CONNECT_SECONDS = 30.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_UNNAMED_MODEL = "default"


@dataclass(frozen=True)
class Endpoint:
    """Where a model answers and in which manner."""

    url: str
    """Base URL, such as ``https://api.openai.com/v1``."""
    model: str | None = None
    """``None``: whatever the server has; it is asked only if it insists on a name."""
    api_key_env: str | None = None
    max_tokens_field: str = "max_tokens"
    text_calls: bool = False

    @property
    def base(self) -> str:
        return self.url.rstrip("/").removesuffix(_COMPLETIONS).removesuffix(_EMBEDDINGS)


class HttpBackend:
    """Sends each request as one POST. The clients belong to the loop that they were first used on."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._model = endpoint.model or _UNNAMED_MODEL
        self._pool: ClientPool | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        calls = [call.name for message in messages for call in message.calls]
        names = ToolNames([*(tool.name for tool in tools), *calls])
        body = request_body(messages, tools, settings, names, self.endpoint.max_tokens_field)
        started = time.perf_counter()
        response_body = await self._request_json(body, settings.timeout_seconds)
        seconds = time.perf_counter() - started
        reply = parse_reply(response_body, names, calls_before=len(calls), seconds=seconds)
        return extract_calls_from_text(reply, names, len(calls)) if self.endpoint.text_calls else reply

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text."""
        response_body = await self._request_json({"input": list(texts)}, _EMBEDDING_SECONDS, _EMBEDDINGS)
        return parse_embeddings(response_body, len(texts))

    async def aclose(self) -> None:
        pool, self._pool, self._loop = self._pool, None, None
        if pool is not None:
            await pool.aclose()

    async def _request_json(self, body: dict[str, Any], timeout_seconds: float, path: str = _COMPLETIONS) -> Any:
        """The decoded body of the response; a server that insists on the name of its model is asked for it once."""
        response = await self._post(path, body, timeout_seconds)
        if (
            response.status_code == 404
            and self._model == _UNNAMED_MODEL
            and await self._discover_model(timeout_seconds)
        ):
            response = await self._post(path, body, timeout_seconds)
        if response.is_success:
            return _decode_json(response)
        raise error_from_response(
            response.status_code, response.text, response.headers, now=datetime.now(UTC), secrets=self._secrets()
        )

    async def _post(self, path: str, body: dict[str, Any], timeout_seconds: float) -> "httpx2.Response":
        return await self._send("POST", path, timeout_seconds, {"model": self._model, **body})

    async def _discover_model(self, timeout_seconds: float) -> bool:
        """Whether the server says that it has one model, which is then asked for by name."""
        response = await self._send("GET", "/models", timeout_seconds)
        match _decode_json(response) if response.is_success else None:
            case {"data": [{"id": str() as only}]}:
                self._model = only
                return True
            case {"data": [{"id": str()}, *_] as several}:
                served = ", ".join(str(model.get("id")) for model in several)
                raise ProviderError("setup", f"serves several models, name one as {self._address}/…#NAME: {served}")
        return False

    async def _send(
        self, method: str, path: str, timeout_seconds: float, body: dict[str, Any] | None = None
    ) -> "httpx2.Response":
        import httpx2

        content = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        try:
            with anyio.fail_after(timeout_seconds), self._pool_of_running_loop().client() as client:
                return await client.request(method, self.endpoint.base + path, content=content, headers=self._headers())
        except (TimeoutError, httpx2.ReadTimeout, httpx2.WriteTimeout) as error:
            raise ProviderError("timeout", f"did not answer within {timeout_seconds:g} s") from error
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            reason = unreachable_reason(error) or self._redacted_message(error)
            raise ProviderError("unreachable", f"{self._address} cannot be reached: {reason}") from error
        except httpx2.HTTPError as error:
            raise ProviderError(
                "connection", f"{self._address} broke the connection: {self._redacted_message(error)}"
            ) from error
        except httpx2.InvalidURL as error:
            raise ProviderError("setup", f"{self._address} is no URL: {self._redacted_message(error)}") from error

    def _pool_of_running_loop(self) -> ClientPool:
        loop = asyncio.get_running_loop()
        if self._pool is None or self._loop is not loop:
            self._pool, self._loop = ClientPool(_client_factory(self.endpoint.base)), loop
        return self._pool

    @property
    def _address(self) -> str:
        parts = urlsplit(self.endpoint.base)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.endpoint.api_key_env:
            key = os.environ.get(self.endpoint.api_key_env, "").strip()
            if not key or not key.isascii():
                problem = "holds what no key is made of" if key else "is not set"
                raise ProviderError("setup", f"the environment variable {self.endpoint.api_key_env} {problem}")
            headers["Authorization"] = f"Bearer {key}"
        return headers

    def _secrets(self) -> list[str]:
        key = os.environ.get(self.endpoint.api_key_env or "", "")
        return [key.strip(), urlsplit(self.endpoint.base).password or ""]

    def _redacted_message(self, error: BaseException) -> str:
        return redact(str(error) or type(error).__name__, self._secrets())


def _client_factory(base: str) -> "Callable[[], httpx2.AsyncClient]":
    """Makes the clients of an endpoint, which share their certificates."""
    import httpx2

    parts = urlsplit(base)
    return partial(
        httpx2.AsyncClient,
        timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
        limits=httpx2.Limits(max_connections=_MAX_CONNECTIONS, max_keepalive_connections=_MAX_CONNECTIONS),
        # Loading the certificates takes 50 ms that plain HTTP does not need.
        verify=httpx2.create_ssl_context() if parts.scheme == "https" else False,
        # A proxy of the environment has no way to this machine's own loopback.
        trust_env=parts.hostname not in _LOOPBACK,
    )


def _decode_json(response: "httpx2.Response") -> Any:
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        start = redact(" ".join(response.text.split()))[:200]
        raise ProviderError(
            "invalid_response", f"answered with what is no JSON: {start!r}", response.status_code
        ) from None
