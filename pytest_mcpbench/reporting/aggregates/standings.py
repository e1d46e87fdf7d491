"""Standings of the models of a run: what each passes, costs and fails at over all suites, compared with the best."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pytest_mcpbench.core.model_names import compared_models
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.scoring import Scoring
from pytest_mcpbench.reporting.aggregates.failure_causes import cause_of
from pytest_mcpbench.reporting.aggregates.pass_rate import PassRate, possible_range
from pytest_mcpbench.reporting.aggregates.summary import KnownSum, scoring_rates
from pytest_mcpbench.reporting.aggregates.telling_tasks import is_failing
from pytest_mcpbench.statistics.comparison import Comparison, compare
from pytest_mcpbench.statistics.groups import group_by, round_robin
from pytest_mcpbench.statistics.intervals import FEWEST_TASKS
from pytest_mcpbench.text.natural_order import natural_key

Significance = Literal["significant", "not significant", "significant by one task", "too few tasks", "no common task"]


@dataclass(frozen=True)
class Standing:
    """Attempts of one model at all suites, or at one of them."""

    model: str
    entries: tuple[Entry, ...]
    rate: PassRate
    """Mean over the tasks of all suites: each task counts once."""
    to_best: Comparison | None
    """Passes beside those of the best model, on the tasks that both have; ``None`` for the best and without any."""
    is_best: bool
    """True for the model that surely passes most; false for all as long as a verdict could make another one do so."""

    @cached_property
    def rates(self) -> Mapping[Scoring, PassRate]:
        """Return the pass rate by each criterion; empty if no suite has guards."""
        return scoring_rates(self.entries)

    @property
    def tasks(self) -> int:
        """Return the number of tasks that it attempted."""
        return len({(entry.series, entry.task_id) for entry in self.entries})

    @property
    def errors(self) -> int:
        """Return the number of attempts that ended with an error, which are not in the rate."""
        return sum(entry.outcome == "error" for entry in self.entries)

    @property
    def significance(self) -> Significance:
        """Return whether the difference to the best model is significant."""
        if self.to_best is None:
            return "no common task"
        if self.to_best.is_robust:
            return "significant"
        if self.to_best.is_significant:
            return "significant by one task"
        return "not significant" if self.to_best.tasks >= FEWEST_TASKS else "too few tasks"

    @property
    def answered(self) -> list[Entry]:
        """Return the attempts of which costs and tokens are means: all but errors without a reply of a model."""
        return [entry for entry in self.entries if not entry.is_unanswered]

    @property
    def cost(self) -> KnownSum:
        """Return the agent's cost."""
        return KnownSum.of(entry.usage.cost_usd for entry in self.answered)

    @property
    def cost_of_attempt(self) -> float | None:
        """Return the mean cost of the attempts that know theirs; ``None`` if they are free and others unknown."""
        return None if self.cost.unknown and not self.cost.known else _mean(e.usage.cost_usd for e in self.answered)

    @property
    def cost_of_pass(self) -> float | None:
        """Return the cost of the attempts that know theirs for each of them that passed."""
        known = [entry for entry in self.entries if entry.usage.cost_usd is not None]
        passes = sum(entry.outcome == "passed" for entry in known)
        return self.cost.known / passes if passes else None

    @property
    def is_cost_of_pass_a_bound(self) -> bool:
        """Return whether a pass costs at most :attr:`cost_of_pass`: unscored attempts may have passed, and each cost
        is known."""
        return bool(self.rate.unscored) and not self.cost.unknown

    @property
    def tokens_of_attempt(self) -> float | None:
        """Return the mean tokens, read and written, of the attempts that know theirs."""
        used = ((entry.usage.input_tokens, entry.usage.output_tokens) for entry in self.answered)
        return _mean(None if read is None or written is None else read + written for read, written in used)

    @property
    def seconds_of_attempt(self) -> float | None:
        """Return the mean duration of an attempt."""
        return _mean(entry.seconds for entry in self.entries)

    @property
    def causes(self) -> list[tuple[str, int]]:
        """Return the causes of its failures with their attempts, the most frequent first."""
        failed = (entry for entry in self.entries if entry.outcome == "failed" and is_failing(entry))
        return Counter(cause_of(entry).kind for entry in failed).most_common()


