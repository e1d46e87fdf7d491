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
    start = _start(cursor, len(items), invalid) if cursor else 0
    end = start + size
    return ItemPage(list(items[start:end]), _cursor(end) if end < len(items) else None)


def _cursor(start: int) -> str:
    return urlsafe_b64encode(f"next:{start}".encode()).decode()


def _start(cursor: str, count: int, invalid: str) -> int:
    """Return the index at which the page of a cursor starts, for a cursor created by :func:`page`."""
    try:
        word, _, start = urlsafe_b64decode(cursor).decode().partition(":")
    except ValueError as error:
        raise ToolFailure(invalid) from error
    number = whole_number(start)
    if word != "next" or number is None or number >= count:
        raise ToolFailure(invalid)
    return number
