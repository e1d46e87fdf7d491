"""Pagination and number parsing shared by Lark's requests."""

from typing import Any

from pytest_mcpbench.simulated.engine import ToolFailure, page, whole_number

END_OF_TIME = str(2**53)


def paginate(name: str, items: list[Any], params: dict[str, Any], default_size: int, refusal: str) -> dict[str, Any]:
    """Return one page of a list with the token of the next page."""
    size = int(params.get("page_size", default_size))
    if size < 1:
        raise ToolFailure(refusal)
    current_page = page(items, size, params.get("page_token"), refusal)
    return {
        name: current_page.items,
        "has_more": current_page.cursor is not None,
        "page_token": current_page.cursor or "",
    }


def parse_seconds(text: Any, refusal: str) -> int:
    """Parse a time in Unix seconds."""
    number = whole_number(str(text))
    if number is None:
        raise ToolFailure(refusal)
    return number
