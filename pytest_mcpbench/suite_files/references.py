"""Objects that are named by their address, ``"package.module:attribute"``."""

import importlib
from typing import Any


def import_object(value: Any) -> Any:
    """Import what an address refers to; return any other value unchanged."""
    if not isinstance(value, str):
        return value
    module, _, attribute = value.partition(":")
    return getattr(importlib.import_module(module), attribute)
