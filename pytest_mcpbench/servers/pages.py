"""Complete lists of what a server offers, which the protocol returns in pages."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol, TypeVar

from pytest_mcpbench.servers.failures import ProtocolViolationError


class _Page(Protocol):
    @property
    def next_cursor(self) -> str | None: ...


Page = TypeVar("Page", bound=_Page)


async def every_page(method: str, request_page: Callable[[str | None], Awaitable[Page]]) -> AsyncIterator[Page]:
    """Yield the pages of a list, each requested with the cursor of the one before; ``None`` is that of the first.

    Raises:
        ProtocolViolationError: the server returns a cursor twice, and would be asked for ever.
    """
    seen: set[str] = set()
    cursor: str | None = None
    while True:
        page = await request_page(cursor)
        yield page
        cursor = page.next_cursor
        if not cursor:
            return
        if cursor in seen:
            raise ProtocolViolationError(f"{method} returned the cursor {cursor!r} twice")
        seen.add(cursor)
