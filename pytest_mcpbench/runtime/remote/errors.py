"""Serialization of the project's errors as JSON."""

import dataclasses
from typing import Any

from pydantic import Field, JsonValue

from pytest_mcpbench.core import errors
from pytest_mcpbench.core.errors import McpBenchError, SourceLocation
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.trajectory import Trajectory


class SerializedError(FrozenModel):
    """Serialized :class:`~pytest_mcpbench.core.errors.McpBenchError`."""

    name: str
    """Name of the nearest class in :mod:`pytest_mcpbench.core.errors`."""
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    trajectory: Trajectory | None = None

    @classmethod
    def from_error(cls, error: McpBenchError) -> "SerializedError":
        """Serialize an error; a subclass from another module becomes its nearest base class with its full message."""
        # The other process may not be able to import a user's class.
        known = next(kind for kind in type(error).__mro__ if kind.__name__ in _CLASSES)
        facts = {field.name: _plain(getattr(error, field.name)) for field in _init_fields(known)}
        if known is not type(error):
            facts["problem"] = str(error)
        return cls(name=known.__name__, facts=facts, trajectory=error.trajectory)

    def to_error(self) -> McpBenchError:
        """Return the error as an exception."""
        facts: dict[str, Any] = dict(self.facts)
        if isinstance(facts.get("place"), dict):
            facts["place"] = SourceLocation(**facts["place"])
        error = _CLASSES[self.name](**facts)
        error.trajectory = self.trajectory
        return error


def _init_fields(kind: type[McpBenchError]) -> tuple[dataclasses.Field[Any], ...]:
    return tuple(field for field in dataclasses.fields(kind) if field.init)


def _plain(value: Any) -> Any:
    return dataclasses.asdict(value) if isinstance(value, SourceLocation) else value


_CLASSES: dict[str, type[McpBenchError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, McpBenchError)
}
