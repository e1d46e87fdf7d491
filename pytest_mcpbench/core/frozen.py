"""Base class of all values that are read from JSON or written to it."""

from pydantic import BaseModel, ConfigDict

DEFERRED = ConfigDict(defer_build=True)
"""Configuration of a ``TypeAdapter`` that is built when it is first used."""


class FrozenModel(BaseModel):
    """Immutable pydantic model that rejects unknown keys."""

    # A field whose JSON key differs from its name has an alias: code uses the name, files keep the key.
    # Validators are built when a class is first used: most runs use a third of the classes.
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        defer_build=True,
    )
