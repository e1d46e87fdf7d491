"""Detection of unreadable replies of a server on stdio."""

import asyncio
from collections.abc import Callable

from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from pydantic import ValidationError

from pytest_mcpbench.core.secrets import Secrets

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one message; a longer line is not read to its end."""
SILENCE_SECONDS = 5.0
"""Silence after half a message, or after text where a reply was expected, that means that the reply is lost."""
LATE_SECONDS = 0.25
"""Delay of a timer that means that the event loop was busy, so that the time says nothing about the server."""
SHOWN = 200
"""Characters of a line that a message shows."""
KEPT = 32 * 1024
"""Bytes of a line that are kept for a message, so that secrets in what is shown are whole."""
_CANCELLED = "notifications/cancelled"


class ReplyWatch:
    """Requests that the server has not answered, and the text that it wrote instead of a reply.

    A server may write text to stdout although the protocol forbids it, and most clients skip such lines. So text is
    taken for a reply only if nothing follows it, and never again once the server has answered after text.
    """

    def __init__(self, report: Callable[[str], None], secrets: Secrets) -> None:
        self._report = report
        """Function that is told what is wrong when a reply is lost."""
        self._secrets = secrets
        """Values that are removed from what is shown of a reply."""
        self._sent: set[str] = set()
        self._waiting: set[str] = set()
        self._stray = b""
        """Last line that was not a message since the last message."""
        self._unfinished = b""
        """Beginning of a line that has not ended."""
        self._is_ready = False
        """Whether a message has come: before it, servers print banners and load for long."""
        self._is_chatty = False
        self._timer: asyncio.TimerHandle | None = None

    def record_sent(self, message: JSONRPCMessage) -> None:
        """Expect a reply to a request, and none to a request that is cancelled."""
        if isinstance(message, JSONRPCRequest):
            self._sent.add(str(message.id))
            self._waiting.add(str(message.id))
        elif isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
            self._waiting.discard(str((message.params or {}).get("requestId")))

    def record_message(self, message: JSONRPCMessage) -> None:
        """Check that a reply belongs to a request."""
        self.stop_timer()
        self._is_ready = True
        if not isinstance(message, JSONRPCResponse | JSONRPCError):
            return
        if str(message.id) in self._waiting:
            self._waiting.discard(str(message.id))
            self._is_chatty = self._is_chatty or bool(self._stray)
            self._stray = b""
        elif self._waiting and message.id is None and isinstance(message, JSONRPCError):
            self._report(
                f"it answered with an error that names no request: {message.error.code} {message.error.message}"
            )
        elif self._waiting and str(message.id) not in self._sent:
            expected = ", ".join(sorted(self._waiting))
            self._report(f"it answered with the id {message.id!r}, which no request has; expected was {expected}")

    def record_stray(self, line: bytes, error: ValueError) -> None:
        """Report a line that must have been a reply; wait for what follows other text."""
        if not self._waiting:
            return
        has_outcome = b'"result"' in line or b'"error"' in line
        # Probably meant as a reply and not as log output.
        if line.startswith((b"{", b"[")) and b'"jsonrpc"' in line and b'"id"' in line and has_outcome:
            faults = error.errors(include_url=False, include_input=False) if isinstance(error, ValidationError) else []
            broken = [fault["msg"] for fault in faults if fault["type"] == "json_invalid"]
            reason = broken[0] if broken else "it is not a JSON-RPC reply"
            self._report(f"its reply cannot be read: {reason}; it wrote {show(line, self._secrets)}")
            return
        self._stray = line[:KEPT]
        self._start_timer()

    def record_unfinished(self, beginning: bytes) -> None:
        """Wait for the rest of a line, whose beginning has at most ``KEPT`` bytes."""
        self._unfinished = beginning
        if beginning:
            self._start_timer()

    def stop_timer(self) -> None:
        """Wait for nothing until the next bytes."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def report_loss(self) -> None:
        """Report the text that the server wrote instead of a reply, if any."""
        if not self._is_ready:
            return
        if self._unfinished:
            beginning = show(self._unfinished, self._secrets)
            self._report(f"its reply is not complete; a message is one line, and this one did not end: {beginning}")
        elif self._stray and not self._is_chatty:
            stray = show(self._stray, self._secrets)
            self._report(f"it wrote {stray} to stdout, where its reply was expected, and then no reply")

    def close(self) -> None:
        """Report nothing any more."""
        self.stop_timer()
        self._waiting.clear()

    def _start_timer(self) -> None:
        self.stop_timer()
        if self._is_ready and self._waiting:
            self._timer = asyncio.get_running_loop().call_later(SILENCE_SECONDS, self._end_silence, self._now())

    def _end_silence(self, started: float) -> None:
        # A loop that was busy with something else has not looked for what the server wrote in the meantime.
        if self._now() - started > SILENCE_SECONDS + LATE_SECONDS:
            self._start_timer()
        else:
            self.report_loss()

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


def show(line: bytes, secrets: Secrets) -> str:
    """Return the beginning of a line for a message, without secrets."""
    return repr(secrets.shorten(line[:KEPT].decode(errors="replace"), SHOWN))
