"""Routes of the local server: the page, its source of attempts, and notes."""

import errno
import secrets
import socket
import threading
import webbrowser
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import uvicorn
from markupsafe import Markup
from pydantic import StringConstraints, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from pytest_mcpbench.core.errors import StorageError, UsageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.garbage_collection import paused_collection
from pytest_mcpbench.reporting.aggregates.regressions import compare_runs
from pytest_mcpbench.reporting.page.comparison_page import TRACES, comparison_page, verdict
from pytest_mcpbench.reporting.page.document import served_page
from pytest_mcpbench.reporting.page.sections.layout import paragraph
from pytest_mcpbench.reporting.page.sections.report_sections import report_sections
from pytest_mcpbench.reporting.tables.section import Section, plain
from pytest_mcpbench.runs.arms.explanation import compared_runs
from pytest_mcpbench.viewer.notes import LONGEST_NOTE
from pytest_mcpbench.viewer.run_index import RunIndex

# Page of the local server: tables of the runs, a comparison of two of them, and the list of attempts.

SOURCE = "source/"
"""Address below which the script of the page fetches attempts, relative to the page."""

COMPARISON = "comparison"
"""Address of the page of the comparison, relative to the page of the runs."""
_LINK = Markup('<p><a href="{}">Differences with intervals, changed tasks with both trajectories, and causes</a></p>')


class Pages:
    """Pages of the runs; the tables are made again only when attempts have changed."""

    def __init__(self, index: RunIndex, title: str) -> None:
        self._index = index
        self._title = title
        self._lock = threading.Lock()
        self._cached: tuple[tuple[int, bool], str] | None = None

    def page(self) -> str:
        """Return the page of all runs as they are now."""
        with self._lock:
            state = self._index.version, self._index.is_complete
            if self._cached is None or self._cached[0] != state:
                before, after = self._sections()
                self._cached = state, served_page(title=self._title, sections=before, source=SOURCE, closing=after)
            return self._cached[1]

    def comparison(self) -> str | None:
        """Return the page of ``mcpbench compare`` for two runs; ``None`` if there are not two."""
        if not self._has_comparison():
            return None
        before, after = (
            (self._index.report_of(run), directory) for run, directory in enumerate(self._index.directories)
        )
        return "".join(comparison_page(compared_runs(before, after, most_traces=TRACES)))

    def _has_comparison(self) -> bool:
        return len(self._index.directories) == 2 and self._index.is_complete

    def _sections(self) -> tuple[Sequence[Section], Sequence[Section]]:
        """Return the sections before and after the attempts."""
        count = self._index.count()
        if not self._index.is_complete:
            return (_state(f"{count:,} attempts are read so far. Load the page again for tables of all."),), ()
        if not count:
            return (_state("No attempt has ended so far. Attempts appear in the list as they end."),), ()
        with paused_collection():
            report = self._index.report()
            before, after = report_sections(report)
        time = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
        state = _state(f"{count:,} attempts at {time}. The list stays up to date; load the page again for the rest.")
        comparison: tuple[Section, ...] = ()
        if self._has_comparison():
            sentence = verdict(compare_runs(self._index.report_of(0), self._index.report_of(1)))
            title = " → ".join(self._index.names)
            comparison = (Section("runs", f"Comparison: {title}", paragraph(sentence) + _LINK.format(COMPARISON)),)
        return (state, *comparison, *before), after


def _state(text: str) -> Section:
    return Section("state", "State", Markup("<p>{}</p>").format(plain(text)))


# Bodies of requests to the local server, and answers that refuse them.


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


# Protection of the local server against other sites, other users of the machine, and text that means harm.

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
        host = request.headers.get("host", "")
        if host not in self._hosts:
            refusal = "This server answers requests to its own address only."
        elif not secrets.compare_digest(request.url.path.split("/")[1].encode(), self.token.encode()):
            refusal = "The address is not complete; open the one that the command prints."
        elif request.method not in ("GET", "HEAD") and not _is_own_write(request, host):
            refusal = "Only the page of this server may write."
        else:
            refusal = None
        if request.url.path == "/favicon.ico":
            response = Response(status_code=204)
        else:
            response = PlainTextResponse(f"{refusal}\n", 403) if refusal else await call_next(request)
        response.headers.update(_HEADERS)
        return response


def _is_own_write(request: Request, host: str) -> bool:
    is_json = request.headers.get("content-type", "").partition(";")[0].strip() == "application/json"
    return is_json and request.headers.get("origin") == f"http://{host}"


_LARGEST_BODY = 10 * LONGEST_NOTE
_PARTS = ("all", "conversation")


class NewNote(FrozenModel):
    """Body of a request that adds a note."""

    number: int
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NOTE)]


