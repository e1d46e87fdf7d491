"""Lark's two ways to write a nested field: ``{"start_time": {"date": …}}`` in answers, ``start_time.date`` in trees."""

from collections.abc import Mapping
from typing import Any


def flat(fields: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Fields with dotted names; lists stay as they are."""
    made: dict[str, Any] = {}
    for name, value in fields.items():
        made |= flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {f"{prefix}{name}": value}
    return made


def nested(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with dotted names as objects in objects; collections and lists stay as they are."""
    made: dict[str, Any] = {}
    for name, value in fields.items():
        *owners, last = name.split(".")
        place = made
        for owner in owners:
            place = place.setdefault(owner, {})
        place[last] = value
    return made
