"""Explanation of the exceptions of mcp's client in words that identify the cause."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED
from pydantic import ValidationError

from pytest_mcpbench.core.errors import CallNotSentError, ReplyLostError, ServerError

NOT_SENT = "Not sent: "
"""Beginning of the message of an error that stands for the reply to a request that never reached the server."""
REPLY_LOST = "Reply lost: "
"""The same for a request whose reply was lost on the way."""

CLOSED = "Connection closed"
"""The same for a closed connection, in mcp's words."""


class ProtocolViolationError(Exception):
    """Violation of the protocol by a server; the message describes it."""


def root_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions inside nested exception groups."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from root_causes(inner)
    else:
        yield error


def root_cause(error: BaseException) -> BaseException:
    """Return the most informative exception inside nested exception groups."""
    # A closed connection is usually only the consequence of another exception in the group.
    return min(root_causes(error), key=is_closed_connection)


def is_closed_connection(error: BaseException) -> bool:
    """Return whether the exception only states that the connection is closed."""
    return _has_closed(error) and error.message.startswith(CLOSED)


def loss_of_request(error: BaseException) -> type[ServerError] | None:
    """Return the class of an error that means the loss of one request or its reply, and ``None`` for any other."""
    if _has_closed(error) and error.message.startswith(NOT_SENT):
        return CallNotSentError
    if _has_closed(error) and error.message.startswith((REPLY_LOST, _STREAM_ENDED)):
        return ReplyLostError
    return None


_STREAM_ENDED = "SSE stream "
"""Beginning of the messages of mcp's client about a stream that ended before a reply (tried with mcp 2.3)."""


def _has_closed(error: BaseException) -> TypeGuard[MCPError]:
    # The code alone is not enough, because servers use it for errors of their own.
    return isinstance(error, MCPError) and error.code == CONNECTION_CLOSED


def describe_error(error: BaseException) -> str:
    """Return a description of the error as a phrase about the server, which it leaves out or calls "it"."""
    match error:
        case MCPError() if is_closed_connection(error):
            return "the connection was closed"
        case MCPError() if loss_of_request(error):
            return error.message.removeprefix(NOT_SENT).removeprefix(REPLY_LOST)
        case ProtocolViolationError():
            return str(error)
        case MCPError():
            return f"it answered with error {error.code}: {error.message}"
        case ValidationError():
            fault = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in fault["loc"])
            return f"its reply is not valid MCP: {f'{place}: ' if place else ''}{fault['msg']}"
        case _:
            message = str(error)
            return f"{type(error).__name__}: {message}" if message else type(error).__name__


@dataclass(frozen=True)
class ConnectionDiagnostics:
    """Facts that a transport knows about a failure."""

    hint: str = ""
    stderr: str = ""
    returncode: int | None = None
