"""Bodies of requests to the local server, and answers that refuse them."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response


async def read_body(request: Request, largest: int) -> bytes | None:
    """Return the body of a request; ``None`` if it has more bytes than ``largest``."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > largest:
            return None
    return bytes(body)


def problem(text: str, status: int = 400) -> Response:
    """Return an answer with the reason why a request is refused."""
    return JSONResponse({"error": text}, status)
