"""Values as requests say them."""

import re
from collections.abc import Sequence
from typing import Any

from pytest_mcpbench.generation.pipelines.tools.orders import UnspeakableError
from pytest_mcpbench.generation.spelling import spoken_moment


def spoken_value(value: Any) -> str:
    """Return a value as a request says it."""
    if isinstance(value, list):
        return enumeration([spoken_value(part) for part in value])
    if isinstance(value, dict):
        raise UnspeakableError("an argument is an object of any form")
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    text = str(value)
    moment = spoken_moment(text)
    if moment is not None:
        return moment
    if re.fullmatch(r"[a-z]+(?:_[a-z]+)+", text):
        return text.replace("_", " ")
    return f'"{text}"' if _is_sentence(text) else text


def enumeration(parts: Sequence[str]) -> str:
    """Return texts with commas and an `and` between them."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def _is_sentence(text: str) -> bool:
    """Return whether a value has to be told from the words around it: neither a name, nor a formula, nor a time."""
    parts = text.split()
    return len(parts) > 2 and not re.search(r"\d", text) and not all(part[:1].isupper() for part in parts)
