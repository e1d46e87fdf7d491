"""Conversion between nested fields (``{"start_time": {"date": …}}``) in responses and dotted names in trees."""

from collections.abc import Mapping
from typing import Any


def flatten(fields: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flatten nested objects to fields with dotted names; lists are left unchanged."""
    flat: dict[str, Any] = {}
    for name, value in fields.items():
        flat |= flatten(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {f"{prefix}{name}": value}
    return flat


def nest(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Expand fields with dotted names to nested objects; collections and lists are left unchanged."""
    nested: dict[str, Any] = {}
    for name, value in fields.items():
        *parents, last = name.split(".")
        target = nested
        for parent in parents:
            target = target.setdefault(parent, {})
        target[last] = value
    return nested
