"""Variants of a sweep: the same tasks and models under different values of conditions and limits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.core.conditions import Conditions
from pytest_mcpbench.core.task import Limits

_SEPARATOR = "@"


@dataclass(frozen=True)
class Variant:
    """Values of all swept conditions for one series of attempts."""

    values: Mapping[str, str] = field(default_factory=dict)
    """Name of the condition, as in the option -> value as the user wrote it; empty in a run without a sweep."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Limits and sampling settings that replace those of the run."""
    conditions: Mapping[str, Any] = field(default_factory=dict)
    """Conditions that replace those of the suite and of the run."""

    def label(self, model: str) -> str:
        """Return the name of a series of attempts, such as ``claude@rounds:5``; reports show it as a model."""
        if not self.values:
            return model
        return model + _SEPARATOR + ",".join(f"{name}:{value}" for name, value in self.values.items())


NO_SWEEP = Variant()


def model_of(label: str, swept: Mapping[str, str]) -> str:
    """Return the model of a series without the values of its sweep."""
    return label.removesuffix(Variant(swept).label(""))


def typed_values(swept: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of a sweep by field, with the types of the conditions and limits; a temperature is a number.

    Raises:
        pydantic.ValidationError: a value is none of its condition.
    """
    fields = {field_of(name): text for name, text in swept.items()}
    values: dict[str, Any] = {name: float(fields[name]) for name in ("temperature",) if name in fields}
    for kind in (Limits, Conditions):
        own = {name: text for name, text in fields.items() if name in kind.model_fields}
        values |= kind.model_validate(own).model_dump(mode="json", include=set(own))
    return values


def field_of(option: str) -> str:
    """Return the field of a condition or limit that can be swept by the name of its option."""
    return option.replace("-", "_")
