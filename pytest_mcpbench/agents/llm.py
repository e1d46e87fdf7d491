"""Agent that asks a language model for the next step."""

import time
from dataclasses import dataclass, field, replace

import anyio

from pytest_mcpbench.agents.agent import AgentEnvironment
from pytest_mcpbench.agents.call_batch import CallBatch
from pytest_mcpbench.agents.context_reader import ContextReader
from pytest_mcpbench.agents.episode import (
    AskModel,
    AskUser,
    CallTools,
    EpisodeHistory,
    RequestRecord,
    Stop,
    next_step,
    unsent_record,
)
from pytest_mcpbench.agents.users.dialogue import Dialogue
from pytest_mcpbench.core.chat import CONTEXT_FULL, CUT_OFF, REFUSED, ChatMessage, ModelSettings
from pytest_mcpbench.core.conditions import PROVIDER
from pytest_mcpbench.core.errors import McpBenchError, ModelError
from pytest_mcpbench.core.prompt import (
    assistant_message,
    conversation,
    server_instructions,
    system_prompt,
    tool_message,
)
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.core.thoughts import without_thoughts
from pytest_mcpbench.core.tool import Call, CallRecord, ContextRead, ToolSearch, ToolSpec
from pytest_mcpbench.core.trajectory import ANSWERED_BY, CALL_IN_TEXT, SearchOffer, Step, StopReason, Trajectory
from pytest_mcpbench.models.model import Model
from pytest_mcpbench.models.tool_formats.json_format import parse_json_reply

SILENT_SECONDS = 60.0
"""Time that a request may have been without a reply when the time limit ends the attempt."""


@dataclass(frozen=True)
class LlmAgent:
    """Language model in a loop with tools, within the limits of the task."""

    model: Model
    settings: ModelSettings = field(default_factory=ModelSettings)
    limits: Limits = field(default_factory=Limits)
    """Limits for tasks without their own."""
    system: str | None = None
    """System prompt for tasks without their own."""
    may_be_silent: bool = False
    """Whether an attempt without any reply is scored, as is right for a substitute that is no language model."""

    @property
    def name(self) -> str:
        return self.model.name

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        limits = task.limits or self.limits
        episode = _Episode(arena.taped(self.model), _settings(self.settings, limits), limits, task, arena, self.system)
        try:
            trajectory = await episode.play()
            if not self.may_be_silent:
                _require_reply(trajectory, limits, model=self.model.name)
            return trajectory
        except McpBenchError as error:
            error.trajectory = episode.trajectory("answered")
            raise


