"""The HTTP clients of one provider: one while few requests are in flight, more where there are many.

The pool of connections of a client looks through all of them at each request, so that the time that a request takes
grows with those in flight; several pools of a few connections do not.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

REQUESTS_PER_CLIENT = 16
"""Requests in flight that one client carries before the next is made."""


@dataclass
class ClientPool:
    """Of one event loop."""

    create_client: "Callable[[], httpx2.AsyncClient]"
    _clients: "list[httpx2.AsyncClient]" = field(default_factory=list)
    _in_flight: list[int] = field(default_factory=list)

    @contextmanager
    def client(self) -> "Iterator[httpx2.AsyncClient]":
        """A client for one request: the first that has room for it."""
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
        """Give back every connection."""
        for client in self._clients:
            await client.aclose()
