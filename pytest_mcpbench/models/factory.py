"""Factory of models by name."""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.judgement import Judge
from pytest_mcpbench.core.model_identity import OPENAI_URL, model_identity, openai_url
from pytest_mcpbench.core.model_names import BUILT_IN_ALIASES, SCRIPTED, is_url, local_target
from pytest_mcpbench.core.secret_sources import public_name, public_url
from pytest_mcpbench.core.trajectory import ToolFormat
from pytest_mcpbench.models.aliases import ModelAlias, expanded_headers, resolve_alias
from pytest_mcpbench.models.http_backend import Endpoint, HttpBackend
from pytest_mcpbench.models.key_variables import key_variables
from pytest_mcpbench.models.ledger import Ledger
from pytest_mcpbench.models.litellm_backend import LitellmBackend
from pytest_mcpbench.models.litellm_request import RESPONSES_FIELDS, STATED_FIELDS
from pytest_mcpbench.models.model import Model
from pytest_mcpbench.models.prices import ModelCatalogue, Price
from pytest_mcpbench.models.provider_error import ProviderError
from pytest_mcpbench.models.rate_limited_model import RateLimitedModel, RetryPolicy
from pytest_mcpbench.models.rate_limiter import AdaptiveLimit, RateLimiter
from pytest_mcpbench.models.scripted import ScriptedModel
from pytest_mcpbench.models.tool_formats.catalogue import TEXT_FORMATS
from pytest_mcpbench.models.tool_formats.probe import FormatMemory, ProbedModel
from pytest_mcpbench.models.tool_formats.text_model import TextToolModel
from pytest_mcpbench.text.suggestions import did_you_mean

# Check that a model can do what its alias asks of it, as far as litellm's catalogue knows.

_MARKED_CACHES = ("anthropic", "bedrock", "vertex_ai-anthropic")
"""Beginnings of providers that cache what a request marks; others cache by themselves, or not at all."""


def check_settings(name: str, alias: ModelAlias, catalogue: ModelCatalogue) -> None:
    """Raise UsageError for a setting that the model does not have; a model that is not listed may have any."""
    entry = {} if alias.url or not alias.model else catalogue.find(alias.model) or {}
    problem = next(_problems(alias, entry), None)
    if problem is not None:
        raise UsageError(f"model {name!r}: {problem}")


def _problems(alias: ModelAlias, entry: Mapping[str, Any]) -> Iterator[str]:
    yield from _reasoning_problems(alias, entry)
    for setting in ("temperature", "top_p"):
        if getattr(alias, setting) is not None and entry.get("supports_sampling_params") is False:
            yield f"it has no {setting}; leave it out"
    if alias.tools == "native" and entry.get("supports_function_calling") is False:
        yield 'it has no tool calls; set tools = "json", "react" or "auto"'
    provider = str(entry.get("litellm_provider") or str(alias.model).partition("/")[0])
    is_listed_without = bool(entry) and not entry.get("supports_prompt_caching")
    marks_cache = not alias.url and provider.startswith(_MARKED_CACHES) and not is_listed_without
    if alias.prompt_caching and not marks_cache:
        yield "no part of a request can be marked for its cache; leave prompt_caching out"
    most = entry.get("max_output_tokens")
    if alias.max_output_tokens is not None and isinstance(most, int | float) and alias.max_output_tokens > most:
        yield f"it writes at most {most:g} tokens, max_output_tokens is {alias.max_output_tokens}"


def _reasoning_problems(alias: ModelAlias, entry: Mapping[str, Any]) -> Iterator[str]:
    effort = alias.reasoning_effort
    stated = "reasoning_effort" if effort is not None else "thinking_tokens"
    if (effort or alias.thinking_tokens) and entry and not entry.get("supports_reasoning"):
        yield f"it does not reason; leave {stated} out"
    if effort is not None and entry.get(f"supports_{effort}_reasoning_effort") is False:
        yield f"it has no reasoning_effort of {effort!r}"
    is_openai = entry.get("litellm_provider") == "openai"
    if alias.thinking_tokens is not None and (alias.url or is_openai):
        yield "an OpenAI-compatible API has no thinking_tokens; use reasoning_effort, or a field of the server in extra"
    if effort is not None and alias.thinking_tokens is not None:
        yield "reasoning_effort and thinking_tokens exclude each other"


_OPENAI_KEY = "OPENAI_API_KEY"
_HTTP_MODES = ("chat", "embedding")


