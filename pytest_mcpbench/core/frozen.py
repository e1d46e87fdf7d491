"""Base class of all values that are read from JSON or written to it."""

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """Immutable pydantic model that rejects unknown keys."""

    # A field whose JSON key differs from its name has an alias: code uses the name, files keep the key.
    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True, serialize_by_alias=True
    )
