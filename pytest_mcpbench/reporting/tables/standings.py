"""Tables of models over all suites: what each passes beside the best one, what it costs, and where and why it fails."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from pytest_mcpbench.core.arm import CANDIDATE, is_fresh
from pytest_mcpbench.core.record import series
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.scoring import SCORINGS
from pytest_mcpbench.reporting.aggregates.pass_rate import PassRate
from pytest_mcpbench.reporting.aggregates.standings import Standing, references, standings
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.tables.results import deciding_scoring, scoring_rate, xfail_notes
from pytest_mcpbench.reporting.tables.table import Column, Table, model_name, table_of
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.natural_order import natural_key

_CAUSES = 3
_ATTEMPTS: Column[Standing] = Column("n", lambda each: number_formats.count(len(each.entries)))
_MODEL: Column[Standing] = Column("model", lambda each: model_name(each.model), is_words=True)


def standing_tables(report: Report) -> tuple[Table, ...]:
    """Return the models by their pass rates, and these by suite; none in a run that compares arms."""
    every = standings(report.entries)
    by_suite = table_of("Pass rates by suite", (_MODEL, *columns), every) if (columns := suite_columns(every)) else None
    return tuple(filter(None, (_standing_table(report, every) if every else None, by_suite)))


def _standing_table(report: Report, every: Sequence[Standing]) -> Table:
    deciding = deciding_scoring(every)
    beside = (Column("to the best", points), Column("significant", _significant)) if len(every) > 1 else (_ATTEMPTS,)
    price_columns: list[Column[Standing]] = []
    if any(each.cost.known for each in every):
        price_columns.append(Column("cost a pass", lambda each: cost_of_pass(each)[0]))
    elif any(each.tokens_of_attempt for each in every):
        price_columns.append(Column("tokens", lambda each: number_formats.tokens(each.tokens_of_attempt)))
    columns: tuple[Column[Standing], ...] = (
        _MODEL,
        Column(f"pass rate ({deciding})" if deciding else "pass rate", lambda each: each.rate.bounds_text),
        Column("95 %", lambda each: number_formats.percent_range(each.rate.interval) if each.rate.interval else ""),
        *beside,
        *other_scorings(every),
        Column("errors", lambda each: number_formats.count(each.errors), is_optional=True),
        *price_columns,
        Column("time", lambda each: number_formats.seconds(each.seconds_of_attempt or 0.0)),
    )
    fewer = [f"{each.model} {over}" for each in every if (over := common_tasks(each))]
    partly = (f"cost of {each.model}: {basis}" for each in every if (basis := cost_of_pass(each)[1]))
    without = reference_text(report.entries)
    expected = Counter(entry.outcome for each in every for entry in each.entries if entry.is_xfail)
    notes = [
        *([f"without a model: {without}"] if without else []),
        *([f"to the best: {', '.join(fewer)}"] if fewer else []),
        *partly,
        *xfail_notes(expected["failed"], expected["passed"]),
    ]
    return table_of("Models", columns, every, "; ".join(notes))


def other_scorings(every: Sequence[Standing]) -> Iterator[Column[Standing]]:
    """Yield the pass rates by the criteria that differ from the deciding one."""
    for scoring in SCORINGS:
        if any(each.rates and each.rates[scoring] != each.rate for each in every):
            yield Column(scoring, partial(scoring_rate, scoring=scoring))


def reference_text(entries: Iterable[Entry]) -> str:
    """Return the pass rates of agents without a model that ran beside models; empty without any."""
    return ", ".join(f"{model} {rate.text}" for model, rate in references(entries))


def suite_columns(every: Sequence[Standing]) -> tuple[Column[Standing], ...]:
    """Return a column with the pass rates of each suite; none if there is one suite only."""
    by_suite = {each.model: group_by(each.entries, lambda entry: entry.series) for each in every}
    suites = sorted({suite for groups in by_suite.values() for suite in groups}, key=natural_key)

    def of_suite(suite: str) -> Callable[[Standing], str]:
        return lambda each: PassRate.of(by_suite[each.model].get(suite, ())).bounds_text

    return tuple(Column(one_line(suite, 40), of_suite(suite)) for suite in suites) if len(suites) > 1 else ()


def arms_table(entries: Iterable[Entry]) -> Table | None:
    """Return the pass rates of the first trials of each arm by suite and model; ``None`` without arms."""
    first = [entry for entry in entries if entry.arm and not is_fresh(entry.arm)]
    arms = sorted({entry.arm for entry in first}, key=lambda arm: (arm == CANDIDATE, natural_key(arm)))
    groups = group_by(first, lambda entry: (series(entry.suite, entry.test), entry.model))

    def of_arm(arm: str) -> Callable[[tuple[str, str]], str]:
        return lambda key: PassRate.of(entry for entry in groups[key] if entry.arm == arm).text

    columns: tuple[Column[tuple[str, str]], ...] = (
        Column("suite", lambda key: key[0], is_words=True),
        Column("model", lambda key: model_name(key[1]), is_words=True),
        *(Column(arm, of_arm(arm)) for arm in arms),
    )
    return table_of("Pass rates of the arms (first trials)", columns, groups) if groups else None


def failure_sentence(report: Report) -> str:
    """Return why most attempts of each model failed, those with the most failures first; empty without any."""
    every = sorted(standings(report.entries), key=lambda each: -sum(count for _, count in each.causes))
    told = [f"{model_name(each.model)} {cause_text(each.causes[:_CAUSES])}" for each in every if each.causes]
    return f"Most failures: {'; '.join(told)}." if told else ""


def cause_text(causes: Sequence[tuple[str, int]]) -> str:
    """Return causes of failures with their numbers of attempts."""
    return ", ".join(f"{kind} {count:,}" for kind, count in causes)


def points(standing: Standing) -> str:
    """Return the difference to the best model in percentage points."""
    if standing.is_best:
        return "best"
    return "" if standing.to_best is None else f"{standing.to_best.difference * 100:+.1f}".replace("-", "−")


def common_tasks(standing: Standing) -> str:
    """Return over how many tasks the difference to the best model is; empty if it is over all that the model has."""
    if standing.to_best is None or standing.to_best.tasks == standing.tasks:
        return ""
    return f"over {number_formats.count(standing.to_best.tasks)} of {quantity(standing.tasks, 'task')}"


def _significant(standing: Standing) -> str:
    if standing.is_best or standing.to_best is None:
        return ""
    return {"significant": "yes", "not significant": "no", "significant by one task": "by one task"}.get(
        standing.significance, standing.significance
    )


def cost_of_attempt(standing: Standing) -> tuple[str, str]:
    """Return the mean cost and its basis if some attempts do not know theirs; the tokens where none does."""
    cost, tokens = standing.cost, standing.tokens_of_attempt
    if cost.unknown and not cost.known:
        return number_formats.UNKNOWN, f"{number_formats.tokens(tokens)} tokens" if tokens else ""
    if not cost.known:
        return "–", ""
    answered = len(standing.answered)
    basis = _basis(standing) or (f"of {quantity(answered, 'attempt')}" if answered < len(standing.entries) else "")
    return _money(standing.cost_of_attempt), basis


def cost_of_pass(standing: Standing) -> tuple[str, str]:
    """Return the cost of a pass and its basis if some attempts do not know theirs; a bound only where it is one."""
    if standing.cost.unknown and not standing.cost.known:
        return number_formats.UNKNOWN, ""
    if not standing.cost.known:
        return "–", ""
    if standing.cost_of_pass is None:
        return (number_formats.UNKNOWN, "no pass tells its cost") if standing.rate.passed else ("no pass", "")
    bound = "≤ " if standing.is_cost_of_pass_a_bound and standing.cost_of_pass else ""
    return bound + _money(standing.cost_of_pass), _basis(standing)


def _money(cost_usd: float | None) -> str:
    return number_formats.UNKNOWN if cost_usd is None else "–" if cost_usd == 0 else number_formats.money(cost_usd)


def _basis(standing: Standing) -> str:
    cost = standing.cost
    return f"of {quantity(cost.attempts - cost.unknown, 'attempt')}" if cost.unknown else ""
