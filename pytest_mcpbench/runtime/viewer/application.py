"""Routes of the local server: the page, its source of attempts, and notes."""

from typing import Annotated

from pydantic import StringConstraints, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from pytest_mcpbench.core.errors import StorageError
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.runtime.viewer.exchange import problem, read_body
from pytest_mcpbench.runtime.viewer.guard import Guard
from pytest_mcpbench.runtime.viewer.notes import LONGEST_NOTE
from pytest_mcpbench.runtime.viewer.pages import COMPARISON, Pages
from pytest_mcpbench.runtime.viewer.run_index import RunIndex

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
    middleware = [Middleware(BaseHTTPMiddleware, dispatch=guard)]
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
