"""Pool of HTTP clients for one provider, which grows with the number of requests in flight.

httpx2 scans all connections of a client for each request, so that the time of a request grows with the number of
requests in flight (seen in httpx2 2.16.2). Several clients with few connections each avoid that.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

REQUESTS_PER_CLIENT = 16
"""Requests in flight on one client before another client is created."""


@dataclass
class ClientPool:
    """HTTP clients of one event loop."""

    create_client: "Callable[[], httpx2.AsyncClient]"
    _clients: "list[httpx2.AsyncClient]" = field(default_factory=list)
    _in_flight: list[int] = field(default_factory=list)

    @contextmanager
    def client(self) -> "Iterator[httpx2.AsyncClient]":
        """Provide a client for one request: the first with free capacity, or a new one."""
        index = next((index for index, number in enumerate(self._in_flight) if number < REQUESTS_PER_CLIENT), None)
        if index is None:
            index = len(self._clients)
            self._clients.append(self.create_client())
            self._in_flight.append(0)
        self._in_flight[index] += 1
        try:
            yield self._clients[index]
        finally:
            self._in_flight[index] -= 1

    async def aclose(self) -> None:
        """Close all connections."""
        for client in self._clients:
            await client.aclose()
