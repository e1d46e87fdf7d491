"""Protection of the local server against other sites, other users of the machine, and text that means harm."""

import secrets
from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

Next = Callable[[Request], Awaitable[Response]]

_HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    # The page has a stricter policy in a <meta> element, where this directive has no effect; a browser applies both.
    "Content-Security-Policy": "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}


class Guard:
    """Middleware that refuses requests which a page of this server does not make.

    * A foreign ``Host`` means that a site let its own name resolve to this machine (DNS rebinding).
    * A foreign ``Origin`` of a write means that a page of another site made it; so does a body that is not JSON.
    * An address without the token means that the one who asks was not given the address: other users of the machine
      can connect to the port as well.
    """

    def __init__(self, *, hosts: frozenset[str], token: str) -> None:
        self._hosts = hosts
        self.token = token

    async def __call__(self, request: Request, call_next: Next) -> Response:
        """Return the answer of the application, or a refusal; browsers ask for an icon outside of the page's path."""
        refusal = self._refusal(request)
        if request.url.path == "/favicon.ico":
            response = Response(status_code=204)
        else:
            response = PlainTextResponse(f"{refusal}\n", 403) if refusal else await call_next(request)
        response.headers.update(_HEADERS)
        return response

    def _refusal(self, request: Request) -> str | None:
        host = request.headers.get("host", "")
        if host not in self._hosts:
            return "This server answers requests to its own address only."
        if not secrets.compare_digest(request.url.path.split("/")[1].encode(), self.token.encode()):
            return "The address is not complete; open the one that the command prints."
        if request.method not in ("GET", "HEAD") and not _is_own_write(request, host):
            return "Only the page of this server may write."
        return None


def _is_own_write(request: Request, host: str) -> bool:
    is_json = request.headers.get("content-type", "").partition(";")[0].strip() == "application/json"
    return is_json and request.headers.get("origin") == f"http://{host}"
