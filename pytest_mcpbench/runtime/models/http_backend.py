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
from pytest_mcpbench.runtime.models.chat_reply import reply_of
from pytest_mcpbench.runtime.models.chat_request import request_body
from pytest_mcpbench.runtime.models.clients import Clients
from pytest_mcpbench.runtime.models.provider_error import ProviderError, redacted, refused_by_provider
from pytest_mcpbench.runtime.models.text_calls import with_text_calls
from pytest_mcpbench.runtime.models.tool_names import ToolNames
from pytest_mcpbench.runtime.models.unreachable import why_unreachable
from pytest_mcpbench.runtime.models.vectors import vectors_of

if TYPE_CHECKING:
    import httpx2

_COMPLETIONS = "/chat/completions"
_EMBEDDINGS = "/embeddings"
_EMBEDDING_SECONDS = 120.0
_MOST_CONNECTIONS = 1024
_CONNECT_SECONDS = 30.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_NO_MODEL = "default"


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
        self._model = endpoint.model or _NO_MODEL
        self._clients: Clients | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        calls = [call.name for message in messages for call in message.calls]
        names = ToolNames([*(tool.name for tool in tools), *calls])
        body = request_body(messages, tools, settings, names, self.endpoint.max_tokens_field)
        began = time.perf_counter()
        answer = await self._answer(body, settings.timeout_seconds)
        seconds = time.perf_counter() - began
        reply = reply_of(answer, names, calls_before=len(calls), seconds=seconds)
        return with_text_calls(reply, names, len(calls)) if self.endpoint.text_calls else reply

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text."""
        answer = await self._answer({"input": list(texts)}, _EMBEDDING_SECONDS, _EMBEDDINGS)
        return vectors_of(answer, len(texts))

    async def aclose(self) -> None:
        clients, self._clients, self._loop = self._clients, None, None
        if clients is not None:
            await clients.aclose()

    async def _answer(self, body: dict[str, Any], timeout_seconds: float, path: str = _COMPLETIONS) -> Any:
        """The decoded body of the response; a server that insists on the name of its model is asked for it once."""
        response = await self._post(path, body, timeout_seconds)
        if response.status_code == 404 and self._model == _NO_MODEL and await self._learn_model(timeout_seconds):
            response = await self._post(path, body, timeout_seconds)
        if response.is_success:
            return _decoded(response)
        raise refused_by_provider(
            response.status_code, response.text, response.headers, now=datetime.now(UTC), secrets=self._secrets()
        )

    async def _post(self, path: str, body: dict[str, Any], timeout_seconds: float) -> "httpx2.Response":
        return await self._send("POST", path, timeout_seconds, {"model": self._model, **body})

    async def _learn_model(self, timeout_seconds: float) -> bool:
        """Whether the server says that it has one model, which is then asked for by name."""
        response = await self._send("GET", "/models", timeout_seconds)
        match _decoded(response) if response.is_success else None:
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
            with anyio.fail_after(timeout_seconds), self._open_clients().one() as client:
                return await client.request(method, self.endpoint.base + path, content=content, headers=self._headers())
        except (TimeoutError, httpx2.ReadTimeout, httpx2.WriteTimeout) as error:
            raise ProviderError("timeout", f"did not answer within {timeout_seconds:g} s") from error
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            why = why_unreachable(error) or self._said(error)
            raise ProviderError("unreachable", f"{self._address} cannot be reached: {why}") from error
        except httpx2.HTTPError as error:
            raise ProviderError("connection", f"{self._address} broke the connection: {self._said(error)}") from error
        except httpx2.InvalidURL as error:
            raise ProviderError("setup", f"{self._address} is no URL: {self._said(error)}") from error

    def _open_clients(self) -> Clients:
        loop = asyncio.get_running_loop()
        if self._clients is None or self._loop is not loop:
            self._clients, self._loop = Clients(_maker(self.endpoint.base)), loop
        return self._clients

    @property
    def _address(self) -> str:
        parts = urlsplit(self.endpoint.base)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.endpoint.api_key_env:
            key = os.environ.get(self.endpoint.api_key_env, "").strip()
            if not key or not key.isascii():
                wrong = "holds what no key is made of" if key else "is not set"
                raise ProviderError("setup", f"the environment variable {self.endpoint.api_key_env} {wrong}")
            headers["Authorization"] = f"Bearer {key}"
        return headers

    def _secrets(self) -> list[str]:
        key = os.environ.get(self.endpoint.api_key_env or "", "")
        return [key.strip(), urlsplit(self.endpoint.base).password or ""]

    def _said(self, error: BaseException) -> str:
        return redacted(str(error) or type(error).__name__, self._secrets())


def _maker(base: str) -> "Callable[[], httpx2.AsyncClient]":
    """Makes the clients of an endpoint, which share their certificates."""
    import httpx2

    parts = urlsplit(base)
    return partial(
        httpx2.AsyncClient,
        timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
        limits=httpx2.Limits(max_connections=_MOST_CONNECTIONS, max_keepalive_connections=_MOST_CONNECTIONS),
        # Loading the certificates takes 50 ms that plain HTTP does not need.
        verify=httpx2.create_ssl_context() if parts.scheme == "https" else False,
        # A proxy of the environment has no way to this machine's own loopback.
        trust_env=parts.hostname not in _LOOPBACK,
    )


def _decoded(response: "httpx2.Response") -> Any:
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        start = redacted(" ".join(response.text.split()))[:200]
        raise ProviderError("garbage", f"answered with what is no JSON: {start!r}", response.status_code) from None
