"""Agent that repeats an earlier run: it executes the recorded calls again and repeats the recorded texts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

import anyio

from pytest_mcpbench.agents.agent import AgentEnvironment
from pytest_mcpbench.agents.call_batch import CallBatch
from pytest_mcpbench.agents.episode import unsent_record
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.reference_lines import reference_lines
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult
from pytest_mcpbench.core.trajectory import Step, StopReason, Trajectory, UserMessage
from pytest_mcpbench.core.usage import NO_USAGE
from pytest_mcpbench.loaders.eval_results import EvalResult, is_eval_results, read_eval_results
from pytest_mcpbench.models.chat_reply import parse_arguments
from pytest_mcpbench.runs.records import read_file, read_records


class Recordings(Protocol):
    """Trajectories of one model, made by an earlier run or by another harness."""

    @property
    def source(self) -> str: ...

    @property
    def model(self) -> str: ...

    def trajectory(self, task: Task, trial: int) -> Trajectory:
        """Return the trajectory of an attempt. Raises UsageError if it was not recorded."""


@dataclass(frozen=True)
class RecordedTrajectories:
    """Trajectories of one model in an earlier run."""

    source: str
    model: str
    trajectories: Mapping[tuple[str, int], Trajectory]
    """Trajectories by task id and trial."""

    @classmethod
    def read(cls, path: Path, model: str | None = None) -> "RecordedTrajectories":
        """Read the records in a directory or file; the last record of an attempt counts.

        ``model`` may be omitted if all records are of one model.

        Raises:
            UsageError: there are no records of the model, or of several models if none is chosen.
        """
        records = [record for record in _records(path) if record.evidence is not None and model in (None, record.model)]
        models = sorted({record.model for record in records})
        if not models:
            raise UsageError(f"{path}: there are no records" + (f" of model {model!r}" if model else ""))
        if len(models) > 1:
            names = ", ".join(models)
            raise UsageError(f"{path}: there are records of several models, choose one with {path}#MODEL: {names}")
        trajectories = {
            (record.task_id, record.trial): record.evidence.trajectory
            for record in records
            if record.evidence is not None
        }
        return cls(str(path), models[0], trajectories)

    def trajectory(self, task: Task, trial: int) -> Trajectory:
        """Return the trajectory of that attempt.

        Raises:
            UsageError: the attempt was not recorded.
        """
        trajectory = self.trajectories.get((task.id, trial))
        if trajectory is None:
            trials = sorted(number for recorded_id, number in self.trajectories if recorded_id == task.id)
            problem = f"task {task.id!r} was not recorded; {len(self.trajectories)} other attempts were"
            if trials:
                problem = f"task {task.id!r} was not recorded in trial {trial}; trials: {trials}"
            raise UsageError(f"{self.source}: {problem}")
        return trajectory


@dataclass(frozen=True)
class EvalResults:
    """Attempts in the format of MCP-RADAR's appendix C.

    A result that ``mcpbench export`` has written names its task and trial. One of another harness has an id of its own:
    the question says which task it is of, and further results of a question are further trials. The format does not say
    which calls were made at the same time, so that each is a step.
    """

    source: str
    exported: Mapping[tuple[str, int], EvalResult]
    """Results of this program by task id and trial."""
    foreign: Mapping[str, Sequence[EvalResult]]
    """Results of another harness by question."""
    model: str = "another harness"
    _tasks: dict[str, dict[str, bool]] = field(default_factory=dict)
    """Question -> tasks that it was taken for, and whether results have the task's id."""

    @classmethod
    def read(cls, path: Path) -> "EvalResults":
        """Read a file.

        Raises:
            TaskError: a line is not a result.
            UsageError: two results are of one attempt.
        """
        exported: dict[tuple[str, int], EvalResult] = {}
        foreign: dict[str, list[EvalResult]] = {}
        for result in read_eval_results(path.read_bytes(), str(path)):
            if result.mcpbench_trial is None:
                foreign.setdefault(result.question.strip(), []).append(result)
                continue
            attempt = (result.unique_id, result.mcpbench_trial)
            if attempt in exported:
                raise UsageError(
                    f"{path}: two results of task {attempt[0]!r}, trial {attempt[1]}; pass the file of one model"
                )
            exported[attempt] = result
        return cls(str(path), exported, foreign)

    def trajectory(self, task: Task, trial: int) -> Trajectory:
        """Return the trajectory of that attempt.

        Raises:
            UsageError: the file has none, or does not say which task a result is of.
        """
        result = self.exported.get((task.id, trial)) or self._foreign_result(task, trial)
        said = result.prediction
        # The authors store the answer of a precise task as they have taken it from between the tags. This program does
        # so if a task expects nothing else.
        beside = task.expected.calls if result.mcpbench_trial is None else reference_lines(task)[1:]
        is_precise = task.expected.answer is not None and not beside
        if is_precise and said and "<answer>" not in said.lower():
            said = f"<answer>{said}</answer>"
        steps = []
        for number, call in enumerate(result.tool_usage.tool_calls):
            arguments, raw_arguments = parse_arguments(call.arguments)
            # Every call was made: a replay makes again what has a result.
            made = ToolResult.of_text("")
            record = CallRecord(
                id=f"call-{number}", name=call.name, arguments=arguments, raw_arguments=raw_arguments, result=made
            )
            steps.append(Step(calls=(record,)))
        return Trajectory(steps=(*steps, Step(text=said)))

    def _foreign_result(self, task: Task, trial: int) -> EvalResult:
        question = task.request.strip()
        asked = self.foreign.get(question, ())
        results = [result for result in asked if result.unique_id == task.id] or asked
        if trial > len(results):
            has_trials = any(task_id == task.id for task_id, _ in self.exported)
            raise UsageError(
                f"{self.source}: task {task.id!r} has {len(results)} results, none for trial {trial}"
                if results
                else f"{self.source}: task {task.id!r} has no result for trial {trial}, but for others"
                if has_trials
                else f"{self.source}: no result has the {'id' if self.exported else 'question'} of task {task.id!r}"
            )
        tasks = self._tasks.setdefault(question, {})
        tasks[task.id] = results is not asked
        if len(tasks) > 1 and not all(tasks.values()):
            raise UsageError(
                f"{self.source}: the tasks {' and '.join(tasks)} have the same question, so that it does not say which "
                "task a result is of; write the id of its task as the `unique_id` of each result"
            )
        return results[trial - 1]


