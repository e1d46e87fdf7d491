"""From a name that a user gives to a model that can be asked."""

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit

from pytest_mcpbench.core.chat import ModelSettings
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import BUILT_IN_ALIASES, SCRIPTED, is_url
from pytest_mcpbench.core.suggestions import did_you_mean
from pytest_mcpbench.runtime.judge import Judge
from pytest_mcpbench.runtime.model import Model
from pytest_mcpbench.runtime.models.aliases import ModelAlias, resolve
from pytest_mcpbench.runtime.models.http_backend import Endpoint, HttpBackend
from pytest_mcpbench.runtime.models.ledger import Ledger
from pytest_mcpbench.runtime.models.limiter import Limiter
from pytest_mcpbench.runtime.models.listing import Listing
from pytest_mcpbench.runtime.models.litellm_backend import LitellmBackend
from pytest_mcpbench.runtime.models.paced import PacedModel
from pytest_mcpbench.runtime.models.retry import RetryPolicy
from pytest_mcpbench.runtime.models.scripted import ScriptedModel

_OPENAI = "https://api.openai.com/v1"
_OPENAI_KEY = "OPENAI_API_KEY"
_OVER_HTTP = ("chat", "embedding")


def make_model(name: str, aliases: Mapping[str, Any] | None = None) -> Model:
    """The model that a name stands for; nothing is imported or sent before it is asked.

    A name is an alias (``aliases``: name -> litellm id, URL or table, see :class:`ModelAlias`), a litellm id,
    ``http://host/v1`` or ``http://host/v1#model``, or ``scripted:FILE.json``. Raises UsageError for any other.
    """
    return Models(aliases or {}).get(name)


class Models:
    """The models of one process: whoever asks for the same gets the same, with its one limiter.

    To be used as a context manager on the loop that asks them, which gives back their connections.
    """

    def __init__(self, aliases: Mapping[str, Any], retries: RetryPolicy | None = None) -> None:
        self._aliases = aliases
        self._retries = retries or RetryPolicy()
        self.ledger = Ledger()
        self._made: dict[str, Model] = {}
        self._embedders: dict[str, PacedModel] = {}
        """Of this process, also where another one asks the models."""
        self._limiters: dict[str, Limiter] = {}

    def get(self, name: str) -> Model:
        """The model of this name, see :func:`make_model`."""
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def embedder(self, name: str) -> PacedModel:
        """The model of this name, to be asked for embeddings. Raises UsageError where it cannot make any."""
        if name not in self._embedders:
            model = Models._make(self, name)
            if not isinstance(model, PacedModel):
                raise UsageError(f"model {name!r} makes no embeddings; give a litellm id or a URL of one that does.")
            self._embedders[name] = model
        return self._embedders[name]

    def judge(self, name: str) -> Judge | None:  # noqa: ARG002 - overridden where another process asks the models
        """Return a judge that another process runs with this model; ``None`` if this process runs its judges."""
        return None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Give back all connections; models can still be asked afterwards."""
        for model in (*self._made.values(), *self._embedders.values()):
            if isinstance(model, PacedModel):
                await model.aclose()

    def _make(self, name: str) -> Model:
        meant = resolve(name, self._aliases)
        if isinstance(meant, ModelAlias):
            return self._opened(name, meant)
        if meant.startswith(SCRIPTED):
            return ScriptedModel.from_file(Path(meant.removeprefix(SCRIPTED)))
        if is_url(meant):
            return self._opened(_without_secrets(name), ModelAlias(url=meant))
        self._require_known(name, meant)
        return self._opened(name, ModelAlias(model=meant))

    def _opened(self, name: str, alias: ModelAlias) -> PacedModel:
        """Two names of one model share its limiter."""
        price = alias.price or (self._listing.price(alias.model) if alias.model and not alias.url else None)
        alias = self._located(alias)
        endpoint = _endpoint(name, alias) if alias.url else None
        address = f"{endpoint.base}#{endpoint.model}" if endpoint else str(alias.model)
        return PacedModel(
            name,
            HttpBackend(endpoint) if endpoint else _litellm(alias),
            limiter=self._limiters.setdefault(address, Limiter()),
            retries=self._retries,
            price=price,
            defaults=ModelSettings(extra=alias.extra, takes_images=alias.takes_images),
            ledger=self.ledger,
        )

    def _located(self, alias: ModelAlias) -> ModelAlias:
        """With the address of OpenAI's own API where that has the model; others are litellm's to find."""
        if alias.url or not alias.model:
            return alias
        entry = self._listing.find(alias.model) or {}
        provider, _, model = alias.model.rpartition("/")
        if (provider or entry.get("litellm_provider")) != "openai" or entry.get("mode", "chat") not in _OVER_HTTP:
            return alias
        url = _openai_url()
        key = alias.api_key_env or (_OPENAI_KEY if url == _OPENAI or os.environ.get(_OPENAI_KEY) else None)
        return alias.model_copy(update={"url": url, "model": model, "api_key_env": key})

    def _require_known(self, name: str, model: str) -> None:
        provider, slash, _ = model.partition("/")
        if self._listing.find(model) or (slash and provider in self._listing.providers):
            return
        listed = (*BUILT_IN_ALIASES.values(), *self._listing.chat_models)
        raise UnknownModelError(name, model, tuple(sorted({*self._aliases, *BUILT_IN_ALIASES})), listed)

    @cached_property
    def _listing(self) -> Listing:
        return Listing.of_litellm()


class UnknownModelError(UsageError):
    """Nothing has this name: no alias, no provider."""

    def __init__(self, name: str, meant: str, aliases: Sequence[str], listed: Sequence[str]) -> None:
        self._about = (name, meant, aliases, listed)
        names = (*aliases, *listed)
        question = did_you_mean(meant, names, most=3) or did_you_mean(name, names, most=3)
        super().__init__(
            f"no model is called {name!r}."
            + (f" {question}" if question else "")
            + f" A model is one of {', '.join(aliases)};"
            " a litellm id such as anthropic/claude-opus-5-5; a URL such as http://127.0.0.1:8000/v1#name;"
            " or scripted:FILE.json"
        )

    def beside(self, *others: str) -> "UnknownModelError":
        """The error where some further names mean something."""
        name, meant, aliases, listed = self._about
        return UnknownModelError(name, meant, (*others, *aliases), listed)


def _endpoint(name: str, alias: ModelAlias) -> Endpoint:
    url, _, fragment = (alias.url or "").partition("#")
    if not is_url(url):
        raise UsageError(f"model {name!r}: {_without_secrets(url)!r} is no URL; one begins with http:// or https://")
    is_openai = urlsplit(url).hostname == urlsplit(_OPENAI).hostname
    return Endpoint(
        url=url,
        model=alias.model or fragment or None,
        api_key_env=alias.api_key_env or (_OPENAI_KEY if is_openai else None),
        max_tokens_field=alias.max_tokens_field or ("max_completion_tokens" if is_openai else "max_tokens"),
        text_calls=alias.text_calls,
    )


def _litellm(alias: ModelAlias) -> LitellmBackend:
    return LitellmBackend(alias.model or "", api_key_env=alias.api_key_env, text_calls=alias.text_calls)


def _openai_url() -> str:
    """OpenAI's API, or where the variables that OpenAI's own clients read say it is."""
    return os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE") or _OPENAI


def _without_secrets(url: str) -> str:
    """The URL without user, password and query: it becomes part of names and records."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", parts.fragment))
