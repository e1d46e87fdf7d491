"""Values as requests say them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_mcpbench.generation.pipelines.tools.orders import UnspeakableError
from pytest_mcpbench.generation.spelling import spoken_moment, spoken_zone
from pytest_mcpbench.metrics.comparison.arguments import is_number


def spoken_value(value: Any) -> str:
    """Return a value as a request says it."""
    if isinstance(value, list):
        return enumeration([_spoken_record(part) if isinstance(part, dict) else spoken_value(part) for part in value])
    if isinstance(value, dict):
        raise UnspeakableError("an argument is an object of any form")
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    text = str(value)
    said = spoken_moment(text) or spoken_zone(text)
    if said is not None:
        return said
    if re.fullmatch(r"[a-z]+(?:_[a-z]+)+", text):
        return text.replace("_", " ")
    # A sentence has to be told from the words around it, unlike a name, a formula or a time.
    parts = text.split()
    has_words = not re.search(r"\d", text) or re.match(r"[A-Z][a-z]+ (?:\S+ )*[a-z]{2,}\b", text) is not None
    is_sentence = len(parts) > 2 and has_words and not all(part[:1].isupper() for part in parts)
    return f'"{text}"' if is_sentence or is_statement(text) else text


def _spoken_record(record: Mapping[str, Any]) -> str:
    """Return an element of a list as a person writes data down: `North: 12`, `Home to Work: 7`, `(3, 12)`."""
    numbers = [value for value in record.values() if is_number(value)]
    texts = {name: value for name, value in record.items() if isinstance(value, str)}
    if len(numbers) + len(texts) < len(record) or not numbers:
        raise UnspeakableError("an argument is a list of objects of any form")
    in_order = sorted(texts, key=lambda end: end in ("to", "target"))
    ends = [name for first_and_last in _ENDS if texts.keys() == first_and_last for name in in_order]
    said = " to ".join(spoken_value(texts[name]) for name in ends)
    if not ends and len(texts) > 1:
        raise UnspeakableError("an argument is a list of objects of any form")
    said = said or "".join(map(spoken_value, texts.values()))
    counted = ", ".join(map(spoken_value, numbers))
    return f"{said}: {counted}" if said else f"({counted})"


_ENDS = ({"from", "to"}, {"source", "target"})


def enumeration(parts: Sequence[str]) -> str:
    """Return texts with commas and an `and` between them."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def is_statement(value: Any) -> bool:
    """Return whether a value is a statement in SQL."""
    return isinstance(value, str) and re.match(r"(?:SELECT|CREATE|INSERT|UPDATE|DELETE) ", value) is not None
