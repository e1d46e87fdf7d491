"""Decision logic of the agent loop, without I/O: history and limits in, next step out.

A limit never removes an answer that exists. Limits of a user turn (rounds, calls, repetition, length of a reply) end
that turn, and the user continues; limits of the attempt (seconds, tokens, cost) end the attempt.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_mcpbench.core.chat import CONTEXT_FULL, CUT_OFF, REFUSED, Reply
from pytest_mcpbench.core.task import Limits
from pytest_mcpbench.core.tool import Call, CallRecord, ContextRead, ToolSearch
from pytest_mcpbench.core.trajectory import Step, StopReason

RequestRecord = CallRecord | ToolSearch | ContextRead
"""Record of a call of a tool of a server, or of the client."""

MOST_UNREADABLE = 3
"""Unreadable replies in a row after which a user turn is over."""


@dataclass(frozen=True)
class AskModel:
    """Request the model's next message in a user turn (from 0)."""

    turn: int


@dataclass(frozen=True)
class CallTools:
    """Execute ``calls`` concurrently; the ``unsent`` calls after them exceed a limit and are never executed."""

    calls: tuple[Call, ...]
    unsent: tuple[Call, ...] = ()


@dataclass(frozen=True)
class AskUser:
    """Request the user's message that opens a turn (from 0)."""

    turn: int


@dataclass(frozen=True)
class Stop:
    """End of the attempt."""

    reason: StopReason


NextStep = AskModel | CallTools | AskUser | Stop


@dataclass(frozen=True)
class EpisodeHistory:
    """Steps so far in an attempt with ``turns`` messages of the user."""

    turns: int = 1
    is_open: bool = False
    """Whether the user may write another message."""
    steps: tuple[Step, ...] = ()
    """Complete steps: each of their calls was executed, refused or left unsent."""
    reply: Reply | None = None
    """The last reply, until its calls are executed."""
    reply_turn: int = 0
    client_tools: frozenset[str] = frozenset()
    """Names of the tools of the client, whose calls are no calls of the task."""
    seconds: float = 0.0
    """Seconds since the start of the attempt."""

    def with_reply(self, turn: int, reply: Reply) -> "EpisodeHistory":
        """Return the history with the model's next message; a message without calls is a complete step."""
        if reply.calls:
            return replace(self, reply=reply, reply_turn=turn)
        return replace(self, steps=(*self.steps, build_step(turn, reply, ())))

    def with_records(self, records: Sequence[RequestRecord]) -> "EpisodeHistory":
        """Return the history with the records of all calls of the last reply, in their order."""
        if self.reply is None:
            raise ValueError("there is no reply whose calls could be recorded")
        return replace(self, steps=(*self.steps, build_step(self.reply_turn, self.reply, records)), reply=None)

    def steps_of_turn(self, turn: int) -> tuple[Step, ...]:
        """Return the complete steps of one user turn."""
        return tuple(step for step in self.steps if step.turn == turn)


def next_step(history: EpisodeHistory, limits: Limits) -> NextStep:
    """Return what the agent must do next."""
    if history.reply is not None:
        return _calls_to_make(history, history.reply, limits)
    turn = history.steps[-1].turn if history.steps else 0
    if turn_end(history.steps_of_turn(turn), limits) is not None:
        turn += 1
    if turn == history.turns and history.is_open:
        return AskUser(turn)
    if turn == history.turns:
        # The end of the first turn that the model did not answer.
        ends = (turn_end(history.steps_of_turn(turn), limits) for turn in range(history.turns))
        reason: StopReason | None = next((end for end in ends if end not in (None, "answered")), None)
        return Stop(reason or "answered")
    exhausted_limit = _exhausted_limit(history, limits)
    return Stop(exhausted_limit) if exhausted_limit else AskModel(turn)


