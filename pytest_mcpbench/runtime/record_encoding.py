"""Encoding of records and evidence as lines of JSON, without secrets and lone surrogates."""

import json
from typing import TypeVar

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from pytest_mcpbench.core.surrogates import without_surrogates
from pytest_mcpbench.runtime.secret_filter import SecretFilter

Model = TypeVar("Model", bound=BaseModel)


def encode(value: Model, secrets: SecretFilter) -> tuple[Model, str]:
    """Return the value as it is written, and its line."""
    try:
        line = value.model_dump_json()
    except PydanticSerializationError:
        # Not in the mode "json", which replaces each lone surrogate of a key by three characters.
        return encode(type(value).model_validate(without_surrogates(value.model_dump())), secrets)
    if not secrets.may_occur(line):
        return value, line
    written = type(value).model_validate(secrets.remove_from(json.loads(line)))
    return written, written.model_dump_json()
