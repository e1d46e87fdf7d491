"""The immutable, strictly checked model that every value which meets JSON is built on."""

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """A value: cannot be changed, refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")