def application(index: RunIndex, pages: Pages, *, guard: Guard, author: str) -> Starlette:
    """Return the application. All its addresses begin with the token of the guard, and none of them names a file.

    Args:
        index: The attempts.
        pages: The page of the runs.
        guard: Refuses requests of others.
        author: Author of new notes.
    """
    handlers = _Handlers(index, pages, author)
    routes = [
        Route("/", handlers.page),
        Route(f"/{COMPARISON}", handlers.comparison),
        Route("/source/index", handlers.index),
        Route("/source/attempts/{number:int}", handlers.attempt),
        Route("/source/search", handlers.search),
        Route("/source/notes", handlers.add_note, methods=["POST"]),
    ]
    # The index of 100,000 attempts is a fifth as large, which counts where the browser is on another machine.
    middleware = [Middleware(BaseHTTPMiddleware, dispatch=guard), Middleware(GZipMiddleware, compresslevel=1)]
    return Starlette(routes=[Mount(f"/{guard.token}", routes=routes)], middleware=middleware)


class _Handlers:
    """Handlers of requests. Those without ``async`` run in threads, because they read from disk."""

    def __init__(self, index: RunIndex, pages: Pages, author: str) -> None:
        self._index = index
        self._pages = pages
        self._author = author

    def page(self, _request: Request) -> Response:
        return HTMLResponse(self._pages.page())

    def comparison(self, _request: Request) -> Response:
        page = self._pages.comparison()
        return problem("there are no two runs to compare", 404) if page is None else HTMLResponse(page)

    def index(self, request: Request) -> Response:
        since = request.query_params.get("since", "0")
        if not (since.isascii() and since.isdigit()):
            return problem("since is not a version")
        return StreamingResponse(self._index.index_json(int(since)), media_type="application/json")

    def attempt(self, request: Request) -> Response:
        document = self._index.document(request.path_params["number"])
        return problem("there is no such attempt", 404) if document is None else JSONResponse(document)

    def search(self, request: Request) -> Response:
        part = request.query_params.get("part", "all")
        if part not in _PARTS:
            return problem(f"part is one of {', '.join(_PARTS)}")
        return JSONResponse(self._index.search(request.query_params.get("text", ""), part))

    async def add_note(self, request: Request) -> Response:
        body = await read_body(request, _LARGEST_BODY)
        if body is None:
            return problem("the note is too long", 413)
        try:
            note = NewNote.model_validate_json(body)
        except ValidationError as error:
            return problem("; ".join(each["msg"] for each in error.errors(include_url=False)))
        try:
            stored = await run_in_threadpool(self._index.add_note, note.number, author=self._author, text=note.text)
        except StorageError as error:
            return problem(f"the note cannot be stored: {error}", 500)
        return problem("there is no such attempt", 404) if stored is None else JSONResponse({"author": stored.author})


# Serving of the local page on a port of the loopback interface, until Ctrl-C.

HOST = "127.0.0.1"
_SECONDS_TO_END = 2


class _Server(uvicorn.Server):
    """Server that says when it answers."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_start()


@dataclass(frozen=True)
class ViewSettings:
    """Settings of the local server."""

    port: int = 0
    """Port to listen on; 0 for a free one."""
    author: str = ""
    """Author of new notes."""
    opens_browser: bool = True


def serve(directories: Sequence[Path], settings: ViewSettings, announce: Callable[[str], None]) -> None:
    """Serve the page of runs until Ctrl-C, and pass its address to ``announce``.

    Raises:
        UsageError: the port is taken.
    """
    with (
        TemporaryDirectory(prefix="mcpbench-view-") as scratch,
        closing(RunIndex(directories, Path(scratch))) as index,
    ):
        pages = Pages(index, f"mcpbench: {', '.join(index.names)}")

        def make(guard: Guard) -> Starlette:
            # The tables of many attempts take a while; they are ready when the page is loaded again.
            index.start(when_read=pages.page)
            return application(index, pages, guard=guard, author=settings.author)

        serve_application(make, settings, announce)


def serve_application(
    make: Callable[[Guard], Starlette], settings: ViewSettings, announce: Callable[[str], None]
) -> None:
    """Serve an application until Ctrl-C, and pass its address to ``announce``.

    Args:
        make: Builds the application for the guard of its requests; called as soon as the port is known to be free.
        settings: Port, and whether a browser is opened.
        announce: Takes the address once the application answers.

    Raises:
        UsageError: the port is taken.
    """
    with closing(_listen(settings.port)) as listener:
        port = listener.getsockname()[1]
        guard = Guard(hosts=frozenset({f"{HOST}:{port}", f"localhost:{port}"}), token=secrets.token_urlsafe(16))
        url = f"http://{HOST}:{port}/{guard.token}/"
        config = uvicorn.Config(
            make(guard),
            log_config=None,
            log_level="critical",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=_SECONDS_TO_END,
        )
        # uvicorn ends in order and then raises the signal again.
        with suppress(KeyboardInterrupt):
            _Server(config, lambda: _announce(url, announce, opens_browser=settings.opens_browser)).run(
                sockets=[listener]
            )


def _announce(url: str, announce: Callable[[str], None], *, opens_browser: bool) -> None:
    announce(url)
    if opens_browser:
        # A browser in the terminal would block the server that it is to show.
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise UsageError(f"port {port} of {HOST} is taken; choose another one with --port.") from None
        raise
    return listener
