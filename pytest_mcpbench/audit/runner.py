"""Playing reference attempts and their mutants on the servers of a suite."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import anyio

from pytest_mcpbench.audit.mutants import Mutant, mutants_of
from pytest_mcpbench.audit.outcome import AuditReport, MutantOutcome, fate_of
from pytest_mcpbench.audit.script import Script, ScriptAgent, ScriptedCall
from pytest_mcpbench.audit.subject import Subject
from pytest_mcpbench.core.call_text import format_value
from pytest_mcpbench.core.floors import floors_of
from pytest_mcpbench.core.sampling import drawn
from pytest_mcpbench.core.score import JudgedMetric, Metric, Scorecard, scorecard
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.catalogue import resolve
from pytest_mcpbench.runtime.agent import Agent
from pytest_mcpbench.runtime.agents.oracle import OracleAgent
from pytest_mcpbench.runtime.attempt import Attempt, AttemptResult, run_attempt
from pytest_mcpbench.runtime.judge import Judge
from pytest_mcpbench.runtime.sandbox import open_sandbox
from pytest_mcpbench.runtime.server_pool import ServerPool

DONORS_PER_TASK = 2
"""Number of calls of other tasks that are tried as harmful extra calls."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class AuditSettings:
    """The extent of an audit."""

    kinds: tuple[str, ...] = ()
    """Kinds of mutants to play; empty: all."""
    mutants_per_task: int | None = None
    """Largest number of mutants of one task, drawn at random from all of them; ``None``: all."""
    concurrency: int = 4
    seed: int = 0


@dataclass(frozen=True)
class _Reference:
    """A task's reference attempt with its scores."""

    task: Task
    result: AttemptResult
    card: Scorecard | None

    @property
    def problem(self) -> str:
        """The reason why the reference attempt does not pass; empty if it passes."""
        if self.card is None:
            return str(self.result.error)
        below = [*self.card.shortfalls, *self.card.unscored]
        return f"the reference attempt does not reach the floor of {', '.join(below)}" if below else ""


class Auditor:
    """Plays a suite's reference attempts and mutants and scores them with the suite's floors.

    Args:
        suite: The suite; its tasks are scored as in a run without further options.
        pool: The connections to its servers.
        judge: The judge of metrics that need one.
        settings: The extent of the audit.
    """

    def __init__(
        self, suite: SuiteManifest, pool: ServerPool, judge: Judge | None, settings: AuditSettings | None = None
    ) -> None:
        self._suite = suite
        self._pool = pool
        self._judge = judge
        self._settings = settings or AuditSettings()
        self._metrics: dict[str, Metric] = {}

    async def report(
        self, tasks: Sequence[Task], on_progress: Callable[[int, int], None] = lambda _finished, _total: None
    ) -> AuditReport:
        """Audit the tasks; ``on_progress`` is called after each with the number of finished tasks and of all."""
        references = await self._each(tasks, self._reference)
        playable = [reference for reference in references if not reference.problem]
        finished = 0

        async def audit(reference: _Reference) -> list[MutantOutcome]:
            nonlocal finished
            outcomes = await self._outcomes(self._subject(reference, playable))
            finished += 1
            on_progress(finished, len(playable))
            return outcomes

        outcomes = await self._each(playable, audit)
        return AuditReport(
            self._suite.name,
            tuple(outcome for of_task in outcomes for outcome in of_task),
            tuple((each.task.id, each.problem) for each in references if each.problem),
        )

    async def _reference(self, task: Task) -> _Reference:
        return _Reference(task, *await self._attempt(task, OracleAgent()))

    async def _outcomes(self, subject: Subject) -> list[MutantOutcome]:
        kinds = self._settings.kinds
        mutants = [mutant for mutant in mutants_of(subject) if not kinds or mutant.kind in kinds]
        if self._settings.mutants_per_task is not None:
            mutants = list(
                drawn(mutants, self._settings.mutants_per_task, seed=self._settings.seed, key=subject.task.id)
            )
        return [await self._outcome(subject, mutant) for mutant in mutants]

    async def _outcome(self, subject: Subject, mutant: Mutant) -> MutantOutcome:
        result, card = await self._attempt(subject.task, ScriptAgent(mutant.script))
        if card is None:
            return MutantOutcome(subject.task.id, mutant.kind, mutant.description, "error", detail=str(result.error))
        fate, metrics = fate_of(card, result.evidence, subject.evidence)
        detail = _difference(mutant.script, subject.script) if fate == "survived" else ""
        return MutantOutcome(subject.task.id, mutant.kind, mutant.description, fate, metrics, detail)

    async def _attempt(self, task: Task, agent: Agent) -> tuple[AttemptResult, Scorecard | None]:
        """Play and score one attempt; without scores if it ended in an error."""
        floors = floors_of(task, self._suite)
        metrics = {name: self._metric(name) for name in floors}
        judged = [metric for metric in metrics.values() if isinstance(metric, JudgedMetric)]
        with open_sandbox(task, self._suite.directory) as sandbox:
            attempt = Attempt(
                task=task,
                suite=self._suite,
                model="audit",
                trial=0,
                agent=agent,
                sandbox=sandbox,
                questions=lambda task, evidence: [
                    question for metric in judged for question in metric.questions(task, evidence)
                ],
                judge=self._judge if judged else None,
            )
            result = await run_attempt(attempt, self._pool)
        return result, None if result.error else scorecard(task, result.evidence, metrics, floors)

    def _metric(self, name: str) -> Metric:
        if name not in self._metrics:
            self._metrics[name] = resolve(name, self._suite.metric_settings.get(name))
        return self._metrics[name]

    def _subject(self, reference: _Reference, others: Iterable[_Reference]) -> Subject:
        """Return the reference with calls of other tasks that changed a world and that its own tools can make."""
        own = {(call.name, str(call.arguments)) for call in Script.of(reference.result.evidence.trajectory).calls}
        tools = {tool.name for tool in reference.result.evidence.tools}
        donors = {
            (call.name, str(call.arguments)): call
            for other in others
            if other is not reference and any(world.changes for world in other.result.evidence.worlds)
            for call in Script.of(other.result.evidence.trajectory).calls[-1:]
            if call.name in tools
        }
        foreign = [call for key, call in donors.items() if key not in own]
        chosen = drawn(foreign, DONORS_PER_TASK, seed=self._settings.seed, key=reference.task.id)
        return Subject(reference.task, reference.result.evidence, chosen)

    async def _each(self, items: Sequence[Item], work: Callable[[Item], Awaitable[Result]]) -> list[Result]:
        """Return the results of ``work`` for all items in order, made in parallel up to the concurrency."""
        results: dict[int, Result] = {}
        places = anyio.CapacityLimiter(self._settings.concurrency)

        async def one(index: int, item: Item) -> None:
            async with places:
                results[index] = await work(item)

        async with anyio.create_task_group() as group:
            for index, item in enumerate(items):
                group.start_soon(one, index, item)
        return [results[index] for index in range(len(items))]


def _difference(mutant: Script, reference: Script) -> str:
    """Return the calls or the answer by which a mutant differs from the reference."""
    new = [call for call in mutant.calls if call not in reference.calls]
    calls = [_call_text(call) for call in new]
    answer = [f"answer: {mutant.answer}"] if mutant.answer != reference.answer else []
    return "; ".join([*calls, *answer])


def _call_text(call: ScriptedCall) -> str:
    return f"{call.name}({', '.join(f'{name}={format_value(value, 200)}' for name, value in call.arguments.items())})"
