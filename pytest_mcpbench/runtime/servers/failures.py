"""What an exception of mcp's client means, in words that name the cause."""

from collections.abc import Iterator

from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED
from pydantic import ValidationError


class ProtocolViolationError(Exception):
    """Something that the protocol does not allow; the message says what."""


def causes(error: BaseException) -> Iterator[BaseException]:
    """The exceptions that are left when all groups are opened."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from causes(inner)
    else:
        yield error


def cause(error: BaseException) -> BaseException:
    """The most telling one: a closed connection is mostly the consequence of another."""
    return min(causes(error), key=is_closed_connection)


def is_closed_connection(error: BaseException) -> bool:
    """Whether it says no more than that the connection is gone."""
    return (
        isinstance(error, MCPError)
        and error.code == CONNECTION_CLOSED
        and error.message.startswith(_SAID_OF_A_CLOSED_CONNECTION)
    )


_SAID_OF_A_CLOSED_CONNECTION = ("Connection closed", "SSE stream ")
"""How mcp's client words it; servers use the same code for errors of their own."""


def in_words(error: BaseException) -> str:
    """One sentence without names of ours."""
    match error:
        case MCPError() if is_closed_connection(error):
            return "the connection was closed"
        case ProtocolViolationError():
            return str(error)
        case MCPError():
            return f"it answered with error {error.code}: {error.message}"
        case ValidationError():
            return f"its reply is no valid MCP: {_first_fault(error)}"
        case _:
            said = str(error)
            return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    return f"{place}: {fault['msg']}" if place else fault["msg"]