class Models:
    """Models of one process; equal names share one model and its rate limiter.

    Use it as a context manager on the event loop that sends the requests; leaving it closes all connections.

    Args:
        aliases: A litellm id, a URL or a table (see :class:`ModelAlias`) by the name of each alias.
        retries: Retry policy of all models.
        cache: Directory in which the tool formats of models are remembered; ``None``: nothing is remembered.
    """

    def __init__(
        self, aliases: Mapping[str, Any], retries: RetryPolicy | None = None, *, cache: Path | None = None
    ) -> None:
        self._aliases = aliases
        self._retries = retries or RetryPolicy()
        self._formats = FormatMemory(cache and cache / "tool_formats")
        self.ledger = Ledger()
        self._models: dict[str, Model] = {}
        self._connected: list[RateLimitedModel] = []
        self._embedders: dict[str, RateLimitedModel] = {}
        """Models for embeddings; they run in this process even if another process runs the chat models."""
        self._limiters: dict[str, RateLimiter] = {}

    def get(self, name: str) -> Model:
        """Return the model with that name; nothing is imported or sent before its first request.

        A name is an alias, a litellm id, ``http://host/v1`` or ``http://host/v1#model``, or ``scripted:FILE.json``.

        Raises:
            UsageError: the name is none of these.
        """
        if name not in self._models:
            self._models[name] = self._make(name)
        return self._models[name]

    def identity(self, name: str) -> str:
        """Return everything about the model with that name that determines its replies."""
        return model_identity(name, self._aliases, os.environ)

    def check_headers(self, name: str) -> None:
        """Check that the variables in the headers of the model with that name are set.

        Raises:
            UsageError: one is not, or a header has characters that are not allowed.
        """
        target = resolve_alias(name, self._aliases)
        try:
            expanded_headers(target.headers if isinstance(target, ModelAlias) else {})
        except ProviderError as error:
            raise UsageError(f"model {name!r}: {error.problem}") from None

    def key_variables(self, name: str) -> tuple[str, ...]:
        """Return the environment variables of which the model with that name needs one; none if that is not known."""
        target = resolve_alias(name, self._aliases)
        alias = target if isinstance(target, ModelAlias) else _alias_of(target)
        if alias.model and alias.model.startswith(SCRIPTED):
            return ()
        alias = self._with_openai_url(alias)
        if alias.url:
            variable = _endpoint(name, alias).api_key_env
            return (variable,) if variable else ()
        if alias.api_key_env:
            return (alias.api_key_env,)
        if alias.headers or not alias.model:
            return ()
        provider, slash, _ = alias.model.partition("/")
        entry = self._catalogue.find(alias.model) or {}
        return key_variables(provider if slash else str(entry.get("litellm_provider", "")), os.environ)

    def price(self, name: str) -> Price | None:
        """Return the price of the model with that name; ``None`` if it is unknown."""
        target = resolve_alias(name, self._aliases)
        if isinstance(target, ModelAlias):
            return self._price(target)
        return None if is_url(target) else self._price(ModelAlias(model=target))

    def drops_temperature(self, name: str) -> bool:
        """Return whether the model has no temperature, so that its requests are sent without one."""
        target = resolve_alias(name, self._aliases)
        alias = target if isinstance(target, ModelAlias) else None if is_url(target) else ModelAlias(model=target)
        if alias is None or not alias.model or self._with_openai_url(alias).url:
            return False
        return (self._catalogue.find(alias.model) or {}).get("supports_sampling_params") is False

    def embedder(self, name: str) -> RateLimitedModel:
        """Return the model with that name for embeddings.

        Raises:
            UsageError: the name is unknown, or the model has no embeddings.
        """
        if name not in self._embedders:
            model = self._connect(name)
            if not isinstance(model, RateLimitedModel):
                raise UsageError(f"model {name!r} has no embeddings; use a litellm id or a URL of an embedding model.")
            self._embedders[name] = model
        return self._embedders[name]

    def judge(self, name: str) -> Judge | None:  # noqa: ARG002 - overridden where another process asks the models
        """Return the judge with this model if another process runs it; ``None`` if judges run in this process."""
        return None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close all connections; the models can still be used afterwards."""
        for model in self._connected:
            await model.aclose()

    def _make(self, name: str) -> Model:
        return self._in_tool_format(name, self._connect(name))

    def _in_tool_format(self, name: str, model: Model) -> Model:
        """Return the model in the tool format of its alias."""
        alias = resolve_alias(name, self._aliases)
        if not isinstance(alias, ModelAlias):
            return model
        if alias.tools == "auto":
            identity = self.identity(name)
            return ProbedModel(identity, lambda each: _in_format(model, each), self._formats, name=model.name)
        return _in_format(model, alias.tools)

    def _connect(self, name: str) -> Model:
        """Return the model itself, which receives tools in the native form of its provider."""
        if local_target(name, self._aliases) is not None:
            raise UsageError(
                f"model {name!r} is on this machine, and no option has started it; --model={name},"
                f" --mcpbench-judge={name} and --mcpbench-user={name} do, before the first task."
            )
        target = resolve_alias(name, self._aliases)
        if isinstance(target, ModelAlias) and (target.url or not str(target.model).startswith(SCRIPTED)):
            return self._create(public_name(name), target)
        if isinstance(target, ModelAlias):
            target = str(target.model)
        if target.startswith(SCRIPTED):
            return ScriptedModel.from_file(Path(target.removeprefix(SCRIPTED)))
        if is_url(target):
            return self._create(public_url(name), _alias_of(target))
        provider, slash, _ = target.partition("/")
        if not self._catalogue.find(target) and not (slash and provider in self._catalogue.providers):
            catalogue_ids = (*BUILT_IN_ALIASES.values(), *self._catalogue.chat_models)
            raise UnknownModelError(name, target, tuple(sorted({*self._aliases, *BUILT_IN_ALIASES})), catalogue_ids)
        return self._create(name, _alias_of(target))

    def _create(self, name: str, alias: ModelAlias) -> RateLimitedModel:
        """Create a model; two names of the same model share one rate limiter."""
        price = self._price(alias)
        check_settings(name, alias, self._catalogue)
        alias = self._with_openai_url(alias)
        backend: HttpBackend | LitellmBackend
        if alias.url:
            endpoint = _endpoint(name, alias)
            address, backend = f"{endpoint.base}#{endpoint.model}", HttpBackend(endpoint)
        else:
            address = alias.model or ""
            backend = LitellmBackend(
                address,
                api_key_env=alias.api_key_env,
                headers=alias.headers,
                stated_settings=[field for key, field in STATED_FIELDS.items() if getattr(alias, key) is not None],
                fixed_fields=RESPONSES_FIELDS if self._catalogue.has_responses_api(address) else {},
            )
        most = alias.concurrency
        limit = AdaptiveLimit() if most is None else AdaptiveLimit(limit=float(most), maximum=float(most))
        limiter = RateLimiter(
            limit, requests_per_minute=alias.requests_per_minute, tokens_per_minute=alias.tokens_per_minute
        )
        model = RateLimitedModel(
            name,
            backend,
            limiter=self._limiters.setdefault(address, limiter),
            retries=self._retries,
            price=price,
            defaults=alias.request_settings,
            ledger=self.ledger,
        )
        self._connected.append(model)
        return model

    def _price(self, alias: ModelAlias) -> Price | None:
        return alias.price or (self._catalogue.price(alias.model) if alias.model and not alias.url else None)

    def _with_openai_url(self, alias: ModelAlias) -> ModelAlias:
        """Add OpenAI's address to the alias of a model that OpenAI's own API serves.

        Plain HTTP serves these models without importing litellm, which takes seconds.
        """
        if alias.url or not alias.model:
            return alias
        entry = self._catalogue.find(alias.model) or {}
        provider, _, model = alias.model.rpartition("/")
        if (provider or entry.get("litellm_provider")) != "openai" or entry.get("mode", "chat") not in _HTTP_MODES:
            return alias
        url = openai_url(os.environ)
        key = alias.api_key_env or (_OPENAI_KEY if url == OPENAI_URL or os.environ.get(_OPENAI_KEY) else None)
        return alias.model_copy(update={"url": url, "model": model, "api_key_env": key})

    @cached_property
    def _catalogue(self) -> ModelCatalogue:
        return ModelCatalogue.from_litellm()


class UnknownModelError(UsageError):
    """A name that is neither an alias nor an id of a known provider."""

    def __init__(self, name: str, target: str, aliases: Sequence[str], catalogue_ids: Sequence[str]) -> None:
        self._about = (name, target, aliases, catalogue_ids)
        names = (*aliases, *catalogue_ids)
        question = did_you_mean(target, names, most=3) or did_you_mean(name, names, most=3)
        super().__init__(
            f"no model is called {name!r}."
            + (f" {question}" if question else "")
            + f" A model is one of {', '.join(aliases)};"
            " a litellm id such as anthropic/claude-opus-5-5; a URL such as http://127.0.0.1:8000/v1#name;"
            " or scripted:FILE.json"
        )

    def with_names(self, *others: str) -> "UnknownModelError":
        """Return the error with additional names that are valid where the name was used."""
        name, target, aliases, catalogue_ids = self._about
        return UnknownModelError(name, target, (*others, *aliases), catalogue_ids)


def _alias_of(target: str) -> ModelAlias:
    return ModelAlias(url=target) if is_url(target) else ModelAlias(model=target)


def _in_format(model: Model, tool_format: ToolFormat) -> Model:
    text_format = TEXT_FORMATS.get(tool_format)
    return model if text_format is None else TextToolModel(model, text_format)


def _endpoint(name: str, alias: ModelAlias) -> Endpoint:
    url, _, fragment = (alias.url or "").partition("#")
    if not is_url(url):
        raise UsageError(f"model {name!r}: {public_url(url)!r} is not a URL; a URL starts with http:// or https://")
    is_openai = urlsplit(url).hostname == urlsplit(OPENAI_URL).hostname
    return Endpoint(
        url=url,
        model=alias.model or fragment or None,
        api_key_env=alias.api_key_env or (_OPENAI_KEY if is_openai else None),
        max_tokens_field=alias.max_tokens_field or ("max_completion_tokens" if is_openai else "max_tokens"),
        headers=alias.headers,
    )
