"""Short names of models: those that are built in, and the tables that a project gives."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, JsonValue, ValidationError, model_validator

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.runtime.models.prices import Price

BUILT_IN: Mapping[str, str] = {
    "claude": "anthropic/claude-opus-5-5",
    "claude-opus": "anthropic/claude-opus-5-5",
    "claude-sonnet": "anthropic/claude-sonnet-5-5",
    "claude-haiku": "anthropic/claude-haiku-5-5",
    "claude-fable": "anthropic/claude-fable-5-1",
    "gpt": "openai/gpt-6.1-sol",
    "gpt-astra": "openai/gpt-6-astra",
    "gpt-luna": "openai/gpt-6-luna",
    "gemini": "gemini/gemini-4-argon",
    "gemini-flash": "gemini/gemini-3.8-flash",
    "grok": "xai/grok-4.7",
    "deepseek": "deepseek/deepseek-v4-pro",
    "qwen": "dashscope/qwen3.8-max",
    "kimi": "moonshot/kimi-k3",
    "glm": "zai/glm-5.3",
    "minimax": "minimax/MiniMax-M3",
    "mistral": "mistral/mistral-large-4",
}
"""The flagship of each provider on 2026-11-21, by litellm id."""


class ModelAlias(FrozenModel):
    """One entry of ``[tool.mcpbench.models]``: where a model is, and what it needs."""

    model: str | None = None
    """The model's name for the server at ``url``; without ``url``, a litellm id."""
    url: str | None = None
    """Base URL of an OpenAI-compatible API, such as ``http://127.0.0.1:8000/v1``."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key."""
    input_price: float | None = Field(None, ge=0)
    """USD per million tokens; needs ``output_price`` beside it."""
    output_price: float | None = Field(None, ge=0)
    cached_price: float | None = Field(None, ge=0)
    text_calls: bool = False
    """Whether JSON in the text is taken for tool calls, as small models write them."""
    takes_images: bool = False
    max_tokens_field: str | None = None
    """Name of the request's field for the most output tokens; default ``max_tokens``."""
    extra: dict[str, JsonValue] = Field(default_factory=dict)
    """Further fields of each request."""

    @model_validator(mode="after")
    def _check_fields(self) -> "ModelAlias":
        if self.model is None and self.url is None:
            raise ValueError("give `model` (a litellm id), or `url` of an OpenAI-compatible API")
        if (self.input_price is None) != (self.output_price is None):
            raise ValueError("give both `input_price` and `output_price`, in USD per million tokens, or neither")
        return self

    @property
    def price(self) -> Price | None:
        if self.input_price is None or self.output_price is None:
            return None
        return Price(input=self.input_price, output=self.output_price, cached=self.cached_price)


def resolve_alias(name: str, aliases: Mapping[str, Any]) -> str | ModelAlias:
    """What a name stands for: the project's aliases before those built in, and aliases of aliases.

    Raises UsageError where an alias is wrong or leads back to itself.
    """
    seen = [name]
    while True:
        target = aliases.get(name, BUILT_IN.get(name))
        if target is None:
            return name
        if not isinstance(target, str):
            return _parse_alias(name, target)
        if target in seen and target != name:
            raise UsageError(f"[tool.mcpbench.models]: {' → '.join([*seen, target])} leads in a circle")
        if target == name:
            return name
        name = target
        seen.append(name)


def _parse_alias(name: str, table: Any) -> ModelAlias:
    if isinstance(table, ModelAlias):
        return table
    try:
        return ModelAlias.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(["[tool.mcpbench.models]", name, *map(str, first["loc"])])
        raise UsageError(f"{field}: {first['msg']}") from None
