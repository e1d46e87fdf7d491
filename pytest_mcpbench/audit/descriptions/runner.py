"""Measurement of the mutants of a suite's servers.

The trials of the baseline are made once and shared by all mutants. The test of a mutant stays exact: it uses fresh
trials of both, which have no part in the selection of the tasks.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_mcpbench.audit.descriptions.outcome import (
    DefinitionMutantOutcome,
    FateRules,
    MutantDecision,
    MutationReport,
    ToolOfServer,
    decide_fate,
    tasks_to_confirm,
)
from pytest_mcpbench.audit.descriptions.selection import TaskTools, tasks_for, tools_of
from pytest_mcpbench.audit.descriptions.subject import MutationSubject
from pytest_mcpbench.audit.descriptions.trials import Outcome, TrialJob, TrialRunner, trials_of
from pytest_mcpbench.core.definition_tokens import definition_tokens
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.gate.decision import DroppedTask, GateTrials, tasks_needed
from pytest_mcpbench.core.selection import draw_sample
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.definitions.mutation import DefinitionMutant
from pytest_mcpbench.statistics.exact_tests import TrialPair
from pytest_mcpbench.statistics.groups import group_by


@dataclass(frozen=True)
class MutationSettings:
    """Extent of a measurement."""

    model: str
    rules: FateRules
    trials: int = 1
    """First trials of each task."""
    max_calls: int | None = None
    """Most attempts to make; mutants are then taken in a random order."""
    seed: int = 0

    @property
    def fresh_trials(self) -> int:
        """Fresh trials of a task that got worse, with the mutant and without it."""
        return 0 if self.rules.is_deterministic else self.rules.gate.fresh_trials


CALLS_USED_UP = "the calls of --max-calls were used up"


@dataclass(frozen=True)
class _Baseline:
    """Trials with the unchanged definitions."""

    tools: tuple[TaskTools, ...]
    """Of the tasks that passed at least once."""
    outcomes: Mapping[str, Sequence[Outcome]]
    """By the id of such a task."""
    dropped: tuple[DroppedTask, ...]


@dataclass(frozen=True)
class _Measured:
    """Trials of one mutant."""

    mutant: DefinitionMutant
    trials: GateTrials
    called_instead: Counter[str]


async def measure_mutants(
    runner: TrialRunner,
    subject: MutationSubject,
    settings: MutationSettings,
    on_progress: Callable[[str, int], None] = lambda _stage, _calls: None,
) -> MutationReport:
    """Return the fates of all mutants.

    Args:
        runner: Makes the trials.
        subject: Tasks, servers and mutants.
        settings: Extent of the measurement.
        on_progress: Called before each stage with its name and the number of its calls.
    """
    on_progress("baseline", len(subject.tasks) * settings.trials)
    baseline = await _measure_baseline(runner, subject, settings)
    tasks = {mutant.id: tasks_for(mutant, baseline.tools) for mutant in subject.mutants}
    watched = [mutant for mutant in subject.mutants if tasks[mutant.id]]
    chosen = _affordable(watched, tasks, settings, _calls_left(runner, settings))
    rounds = range(1, settings.trials + 1)
    jobs = [TrialJob(task, mutant, trial) for trial in rounds for mutant in chosen for task in tasks[mutant.id]]
    on_progress("first trials", len(jobs))
    measured = _first_trials(chosen, baseline, jobs, await runner.run(jobs))
    measured = await _confirm(runner, measured, subject.tasks, settings, on_progress)
    decided = {each.mutant.id: _decided(each, settings) for each in measured}
    not_run = MutantDecision("not run", CALLS_USED_UP)
    reason = "no task that passes names or calls its tool" if baseline.tools else "no task of the suite passes"
    unwatched = MutantDecision("unwatched", reason)
    outcomes = [
        decided.get(mutant.id) or DefinitionMutantOutcome(mutant, not_run if tasks[mutant.id] else unwatched)
        for mutant in subject.mutants
    ]
    return _report(runner, subject, settings, baseline, outcomes)


def _calls_left(runner: TrialRunner, settings: MutationSettings) -> int | None:
    return None if settings.max_calls is None else settings.max_calls - runner.made


async def _measure_baseline(runner: TrialRunner, subject: MutationSubject, settings: MutationSettings) -> _Baseline:
    jobs = [TrialJob(task, None, trial) for trial in range(1, settings.trials + 1) for task in subject.tasks]
    outcomes = _by_task(jobs, await runner.run(jobs))
    dropped = [
        DroppedTask(task, next(each.problem for each in made if each.passed is None))
        for task, made in outcomes.items()
        if any(each.passed is None for each in made)
    ]
    if dropped and len(dropped) == len(subject.tasks):
        raise UsageError(f"no task could be attempted: {dropped[0].task}: {dropped[0].reason}")
    lost = {each.task for each in dropped}
    passing = {task: made for task, made in outcomes.items() if task not in lost and any(each.passed for each in made)}
    tools = [
        replace(
            tools_of(task, subject.servers),
            called=frozenset(call for each in passing[task.id] for call in each.calls),
            seen=frozenset[tuple[str, str]]().union(*(each.seen for each in passing[task.id])),
        )
        for task in subject.tasks
        if task.id in passing
    ]
    return _Baseline(tuple(tools), passing, tuple(dropped))


def _affordable(
    mutants: Sequence[DefinitionMutant],
    tasks: Mapping[str, Sequence[Task]],
    settings: MutationSettings,
    left: int | None,
) -> list[DefinitionMutant]:
    """Return the mutants for whose first trials, and for the fresh ones of one task, there are calls left."""
    if left is None:
        return list(mutants)
    chosen = set()
    for mutant in draw_sample(mutants, len(mutants), seed=settings.seed, key="mutants"):
        cost = len(tasks[mutant.id]) * settings.trials + 2 * settings.fresh_trials
        if cost <= left:
            chosen.add(mutant.id)
            left -= cost
    return [mutant for mutant in mutants if mutant.id in chosen]


def _first_trials(
    mutants: Iterable[DefinitionMutant], baseline: _Baseline, jobs: Sequence[TrialJob], outcomes: Sequence[Outcome]
) -> list[_Measured]:
    by_mutant = group_by(
        zip(jobs, outcomes, strict=True), lambda made: made[0].mutant.id if made[0].mutant is not None else ""
    )
    measured = []
    for mutant in mutants:
        made = by_mutant[mutant.id]
        pairs, dropped, instead = [], [], Counter[str]()
        for task, own in _by_task([job for job, _ in made], [outcome for _, outcome in made]).items():
            problem = next((each.problem for each in own if each.passed is None), None)
            if problem is not None:
                dropped.append(DroppedTask(task, problem))
                continue
            pair = TrialPair(task, trials_of(baseline.outcomes[task]), trials_of(own))
            pairs.append(pair)
            if pair.difference < 0:
                instead.update(each.calls[0][1] if each.calls else "no tool" for each in own if not each.passed)
        measured.append(_Measured(mutant, GateTrials(tuple(pairs), dropped=tuple(dropped)), instead))
    return measured


async def _confirm(
    runner: TrialRunner,
    measured: Sequence[_Measured],
    tasks: Sequence[Task],
    settings: MutationSettings,
    on_progress: Callable[[str, int], None],
) -> list[_Measured]:
    """Return the mutants with fresh trials of the tasks that got worse.

    The trials of all mutants and of the baseline alternate, so that a provider that changes in time changes for all.
    """
    left = _calls_left(runner, settings)
    wanted: dict[str, tuple[str, ...]] = {}
    shared: set[str] = set()
    for each in measured:
        for task in tasks_to_confirm(each.trials, settings.rules):
            cost = settings.fresh_trials * (1 if task in shared else 2)
            if left is not None and cost > left:
                continue
            left = None if left is None else left - cost
            shared.add(task)
            wanted[each.mutant.id] = (*wanted.get(each.mutant.id, ()), task)
    mutants = {each.mutant.id: each.mutant for each in measured}
    jobs = _fresh_jobs([(mutants[name], names) for name, names in wanted.items()], tasks, settings)
    if not jobs:
        return list(measured)
    on_progress("fresh trials", len(jobs))
    made = group_by(
        zip(jobs, await runner.run(jobs), strict=True),
        lambda each: (each[0].mutant.id if each[0].mutant else "", each[0].task.id),
    )
    outcomes = {key: [outcome for _, outcome in pairs] for key, pairs in made.items()}
    return [_with_fresh_trials(each, wanted.get(each.mutant.id, ()), outcomes) for each in measured]


def _fresh_jobs(
    wanted: Sequence[tuple[DefinitionMutant, Sequence[str]]], tasks: Sequence[Task], settings: MutationSettings
) -> list[TrialJob]:
    """Return a job for each mutant, task and fresh trial, and one for the baseline of each task and trial."""
    by_id = {task.id: task for task in tasks}
    shared = dict.fromkeys(task for _, names in wanted for task in names)
    rounds = range(settings.trials + 1, settings.trials + settings.fresh_trials + 1)
    return [
        TrialJob(by_id[task], mutant, trial)
        for trial in rounds
        for mutant, names in ((None, shared), *wanted)
        for task in names
    ]


def _with_fresh_trials(
    measured: _Measured, tasks: Iterable[str], outcomes: Mapping[tuple[str, str], Sequence[Outcome]]
) -> _Measured:
    """Return the trials of a mutant with fresh ones; ``outcomes`` are by mutant, empty for the baseline, and task."""
    fresh = tuple(
        TrialPair(task, trials_of(outcomes["", task]), trials_of(outcomes[measured.mutant.id, task])) for task in tasks
    )
    return replace(measured, trials=replace(measured.trials, fresh=fresh))


def _decided(measured: _Measured, settings: MutationSettings) -> DefinitionMutantOutcome:
    decision = decide_fate(measured.trials, settings.rules)
    instead = measured.called_instead if decision.fate == "killed" else Counter[str]()
    return DefinitionMutantOutcome(measured.mutant, decision, measured.trials, instead)


def _by_task(jobs: Sequence[TrialJob], outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    made = group_by(zip(jobs, outcomes, strict=True), lambda each: each[0].task.id)
    return {task: [outcome for _, outcome in each] for task, each in made.items()}


def _report(
    runner: TrialRunner,
    subject: MutationSubject,
    settings: MutationSettings,
    baseline: _Baseline,
    outcomes: Sequence[DefinitionMutantOutcome],
) -> MutationReport:
    rules = settings.rules
    tasks = [tools_of(task, subject.servers) for task in subject.tasks]
    found = []
    for server in subject.servers:
        tokens = definition_tokens(tool.spec(server.name) for tool in server.tools).by_tool
        for tool in server.tools:
            if tool.name in subject.tools[server.name]:
                own = [each.task.id for each in tasks if (server.name, tool.name) in each.watched]
                passing = tuple(task for task in own if task in baseline.outcomes)
                is_later = not own and (server.name, tool.name) in subject.named
                found.append(ToolOfServer(server.name, tool.name, tokens[tool.name], tuple(own), passing, is_later))
    return MutationReport(
        suite=runner.player.suite.name,
        model=settings.model,
        tools=tuple(found),
        outcomes=tuple(outcomes),
        tasks=len(subject.tasks) + len(subject.excluded),
        passing=len(baseline.tools),
        dropped=(*subject.excluded, *baseline.dropped),
        trials=settings.trials,
        fresh_trials=settings.fresh_trials,
        margin=rules.margin,
        alpha=rules.gate.alpha,
        is_deterministic=rules.is_deterministic,
        calls=runner.made,
        usage=runner.usage,
    )


# Plan of a measurement: its attempts, before any is made.


@dataclass(frozen=True)
class MutationPlan:
    """Numbers of attempts, each of one model call."""

    tasks: int
    tools: int
    """Tools that are changed."""
    mutants: int
    watched: int
    """Mutants with a task that names their tool."""
    baseline: int
    first: int
    """First trials of all mutants, as far as the tasks name their tools."""
    fresh: int
    """Fresh trials if every task gets worse with every mutant."""
    settings: MutationSettings

    @property
    def least(self) -> int:
        """Attempts if no task gets worse."""
        return self.baseline + self.first

    @property
    def most(self) -> int:
        """Attempts if every task gets worse with every mutant."""
        return self.least + self.fresh


def plan_mutation(subject: MutationSubject, settings: MutationSettings) -> MutationPlan:
    """Return the plan; raise UsageError if the calls that are allowed do not suffice for the baseline."""
    tools = [tools_of(task, subject.servers) for task in subject.tasks]
    tasks = [found for mutant in subject.mutants if (found := tasks_for(mutant, tools))]
    baseline = len(tools) * settings.trials
    if settings.max_calls is not None and settings.max_calls <= baseline:
        raise UsageError(f"--max-calls {settings.max_calls}: the baseline alone takes {baseline} calls.")
    pairs = sum(map(len, tasks))
    every_task = {task.id for found in tasks for task in found}
    return MutationPlan(
        tasks=len(tools),
        tools=sum(map(len, subject.tools.values())),
        mutants=len(subject.mutants),
        watched=len(tasks),
        baseline=baseline,
        first=pairs * settings.trials,
        fresh=(pairs + len(every_task)) * settings.fresh_trials,
        settings=settings,
    )


def plan_lines(plan: MutationPlan) -> Iterator[str]:
    """Yield the lines that a person reads before the first attempt."""
    settings = plan.settings
    tools = "1 tool" if plan.tools == 1 else f"{plan.tools} tools"
    yield f"  {plan.tasks} tasks, {tools}, {plan.mutants} mutants ({plan.watched} with a task that names their tool)"
    if settings.rules.is_deterministic:
        yield f"  {settings.model} always does the same: one trial of a task decides; about {plan.least} attempts"
        return
    yield f"  baseline: {plan.baseline} calls, shared by all mutants; first trials of the mutants: about {plan.first}"
    yield f"  tasks that get worse: {settings.fresh_trials} fresh trials with the mutant and as many without it"
    limit = f"; not more than {settings.max_calls} are made" if settings.max_calls is not None else ""
    yield f"  about {plan.least} calls if no task gets worse, {plan.most} if every task does{limit}"
    yield f"  false kills: at most {settings.rules.gate.alpha:.0%} of the mutants without effect"
    needed = tasks_needed(0.0, settings.rules.margin)
    if needed is not None:
        points = f"{settings.rules.margin * 100:.0f} points"
        yield f"  survivors: {needed} trials without a loss exclude one of {points} (tasks of the tool times --trials)"
