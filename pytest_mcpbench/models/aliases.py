"""Tables of ``[tool.mcpbench.models]``: the address of a model and the options that it requires."""

import os
import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, JsonValue, model_validator

from pytest_mcpbench.core.chat import ModelSettings
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.model_names import alias_target
from pytest_mcpbench.files.project_tables import validate_table
from pytest_mcpbench.models.prices import Price
from pytest_mcpbench.models.provider_error import ProviderError

REQUEST_SETTINGS = (
    "temperature",
    "top_p",
    "seed",
    "reasoning_effort",
    "thinking_tokens",
    "max_output_tokens",
    "prompt_caching",
    "streaming",
    "takes_images",
    "extra",
)
"""Fields of an alias that are settings of each request, under the same name in :class:`ModelSettings`."""


class ModelAlias(FrozenModel):
    """One entry of ``[tool.mcpbench.models]``: address, key, prices and quirks of a model."""

    model: str | None = None
    """Name of the model on the server at ``url``; a litellm id if there is no ``url``."""
    url: str | None = None
    """Base URL of an OpenAI-compatible API, such as ``http://127.0.0.1:8000/v1``."""
    api_key_env: str | None = None
    """Name of the environment variable that contains the API key."""
    input_price: float | None = Field(None, ge=0)
    """USD per million tokens; requires ``output_price``."""
    output_price: float | None = Field(None, ge=0)
    cached_price: float | None = Field(None, ge=0)
    cache_write_price: float | None = Field(None, ge=0)
    tools: Literal["native", "json", "react", "auto"] = "native"
    """Form of the tools and calls: fields of the provider's API, or text that is parsed. ``auto``: one small request
    finds out the form in which the model calls a tool."""
    temperature: float | None = Field(None, ge=0)
    top_p: float | None = Field(None, gt=0, le=1)
    seed: int | None = None
    reasoning_effort: str | None = None
    """The provider's own word, such as ``low`` or ``high``."""
    thinking_tokens: int | None = Field(None, ge=1)
    """Budget of tokens for thinking."""
    max_output_tokens: int | None = Field(None, ge=1)
    prompt_caching: bool = False
    """Whether requests mark what the provider must cache; several providers cache without being asked."""
    streaming: bool = False
    """Whether replies arrive in pieces, so that the time to the first token is known."""
    concurrency: int | None = Field(None, ge=1)
    """Maximum number of requests in flight, in all processes of a machine together."""
    requests_per_minute: int | None = Field(None, ge=1)
    tokens_per_minute: int | None = Field(None, ge=1)
    headers: dict[str, str] = Field(default_factory=dict)
    """Additional headers of each request; ``${NAME}`` stands for a variable of the environment."""
    takes_images: bool = False
    max_tokens_field: str | None = None
    """Name of the request field that limits the output tokens; ``max_tokens`` by default."""
    extra: dict[str, JsonValue] = Field(default_factory=dict)
    """Additional fields of each request."""

    @model_validator(mode="after")
    def _check_fields(self) -> "ModelAlias":
        if self.model is None and self.url is None:
            raise ValueError("`model` (a litellm id) or `url` (of an OpenAI-compatible API) is required")
        if (self.input_price is None) != (self.output_price is None):
            raise ValueError("`input_price` and `output_price` (USD per million tokens) require each other")
        return self

    @property
    def request_settings(self) -> ModelSettings:
        """Settings of each request."""
        return ModelSettings(**{name: getattr(self, name) for name in REQUEST_SETTINGS})

    @property
    def price(self) -> Price | None:
        """Price of the model; ``None`` if the alias does not state one."""
        if self.input_price is None or self.output_price is None:
            return None
        return Price(
            input=self.input_price,
            output=self.output_price,
            cached=self.cached_price,
            cache_write=self.cache_write_price,
        )


def resolve_alias(name: str, aliases: Mapping[str, Any]) -> str | ModelAlias:
    """Return what a name refers to: another name, or the checked table of an alias.

    Raises:
        UsageError: an alias is invalid, or aliases refer to each other in a circle.
    """
    last, target = alias_target(name, aliases)
    if isinstance(target, str | ModelAlias):
        return target
    return validate_table(ModelAlias, target, f"[tool.mcpbench.models].{last}")


# Additional headers of the requests to a model, with variables of the environment.

_VARIABLE = re.compile(r"\$\{(\w+)\}")


def expanded_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers with the values of variables.

    Raises:
        ProviderError: a variable is not set, or a value has characters that no header can have.
    """
    expanded = {}
    for name, value in headers.items():
        for variable in _VARIABLE.findall(value):
            if variable not in os.environ:
                raise ProviderError("setup", f"the environment variable {variable} of the header {name} is not set")
        text = _VARIABLE.sub(lambda match: os.environ[match[1]], value).strip()
        if not text.isascii() or not text.isprintable():
            raise ProviderError("setup", f"the header {name} has characters that are not allowed")
        expanded[name] = text
    return expanded