def _records(path: Path) -> Iterator[RunRecord]:
    read_function = read_records if path.is_dir() else read_file
    try:
        yield from (record for _, record in read_function(path))
    except OSError as error:
        raise UsageError(f"{path}: the records cannot be read: {error.strerror}") from None


@dataclass(frozen=True)
class ReplayAgent:
    """Agent that plays recorded trajectories."""

    recordings: Recordings
    mode: Literal["live", "recorded"] = "live"
    """``live`` executes the calls again; ``recorded`` uses their recorded results and calls no tool."""
    trial: int | None = None
    """Trial to play; ``None``: the same trial as that of the attempt."""

    @classmethod
    def from_path(cls, path: Path) -> "ReplayAgent":
        """Return an agent for a directory or file of records, or a file of Eval-Results.

        ``DIR#MODEL`` selects one of several models.
        """
        if path.is_file():
            with path.open("rb") as file:
                # Records of runs have a line each. Their files may be large, and so only the first one is read.
                start = file.readline()
                content = start if start.rstrip().endswith(b"}") else start + file.read()
            if is_eval_results(content, str(path)):
                return cls(EvalResults.read(path))
        place, _, model = str(path).partition("#")
        return cls(
            RecordedTrajectories.read(path) if path.exists() else RecordedTrajectories.read(Path(place), model or None)
        )

    @property
    def name(self) -> str:
        return f"replay:{self.recordings.source}"

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        recorded = self.recordings.trajectory(task, arena.trial if self.trial is None else self.trial)
        if self.mode == "recorded":
            return recorded
        seconds = task.limits.seconds if task.limits else None
        return await _Replay(recorded, arena, {"replayed": self.recordings.model}).play(seconds)


class _Replay:
    """One attempt: the steps that have been repeated so far."""

    def __init__(self, recorded: Trajectory, arena: AgentEnvironment, notes: dict[str, str]) -> None:
        self._recorded = recorded
        self._arena = arena
        self._notes = notes
        self._steps: list[Step] = []
        self._started = anyio.current_time()

    async def play(self, seconds: float | None) -> Trajectory:
        stop: StopReason = "time_limit"
        try:
            with anyio.move_on_after(seconds):
                for step in self._recorded.steps:
                    await self._play_step(step)
                stop = self._recorded.stop
        except McpBenchError as error:
            error.trajectory = self._trajectory("answered")
            raise
        return self._trajectory(stop)

    async def _play_step(self, step: Step) -> None:
        sent_flags = [call.result is not None or call.problem is not None for call in step.calls]
        batch = CallBatch(
            [_recorded_call(call) for call, is_sent in zip(step.calls, sent_flags, strict=True) if is_sent]
        )
        try:
            await batch.execute(self._arena)
        finally:
            replayed_calls = iter(batch.records)
            calls = [
                next(replayed_calls) if is_sent else unsent_record(_recorded_call(c))
                for c, is_sent in zip(step.calls, sent_flags, strict=True)
            ]
            # The recorded step with new calls and without usage, because no model was asked.
            self._steps.append(
                Step(
                    turn=step.turn,
                    text=step.text,
                    calls=tuple(calls),
                    searches=step.searches,
                    reads=step.reads,
                    usage=NO_USAGE,
                    finish_reason=step.finish_reason,
                )
            )

    def _trajectory(self, stop: StopReason) -> Trajectory:
        seconds = anyio.current_time() - self._started
        conversation = self._recorded.conversation
        if conversation is not None:
            # Without usage, because no model was asked.
            messages = tuple(UserMessage(text=message.text) for message in conversation.messages)
            conversation = conversation.model_copy(update={"messages": messages})
        return Trajectory(
            steps=tuple(self._steps),
            stop=stop,
            seconds=seconds,
            notes=self._notes,
            conversation=conversation,
            search_offer=self._recorded.search_offer,
            offered_skills=self._recorded.offered_skills,
        )


def _recorded_call(record: CallRecord) -> Call:
    return Call(id=record.id, name=record.name, arguments=record.arguments, raw_arguments=record.raw_arguments)
