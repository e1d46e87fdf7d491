"""Execution of one attempt: open the arena, let the agent act, collect the evidence, ask the judge."""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
from pydantic import JsonValue

from pytest_mcpbench.agents.agent import Agent, Reviewer
from pytest_mcpbench.agents.users.dialogue import User
from pytest_mcpbench.attempt.arena import Arena
from pytest_mcpbench.attempt.cassettes.tape import NO_TAPE, Tape, open_tape
from pytest_mcpbench.attempt.cassettes.tape_ref import TapeRef
from pytest_mcpbench.attempt.components import AttemptComponents
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.call_text import SHORT_VALUE, format_call
from pytest_mcpbench.core.definition_tokens import OFFERED, definition_sizes
from pytest_mcpbench.core.dispatch import NOTE
from pytest_mcpbench.core.errors import McpBenchError, ServerError, StorageError, TaskError
from pytest_mcpbench.core.evidence import UNREAD_FIELDS, WARNINGS, AttemptEvidence, VerifyResult
from pytest_mcpbench.core.judgement import Judge, Question, Verdict, signed_verdict
from pytest_mcpbench.core.model_names import JUDGES_WITHOUT_MODEL
from pytest_mcpbench.core.planning import first_message_task
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.suite import SuiteManifest, place_of
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.core.tool import CallRecord, ToolSpec
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.core.world import WorldRecord
from pytest_mcpbench.metrics.comparison.calls import CallComparison, match_calls
from pytest_mcpbench.metrics.world_state.state_checks import describe_path_problems, path_problems
from pytest_mcpbench.runs.attempt_records import AttemptDescription
from pytest_mcpbench.runs.evidence_journal import EvidenceJournal, JournalEntry
from pytest_mcpbench.servers.state_leaks import StateWatch

# Calls that a server left without a reply, so that the attempt cannot be judged.


def require_replies(task: Task, trajectory: Trajectory, tools: Sequence[ToolSpec]) -> None:
    """Raise ServerError for a call that the server never answered and that the agent was right to make.

    A call that differs from every reference call may have hung because of its arguments: it is part of the attempt, as
    is a forbidden call. Without reference calls this is unknown, and every call counts as right.
    """
    calls = trajectory.calls
    if not any(map(_is_timeout, calls)):
        return
    for index in _right_calls(task, calls, tools):
        call = calls[index]
        if _is_unanswered(call, task, trajectory) and not _is_answered_later(call, calls[index + 1 :]):
            what = format_call(call, SHORT_VALUE)
            problem = f"{what} had no reply after {call.seconds:.3g} s, so that the attempt has no verdict"
            raise ServerError(problem, _server_of(call, tools), "call")


def _right_calls(task: Task, calls: Sequence[CallRecord], tools: Sequence[ToolSpec]) -> list[int]:
    """Return the indexes of the calls that the task asks for or, without reference calls, may need."""
    expected = task.expected
    if expected.flat_calls:
        matching = match_calls(expected.flat_calls, calls, ToolIndex.of(tools), CallComparison("lenient"))
        return [index for index in range(len(calls)) if any(not row[index] for row in matching.mismatches)]
    if expected.forbidden_tools == "all":
        return []
    return [index for index, call in enumerate(calls) if call.names.isdisjoint(expected.forbidden_tools)]


def _server_of(call: CallRecord, tools: Sequence[ToolSpec]) -> str:
    """Return the name of the server, also for a call that was interrupted before its server was recorded."""
    tool = ToolIndex.of(tools).tool_of_call(call)
    return call.server or (tool.server if tool else "")


def _is_unanswered(call: CallRecord, task: Task, trajectory: Trajectory) -> bool:
    """Return whether the call timed out, or was cut off by the attempt's end after half of the attempt's time."""
    if not _is_timeout(call):
        return False
    seconds = (task.limits or Limits()).seconds
    is_last = trajectory.stop == "time_limit" and call in trajectory.steps[-1].calls
    return not is_last or seconds is None or call.seconds >= seconds / 2


def _is_answered_later(call: CallRecord, later: Sequence[CallRecord]) -> bool:
    return any(
        (other.called, other.arguments) == (call.called, call.arguments)
        and other.result is not None
        and not _is_timeout(other)
        for other in later
    )


def _is_timeout(call: CallRecord) -> bool:
    return call.result is not None and call.result.error_kind == "timeout"


QuestionsOf = Callable[[Task, AttemptEvidence], Iterable[Question]]


