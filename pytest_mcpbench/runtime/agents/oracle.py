"""Agent that plays the reference: a task that it fails is unsolvable or has incorrect checks."""

import json
import time
from collections.abc import Iterator

import anyio

from pytest_mcpbench.core.call_text import SHORT_VALUE, format_reference
from pytest_mcpbench.core.errors import McpBenchError, ServerError, TaskError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.floors import floors_of
from pytest_mcpbench.core.placeholders import fill_placeholders
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import CallGroup, Expected, ExpectedCall, Task, Turn
from pytest_mcpbench.core.task_place import place_of
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult, ToolSpec
from pytest_mcpbench.core.trajectory import (
    ANSWER_ORIGIN,
    DERIVED,
    NOT_COMPARED,
    RECITED,
    UNPLAYABLE,
    Step,
    StopReason,
    Trajectory,
)
from pytest_mcpbench.metrics.comparison.schema import schema_violations
from pytest_mcpbench.runtime.agent import AgentEnvironment
from pytest_mcpbench.runtime.agents.call_batch import CallBatch
from pytest_mcpbench.runtime.agents.derivations import derived_answer, derived_arguments
from pytest_mcpbench.runtime.agents.needless_calls import needless_calls, unchecked_changes
from pytest_mcpbench.runtime.users.dialogue import Dialogue

_ERROR_CHARACTERS = 300

DONE = "Done."
"""Answer to a turn without reference text."""


class OracleAgent:
    """Agent that executes the reference calls and returns the reference answer; only the time limit stops it.

    If the task has a derivation, the answer to the last turn follows from the results of the calls. Otherwise the
    agent recites everything that the task expects in words, which proves nothing about the answer: the claims (or the
    texts of checkpoints, and the expected values of searches), then the reference answer in ``<answer>`` tags. If the
    task expects no words, and for earlier turns, the answer is the recorded reply or, if there is none, a short text.
    To a user that answers it says the reference's ``replies``, turn by turn, and makes the calls of each turn before.
    The note ``answer_origin`` of the trajectory says which of them it is.

    A call that is refused because the tool is not exposed ends the attempt without an answer: the task is unsolvable
    under these conditions. A call that exceeds its own time limit or that of the task is a server error, because it
    does not show whether the task is solvable. A reference that leaves values open is not played, and the attempt has
    no scores.
    """

    name = "oracle"

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        if task.expected.open_reference is not None:
            return Trajectory(stop="declined", notes={UNPLAYABLE: task.expected.open_reference})
        playback = _ReferencePlayback(task, arena)
        try:
            await playback.play(task.limits.seconds if task.limits else None)
        except McpBenchError as error:
            error.trajectory = playback.trajectory
            raise
        return playback.trajectory

    def review(self, task: Task, suite: SuiteManifest, evidence: AttemptEvidence) -> None:
        """Raise a task error for a reference call that was not needed, and for a change that nothing checks."""
        for reference, reason in needless_calls(task, evidence):
            raise _reference_error(
                task,
                f"the reference call {format_reference(reference, SHORT_VALUE)} is not needed: it {reason}.",
                "Leave it out or, if the task is about making it, set is_unused_expected.",
            )
        if world := unchecked_changes(task, evidence, floors_of(task, suite)):
            raise _reference_error(
                task,
                f"the reference changes {world!r}, and only words of the answer are compared.",
                "Add a check of the change: `state`, `verify` or recorded `effects` with their floor.",
            )


