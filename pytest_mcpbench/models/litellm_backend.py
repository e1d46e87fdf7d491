"""Backend for every provider that litellm supports.

litellm is imported at the first request, because that takes seconds and 200 MB. Private and undocumented behaviour that
this module relies on was tried with litellm 1.106.2: ``LITELLM_LOCAL_MODEL_COST_MAP``, ``_hidden_params`` of responses,
``litellm_response_headers`` of exceptions and ``close_litellm_async_clients``.
"""

import json
import logging
import os
import time
import uuid
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from typing import Any, cast

import anyio
import anyio.to_thread

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.secrets import Secrets
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.models.aliases import expanded_headers
from pytest_mcpbench.models.chat_reply import parse_reply
from pytest_mcpbench.models.chat_request import request_body
from pytest_mcpbench.models.embedding_response import parse_embeddings
from pytest_mcpbench.models.litellm_request import RESPONSES_FIELDS, litellm_fields, mark_cached_parts
from pytest_mcpbench.models.provider_error import ProviderError, error_from_response, redact, unreachable_reason
from pytest_mcpbench.models.response_body import body_error
from pytest_mcpbench.models.tool_names import ToolNames
from pytest_mcpbench.text.normal_forms import replace_surrogates

_TOKEN_FIELDS = ("content", "tool_calls", "reasoning_content")


class StreamedChunks:
    """One request with ``stream``, whose chunks are joined to an ordinary response."""

    def __init__(self, litellm: Any) -> None:
        self._litellm = litellm
        self._first_token: float | None = None

    async def complete(self, **request: Any) -> Any:
        """Return the response like ``litellm.acompletion`` without ``stream``."""
        options = {"stream": True, "stream_options": {"include_usage": True}}
        chunks = []
        async for chunk in await self._litellm.acompletion(**request, **options):
            if self._first_token is None:
                deltas = [choice.delta for choice in chunk.choices]
                if any(getattr(delta, field, None) for delta in deltas for field in _TOKEN_FIELDS):
                    self._first_token = time.perf_counter()
            chunks.append(chunk)
        return self._litellm.stream_chunk_builder(chunks, messages=request["messages"])

    def first_token_seconds(self, started: float) -> float | None:
        """Return the time from ``started`` to the first token; ``None`` if there was none."""
        return None if self._first_token is None else self._first_token - started


# Refusals in bodies of OpenAI's responses API, which litellm leaves out of its replies (seen in litellm 1.106.2).

_EVENT = b"data:"
_END_TYPES = ("response.completed", "response.incomplete")


def refusal_in(body: bytes) -> str:
    """Return the text of the refusals in a response, or in the events of a streamed one; empty without any."""
    if b'"refusal"' not in body:
        return ""
    if body.lstrip().startswith(b"{"):
        responses = [_decoded(body)]
    else:
        events = [_decoded(line.removeprefix(_EVENT)) for line in body.splitlines() if line.startswith(_EVENT)]
        # The last event repeats the complete response.
        ends = [event for event in events if isinstance(event, dict) and event.get("type") in _END_TYPES]
        responses = [event["response"] for event in ends if "response" in event]
    return "\n".join(text for response in responses for text in _refusals(response))


