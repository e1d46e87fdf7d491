"""Agent that plays the reference: a task that it fails is unsolvable or has incorrect checks."""

import json
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence

import anyio
from pydantic import JsonValue

from pytest_mcpbench.agents.agent import AgentEnvironment, Reviewer
from pytest_mcpbench.agents.call_batch import CallBatch
from pytest_mcpbench.agents.users.dialogue import Dialogue
from pytest_mcpbench.core.call_text import SHORT_VALUE, format_reference
from pytest_mcpbench.core.errors import McpBenchError, ServerError, TaskError
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.placeholders import fill_placeholders
from pytest_mcpbench.core.result_templates import (
    ResultTemplateError,
    literal_texts,
    referenced_results,
    render,
    render_value,
)
from pytest_mcpbench.core.score import floors_of
from pytest_mcpbench.core.secrets import NO_SECRETS
from pytest_mcpbench.core.suite import SuiteManifest, place_of
from pytest_mcpbench.core.task import CallGroup, Derivation, Expected, ExpectedCall, Task, Turn
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult
from pytest_mcpbench.core.trajectory import (
    ANSWER_ORIGIN,
    DERIVED,
    NOT_COMPARED,
    RECITED,
    SHOWN,
    UNPLAYABLE,
    Step,
    StopReason,
    Trajectory,
)
from pytest_mcpbench.judges.keyfacts.alignment import values_beyond
from pytest_mcpbench.metrics.comparison.references import result_ids
from pytest_mcpbench.metrics.comparison.schema import schema_violations

# Answers and arguments that ``oracle`` derives from the results of the reference calls.


def derived_answer(task: Task, template: str, results: Mapping[str, ToolResult]) -> str:
    """Return the answer that follows from the results by the template of the derivation.

    Raises:
        TaskError: The template cannot be rendered, or it states a number, date or time itself, which the request does
            not contain: such a value would be in the answer whatever the servers return.
    """
    request = task.request
    try:
        recited = [value for text in literal_texts(template) for value in values_beyond(text, request)]
        answer = render(template, results)
    except ResultTemplateError as fault:
        raise _error(task, "answer", str(fault)) from fault
    if recited:
        listed = ", ".join(repr(value) for value in recited)
        raise _error(task, "answer", f"it states {listed}, which is not in the request; read it from a result")
    return answer


def derived_arguments(
    task: Task, derivation: Derivation, call_id: str, results: Mapping[str, ToolResult]
) -> dict[str, JsonValue]:
    """Return the arguments of a call that follow from earlier results. Raises :class:`TaskError`."""
    templates = derivation.arguments.get(call_id, {})
    derived: dict[str, JsonValue] = {}
    for name, template in templates.items():
        try:
            derived[name] = render_value(template, results)
        except ResultTemplateError as fault:
            raise _error(task, f"arguments.{call_id}.{name}", str(fault)) from fault
    return derived


def _error(task: Task, field: str, fault: str) -> TaskError:
    return TaskError(f"the derivation fails: {fault.rstrip('.')}.", place_of(task), f"derivation.{field}")


# Reference calls that a task does not need.
#
# A call is needless only if that is certain. It must be known that the call changes nothing (see :func:`_is_read`), and
#
# * an earlier call of the same turn is equal, returned the same, and nothing in between can have changed a world; or
# * the task has a derivation, which declares how everything that is expected follows from results: neither it nor a
#   placeholder reads the call's result, and no later call has a word of the result in its arguments that the request
#     does
#   not have.
#
# A result that only decides what to do next leaves no trace in later calls, so tasks without a derivation are judged by
# the first rule alone. A change of a world is needless if only the answer's words are compared: see
# :func:`unchecked_changes`.

_WORD = re.compile(r"(?<![\w#@.+/-])[\w#@.+/-]*\w")
_FILES = "files"
_METRICS_OF_WORDS = frozenset({"answer", "answer_strict", "coverage"})
"""Metrics that look at nothing but the answer."""


