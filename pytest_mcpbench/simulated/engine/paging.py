"""Cursor-based pagination."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from pytest_mcpbench.simulated.engine.failure import ToolFailure
from pytest_mcpbench.simulated.engine.numerals import whole_number

Item = TypeVar("Item")


class ItemPage(NamedTuple, Generic[Item]):
    """One page of items and the cursor of the next page, which is ``None`` on the last page."""

    items: list[Item]
    cursor: str | None


def page(items: Sequence[Item], size: int, cursor: str | None, invalid: str) -> ItemPage[Item]:
    """Return the page at the cursor, or the first page; ``invalid`` is the service's error message for a bad cursor."""
    start = 0
    if cursor:
        try:
            word, _, number = urlsafe_b64decode(cursor).decode().partition(":")
        except ValueError as error:
            raise ToolFailure(invalid) from error
        index = whole_number(number)
        if word != "next" or index is None or index >= len(items):
            raise ToolFailure(invalid)
        start = index
    end = start + size
    next_cursor = urlsafe_b64encode(f"next:{end}".encode()).decode() if end < len(items) else None
    return ItemPage(list(items[start:end]), next_cursor)