def _decoded(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _refusals(response: Any) -> Iterator[str]:
    output = response.get("output") if isinstance(response, dict) else None
    for item in output if isinstance(output, list) else ():
        match item:
            case {"type": "message", "content": [*parts]}:
                refusals = [part for part in parts if isinstance(part, dict) and part.get("type") == "refusal"]
                texts = [part.get("refusal") for part in refusals]
                yield from (replace_surrogates(text) for text in texts if isinstance(text, str))


_LOCAL_CATALOGUE_VARIABLE = "LITELLM_LOCAL_MODEL_COST_MAP"
_EMBEDDING_SECONDS = 120.0


class LitellmBackend:
    """Backend that sends requests through ``litellm.acompletion``, without litellm's retries."""

    def __init__(
        self,
        model: str,
        *,
        api_key_env: str | None = None,
        headers: Mapping[str, str] | None = None,
        stated_settings: Iterable[str] = (),
        fixed_fields: Mapping[str, Any] | None = None,
    ) -> None:
        self._model = model
        self._headers = headers or {}
        self._fixed_fields = fixed_fields or {}
        """Fields of each request that its API needs."""
        self._stated_settings = frozenset(stated_settings)
        """Fields of requests that the user has asked for, so that litellm must not drop them in silence."""
        self._api_key_env = api_key_env
        self._litellm: Any = None
        self._has_answered = False

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        litellm = await self._load_litellm()
        calls = [call.name for message in messages for call in message.calls]
        names = ToolNames([*(tool.name for tool in tools), *calls])
        body = {**self._fixed_fields, **request_body(messages, tools, settings, names), **litellm_fields(settings)}
        self._check_settings(litellm, body)
        has_search = self._fixed_fields == RESPONSES_FIELDS
        if any(tool.is_deferred for tool in tools) and not (
            has_search or litellm.supports_tool_search(self._model, None)
        ):
            problem = "this model has no tool search of its provider, as litellm knows it; choose another one"
            raise ProviderError("setup", f"{problem} with --mcpbench-tool-search")
        if settings.prompt_caching:
            mark_cached_parts(body)
        started = time.perf_counter()
        stream = StreamedChunks(litellm) if settings.streaming else None
        response, sent = await self._send(
            litellm, stream.complete if stream else litellm.acompletion, body, settings.timeout_seconds
        )
        seconds = time.perf_counter() - started
        reply = parse_reply(_to_dict(response), names, calls_before=len(calls), seconds=seconds)
        if reply.is_empty and self._fixed_fields == RESPONSES_FIELDS:
            refused = refusal_in(sent)
            reply = reply.model_copy(update={"text": refused, "finish_reason": "refusal"} if refused else {})
        if stream is not None:
            reply = reply.model_copy(update={"first_token_seconds": stream.first_token_seconds(started)})
        # litellm estimates 0 for models without a price.
        cost = getattr(response, "_hidden_params", {}).get("response_cost")
        usage = reply.usage.model_copy(update={"cost_usd": float(cost) if cost else None})
        return reply.model_copy(update={"usage": usage})

    def _check_settings(self, litellm: Any, body: Mapping[str, Any]) -> None:
        """Raise ProviderError if litellm would drop a setting that the user asked for."""
        asked = sorted(self._stated_settings & body.keys())
        if not asked or self._has_answered:
            return
        known = litellm.get_supported_openai_params(model=self._model)
        dropped = [] if known is None else [name for name in asked if name not in known]
        if dropped:
            problem = f"{', '.join(dropped)} is not a setting of this model, as litellm knows it; leave it out"
            raise ProviderError("setup", problem)

    async def aclose(self) -> None:
        if self._litellm is not None:
            await self._litellm.close_litellm_async_clients()

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector for each text."""
        litellm = await self._load_litellm()
        response, _ = await self._send(litellm, litellm.aembedding, {"input": list(texts)}, _EMBEDDING_SECONDS)
        return parse_embeddings(_to_dict(response), len(texts))

    async def _load_litellm(self) -> Any:
        if self._litellm is None:
            self._litellm = await anyio.to_thread.run_sync(import_litellm)
        return self._litellm

    async def _send(
        self, litellm: Any, request: Any, body: dict[str, Any], timeout_seconds: float
    ) -> tuple[Any, bytes]:
        """Return litellm's response, and the body that the provider sent."""
        # RateLimitedModel retries itself. Providers refuse settings that they do not know; litellm drops them.
        options: dict[str, Any] = {"num_retries": 0, "drop_params": True, "timeout": timeout_seconds}
        if self._api_key_env:
            options["api_key"] = os.environ.get(self._api_key_env, "").strip()
            if not options["api_key"]:
                raise ProviderError("setup", f"the environment variable {self._api_key_env} is not set")
        if self._headers:
            options["extra_headers"] = expanded_headers(self._headers)
        from pytest_mcpbench.models.litellm_bodies import bounded_bodies

        warnings_context = nullcontext() if self._has_answered else _ignore_warnings()
        try:
            with warnings_context, bounded_bodies() as sent, anyio.fail_after(timeout_seconds):
                response = await request(model=self._model, **{**options, **body})
            self._has_answered = True
            return response, bytes(sent)
        except TimeoutError as error:
            raise ProviderError("timeout", f"did not answer within {timeout_seconds:g} s") from error
        except Exception as error:
            raise self._provider_error(litellm, error, timeout_seconds) from error

    def _provider_error(self, litellm: Any, error: Exception, timeout_seconds: float) -> ProviderError:
        """Convert an exception of litellm, which has the provider's status and usually its headers."""
        from pytest_mcpbench.models.litellm_bodies import causing_body_error

        key = os.environ.get(self._api_key_env or "", "").strip()
        message = redact(str(error), Secrets({key: str(self._api_key_env)} if key else {}))
        if (cause := causing_body_error(error)) is not None:
            return body_error(cause)
        if isinstance(error, litellm.ContextWindowExceededError):
            return ProviderError("context_full", message, 400)
        if isinstance(error, litellm.Timeout):
            return ProviderError("timeout", f"did not answer within {timeout_seconds:g} s")
        if (reason := unreachable_reason(error)) is not None:
            return ProviderError("unreachable", f"the provider cannot be reached: {reason}")
        if isinstance(error, litellm.APIConnectionError):
            return ProviderError("connection", message)
        status = getattr(error, "status_code", None)
        if not isinstance(status, int):
            return ProviderError("setup", f"{type(error).__name__}: {message}")
        return error_from_response(status, message, _headers(error), now=datetime.now(UTC))


def import_litellm() -> Any:
    """Import litellm without its log messages and without its download of a newer model catalogue."""
    with _set_environment(_LOCAL_CATALOGUE_VARIABLE, "True"), _ignore_warnings():
        import litellm

        from pytest_mcpbench.models import litellm_bodies

        litellm_bodies.install_bounds()
    litellm.suppress_debug_info = True
    logging.getLogger("LiteLLM").setLevel(logging.ERROR)
    return litellm


@contextmanager
def _set_environment(name: str, value: str) -> Iterator[None]:
    """Set an environment variable for the duration of the context."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@contextmanager
def _ignore_warnings() -> Iterator[None]:
    """Ignore all warnings while litellm is imported; the first request imports further modules.

    Deprecations inside litellm must not fail the tests of a project that turns warnings into errors.
    ``warnings.catch_warnings`` is unsuitable: on exit it would restore the old list of filters and so undo the changes
    that pytest made in the meantime for another test.
    """
    # The comment in the pattern makes the filter unique, so that exactly this one can be removed again.
    warnings.filterwarnings("ignore", message=f"(?#{uuid.uuid4()})")
    filters = cast("list[Any]", warnings.filters)
    added = filters[0]
    try:
        yield
    finally:
        if added in filters:
            filters.remove(added)


def _to_dict(response: Any) -> Any:
    return response.model_dump(warnings=False)


def _headers(error: Exception) -> Mapping[str, str]:
    response = getattr(error, "response", None)
    headers = getattr(error, "litellm_response_headers", None) or getattr(response, "headers", None) or {}
    return {str(name).lower(): str(value) for name, value in dict(headers).items()}