def needless_calls(task: Task, evidence: AttemptEvidence) -> Iterator[tuple[ExpectedCall, str]]:
    """Yield each reference call that is certainly not needed, with the reason."""
    references = _in_played_order(task)
    calls = evidence.calls
    if len(references) != len(calls):
        return
    unused = frozenset(unused_results(task, calls))
    for at, reference in enumerate(references):
        if reference.is_unused_expected or not _is_read(evidence, calls[at]):
            continue
        if _is_repetition(evidence, at):
            yield reference, "repeats an earlier call, and nothing can have changed in between"
        elif at in unused:
            yield reference, "returns nothing that a later call or the derivation of the answer uses"


def unused_results(task: Task, calls: Sequence[CallRecord]) -> Iterator[int]:
    """Yield the index of each call whose result nothing uses; none if the task has no derivation."""
    derivation = task.expected.derivation
    references = _in_played_order(task)
    read = _read_by_templates(derivation) if derivation else None
    if read is None or len(references) != len(calls):
        return
    ids = frozenset(reference.id for reference in references)
    read |= {found for reference in references for found in result_ids(reference.arguments, ids)}
    known = words_of([turn.user for turn in task.turns])
    for at, reference in enumerate(references):
        if reference.id in read:
            continue
        result = calls[at].result
        found_words = words_of([result.text if result else ""])
        later = words_of([call.arguments for call in calls[at + 1 :]])
        if not (found_words - known) & later:
            yield at


def unchecked_changes(task: Task, evidence: AttemptEvidence, floors: Collection[str]) -> str | None:
    """Return the name of a world that the reference changes although only words of the answer are compared."""
    expected = task.expected
    is_checked = expected.effects or expected.state or expected.exec or expected.verify or expected.checkpoints
    if is_checked or not floors or not _METRICS_OF_WORDS.issuperset(floors):
        return None
    return next((world.name for world in evidence.worlds if world.changes), None)


def _in_played_order(task: Task) -> tuple[ExpectedCall, ...]:
    last = len(task.turns) - 1
    groups = sorted(task.expected.played_groups(last), key=lambda group: min(group.turn, last))
    return tuple(call for group in groups for call in group.calls)


def _is_read(evidence: AttemptEvidence, call: CallRecord) -> bool:
    """Return whether it is known that a call changed nothing: its tool says so, or its world is seen to be unchanged.

    Servers without a world of their own may keep their state anywhere, so that only their tools can tell.
    """
    tool = evidence.tool(call)
    if tool is None or call.result is None or call.is_error:
        return False
    if tool.annotations.get("readOnlyHint") is True:
        return True
    changes = {world.name: world.changes for world in evidence.worlds}
    return tool.server in changes and not changes[tool.server] and not changes.get(_FILES)


def _is_repetition(evidence: AttemptEvidence, at: int) -> bool:
    calls = evidence.calls
    turns = [step.turn for step in evidence.trajectory.steps for _ in step.calls]
    for before in range(at - 1, -1, -1):
        if turns[before] != turns[at] or not _is_read(evidence, calls[before]):
            return False
        if _content(calls[before]) == _content(calls[at]):
            return True
    return False


def _content(call: CallRecord) -> tuple[str, str, str]:
    return call.name, json.dumps(call.arguments, sort_keys=True), call.result.text if call.result else ""


def _read_by_templates(derivation: Derivation) -> set[str] | None:
    """Return the ids whose results the derivation reads; ``None`` if they cannot be told."""
    found = set(derivation.shown)
    templates: list[JsonValue] = [derivation.answer, *derivation.arguments.values()]
    for template in templates:
        ids = referenced_results(template)
        if ids is None:
            return None
        found |= ids
    return found