@dataclass(frozen=True)
class Attempt:
    """Everything that is needed to run one attempt."""

    task: Task
    suite: SuiteManifest
    model: str
    trial: int
    agent: Agent
    sandbox: Sandbox
    questions: QuestionsOf
    """Function that returns the questions of the metrics about the evidence."""
    judge: Judge | None = None
    user: User | None = None
    """User that answers the agent; ``None`` if the user's messages are those of the task."""
    tape: TapeRef | None = None
    """Where the attempt is recorded, or replayed from."""
    components: AttemptComponents | None = None
    """References from which another process builds agent and judge; ``None`` if only this process can."""
    local_only_reason: str = ""
    """Reason, for people, why only this process can run the attempt."""
    description: AttemptDescription | None = None
    journal: EvidenceJournal | None = None
    """Journal in which the evidence is stored when the attempt ends; it needs the description."""


@dataclass(frozen=True)
class AttemptResult:
    """Outcome of one attempt: the collected evidence and, if it failed, the error."""

    evidence: AttemptEvidence
    error: McpBenchError | None = None
    seconds: float = 0.0
    """Duration from opening the servers to the last verdict, without the wait for a free slot."""


async def run_attempt(
    attempt: Attempt, pool: ServerPool, slot: AbstractAsyncContextManager[object] | None = None
) -> AttemptResult:
    """Run the attempt. Errors of servers, models and the task are returned; bugs and cancellation are raised.

    Args:
        attempt: Attempt to run.
        pool: Source of its servers.
        slot: Context manager that limits concurrency. It is entered only when the servers are open, so that they
            start while other agents act.
    """
    start = time.perf_counter()
    observation = _Observation(attempt)
    try:
        tape = open_tape(attempt.tape, task=attempt.task.id, trial=attempt.trial, sandbox=attempt.sandbox.path)
        async with pool.arena(attempt.task, attempt.suite, attempt.sandbox, trial=attempt.trial, tape=tape) as arena:
            user = tape.user(attempt.user) if attempt.user is not None else None
            await observation.collect_actions(replace(arena, user=user), slot or nullcontext())
        # Outside the arena: closing it reads the final worlds of servers in other processes into the sandbox.
        if not attempt.suite.route:
            observation.collect_worlds()
            _review(attempt, arena, observation.evidence)
        if asks_model_for_verdicts(attempt):
            store_evidence(attempt, observation.evidence, observation.seconds_since(start))
    except McpBenchError as error:
        observation.collected.setdefault("trajectory", error.trajectory or Trajectory())
        return AttemptResult(observation.evidence, error, seconds=observation.seconds_since(start))
    evidence = observation.evidence
    if not attempt.suite.route:
        evidence = await add_verdicts(attempt, evidence, tape)
    result = AttemptResult(evidence, tape.finish(), seconds=observation.seconds_since(start))
    return store_result(attempt, result) if result.error is None else result


def store_result(attempt: Attempt, result: AttemptResult) -> AttemptResult:
    """Store the evidence of a finished attempt; return the result, with an error if it cannot be stored."""
    try:
        store_evidence(attempt, result.evidence, result.seconds)
    except StorageError as error:
        return replace(result, error=error)
    return result


def store_evidence(attempt: Attempt, evidence: AttemptEvidence, seconds: float) -> None:
    """Append the evidence to the journal of the attempt, if it has one. Raises StorageError if that is impossible."""
    if attempt.journal is not None and attempt.description is not None:
        entry = JournalEntry(attempt=attempt.description, task=attempt.task, seconds=seconds, evidence=evidence)
        attempt.journal.append(entry)


def asks_model_for_verdicts(attempt: Attempt) -> bool:
    """Return whether the judge is a model, so that the evidence is also stored before its verdicts."""
    return attempt.judge is not None and attempt.judge.name not in JUDGES_WITHOUT_MODEL and not attempt.suite.route


@dataclass
class _Observation:
    """Evidence of an attempt, collected step by step, so that a failed attempt keeps it up to its error."""

    attempt: Attempt
    collected: dict[str, Any] = field(default_factory=dict)
    waited_seconds: float = 0.0
    """Wait for a slot, which is not part of the attempt's duration."""

    async def collect_actions(self, arena: Arena, slot: AbstractAsyncContextManager[object]) -> None:
        """Let the agent act, and collect everything that needs the servers."""
        self.collected.update(_arena_evidence(arena))
        self.attempt.sandbox.start()
        opened = time.perf_counter()
        async with slot:
            self.waited_seconds = time.perf_counter() - opened
            watch = StateWatch(arena.connections.values(), self.attempt.sandbox.path)
            self.collected["trajectory"] = await _act(self.attempt, arena)
            require_replies(self.attempt.task, self.collected["trajectory"], arena.tools)
            if not self.attempt.suite.route:
                self.collected["verified"] = await _verify_results(self.attempt.task, arena)
            self.collected["notes"] |= _server_warnings(self.attempt.task, arena, watch)

    def collect_worlds(self) -> None:
        """Collect the changes of the worlds. Raises TaskError for a state check whose path no world declares."""
        self.collected["worlds"] = self.attempt.sandbox.diff()
        if unread := self.attempt.sandbox.unread_fields:
            self.collected["notes"][UNREAD_FIELDS] = {server: list(fields) for server, fields in unread.items()}
        _check_paths(self.attempt, self.collected["worlds"])

    @property
    def evidence(self) -> AttemptEvidence:
        made = self.attempt
        return AttemptEvidence(task_id=made.task.id, model=made.model, trial=made.trial, **self.collected)

    def seconds_since(self, start: float) -> float:
        return time.perf_counter() - start - self.waited_seconds


