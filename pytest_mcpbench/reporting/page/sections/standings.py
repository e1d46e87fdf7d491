"""The models of a run on the first screen: a row for each, and the same pass rates by suite."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup

from pytest_mcpbench.core.model_names import is_competitor
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.scoring import Scoring
from pytest_mcpbench.reporting.aggregates.pass_rate import PassRate
from pytest_mcpbench.reporting.aggregates.standings import Standing, standings
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.tables.results import deciding_scoring, scoring_rate
from pytest_mcpbench.reporting.tables.section import plain, sentence
from pytest_mcpbench.reporting.tables.standings import (
    common_tasks,
    cost_of_attempt,
    cost_of_pass,
    other_scorings,
    points,
    reference_text,
)
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.natural_order import natural_key

_CAUSES = 3


def standings_markup(entries: Sequence[Entry]) -> Markup:
    """Return the models in the order of their pass rates, a line of agents without a model, and the rates by suite."""
    every = standings(entries)
    if not every:
        return Markup()
    columns = [column for column in _COLUMNS if column.is_shown(every)]
    deciding = deciding_scoring(every)
    told = {"pass rate": f"pass rate ({deciding})"} if deciding else {}
    heads = Markup().join(
        Markup('<th scope="col"{} title="{}">{}</th>').format(
            _classes(words=column.is_words), column.title, told.get(column.heading, column.heading)
        )
        for column in columns
    )
    rows = Markup().join(_row(standing, columns) for standing in every)
    rates = reference_text(entries)
    references = Markup()
    if rates:
        references = Markup(
            '<tfoot><tr class="reference"><td class="words" colspan="{}">without a model: {}</td></tr></tfoot>'
        ).format(len(columns) + 1, plain(rates))
    table = Markup(
        '<figure class="table one-table standings" tabindex="0" role="group" aria-label="Models"><table>'
        '<caption>Models by pass rate</caption><thead><tr><th scope="col" class="words" title="">model</th>{}</tr>'
        "</thead><tbody>{}</tbody>{}</table></figure>"
    ).format(heads, rows, references)
    return table + _by_suite(entries, every)


def rate_bar(rate: PassRate) -> Markup:
    """Return a bar from 0 to 100 %: the part that surely passed, the part that is open, and the interval."""
    if rate.range is None or rate.interval is None:
        return Markup()
    return Markup(
        '<svg class="rate-bar" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="track" width="100" height="12"/><rect class="open" width="{high:.2f}" height="12"/>'
        '<rect class="sure" width="{low:.2f}" height="12"/><rect class="interval" x="{start:.2f}" y="5" '
        'width="{width:.2f}" height="2"/></svg>'
    ).format(
        low=rate.range.low * 100,
        high=rate.range.high * 100,
        start=rate.interval.low * 100,
        width=(rate.interval.high - rate.interval.low) * 100,
    )


@dataclass(frozen=True)
class _Column:
    """Column of the table of models, behind their names."""

    heading: str
    title: str
    cell: Callable[[Standing], Markup]
    is_words: bool = False
    is_shown: Callable[[Sequence[Standing]], bool] = bool
    """Whether the column says something of these models."""


def _row(standing: Standing, columns: Iterable[_Column]) -> Markup:
    model = standing.model
    name = plain(model) + (Markup() if is_competitor(model) else Markup(" <small>no model</small>"))
    head = Markup('<th scope="row" class="words"><a href="#{}">{}</a></th>').format(_list_of(model=model), name)
    cells = ((column, column.cell(standing)) for column in columns)
    return Markup("<tr>{}{}</tr>").format(
        head,
        Markup().join(
            Markup('<td data-name="{}"{}>{}</td>').format(
                column.heading, _classes(words=column.is_words, none=cell == "–"), cell
            )
            for column, cell in cells
        ),
    )


def _classes(**holds: bool) -> Markup:
    names = " ".join(name for name, is_true in holds.items() if is_true)
    return Markup(' class="{}"').format(names) if names else Markup()


def _rate(standing: Standing) -> Markup:
    rate = standing.rate
    return rate_bar(rate) + Markup('<span class="rate"><strong>{}</strong> <small>{}</small></span>').format(
        sentence(rate.bounds_text), sentence(number_formats.percent_range(rate.interval) if rate.interval else "")
    )


def _difference(standing: Standing) -> Markup:
    if standing.is_best:
        return Markup("best")
    if standing.to_best is None:
        return Markup("–")
    kind = "significant" if standing.significance == "significant" else ""
    told = Markup('{} <small class="{}">{}</small>').format(points(standing), kind, standing.significance)
    over = common_tasks(standing)
    return told + Markup(" <small>{}</small>").format(over) if over else told


def _open(standing: Standing) -> Markup:
    links = [
        Markup('<a href="#{}">{}</a>').format(_list_of(model=standing.model, outcome=outcome), text)
        for outcome, count, text in (
            ("unscored", standing.rate.unscored, f"{standing.rate.unscored:,} unscored"),
            ("error", standing.errors, quantity(standing.errors, "error")),
        )
        if count
    ]
    return Markup(", ").join(links) or Markup("–")


def _causes(standing: Standing) -> Markup:
    links = [
        Markup('<span><a href="#{}">{}</a> {:,}</span>').format(
            _list_of(model=standing.model, cause=kind), plain(kind), count
        )
        for kind, count in standing.causes[:_CAUSES]
    ]
    return Markup(", ").join(links) or Markup("–")


def _scoring_column(scoring: Scoring, title: str) -> _Column:
    def is_shown(every: Sequence[Standing]) -> bool:
        return any(column.heading == scoring for column in other_scorings(every))

    return _Column(scoring, title, lambda each: sentence(scoring_rate(each, scoring) or "–"), is_shown=is_shown)


def _cost_column(heading: str, title: str, cost_of: Callable[[Standing], tuple[str, str]]) -> _Column:
    def cell(standing: Standing) -> Markup:
        cost, basis = cost_of(standing)
        return Markup("{} <small>{}</small>" if basis else "{}").format(cost, basis)

    return _Column(heading, title, cell, is_shown=lambda every: any(cost_of(each)[0] != "–" for each in every))


_COLUMNS = (
    _Column(
        "pass rate", "Mean over tasks of the share of trials that passed, with its 95 % interval", _rate, is_words=True
    ),
    _Column(
        "to the best",
        "Difference in percentage points over the tasks that both have decided, by an exact paired test",
        _difference,
    ),
    _Column("open", "Attempts that are unscored or ended with an error", _open),
    _scoring_column("paper", "Pass rate by the criterion of the suites' papers"),
    _scoring_column("guarded", "Pass rate by that criterion and the suites' guards against wrong attempts"),
    _cost_column(
        "cost an attempt",
        "Mean, without errors before any reply of a model; tokens where the cost is not known",
        cost_of_attempt,
    ),
    _cost_column("cost a pass", "Cost of all attempts for each one that passed", cost_of_pass),
    _Column(
        "time",
        "Mean of an attempt",
        lambda each: plain(number_formats.seconds(each.seconds_of_attempt or 0.0)),
    ),
    _Column("fails by", "The most frequent causes of failed attempts; each leads to them", _causes, is_words=True),
)


def _by_suite(entries: Iterable[Entry], every: Sequence[Standing]) -> Markup:
    """Return the pass rates with a row for each model and a column for each suite; nothing for one suite."""
    models = {standing.model for standing in every}
    groups = group_by(
        (entry for entry in entries if entry.model in models and not entry.arm),
        lambda entry: (entry.model, entry.series),
    )
    rates = {key: PassRate.of(group) for key, group in groups.items()}
    suites = sorted({suite for _, suite in rates}, key=natural_key)
    if len(suites) < 2:
        return Markup()
    best = {suite: _best([rates[key] for key in rates if key[1] == suite]) for suite in suites}
    rows = Markup().join(
        Markup('<tr><th scope="row" class="words">{}</th>{}</tr>').format(
            plain(standing.model),
            Markup().join(
                _cell(standing.model, suite, rates.get((standing.model, suite)), best[suite]) for suite in suites
            ),
        )
        for standing in every
    )
    heads = Markup().join(Markup('<th scope="col">{}</th>').format(plain(suite)) for suite in suites)
    return Markup(
        '<figure class="table by-suite" tabindex="0" role="group" aria-label="Pass rates by suite"><table>'
        '<caption>Pass rates by suite</caption><thead><tr><th scope="col" class="words">model</th>{}</tr></thead>'
        "<tbody>{}</tbody></table></figure>"
    ).format(heads, rows)


def _cell(model: str, suite: str, rate: PassRate | None, best: float | None) -> Markup:
    if rate is None or rate.range is None:
        return Markup("<td>–</td>")
    is_best = best is not None and rate.value == best
    return Markup('<td{}><a href="#{}" title="{}">{}</a> <small>{}</small></td>').format(
        Markup(' class="best"' if is_best else ""),
        _list_of(suite=suite, model=model),
        f"{rate.verdicts:,} of {quantity(rate.made, 'attempt')} decided",
        rate.bounds_text,
        number_formats.percent_range(rate.interval) if rate.interval else "",
    )


def _best(rates: Sequence[PassRate]) -> float | None:
    """Return the highest rate; ``None`` if unscored attempts could raise another above it, or if all are equal."""
    ranges = [rate.range for rate in rates if rate.range is not None]
    highest = max((value for rate in rates if (value := rate.value) is not None), default=None)
    is_beaten = highest is None or any(each.high > highest for each in ranges)
    return None if is_beaten or all(each.low == highest for each in ranges) else highest


def _list_of(**filters: str) -> str:
    """Return the address of the attempts that fit these filters."""
    return f"?{urlencode(filters)}"
