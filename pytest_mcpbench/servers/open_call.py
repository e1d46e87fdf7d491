"""Call in flight: its deadline, and the questions that its server asks meanwhile."""

import asyncio
from collections.abc import Awaitable, Sequence
from contextvars import ContextVar
from typing import Protocol, TypeVar

import mcp_types as types
from pydantic import JsonValue

from pytest_mcpbench.core.elicitation import NOBODY, Elicitation
from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.sampling import Sampling
from pytest_mcpbench.servers.large_results import is_decoding
from pytest_mcpbench.servers.reply_watch import LATE_SECONDS
from pytest_mcpbench.servers.server_connection import ServerRespondent
from pytest_mcpbench.text.normal_forms import replace_surrogates

Answer = TypeVar("Answer")
_MOST_REPORTS = 100
"""Reports of progress that are kept of one call."""

CURRENT: "ContextVar[OpenCall]" = ContextVar("current call")
"""Call of the task that runs, also of tasks in which mcp's client handles what the server sends because of it."""


class CallingClient(Protocol):
    """Client of a program under test, for which a proxy makes calls."""

    @property
    def answers(self) -> bool:
        """Return whether it is asked what servers ask the user."""
        ...

    async def ask(self, asked: Elicitation) -> Elicitation | None:
        """Return a question with its answer; ``None`` if it cannot be asked this."""
        ...

    async def report_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Tell it of progress, if it wants to know."""
        ...


CALLING_CLIENT: ContextVar[CallingClient | None] = ContextVar("client of a program", default=None)
"""Client for which the task that runs makes its calls; ``None``: an agent of this process makes them."""


def expects_questions(respondent: ServerRespondent | None) -> bool:
    """Return whether somebody is prepared to answer what a server asks during a call that is made now."""
    client = CALLING_CLIENT.get()
    return (client is not None and client.answers) or (respondent is not None and respondent.is_prepared)


class OpenCall:
    """One request with its time limit, which stands still while the user answers, and starts again with progress."""

    def __init__(self, seconds: float, *, server: str = "", tool: str = "", respondent: ServerRespondent | None = None):
        self.respondent = respondent
        self.expects_questions = expects_questions(respondent)
        self.elicitations: list[Elicitation] = []
        self.samplings: list[Sampling] = []
        self.refused_samplings = 0
        self.progress: list[str] = []
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the time is over, or a question cannot be answered."""
        self.error: McpBenchError | None = None
        """Error of a question that nobody can answer."""
        self._seconds = seconds
        self._server = server
        self._tool = tool
        self._questions = 0
        self._client = CALLING_CLIENT.get()
        self._timer: asyncio.TimerHandle | None = None
        self._latest = 0.0
        """Time at which a call ends even if this process is busy with large replies of any server."""
        self.restart()

    def restart(self) -> None:
        """Let the whole time begin again."""
        self.close()
        if not self._questions:
            self._latest = asyncio.get_running_loop().time() + 2 * self._seconds
            self._start_timer(self._seconds)

    async def note_progress(self, progress: float | None, total: float | None, message: str | None) -> None:
        """Note a report, and let the whole time begin again: a server that reports progress has not stopped working."""
        if len(self.progress) < _MOST_REPORTS:
            number = "" if progress is None else f"{progress:g}" if total is None else f"{progress:g} of {total:g}"
            self.progress.append(replace_surrogates(": ".join(filter(None, (number, message)))))
        if not self.over.done() and self._timer is not None:
            self.restart()
        if self._client is not None and progress is not None:
            await self._client.report_progress(progress, total, message)

    def close(self) -> None:
        """Stop the clock."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def answer(self, asked: Elicitation) -> Elicitation:
        """Return a question with its answer; declined if nobody can be asked, closed if that ends the attempt."""
        answered = None
        if self._client is not None and self._client.answers:
            answered = await self._while_it_waits(self._client.ask(asked))
        if answered is None and self.respondent is not None:
            answered = await self._while_it_waits(self.respondent.answer(asked, server=self._server, tool=self._tool))
            if answered is None:
                return asked.answered("cancel", NOBODY, {})
        answered = answered or asked.answered("decline", NOBODY, {})
        self.elicitations.append(answered)
        return answered

    async def sample(self, asked: Sampling) -> Sampling | None:
        """Return a request for a message with the reply of a model; ``None`` if no model answers servers."""
        sampled = None if self.respondent is None else await self._while_it_waits(self.respondent.sample(asked))
        if sampled is None:
            self.refused_samplings += 1
        else:
            self.samplings.append(sampled)
        return sampled

    async def _while_it_waits(self, answer: Awaitable[Answer | None]) -> Answer | None:
        """Return an answer, during which the time does not run; ``None``, and an error, if nobody can give it."""
        self._questions += 1
        self.close()
        try:
            return await answer
        except McpBenchError as error:
            self.error = self.error or error
            self._expire()
            return None
        finally:
            self._questions -= 1
            self.restart()

    def _start_timer(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + seconds
        self._timer = loop.call_at(due, self._end_time, due)

    def _end_time(self, due: float) -> None:
        late = asyncio.get_running_loop().time() - due
        # If the event loop was busy, a reply may have come that nobody has read.
        if late > LATE_SECONDS:
            self._start_timer(late)
        elif is_decoding() and due < self._latest:
            self._start_timer(LATE_SECONDS)
        else:
            self._expire()

    def _expire(self) -> None:
        if not self.over.done():
            self.over.set_result(None)


def elicitation(params: types.ElicitRequestParams) -> Elicitation:
    """Return the question of a request for elicitation."""
    if isinstance(params, types.ElicitRequestURLParams):
        return Elicitation(message=params.message, url=params.url)
    return Elicitation(message=params.message, fields=params.requested_schema)


def elicit_result(answered: Elicitation) -> types.ElicitResult:
    """Return the answer to a question as the protocol has it: an accepted form has a content, nothing else has."""
    is_form = answered.action == "accept" and answered.url is None
    content: dict[str, JsonValue] | None = answered.content if is_form else None
    return types.ElicitResult.model_validate({"action": answered.action or "cancel", "content": content})


def sampling(params: types.CreateMessageRequestParams) -> Sampling:
    """Return the request for a message; other content than text is described."""
    system = [("system", params.system_prompt)] if params.system_prompt else []
    messages = [(message.role, "\n".join(map(_text, message.content_as_list))) for message in params.messages]
    return Sampling(messages=(*system, *messages), max_tokens=params.max_tokens, temperature=params.temperature)


def _text(block: types.SamplingMessageContentBlock) -> str:
    return block.text if isinstance(block, types.TextContent) else f"[{block.type}]"


def asking_calls(in_flight: Sequence[OpenCall]) -> Sequence[OpenCall]:
    """Return the calls of those in flight during which the server may be asking; usually one.

    Over HTTP, and since the protocol 2026-07-28, a question belongs to a call. Elsewhere a call whose attempt expects
    questions is made alone among those, and any other is found if it is the only one.
    """
    current = CURRENT.get(None)
    if current is not None and current in in_flight:
        return [current]
    return [call for call in in_flight if call.expects_questions] or in_flight