def standings(entries: Iterable[Entry]) -> tuple[Standing, ...]:
    """Return the models by their falling pass rate; agents without a model only if there are no others.

    As long as attempts are unscored the order is that of the least rates. Arms of a comparison are left out: they are
    the matter of its gates.
    """
    by_model = group_by((entry for entry in entries if not entry.arm), lambda entry: entry.model)
    rates = {model: PassRate.of(by_model[model]) for model in compared_models(by_model)}

    def order(model: str) -> tuple[float, float, object]:
        bounds = rates[model].range
        return (1.0, 1.0, natural_key(model)) if bounds is None else (-bounds.low, -bounds.high, natural_key(model))

    ordered = sorted(rates, key=order)
    is_known = any(rate.verdicts for rate in rates.values()) and _is_first_the_best(
        by_model[model] for model in ordered
    )
    best = _passes(by_model[ordered[0]]) if is_known else {}
    results = []
    for model in ordered:
        own = _passes(by_model[model])
        is_best = model == ordered[0] and is_known
        to_best = compare(best, own) if not is_best and best.keys() & own.keys() else None
        results.append(Standing(model, tuple(by_model[model]), rates[model], to_best, is_best))
    return tuple(results)


def references(entries: Iterable[Entry]) -> list[tuple[str, PassRate]]:
    """Return the pass rates of agents without a model that ran beside models."""
    by_model = group_by((entry for entry in entries if not entry.arm), lambda entry: entry.model)
    models = compared_models(by_model)
    return [(model, PassRate.of(by_model[model])) for model in sorted(by_model, key=natural_key) if model not in models]


@dataclass(frozen=True)
class DifferingTask:
    """A task that models pass unequally often."""

    suite: str
    task: str
    trials: Mapping[str, Sequence[Entry]]
    """Attempts by model."""


def differing_tasks(every: Sequence[Standing]) -> list[DifferingTask]:
    """Return the tasks in which the shares of passed trials of models differ, one of each suite in turn.

    The tasks of a suite begin with the largest difference, and the suites with the one whose largest difference is the
    largest; of equal ones with the one whose differences have the largest sum.
    """
    by_task = group_by((entry for each in every for entry in each.entries), lambda entry: (entry.series, entry.task_id))
    found = []
    for (suite, task), entries in by_task.items():
        trials = group_by(entries, lambda entry: entry.model)
        rates = [rate.value for rate in map(PassRate.of, trials.values()) if rate.value is not None]
        if len(rates) > 1 and min(rates) < max(rates):
            found.append((max(rates) - min(rates), DifferingTask(suite, task, trials)))
    found.sort(key=lambda each: (-each[0], natural_key(each[1].suite), natural_key(each[1].task)))
    suites = group_by(found, lambda each: each[1].suite).values()
    ordered = sorted(suites, key=lambda tasks: (-tasks[0][0], -sum(difference for difference, _ in tasks)))
    return [task for _, task in round_robin(ordered)]


def is_decided(every: Sequence[Standing]) -> bool:
    """Return whether no verdict on unscored attempts and errors could make another model the best."""
    return _is_first_the_best(each.entries for each in every)


def _is_first_the_best(attempts: Iterable[Iterable[Entry]]) -> bool:
    first, *others = (bounds for bounds in map(possible_range, attempts) if bounds is not None)
    return all(other.high <= first.low for other in others)


def _passes(entries: Iterable[Entry]) -> dict[str, list[float]]:
    """Return the verdicts of each task's trials, as 1 and 0."""
    results: dict[str, list[float]] = {}
    for entry in entries:
        if entry.outcome in ("passed", "failed"):
            results.setdefault(f"{entry.series}\n{entry.task_id}", []).append(float(entry.outcome == "passed"))
    return results


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
