"""Slots ``<name>`` in templates of requests and arguments."""

import re
from collections.abc import Mapping
from typing import Any

SLOT = re.compile(r"<(\w+)>")


def with_values(value: Any, values: Mapping[str, Any]) -> Any:
    """Return texts, lists and mappings with the values of slots; slots without a value stay as they are.

    A text that is nothing but a slot gets the type of the value.
    """
    if isinstance(value, dict):
        return {name: with_values(part, values) for name, part in value.items()}
    if isinstance(value, list):
        return [with_values(part, values) for part in value]
    if not isinstance(value, str):
        return value
    whole = SLOT.fullmatch(value)
    if whole is not None and whole[1] in values:
        return values[whole[1]]
    return SLOT.sub(lambda slot: str(values.get(slot[1], slot[0])), value)