class _Episode:
    """State of one attempt: its history, and the messages that the model receives."""

    def __init__(  # noqa: PLR0913 - an attempt depends on all of these
        self,
        model: Model,
        settings: ModelSettings,
        limits: Limits,
        task: Task,
        arena: AgentEnvironment,
        system: str | None,
    ) -> None:
        self._model = model
        self._settings = settings
        self._limits = limits
        self._task = task
        self._arena = arena
        self._system = system
        self._turn_messages: list[list[ChatMessage]] = []
        self._messages: list[ChatMessage] = []
        self._dialogue = Dialogue(task, arena.user)
        self._searcher = arena.searcher
        self._reader = arena.reader
        search = () if self._searcher is None else (self._searcher.tool,)
        self._client_tools = search if self._reader is None else (*search, *self._reader.tools)
        names = frozenset(tool.name for tool in self._client_tools)
        self._history = EpisodeHistory(is_open=True, client_tools=names)
        self._batch: CallBatch | None = None
        self._client_records: list[ToolSearch | ContextRead] = []
        """Calls of tools of the client in the last reply that were made."""
        self._unsent: list[Call] = []
        """Calls of the last reply that were not made."""
        self._time = anyio.CancelScope()
        self._reporting_model: str | None = None
        self._started = time.perf_counter()
        self._asked: float | None = None
        """Moment of the request that has no reply yet."""

    async def play(self) -> Trajectory:
        reason: StopReason = "time_limit"
        with anyio.move_on_after(self._limits.seconds) as self._time:
            if self._arena.respondent is not None:
                self._arena.respondent.attend(self._dialogue, self._time)
            reason = await self._play_turns()
        self._require_answering_provider()
        return self.trajectory(reason)

    def _require_answering_provider(self) -> None:
        """Raise ModelError if the time limit has ended a request that waited far longer than those before it."""
        seconds, steps = self._limits.seconds, self._history.steps
        if self._asked is None or seconds is None or not steps:
            return
        silent = time.perf_counter() - self._asked
        longest = max(step.seconds for step in steps)
        # A model whose replies always take this long is slow, and its provider has not stopped answering.
        if silent >= min(SILENT_SECONDS, seconds / 2) and silent >= 2 * longest:
            problem = f"did not answer for {silent:.3g} s, until the attempt's time limit of {seconds:g} s"
            raise ModelError(problem, self._model.name)

    def trajectory(self, stop: StopReason) -> Trajectory:
        """Return everything done so far, including the calls in flight."""
        history = self._history
        if self._batch is not None:
            history = history.with_records(self._records)
        return Trajectory(
            steps=history.steps,
            stop=stop,
            seconds=self._seconds,
            notes=self._notes(),
            search_offer=self._search_offer,
            offered_skills=None if self._reader is None else self._reader.offered_skills,
            conversation=self._dialogue.record,
        )

    async def _play_turns(self) -> StopReason:
        while True:
            match next_step(replace(self._history, seconds=self._seconds), self._limits):
                case AskModel(turn):
                    await self._ask(turn)
                case CallTools() as step:
                    await self._call(step)
                case AskUser(turn):
                    await self._ask_user(turn)
                case Stop(reason):
                    return reason

    async def _ask(self, turn: int) -> None:
        self._start_turn(turn)
        self._asked = time.perf_counter()
        reply = await self._model.complete(self._messages, self._tools, self._settings_with_deadline)
        self._asked = None
        self._history = self._history.with_reply(turn, reply)
        self._reporting_model = reply.model
        if not reply.is_empty:
            self._add(assistant_message(reply))

    async def _ask_user(self, turn: int) -> None:
        """Ask for the user's next message."""
        await self._dialogue.ask(self._history.steps_of_turn(turn - 1)[-1], self._time)
        self._history = replace(self._history, turns=len(self._dialogue.turns), is_open=self._dialogue.is_open)

    async def _call(self, step: CallTools) -> None:
        of_client = [call for call in step.calls if call.name in self._history.client_tools]
        self._batch = CallBatch([call for call in step.calls if call.name not in self._history.client_tools])
        self._unsent = [*of_client, *step.unsent]
        await self._batch.execute(self._arena if self._searcher is None else self._searcher.caller(self._arena))
        for call in of_client:
            self._client_records.append(await self._use_client(call))
            self._unsent.remove(call)
        records = self._records
        self._history = self._history.with_records(records)
        for record in records:
            if isinstance(record, CallRecord | ContextRead):
                self._add(tool_message(record, self._limits.result_characters, self._arena.result_view))
            elif self._searcher is not None:
                self._searcher.load(record)
                self._add(self._searcher.message(record))
        self._batch, self._client_records = None, []

    async def _use_client(self, call: Call) -> ToolSearch | ContextRead:
        """Make a call of a tool of the client."""
        if (reader := self._reader_of(call)) is not None:
            return await reader.read(call)
        assert self._searcher is not None, "the only other tool of the client is its search"
        return await self._searcher.search(call)

    @property
    def _records(self) -> list[RequestRecord]:
        """Return the records of all calls of the last reply."""
        assert self._batch is not None, "the reply has calls"
        return [*self._batch.records, *self._client_records, *map(self._unsent_record, self._unsent)]

    def _unsent_record(self, call: Call) -> RequestRecord:
        if call.name not in self._history.client_tools:
            return unsent_record(call)
        reader = self._reader_of(call)
        return ToolSearch(**call.model_dump()) if reader is None else reader.unmade(call)

    def _reader_of(self, call: Call) -> ContextReader | None:
        """Return the reader if the tool is one of its; the only other tool of the client is its search."""
        return self._reader if self._reader is not None and self._reader.reads(call.name) else None

    def _start_turn(self, turn: int) -> None:
        """Start the user turn, unless it is in progress, and rebuild the conversation up to it."""
        if len(self._turn_messages) > turn:
            return
        self._turn_messages.append([])
        self._messages = conversation(
            self._task,
            self._turn_messages,
            self._arena.tools,
            system_prompt(self._task, self._system, server_instructions(self._arena.servers, self._arena.tools)),
            turns=self._dialogue.turns,
        )

    def _add(self, message: ChatMessage) -> None:
        self._turn_messages[-1].append(message)
        self._messages.append(message)

    @property
    def _tools(self) -> tuple[ToolSpec, ...]:
        """Tools whose definitions the model sees in its next request."""
        shown = self._arena.tools if self._searcher is None else self._searcher.shown_tools
        return shown if self._reader is None else (*shown, *self._reader.tools)

    @property
    def _search_offer(self) -> SearchOffer | None:
        if self._searcher is not None:
            return self._searcher.offer
        tools = self._arena.tools
        is_deferred = any(tool.is_deferred for tool in tools)
        # How many tools a search of the provider finds at most, and how many tokens its definition has, is its secret.
        return SearchOffer(ranking=PROVIDER, results=len(tools), tokens=0) if is_deferred else None

    @property
    def _settings_with_deadline(self) -> ModelSettings:
        """Settings with the time limit as the deadline for retries."""
        if self._limits.seconds is None:
            return self._settings
        deadline = time.monotonic() + self._limits.seconds - self._seconds
        return self._settings.model_copy(update={"deadline": deadline})

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self._started - self._dialogue.seconds

    def _notes(self) -> dict[str, str]:
        """Return the model that answered, according to the provider, and what hides behind limits and answers."""
        notes = {ANSWERED_BY: self._reporting_model} if self._reporting_model else {}
        unknown = any(step.usage.cost_usd is None for step in self._history.steps)
        if self._limits.cost_usd is not None and unknown:
            notes["cost_limit"] = "not enforced: the cost of the model is unknown"
        written = self._call_in_text()
        return notes if written is None else {**notes, CALL_IN_TEXT: written}

    def _call_in_text(self) -> str | None:
        """Return the tool whose call is the final text of an attempt that made no call in the provider's fields."""
        steps = self._history.steps
        if not steps or steps[-1].parsed or any(step.requests for step in steps):
            return None
        names = {tool.name for tool in self._tools}
        calls = parse_json_reply(steps[-1].text, names).calls
        return next((call.name for call in calls if call.name in names), None)


