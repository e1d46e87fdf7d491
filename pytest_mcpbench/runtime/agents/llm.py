"""The agent that asks a language model what to do next."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import anyio

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings
from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.prompt import assistant_message, conversation, tool_message
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.trajectory import StopReason, Trajectory
from pytest_mcpbench.runtime.agent import AgentEnvironment
from pytest_mcpbench.runtime.agents.calling import Batch
from pytest_mcpbench.runtime.agents.episode import AskModel, CallTools, History, Stop, next_step, unsent
from pytest_mcpbench.runtime.model import Model


@dataclass(frozen=True)
class LlmAgent:
    """A model in a loop with tools, within the limits of the task."""

    model: Model
    settings: ModelSettings = field(default_factory=ModelSettings)
    limits: Limits = field(default_factory=Limits)
    """For tasks that have none of their own."""
    system: str | None = None
    """System prompt for tasks that have none of their own."""

    @property
    def name(self) -> str:
        return self.model.name

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        limits = task.limits or self.limits
        run = _Episode(self.model, _settings(self.settings, limits), limits, task, arena, self.system)
        try:
            return await run.play()
        except McpBenchError as error:
            error.trajectory = run.trajectory("answered")
            raise


class _Episode:
    """One attempt: what has happened so far, and what the model has seen of it."""

    def __init__(  # noqa: PLR0913 - everything that an attempt depends on
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
        self._said: list[list[ChatMessage]] = []
        self._messages: list[ChatMessage] = []
        self._history = History(turns=len(task.turns))
        self._batch: Batch | None = None
        self._answered_by: str | None = None
        self._began = time.perf_counter()

    async def play(self) -> Trajectory:
        reason: StopReason = "time_limit"
        with anyio.move_on_after(self._limits.seconds):
            reason = await self._play_to_the_end()
        return self.trajectory(reason)

    def trajectory(self, stop: StopReason) -> Trajectory:
        """Everything that was done so far, with the calls that are in flight."""
        history = self._history
        if self._batch is not None and history.reply is not None:
            made = self._batch.records
            history = history.called([*made, *map(unsent, history.reply.calls[len(made) :])])
        return Trajectory(steps=history.steps, stop=stop, seconds=self._seconds, notes=self._notes())

    async def _play_to_the_end(self) -> StopReason:
        while True:
            match next_step(replace(self._history, seconds=self._seconds), self._limits):
                case AskModel(turn):
                    await self._ask(turn)
                case CallTools() as step:
                    await self._call(step)
                case Stop(reason):
                    return reason

    async def _ask(self, turn: int) -> None:
        self._begin_turns_up_to(turn)
        reply = await self._model.complete(self._messages, self._arena.tools, self._patient_settings)
        self._history = self._history.replied(turn, reply)
        self._answered_by = reply.model
        if reply.text or reply.calls:
            self._add(assistant_message(reply))

    async def _call(self, step: CallTools) -> None:
        self._batch = Batch(step.calls)
        await self._batch.make(self._arena)
        self._took([*self._batch.records, *map(unsent, step.unsent)])
        self._batch = None

    def _took(self, records: Sequence[CallRecord]) -> None:
        self._history = self._history.called(records)
        for record in records:
            self._add(tool_message(record, self._limits.result_characters))

    def _begin_turns_up_to(self, turn: int) -> None:
        if len(self._said) > turn:
            return
        self._said.append([])
        self._messages = conversation(self._task, self._said, self._arena.tools, self._system)

    def _add(self, message: ChatMessage) -> None:
        self._said[-1].append(message)
        self._messages.append(message)

    @property
    def _patient_settings(self) -> ModelSettings:
        """The settings with the time that is left of the limit."""
        if self._limits.seconds is None:
            return self._settings
        ends = time.monotonic() + self._limits.seconds - self._seconds
        return self._settings.model_copy(update={"patience_ends": ends})

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self._began

    def _notes(self) -> dict[str, str]:
        """Which model it was in truth, and a limit that could not be kept."""
        notes = {"answered_by": self._answered_by} if self._answered_by else {}
        unknown = any(step.usage.cost_usd is None for step in self._history.steps)
        if self._limits.cost_usd is not None and unknown:
            notes["cost_limit"] = "not kept: what the model costs is not known"
        return notes


def _settings(settings: ModelSettings, limits: Limits) -> ModelSettings:
    """With the shorter of the two limits of a reply."""
    if limits.output_tokens is None:
        return settings
    most = min(limits.output_tokens, settings.max_output_tokens or limits.output_tokens)
    return settings.model_copy(update={"max_output_tokens": most})
