"""Tables of ``[tool.mcpbench.models]``, which say where a model is and what it needs."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, JsonValue, ValidationError, model_validator

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.model_names import alias_target
from pytest_mcpbench.runtime.models.prices import Price


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
    """Return what a name refers to: another name, or the checked table of an alias.

    Raises UsageError if an alias is wrong or leads back to itself.
    """
    last, target = alias_target(name, aliases)
    return target if isinstance(target, str) else _parse_alias(last, target)


def _parse_alias(name: str, table: Any) -> ModelAlias:
    if isinstance(table, ModelAlias):
        return table
    try:
        return ModelAlias.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(["[tool.mcpbench.models]", name, *map(str, first["loc"])])
        raise UsageError(f"{field}: {first['msg']}") from None