def _require_reply(trajectory: Trajectory, limits: Limits, *, model: str) -> None:
    """Raise ModelError if the first turn has no reply: that says nothing about how well the model solves the task."""
    first_turn = [step for step in trajectory.steps if step.turn == 0]
    if not first_turn and trajectory.stop == "time_limit":
        raise ModelError(f"did not answer within the attempt's time limit of {limits.seconds:g} s", model)
    if first_turn and not any(map(_is_written, first_turn)):
        raise ModelError(_silence(first_turn[-1]), model)


def _is_written(step: Step) -> bool:
    """Return whether the model wrote more than thoughts."""
    return bool(step.requests or without_thoughts(_raw_text(step)))


def _raw_text(step: Step) -> str:
    return (step.parsed.raw if step.parsed else step.text).strip()


def _silence(step: Step) -> str:
    """Return why a step has neither text nor a call."""
    reason = step.finish_reason
    if reason == CONTEXT_FULL:
        return "the first request exceeds its context window"
    if reason in CUT_OFF:
        return f"its output limit ended its first reply before any text or call (finish reason {reason!r})"
    if reason in REFUSED:
        return f"its first reply was stopped before any text or call (finish reason {reason!r})"
    if _raw_text(step):
        return "its first reply consists of thoughts, with neither text nor a call"
    return "its first reply has neither text nor a call"


def _settings(settings: ModelSettings, limits: Limits) -> ModelSettings:
    """Return the settings with the lower of the two limits of output tokens."""
    if limits.output_tokens is None:
        return settings
    maximum = min(limits.output_tokens, settings.max_output_tokens or limits.output_tokens)
    return settings.model_copy(update={"max_output_tokens": maximum})
