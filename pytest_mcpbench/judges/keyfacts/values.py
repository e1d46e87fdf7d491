"""Values that a text states."""

from pytest_mcpbench.judges.keyfacts.alignment import is_same
from pytest_mcpbench.judges.keyfacts.reading import Token, read


def values_beyond(text: str, known: str) -> tuple[str, ...]:
    """Return the numbers, dates, times and codes of a text that do not occur in another text."""
    known_values = _values(known)
    return tuple(value.text for value in _values(text) if not any(is_same(other, value) for other in known_values))


def _values(text: str) -> list[Token]:
    kinds = ("number", "date", "time", "code")
    return [token for clause in read(text) for token in clause.tokens if token.kind in kinds]
