"""Routes of the local server for reviewers: the page, the tasks, and their decisions."""

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route

from pytest_mcpbench.core.errors import StorageError, UsageError
from pytest_mcpbench.generation.review.documents import Plays, review_document, task_document
from pytest_mcpbench.generation.review.recording import ChangedTaskError, NewDecision, Review, UnknownTaskError
from pytest_mcpbench.reporting.page.review_page import review_page
from pytest_mcpbench.viewer.application import Guard, problem, read_body

_LARGEST_BODY = 2_000_000
_STATUS = {UnknownTaskError: 404, ChangedTaskError: 409}


def application(review: Review, *, guard: Guard, reviewer: str, plays: Plays) -> Starlette:
    """Return the application. All its addresses begin with the token of the guard.

    Args:
        review: The tasks and the file of decisions.
        guard: Refuses requests of others.
        reviewer: Reviewer of new decisions.
        plays: Plays of the reference calls, where the references were played.
    """
    handlers = _Handlers(review, reviewer, plays)
    routes = [
        Route("/", handlers.page),
        Route("/tasks", handlers.tasks),
        Route("/decisions", handlers.decide, methods=["POST"]),
    ]
    middleware = [Middleware(BaseHTTPMiddleware, dispatch=guard)]
    return Starlette(routes=[Mount(f"/{guard.token}", routes=routes)], middleware=middleware)


class _Handlers:
    """Handlers of requests. Those without ``async`` run in threads, because they read from disk."""

    def __init__(self, review: Review, reviewer: str, plays: Plays) -> None:
        self._review = review
        self._reviewer = reviewer
        self._plays = plays

    def page(self, _request: Request) -> Response:
        return HTMLResponse(review_page(f"Review of {self._review.suite.name}"))

    def tasks(self, _request: Request) -> Response:
        return JSONResponse(review_document(self._review, self._reviewer, self._plays))

    async def decide(self, request: Request) -> Response:
        body = await read_body(request, _LARGEST_BODY)
        if body is None:
            return problem("the decision is too long", 413)
        try:
            new = NewDecision.model_validate_json(body)
        except ValidationError as error:
            return problem("; ".join(each["msg"] for each in error.errors(include_url=False)))
        return await run_in_threadpool(self._store, new)

    def _store(self, new: NewDecision) -> Response:
        try:
            self._review.store(new, self._reviewer)
            return JSONResponse(task_document(self._review.task(new.task), self._reviewer, self._plays))
        except StorageError as error:
            return problem(f"{error.file} cannot be written: {error.problem}", 500)
        except UsageError as error:
            return problem(str(error), _STATUS.get(type(error), 400))