def words_of(value: JsonValue) -> set[str]:
    """Return the words of all texts in a JSON value, with the names of files also without their directories."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    words = {word.casefold() for word in _WORD.findall(text)}
    return words | {part for word in words for part in re.split(r"[/_.]", word) if part}


_ERROR_CHARACTERS = 300

DONE = "Done."
"""Answer to a turn without reference text."""


class OracleAgent(Reviewer):
    """Agent that executes the reference calls and returns the reference answer; only the time limit stops it.

    If the task has a derivation, its calls are made, too, and the answer to the last turn follows from the results.
    Otherwise, or once they have shown what it follows from, the agent recites everything that the task expects in
    words: the claims (or the texts of checkpoints, and the expected values of searches), then the reference answer in
    ``<answer>`` tags. If the task expects no words, and for earlier turns, the answer is the recorded reply or, if
    there is none, a short text.
    To a user that answers it says the reference's ``replies``, turn by turn, and makes the calls of each turn before.
    The note ``answer_origin`` of the trajectory says which of them it is.

    A call that is refused because the tool is not exposed ends the attempt without an answer: the task is unsolvable
    under these conditions. A call that exceeds its own time limit or that of the task is a server error, because it
    does not show whether the task is solvable. A reference that leaves values open is not played, and the attempt has
    no scores.
    """

    name = "oracle"

    def __init__(self, *, records_effects: bool = False) -> None:
        """``records_effects``: the changes are being recorded as the task's effects; nothing checks them yet."""
        self._records_effects = records_effects

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
        world = None if self._records_effects else unchecked_changes(task, evidence, floors_of(task, suite))
        if world is not None:
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
        expected = self._task.expected
        if expected.derivation is not None:
            origin = SHOWN if expected.derivation.answer is None else DERIVED
        else:
            origin = RECITED if any(_recited_parts(expected)) else NOT_COMPARED
        stop: StopReason = "time_limit" if self._is_late else "declined" if self._is_refused else "answered"
        seconds = time.perf_counter() - self._started
        return Trajectory(
            steps=tuple(self._steps),
            stop=stop,
            seconds=seconds,
            notes={ANSWER_ORIGIN: origin},
            offered_skills=None if self._arena.reader is None else self._arena.reader.offered_skills,
            conversation=self._dialogue.record,
        )

    async def play(self, seconds: float | None) -> None:
        """Play all turns within the time limit.

        Raises:
            ServerError: a call did not return a result.
        """
        with anyio.move_on_after(seconds) as limit:
            await self._read()
            await self._play_turns()
        self._is_late = limit.cancelled_caught
        if self._is_late:
            self._check_for_timeouts()

    async def _read(self) -> None:
        """Read the resources and load the skills that the task expects.

        Raises:
            TaskError: one of them cannot be read.
        """
        expected, reader = self._task.expected, self._arena.reader
        if reader is None:
            return
        skills = expected.loads if isinstance(expected.loads, tuple) else ()
        found = [await reader.find_resource(uri) for uri in expected.resources]
        found += [reader.load(name) for name in skills]
        if found:
            self._steps.append(Step(reads=tuple(found)))
        for read in found:
            if read.result is not None and read.is_error:
                field = "loads" if read.kind == "skill" else "resources"
                problem = f"{read.target!r} cannot be read: {NO_SECRETS.shorten(read.result.text, _ERROR_CHARACTERS)}"
                raise TaskError(problem, place_of(self._task), field)

    async def _play_turns(self) -> None:
        last, replies = self._last_turn, self._task.expected.replies
        turn: Turn | None = self._task.turns[0]
        index = 0
        while turn is not None and index <= last:
            for group in self._task.expected.played_groups(last):
                # Groups of a turn beyond the last one are played in the last turn, so that none is dropped.
                if min(group.turn, last) == index:
                    await self._play_group(group, index)
                if self._is_refused:
                    return
            if index == last:
                text = self._last_answer(turn)
            else:
                text = replies[index] if index < len(replies) else _recorded_reply(turn)
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

    def _last_answer(self, turn: Turn) -> str:
        derivation = self._task.expected.derivation
        if derivation is not None and derivation.answer is not None:
            return derived_answer(self._task, derivation.answer, self._results)
        written = self._task.expected.replies[self._last_turn :]
        return "\n".join([*written, *_recited_parts(self._task.expected)]) or _recorded_reply(turn)

    @property
    def _is_refused(self) -> bool:
        last = self._steps[-1].calls if self._steps else ()
        return any(call.problem == "not_exposed" for call in last)

    async def _play_group(self, group: CallGroup, turn: int) -> None:
        references: list[tuple[str, ExpectedCall]] = []
        for call in group.calls:
            self._ordinal += 1
            # A reference without an id has its number among all calls.
            references.append((call.id or str(self._ordinal), call))
        batch = CallBatch([self._build_call(call_id, reference) for call_id, reference in references])
        try:
            await batch.execute(self._arena)
        finally:
            self._steps.append(Step(turn=turn, calls=batch.records))
            for (call_id, _), record in zip(references, batch.records, strict=True):
                if record.result is not None:
                    self._results[call_id] = record.result
        self._check_for_timeouts()
        for (call_id, reference), record in zip(references, batch.records, strict=True):
            self._check_reference(reference, record)
            self._check_what_is_shown(call_id, record)

    def _check_reference(self, reference: ExpectedCall, record: CallRecord) -> None:
        """Raise a task error if a call of the reference does not fit its tool or returns an error unexpectedly."""
        if record.problem is not None or reference.is_error_expected or self._arena.lacks_results:
            return
        tool = next((tool for tool in self._arena.tools if tool.name == record.name), None)
        violations = schema_violations(record.arguments, tool.input_schema) if tool else ()
        if violations:
            raise self._fault(reference, f"breaks the tool's schema: {violations[0]}")
        if record.result is not None and record.result.is_error:
            raise self._fault(
                reference, f"returns an error: {NO_SECRETS.shorten(record.result.text, _ERROR_CHARACTERS)}"
            )

    def _check_what_is_shown(self, call_id: str, record: CallRecord) -> None:
        """Raise a task error if a result lacks a text from which the answer follows."""
        derivation = self._task.expected.derivation
        if derivation is None or record.problem is not None or record.result is None:
            return
        for text in derivation.shown.get(call_id, ()):
            if text not in record.result.text:
                raise _error(self._task, f"shown.{call_id}", f"{text!r} is not in the result of {record.called}")

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

    def _build_call(self, call_id: str, reference: ExpectedCall) -> Call:
        tools = self._arena.tools
        of_server = [tool for tool in tools if reference.server in (None, tool.server)]
        by_own_name = (tool for tool in of_server if tool.tool == reference.tool)
        by_exposed_name = (tool for tool in tools if tool.name == reference.tool)
        tool = next(by_own_name, None) or next(by_exposed_name, None)
        schema = tool.input_schema if tool else {}
        derivation = self._task.expected.derivation
        derived = derived_arguments(self._task, derivation, call_id, self._results) if derivation else {}
        arguments = fill_placeholders({**reference.arguments, **derived}, self._results, schema)
        return Call(
            id=f"oracle-{call_id}-{self._ordinal}",
            name=tool.name if tool else reference.tool,
            arguments=arguments if isinstance(arguments, dict) else {},
        )


def _reference_error(task: Task, problem: str, remedy: str) -> TaskError:
    return TaskError(problem, place_of(task), "calls", remedy)


def _recited_parts(expected: Expected) -> Iterator[str]:
    """Yield everything that a judge or a rule expects in the answer, one per line."""
    yield from expected.claims or (checkpoint.text for checkpoint in expected.checkpoints)
    for checkpoint in expected.exec:
        if checkpoint.value is not None:
            value = checkpoint.value
            yield value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if expected.answer_check is not None:
        yield expected.answer_check.right_answer
    if expected.answer is not None:
        yield expected.answer if "<answer>" in expected.answer else f"<answer>{expected.answer}</answer>"


def _recorded_reply(turn: Turn) -> str:
    """Return the last text of the recorded reply; a short text if there is none."""
    texts = [message.text for message in turn.gold if message.role == "assistant" and message.text.strip()]
    return texts[-1] if texts else DONE
