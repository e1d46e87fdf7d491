"""Events of the old transport (SSE): large ones are decoded here, because mcp's client ends the connection at 1 MB.

All replies of a connection arrive in one stream, so that an event that is too large must cost its own call only.
"""

import json
import re
import secrets
from collections.abc import Callable

from mcp.shared.message import SessionMessage

from pytest_mcpbench.files import bounded_decoding
from pytest_mcpbench.files.bounded_decoding import BodyTooLargeError
from pytest_mcpbench.servers.large_results import LARGE, decode, in_thread

_END = re.compile(rb"\n\r?\n|\r\r")
_LINE_END = re.compile(rb"\r\n|\n|\r")
_KEPT = 500
"""Bytes of the beginning and the end of an event that is too large, in which its id is looked for."""
_ID = rb'"id"\s*:\s*(\d+|"[^"\\]{1,100}")'
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"'
_ID_BEFORE_RESULT = re.compile(
    rb"\{\s*(?:" + _VERSION + rb"\s*,\s*)?" + _ID + rb"\s*,\s*(?:" + _VERSION + rb'\s*,\s*)?"result"'
)
_RESULT = re.compile(rb"\{\s*(?:" + _VERSION + rb'\s*,\s*)?"result"')
_ID_AT_END = re.compile(_ID + rb"\s*(?:,\s*" + _VERSION + rb"\s*)?\}\s*\Z")


class OldEvents:
    """Reader of one stream of events, which puts short ones in the places of large ones.

    Args:
        refusal: Returns the error with which the request of this id is answered, because its reply is too large.
        large: Takes the messages of large events, each by the method of the notification that stands for it.
    """

    def __init__(self, refusal: Callable[[str | int], bytes], large: dict[str, SessionMessage | Exception]) -> None:
        self._refusal = refusal
        self._large = large
        self._event = bytearray()
        """The event that has not ended."""
        self._beginning = b""
        """Beginning of an event that is too large, of which only the end is kept besides."""

    async def read(self, data: bytes) -> bytes:
        """Take the next bytes of the stream and return what mcp's client is to read.

        Raises:
            BodyTooLargeError: an event is too large, and nothing says which call it answers.
        """
        most = bounded_decoding.LARGEST_BODY
        passed_on = bytearray()
        start = max(0, len(self._event) - 3)
        self._event += data
        while end := _END.search(self._event, start):
            event = bytes(self._event[: end.end()])
            del self._event[: end.end()]
            start = 0
            if self._beginning or len(event) > most:
                passed_on += _event(self._refusal(_id_of(self._beginning or event, event)))
                self._beginning = b""
            elif len(event) > LARGE:
                # Another event stands for it, and its message is decoded here.
                method = f"mcpbench/{secrets.token_hex(8)}"
                try:
                    self._large[method] = SessionMessage(await in_thread(decode, _data_of(event)))
                except ValueError as error:
                    self._large[method] = error
                passed_on += _event(json.dumps({"jsonrpc": "2.0", "method": method}).encode())
            else:
                passed_on += event
        if self._beginning or len(self._event) > most:
            self._beginning = self._beginning or bytes(self._event[:_KEPT])
            del self._event[:-_KEPT]
        return bytes(passed_on)


def _event(data: bytes) -> bytes:
    return b"event: message\ndata: " + data + b"\n\n"


def _data_of(event: bytes) -> bytes:
    lines = (line for line in _LINE_END.split(event) if line.startswith(b"data:"))
    return b"\n".join(line.removeprefix(b"data:").removeprefix(b" ") for line in lines)


def _id_of(beginning: bytes, end: bytes) -> str | int:
    """Return the id of a reply, of whose members it is among the first or the last.

    Raises:
        BodyTooLargeError: it is neither.
    """
    first = _data_of(beginning[:_KEPT])
    found = _ID_BEFORE_RESULT.match(first) or (_RESULT.match(first) and _ID_AT_END.search(end[-_KEPT:].rstrip()))
    if not found:
        raise BodyTooLargeError
    request_id: str | int = json.loads(found[1])
    return request_id
