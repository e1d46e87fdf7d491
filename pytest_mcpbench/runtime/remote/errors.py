"""Errors on their way between processes: the class by name, its facts as JSON."""

import dataclasses
from typing import Any

from pydantic import Field, JsonValue

from pytest_mcpbench.core import errors
from pytest_mcpbench.core.errors import McpBenchError, Place
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.trajectory import Trajectory


class SerializedError(FrozenModel):
    """An :class:`~pytest_mcpbench.core.errors.McpBenchError` as data."""

    name: str
    """Of the nearest class in :mod:`pytest_mcpbench.core.errors`."""
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    trajectory: Trajectory | None = None

    @classmethod
    def of(cls, error: McpBenchError) -> "SerializedError":
        """The error as data. A class of another module becomes its nearest base here, with its whole sentence."""
        known = next(kind for kind in type(error).__mro__ if kind.__name__ in _KNOWN)
        facts = {field.name: _plain(getattr(error, field.name)) for field in _facts_of(known)}
        if known is not type(error):
            facts["problem"] = str(error)
        return cls(name=known.__name__, facts=facts, trajectory=error.trajectory)

    def error(self) -> McpBenchError:
        """The error again."""
        facts: dict[str, Any] = dict(self.facts)
        if isinstance(facts.get("place"), dict):
            facts["place"] = Place(**facts["place"])
        made = _KNOWN[self.name](**facts)
        made.trajectory = self.trajectory
        return made


def _facts_of(kind: type[McpBenchError]) -> tuple[dataclasses.Field[Any], ...]:
    return tuple(field for field in dataclasses.fields(kind) if field.init)


def _plain(value: Any) -> Any:
    return dataclasses.asdict(value) if isinstance(value, Place) else value


_KNOWN: dict[str, type[McpBenchError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, McpBenchError)
}
