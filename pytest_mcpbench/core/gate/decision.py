"""Decision of the gate: screen every task, confirm the tasks that changed with fresh trials, give one verdict.

The first trials of a task only select it. The tests of a change use the fresh trials alone, which the selection does
not bias, so their error rates are exact: a false alarm has at most the probability ``alpha``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist
from typing import Literal

from pytest_mcpbench.statistics.comparison import compare
from pytest_mcpbench.statistics.exact_tests import TrialPair, Trials, holm, stratified_p
from pytest_mcpbench.statistics.intervals import FEWEST_TASKS, Interval, paired_shares
from pytest_mcpbench.text.natural_order import natural_key

# Numbers of tasks and trials, or the margin, with which an undecided comparison would be decided.

_MOST_TASKS = 20_000
_MOST_TRIALS = 50


@dataclass(frozen=True)
class Remedies:
    """Changes to the run, each of which alone would exclude a loss if the arms are as equal as they look."""

    tasks: int | None
    """Number of tasks of the same kind; ``None`` if no reasonable number is enough."""
    trials: int | None
    """Number of first trials of each task; ``None`` if the tasks are too few for any number of trials."""
    margin: float
    """The margin that the present trials exclude."""


def remedies_of(pairs: Sequence[TrialPair], interval: Interval, margin: float) -> Remedies:
    """Return the numbers of tasks and trials, or the margin, that would have excluded a loss."""
    changed = sum(abs(pair.difference) for pair in pairs) / len(pairs)
    # The number of trials at which the differences spread little enough, if all of their spread is chance.
    trials = min(pair.candidate.made for pair in pairs)
    at_once = NormalDist().inv_cdf(0.975) ** 2 * changed * trials / (margin * margin * len(pairs))
    is_possible = changed and len(pairs) >= FEWEST_TASKS and trials < at_once <= _MOST_TRIALS
    return Remedies(
        tasks=tasks_needed(changed, margin), trials=ceil(at_once) if is_possible else None, margin=-interval.low
    )


def tasks_needed(changed: float, margin: float) -> int | None:
    """Return the number of tasks that excludes a loss of the margin if this share of them changes by chance."""
    if not _is_shown(_MOST_TASKS, changed, margin):
        return None
    low, high = 1, _MOST_TASKS
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _is_shown(middle, changed, margin) else (middle + 1, high)
    return high


def _is_shown(tasks: int, changed: float, margin: float) -> bool:
    """Return whether a loss of the margin is excluded if half of the changed tasks got better and half got worse."""
    each_way = ceil(tasks * changed / 2) if changed else 0
    return paired_shares(max(0, tasks - 2 * each_way), each_way, each_way, 0).low > -margin


VerdictName = Literal["REGRESSED", "IMPROVED", "NOT WORSE", "UNDECIDED", "NOT COMPARABLE", "NOT MEASURED"]


@dataclass(frozen=True)
class GateRules:
    """Settings of the decision."""

    alpha: float = 0.01
    """Probability of a false REGRESSED, and of a false IMPROVED. One half is for the test of all confirmed tasks
    together, the other one for the tests of single tasks."""
    margin: float = 0.05
    """Loss of the pass rate that NOT WORSE excludes."""
    fresh_trials: int = 8
    """Fresh trials of a changed task in each arm; 0: decide on the first trials."""
    most_dropped: float = 0.1
    """Share of the tasks above which dropped ones make the arms incomparable."""


@dataclass(frozen=True)
class DroppedTask:
    """Task that cannot be compared."""

    task: str
    reason: str
    is_unscored: bool = False
    """True if an attempt in one of the arms has no verdict, so that the task may be lost."""


@dataclass(frozen=True)
class GateTrials:
    """All trials that the decision is based on."""

    screen: tuple[TrialPair, ...]
    """First trials of every task that has some in both arms."""
    fresh: tuple[TrialPair, ...] = ()
    """Fresh trials of the tasks that the screen selected."""
    dropped: tuple[DroppedTask, ...] = ()
    named: tuple[str, ...] = ()
    """Tasks that name a changed tool and get fresh trials whatever their first trials say."""
    unmeasured: tuple[str, ...] = ()
    """Changed tools that no task names which passes in either arm: nothing can be said of their changes."""

    @property
    def unscored(self) -> tuple[str, ...]:
        """Tasks that are not measured because an attempt is unscored."""
        return tuple(each.task for each in self.dropped if each.is_unscored)

    @property
    def worst_screen(self) -> tuple[TrialPair, ...]:
        """The first trials as they are if every task that is not measured because it is unscored was lost."""
        return (*self.screen, *(TrialPair(task, Trials(1, 1), Trials(0, 1)) for task in self.unscored))

    @property
    def worse(self) -> tuple[str, ...]:
        """Tasks that passed less often in the candidate's first trials."""
        return tuple(pair.task for pair in self.screen if pair.difference < 0)

    @property
    def better(self) -> tuple[str, ...]:
        """Tasks that passed more often in the candidate's first trials."""
        return tuple(pair.task for pair in self.screen if pair.difference > 0)


@dataclass(frozen=True)
class ChangedTask:
    """Task with a change in its first trials, and the test of that change."""

    task: str
    trials: TrialPair
    """The trials that the test uses."""
    p_value: float
    """One-sided, adjusted for the number of tested tasks."""
    is_confirmed: bool


