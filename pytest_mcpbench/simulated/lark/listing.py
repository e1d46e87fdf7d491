"""What Lark's lists and numbers have in common."""

from typing import Any

from pytest_mcpbench.simulated.engine import ToolFailure, page

END_OF_TIME = str(2**53)


def listed(name: str, items: list[Any], params: dict[str, Any], default_size: int, refusal: str) -> dict[str, Any]:
    """A page of a list, with the token of the next."""
    size = int(params.get("page_size", default_size))
    if size < 1:
        raise ToolFailure(refusal)
    shown = page(items, size, params.get("page_token"), refusal)
    return {name: shown.items, "has_more": shown.cursor is not None, "page_token": shown.cursor or ""}


def seconds(text: Any, refusal: str) -> int:
    """A moment that is written in seconds."""
    if not str(text).isdecimal():
        raise ToolFailure(refusal)
    return int(text)