def turn_end(steps: Sequence[Step], limits: Limits) -> StopReason | None:
    """Return why a user turn with these steps is over; ``None`` if it continues."""
    if not steps:
        return None
    last = steps[-1]
    if last.is_unreadable and last.finish_reason not in CUT_OFF:
        # Until then the model is told and asked again.
        if len(steps) >= MOST_UNREADABLE and all(step.is_unreadable for step in steps[-MOST_UNREADABLE:]):
            return "unreadable"
        return "round_limit" if _has_no_round_left(steps, limits) else None
    if not last.requests:
        if last.finish_reason == CONTEXT_FULL:
            return "token_limit"
        if last.finish_reason in CUT_OFF:
            return "output_too_long"
        return "answered" if last.said.strip() and last.finish_reason not in REFUSED else "declined"
    if any(_is_unsent(request) for request in last.requests):
        if last.finish_reason in CUT_OFF:
            return "output_too_long"
        return "repetition" if _repeats(steps[:-1], last.requests, limits) else "call_limit"
    return "round_limit" if _has_no_round_left(steps, limits) else None


def build_step(turn: int, reply: Reply, records: Sequence[RequestRecord]) -> Step:
    """Return the step that consists of a reply and the records of its calls."""
    return Step(
        turn=turn,
        text=reply.text,
        calls=tuple(record for record in records if isinstance(record, CallRecord)),
        searches=(*reply.searches, *(record for record in records if isinstance(record, ToolSearch))),
        reads=tuple(record for record in records if isinstance(record, ContextRead)),
        usage=reply.usage,
        seconds=reply.seconds,
        first_token_seconds=reply.first_token_seconds,
        retries=reply.retries,
        finish_reason=reply.finish_reason,
        parsed=reply.parsed,
    )


def unsent_record(call: Call) -> CallRecord:
    """Return the record of a call that was not executed because a limit was reached."""
    return CallRecord(**call.model_dump())


def _calls_to_make(history: EpisodeHistory, reply: Reply, limits: Limits) -> CallTools:
    earlier = history.steps_of_turn(history.reply_turn)
    if reply.finish_reason in CUT_OFF or _repeats(earlier, reply.calls, limits):
        return CallTools((), reply.calls)
    if limits.tool_calls is None:
        return CallTools(reply.calls)
    left = max(0, limits.tool_calls - sum(len(step.calls) for step in earlier))
    # Those of the client are not counted: all that precede the first call beyond the limit are made.
    counted = [index for index, call in enumerate(reply.calls) if call.name not in history.client_tools]
    end = counted[left] if len(counted) > left else len(reply.calls)
    return CallTools(reply.calls[:end], reply.calls[end:])


def _repeats(earlier: Sequence[Step], calls: Sequence[Call], limits: Limits) -> bool:
    return limits.repeats is not None and any(
        _consecutive_count(earlier, calls, call) > limits.repeats for call in calls
    )


def _consecutive_count(earlier: Sequence[Step], calls: Sequence[Call], call: Call) -> int:
    """Return how often a call occurs in these calls and in the unbroken sequence of earlier steps that contain it."""
    count = _count(calls, call)
    for step in reversed(earlier):
        matches = _count(step.requests, call)
        if not matches:
            break
        count += matches
    return count


def _count(calls: Sequence[Call], call: Call) -> int:
    return sum(
        (call.name, call.raw_arguments) == (other.name, other.raw_arguments) and call.arguments == other.arguments
        for other in calls
    )


def _is_unsent(request: RequestRecord) -> bool:
    if isinstance(request, ToolSearch):
        return request.found is None and not request.problem
    if isinstance(request, ContextRead):
        return request.result is None
    return request.result is None and request.problem is None


def _has_no_round_left(steps: Sequence[Step], limits: Limits) -> bool:
    return limits.rounds is not None and len(steps) >= limits.rounds


def _exhausted_limit(history: EpisodeHistory, limits: Limits) -> StopReason | None:
    if limits.seconds is not None and history.seconds >= limits.seconds:
        return "time_limit"
    if limits.total_tokens is not None and _known_tokens(history) >= limits.total_tokens:
        return "token_limit"
    if limits.cost_usd is not None and sum(step.usage.cost_usd or 0.0 for step in history.steps) >= limits.cost_usd:
        return "cost_limit"
    return None


def _known_tokens(history: EpisodeHistory) -> int:
    return sum((step.usage.input_tokens or 0) + (step.usage.output_tokens or 0) for step in history.steps)
