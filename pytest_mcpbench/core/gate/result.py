"""Result of a gate as it is stored and reported."""

from typing import Literal

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.gate.decision import GateRules, GateVerdict, TaskChange, VerdictName
from pytest_mcpbench.core.tool_choice import Mistake
from pytest_mcpbench.core.usage import NO_USAGE, Usage
from pytest_mcpbench.statistics.exact_tests import TrialPair, Trials

# Places to look at behind the verdict of a gate: texts, tools, arguments and tasks that changed between two arms.


class ChangedText(FrozenModel):
    """One text that agents read, in both arms."""

    tool: str
    """Empty for the server's instructions."""
    place: str
    before: str
    after: str
    tokens: int
    """Estimated tokens, candidate minus baseline."""


class ChangedCell(FrozenModel):
    """One cell of the confusion matrices that differs; each task counts once, whatever the number of its trials."""

    expected: str
    called: str
    before: float
    after: float


class ChangedArgument(FrozenModel):
    """Mistakes of one kind in one parameter, weighted like the cells."""

    tool: str
    parameter: str
    mistake: Mistake
    before: float
    after: float


class TaskTraces(FrozenModel):
    """Calls and answer of one trial of a changed task in each arm, a line each."""

    task: str
    baseline: tuple[str, ...]
    candidate: tuple[str, ...]


class Explanation(FrozenModel):
    """Everything that changed between the arms of a gate."""

    texts: tuple[ChangedText, ...] = ()
    cells: tuple[ChangedCell, ...] = ()
    """The greatest change first."""
    arguments: tuple[ChangedArgument, ...] = ()
    traces: tuple[TaskTraces, ...] = ()


class ArmTrials(FrozenModel):
    """Trials of one task in one arm."""

    passed: int
    made: int


class TaskTrials(FrozenModel):
    """First and fresh trials of a task that changed."""

    task: str
    direction: Literal["worse", "better"]
    first: tuple[ArmTrials, ArmTrials]
    """Baseline and candidate."""
    fresh: tuple[ArmTrials, ArmTrials] | None = None
    p_value: float | None = None
    """One-sided, adjusted for the number of tested tasks; ``None`` if the task was not tested."""
    is_confirmed: bool = False


class UncomparedTask(FrozenModel):
    """Task that was not compared, with the reason."""

    task: str
    reason: str


class GateResult(FrozenModel):
    """Verdict on one arm of a suite and model."""

    node_id: str
    suite: str
    model: str
    baseline: str
    """Arm that is compared with."""
    candidate: str
    source: str = ""
    """Origin of the baseline's definitions; empty if it is the server as it is now."""
    candidate_source: str = ""
    """Origin of the candidate's definitions; empty if it is the server as it is now."""
    verdict: VerdictName
    fails: bool
    note: str = ""
    """Reason for the verdict, if it needs no numbers."""
    is_noise_check: bool = False
    """Whether both arms are the same on purpose (``--mcpbench-aa``)."""
    tasks: int = 0
    """Tasks that were compared."""
    difference: float | None = None
    interval: tuple[float, float] | None = None
    unscored: int = 0
    """Number of :attr:`dropped` tasks that are not measured because an attempt is unscored."""
    margin: float = 0.05
    alpha: float = 0.01
    p_worse: float = 1.0
    p_better: float = 1.0
    changed: tuple[TaskTrials, ...] = ()
    dropped: tuple[UncomparedTask, ...] = ()
    unmeasured: tuple[str, ...] = ()
    """Changed tools that no task names which passes in either arm."""
    needed_tasks: int | None = None
    needed_trials: int | None = None
    needed_margin: float | None = None
    definitions: tuple[str, ...] = ()
    """Changes of the definitions that agents see, a line each; changed texts are in :attr:`explanation`."""
    explanation: Explanation = Explanation()
    attempts: int = 0
    """Attempts that were made for the verdict; recorded ones are not among them."""
    recorded: int = 0
    usage: Usage = NO_USAGE

    @property
    def confirmed(self) -> tuple[TaskTrials, ...]:
        """The tasks whose own change is confirmed."""
        return tuple(each for each in self.changed if each.is_confirmed)

    @property
    def cost_per_attempt(self) -> float | None:
        """Mean price of an attempt in dollars; ``None`` if it is not known."""
        return self.usage.cost_usd / self.attempts if self.attempts and self.usage.cost_usd is not None else None


def numbers_of(verdict: GateVerdict, rules: GateRules) -> dict[str, object]:
    """Return the fields of a result that follow from a verdict."""
    remedies = verdict.remedies
    return {
        "verdict": verdict.name,
        "fails": verdict.fails,
        "tasks": len(verdict.trials.screen),
        "unscored": len(verdict.trials.unscored),
        "difference": verdict.difference,
        "interval": tuple(verdict.interval) if verdict.interval is not None else None,
        "margin": rules.margin,
        "alpha": rules.alpha,
        "p_worse": verdict.worse.p_value,
        "p_better": verdict.better.p_value,
        "changed": (*_changed(verdict, verdict.worse, "worse"), *_changed(verdict, verdict.better, "better")),
        "dropped": tuple(UncomparedTask(task=each.task, reason=each.reason) for each in verdict.trials.dropped),
        "unmeasured": verdict.trials.unmeasured,
        "needed_tasks": remedies.tasks if remedies else None,
        "needed_trials": remedies.trials if remedies else None,
        "needed_margin": remedies.margin if remedies else None,
    }


def _changed(verdict: GateVerdict, change: TaskChange, direction: Literal["worse", "better"]) -> tuple[TaskTrials, ...]:
    """Return the tasks that the first trials found changed in one direction, the clearest change first."""
    trials = verdict.trials
    first = {pair.task: pair for pair in trials.screen}
    fresh = {pair.task: pair for pair in trials.fresh}
    tests = {each.task: each for each in change.tasks}
    selected = {*(trials.worse if direction == "worse" else trials.better), *change.confirmed}
    names = [*tests, *(task for task in selected if task not in tests)]
    return tuple(
        TaskTrials(
            task=name,
            direction=direction,
            first=_arms(first[name]),
            fresh=_arms(fresh[name]) if name in fresh else None,
            p_value=tests[name].p_value if name in tests else None,
            is_confirmed=name in tests and tests[name].is_confirmed,
        )
        for name in names
        if name in selected
    )


def _arms(pair: TrialPair) -> tuple[ArmTrials, ArmTrials]:
    return _stored(pair.baseline), _stored(pair.candidate)


def _stored(trials: Trials) -> ArmTrials:
    return ArmTrials(passed=trials.passed, made=trials.made)
