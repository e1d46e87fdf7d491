"""Values that a text states."""

from pytest_mcpbench.judges.keyfacts.pairing import item_matches
from pytest_mcpbench.judges.keyfacts.reading import Item, read


def values_beyond(text: str, known: str) -> tuple[str, ...]:
    """Return the numbers, dates, times and codes of a text that do not occur in another text."""
    known_values = _values(known)
    return tuple(value.text for value in _values(text) if not any(item_matches(value, other) for other in known_values))


def _values(text: str) -> list[Item]:
    return [
        item for sentence in read(text).sentences for item in sentence.items if item.is_value or item.kind == "code"
    ]