def _review(attempt: Attempt, arena: Arena, evidence: AttemptEvidence) -> None:
    """Let an agent that reviews tasks raise the faults of this task."""
    if isinstance(attempt.agent, Reviewer) and not arena.is_recorded:
        attempt.agent.review(attempt.task, attempt.suite, evidence)


async def _act(attempt: Attempt, arena: Arena) -> Trajectory:
    """Return the agent's trajectory; in route mode that of its first message, with the calls as it asked for them."""
    if not attempt.suite.route:
        return await attempt.agent.attempt(attempt.task, arena)
    trajectory = await attempt.agent.attempt(first_message_task(attempt.task), arena)
    return trajectory.model_copy(update={"stop": "routed"}) if trajectory.calls else trajectory


def _server_warnings(task: Task, arena: Arena, watch: StateWatch) -> dict[str, JsonValue]:
    """Return warnings about the servers as a note; a task that resets its servers may share their state."""
    found = [warning for connection in arena.connections.values() for warning in connection.warnings]
    found += [] if task.reset else watch.warnings()
    return {WARNINGS: list(found)} if found else {}


def _check_paths(attempt: Attempt, worlds: tuple[WorldRecord, ...]) -> None:
    """Raise a task error for a state check whose path no world declares."""
    for index, check in enumerate(attempt.task.expected.state):
        doubts = path_problems(check, worlds)
        if doubts and all(doubt.is_undeclared for doubt in doubts.values()):
            place = place_of(attempt.task, attempt.suite)
            problem = describe_path_problems(doubts)
            field = f"state[{index}].{check.verb}"
            raise TaskError(f"{check.path!r}: {problem}{'' if problem.endswith('?') else '.'}", place, field)


def _arena_evidence(arena: Arena) -> dict[str, Any]:
    notes: dict[str, JsonValue] = {"arena": list(arena.notes)} if arena.notes else {}
    if arena.dispatch is not None:
        notes[NOTE] = arena.dispatch.model_dump(mode="json")
    if len(arena.offered) > len(arena.tools):
        notes[OFFERED] = definition_sizes(arena.offered)  # type: ignore[assignment]  # a JSON object
    return {
        "tools": arena.tools,
        "servers": arena.servers,
        "unavailable_tools": arena.unavailable_tools,
        "notes": notes,
    }


async def _verify_results(task: Task, arena: Arena) -> tuple[VerifyResult, ...]:
    """Call the read tools of the task's ``verify`` checks and return their results."""
    return tuple(
        [
            VerifyResult(check=check, result=await arena.read(check.server, check.tool, check.arguments))
            for check in task.expected.verify
        ]
    )


async def add_verdicts(attempt: Attempt, evidence: AttemptEvidence, tape: Tape = NO_TAPE) -> AttemptEvidence:
    """Return the evidence with a verdict on each question of the metrics; unchanged if there is no judge.

    All verdicts together have as much time as the attempt itself; those that are missing then are errors.
    """
    if attempt.judge is None:
        return evidence
    judge = tape.judge(attempt.judge)
    limits = attempt.task.limits or Limits()
    questions = {question.key: question for question in attempt.questions(attempt.task, evidence)}
    verdicts: dict[str, Verdict] = {}

    async def ask(judge: Judge, key: str, question: Question) -> None:
        with anyio.move_on_after(limits.seconds):
            verdicts[key] = await signed_verdict(judge, question)
            return
        error = f"no verdict within the attempt's time limit of {limits.seconds:g} s"
        verdicts[key] = Verdict(label=None, judge=judge.name, prompt_version="", error=error)

    async with anyio.create_task_group() as group:
        for key, question in questions.items():
            group.start_soon(ask, judge, key, question)
    # In the order of the questions, not of the judge's answers: the same attempt gives the same record.
    stated = {key: verdicts[key].about(question) for key, question in questions.items()}
    return evidence.model_copy(update={"verdicts": stated})