@dataclass(frozen=True)
class TaskChange:
    """Test of all changes in one direction."""

    p_value: float
    """One-sided p of all tasks together; 1 without tasks."""
    tasks: tuple[ChangedTask, ...]
    """The clearest change first."""
    is_significant: bool

    @property
    def confirmed(self) -> tuple[str, ...]:
        """Tasks whose own test is significant."""
        return tuple(each.task for each in self.tasks if each.is_confirmed)


@dataclass(frozen=True)
class GateVerdict:
    """Answer to the question whether the candidate is worse than the baseline."""

    name: VerdictName
    trials: GateTrials
    worse: TaskChange
    better: TaskChange
    difference: float | None
    """Mean difference of the pass rates in the first trials; ``None`` without tasks."""
    interval: Interval | None
    """95 % interval of the difference, for tasks like these."""
    remedies: Remedies | None = None
    """What would decide an UNDECIDED verdict; ``None`` if only unscored tasks keep it from being NOT WORSE."""

    @property
    def fails(self) -> bool:
        """Return whether the gate fails with this verdict, whatever ``--mcpbench-undecided`` says."""
        return self.name in ("REGRESSED", "NOT COMPARABLE", "NOT MEASURED")


def tasks_to_confirm(trials: GateTrials, rules: GateRules) -> tuple[str, ...]:
    """Return the tasks that need fresh trials now; empty if the verdict is due.

    The tasks that name a changed tool, and those that got worse, come first. Those that got better need trials only if
    no loss is confirmed.
    """
    if not rules.fresh_trials:
        return ()
    confirmed = {pair.task for pair in trials.fresh}
    worse = tuple(task for task in dict.fromkeys((*trials.named, *trials.worse)) if task not in confirmed)
    if worse or change_of(trials, rules, "worse").is_significant:
        return worse
    return tuple(task for task in trials.better if task not in confirmed)


def decide(trials: GateTrials, rules: GateRules) -> GateVerdict:
    """Return the verdict on all trials."""
    worse, better = (change_of(trials, rules, direction) for direction in ("worse", "better"))
    if not trials.screen:
        return GateVerdict("NOT COMPARABLE", trials, worse, better, None, None)
    effect = compare(*_values_by_arm(trials.screen))
    worst = compare(*_values_by_arm(trials.worst_screen)).interval if trials.unscored else effect.interval
    name = _name(trials, rules, worse=worse, better=better, interval=worst)
    is_small = name == "UNDECIDED" and effect.interval.low <= -rules.margin
    remedies = remedies_of(trials.screen, effect.interval, rules.margin) if is_small else None
    return GateVerdict(name, trials, worse, better, effect.difference, effect.interval, remedies)


def change_of(trials: GateTrials, rules: GateRules, direction: Literal["worse", "better"]) -> TaskChange:
    """Return the test of the tasks that the screen found changed in one direction, or that name a changed tool."""
    pairs = list(trials.screen)
    if rules.fresh_trials:
        selected = {*(trials.worse if direction == "worse" else trials.better), *trials.named}
        pairs = [pair for pair in trials.fresh if pair.task in selected]
    tested = [pair if direction == "worse" else pair.swapped for pair in pairs]
    together, single = stratified_p(tested), holm([stratified_p([pair]) for pair in tested])
    level = rules.alpha / 2
    changed = [ChangedTask(pair.task, pair, p, p <= level) for pair, p in zip(pairs, single, strict=True)]
    if not rules.fresh_trials:
        changed = [each for each in changed if each.trials.difference]
    else:
        # A task that was repeated only because it names a changed tool is listed where its fresh trials differ.
        screened = set(trials.worse if direction == "worse" else trials.better)
        changed = [each for each in changed if each.task in screened or each.is_confirmed]
    ordered = sorted(changed, key=lambda each: (each.p_value, each.trials.difference, natural_key(each.task)))
    return TaskChange(together, tuple(ordered), together <= level or any(p <= level for p in single))


def _name(
    trials: GateTrials, rules: GateRules, *, worse: TaskChange, better: TaskChange, interval: Interval
) -> VerdictName:
    if len(trials.dropped) > rules.most_dropped * (len(trials.screen) + len(trials.dropped)):
        return "NOT COMPARABLE"
    if worse.is_significant:
        return "REGRESSED"
    if better.is_significant and not trials.unmeasured:
        return "IMPROVED"
    if not any(pair.baseline.passed for pair in trials.screen):
        return "NOT COMPARABLE"  # nothing can be lost where nothing has passed
    if trials.unmeasured:
        return "NOT MEASURED"
    return "NOT WORSE" if interval.low > -rules.margin else "UNDECIDED"


def _values_by_arm(pairs: Sequence[TrialPair]) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return the trials of each task as 1 for passed and 0 for failed, in the baseline and in the candidate."""
    arms = ({pair.task: pair.baseline for pair in pairs}, {pair.task: pair.candidate for pair in pairs})
    before, after = (
        {task: [1.0] * each.passed + [0.0] * (each.made - each.passed) for task, each in arm.items()} for arm in arms
    )
    return before, after