class _ReferencePlayback:
    """One attempt: the steps so far, and the results by the id of their reference call."""

    def __init__(self, task: Task, arena: AgentEnvironment) -> None:
        self._task = task
        self._arena = arena
        self._dialogue = Dialogue(task, arena.user)
        self._steps: list[Step] = []
        self._results: dict[str, ToolResult] = {}
        self._ordinal = 0
        self._is_late = False
        self._started = time.perf_counter()

    @property
    def trajectory(self) -> Trajectory:
        stop: StopReason = "time_limit" if self._is_late else "declined" if self._is_refused else "answered"
        seconds = time.perf_counter() - self._started
        return Trajectory(
            steps=tuple(self._steps),
            stop=stop,
            seconds=seconds,
            notes={ANSWER_ORIGIN: _answer_origin(self._task.expected)},
            conversation=self._dialogue.record,
        )

    async def play(self, seconds: float | None) -> None:
        """Play all turns within the time limit.

        Raises:
            ServerError: a call did not return a result.
        """
        with anyio.move_on_after(seconds) as limit:
            await self._play_turns()
        self._is_late = limit.cancelled_caught
        if self._is_late:
            self._check_for_timeouts()

    async def _play_turns(self) -> None:
        last = self._last_turn
        turn: Turn | None = self._task.turns[0]
        index = 0
        while turn is not None and index <= last:
            for group in self._task.expected.calls:
                # Groups of a turn beyond the last one are played in the last turn, so that none is dropped.
                if min(group.turn, last) == index:
                    await self._play_group(group, index)
                if self._is_refused:
                    return
            text = self._last_answer(turn) if index == last else self._reply(index, turn)
            self._steps.append(Step(turn=index, text=text))
            turn = await self._dialogue.next_turn(text)
            index += 1

    @property
    def _last_turn(self) -> int:
        """Index of the last turn of the reference, in which it answers the task."""
        if self._task.user is None:
            return len(self._task.turns) - 1
        expected = self._task.expected
        return max(len(expected.replies) - 1, *(group.turn for group in expected.calls), 0)

    def _reply(self, index: int, turn: Turn) -> str:
        replies = self._task.expected.replies
        return replies[index] if index < len(replies) else _recorded_reply(turn)

    def _last_answer(self, turn: Turn) -> str:
        derivation = self._task.expected.derivation
        if derivation is not None:
            return derived_answer(self._task, derivation, self._results)
        written = self._task.expected.replies[self._last_turn :]
        return "\n".join([*written, *_recited_parts(self._task.expected)]) or _recorded_reply(turn)

    @property
    def _is_refused(self) -> bool:
        last = self._steps[-1].calls if self._steps else ()
        return any(call.problem == "not_exposed" for call in last)

    async def _play_group(self, group: CallGroup, turn: int) -> None:
        references = [(self._next_id(call), call) for call in group.calls]
        batch = CallBatch([self._build_call(call_id, reference) for call_id, reference in references])
        try:
            await batch.execute(self._arena)
        finally:
            self._record_step(turn, references, batch.records)
        self._check_for_timeouts()
        for (_, reference), record in zip(references, batch.records, strict=True):
            self._check_reference(reference, record)

    def _check_reference(self, reference: ExpectedCall, record: CallRecord) -> None:
        """Raise a task error if a call of the reference does not fit its tool or returns an error unexpectedly."""
        if record.problem is not None or reference.is_error_expected or self._arena.is_recorded:
            return
        tool = next((tool for tool in self._arena.tools if tool.name == record.name), None)
        violations = schema_violations(record.arguments, tool.input_schema) if tool else ()
        if violations:
            raise self._fault(reference, f"breaks the tool's schema: {violations[0]}")
        if record.result is not None and record.result.is_error:
            raise self._fault(reference, f"returns an error: {record.result.text[:_ERROR_CHARACTERS]}")

    def _fault(self, reference: ExpectedCall, fault: str) -> TaskError:
        return _reference_error(
            self._task,
            f"the reference call {format_reference(reference, SHORT_VALUE)} {fault.rstrip('.')}.",
            "Mend the reference or, if the error is what the task is about, set is_error_expected.",
        )

    def _check_for_timeouts(self) -> None:
        """Raise the error of the server whose call in the last step timed out."""
        for call in self._steps[-1].calls if self._steps else ():
            if call.result is not None and call.result.error_kind == "timeout":
                server = next((tool.server for tool in self._arena.tools if tool.name == call.name), "")
                raise ServerError(
                    f"the reference call of {call.called} did not return a result: {call.result.text}", server, "call"
                )

    def _next_id(self, reference: ExpectedCall) -> str:
        """Return the reference's id; if it has none, its number among all calls."""
        self._ordinal += 1
        return reference.id or str(self._ordinal)

    def _build_call(self, call_id: str, reference: ExpectedCall) -> Call:
        tool = _find_tool(reference, self._arena.tools)
        schema = tool.input_schema if tool else {}
        derivation = self._task.expected.derivation
        derived = derived_arguments(self._task, derivation, call_id, self._results) if derivation else {}
        arguments = fill_placeholders({**reference.arguments, **derived}, self._results, schema)
        return Call(
            id=f"oracle-{call_id}-{self._ordinal}",
            name=tool.name if tool else reference.tool,
            arguments=arguments if isinstance(arguments, dict) else {},
        )

    def _record_step(
        self, turn: int, references: list[tuple[str, ExpectedCall]], records: tuple[CallRecord, ...]
    ) -> None:
        self._steps.append(Step(turn=turn, calls=records))
        for (call_id, _), record in zip(references, records, strict=True):
            if record.result is not None:
                self._results[call_id] = record.result


def _reference_error(task: Task, problem: str, remedy: str) -> TaskError:
    return TaskError(problem, place_of(task), "calls", remedy)


def _find_tool(reference: ExpectedCall, tools: tuple[ToolSpec, ...]) -> ToolSpec | None:
    """Return the exposed tool that a reference call refers to, by its own or its exposed name."""
    of_server = [tool for tool in tools if reference.server in (None, tool.server)]
    by_own_name = (tool for tool in of_server if tool.tool == reference.tool)
    by_exposed_name = (tool for tool in tools if tool.name == reference.tool)
    return next(by_own_name, None) or next(by_exposed_name, None)


def _answer_origin(expected: Expected) -> str:
    """Return a note that says where the last answer comes from."""
    if expected.derivation is not None:
        return DERIVED
    return RECITED if any(_recited_parts(expected)) else NOT_COMPARED


def _recited_parts(expected: Expected) -> Iterator[str]:
    """Yield everything that a judge or a rule expects in the answer, one per line."""
    yield from expected.claims or (checkpoint.text for checkpoint in expected.checkpoints)
    for checkpoint in expected.exec:
        if checkpoint.value is not None:
            yield _as_text(checkpoint.value)
    if expected.answer_check is not None:
        yield expected.answer_check.right_answer
    if expected.answer is not None:
        yield _wrap_in_tags(expected.answer)


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _wrap_in_tags(answer: str) -> str:
    return answer if "<answer>" in answer else f"<answer>{answer}</answer>"


def _recorded_reply(turn: Turn) -> str:
    """Return the last text of the recorded reply; a short text if there is none."""
    texts = [message.text for message in turn.gold if message.role == "assistant" and message.text.strip()]
    return texts[-1] if texts else DONE
