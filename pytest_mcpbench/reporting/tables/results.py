"""Tables of results: outcomes, metrics, trials, thresholds and conditions."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Protocol

from pytest_mcpbench.core.evidence import REPLAYED
from pytest_mcpbench.core.model_names import compared_models
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.core.scoring import SCORINGS, Scoring
from pytest_mcpbench.core.trajectory import DERIVED, NOT_COMPARED, RECITED, SHOWN
from pytest_mcpbench.core.usage import NO_USAGE, Usage
from pytest_mcpbench.reporting.aggregates.conditions import real_servers, unusual_conditions
from pytest_mcpbench.reporting.aggregates.model_comparison import ranks
from pytest_mcpbench.reporting.aggregates.pass_rate import PassRate
from pytest_mcpbench.reporting.aggregates.summary import HEADLINE_IS_MICRO, Repetition, Summary, UsageSum
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables.table import MODEL, SUITE, Column, Table, filled_table, model_name, table_of
from pytest_mcpbench.statistics.groups import Aggregate, group_by

_TRIALS_SHOWN = frozenset({1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100})


_Numbers = Column[Summary]


class Rated(Protocol):
    """Results with a pass rate."""

    @property
    def rate(self) -> PassRate:
        """Pass rate by the criterion that decides."""
        ...

    @property
    def rates(self) -> Mapping[Scoring, PassRate]:
        """Pass rate by each criterion; empty for a suite without guards."""
        ...


def scoring_rate(row: Rated, scoring: Scoring) -> str:
    """Return the pass rate by a criterion; empty for a suite without guards."""
    return row.rates[scoring].bounds_text if scoring in row.rates else ""


def deciding_scoring(rows: Sequence[Rated]) -> Scoring | None:
    """Return the criterion that decides in all rows with guards; ``None`` if there are none, or if they differ."""
    guarded = [row for row in rows if row.rates]
    return next(
        (each for each in reversed(SCORINGS) if guarded and all(row.rates[each] == row.rate for row in guarded)), None
    )


def _rate_columns(rows: Sequence[Summary]) -> Iterator[_Numbers]:
    """Yield the pass rate, its interval, and the pass rates by the criteria that it does not stand for already."""
    deciding = deciding_scoring(rows)
    yield Column(f"pass rate ({deciding})" if deciding else "pass rate", lambda row: row.rate.bounds_text)
    yield Column("95 % interval", lambda row: number_formats.percent_interval(row.rate.interval))
    for scoring in SCORINGS:
        if scoring != deciding:
            yield Column(scoring, partial(scoring_rate, scoring=scoring))


def results_tables(summary_list: Sequence[Summary]) -> tuple[Table, ...]:
    """Return the table with one row per suite and model, and that of the agents without a model beside models."""
    models = compared_models(summary.model for summary in summary_list)
    compared = [summary for summary in summary_list if summary.model in models]
    others = [summary for summary in summary_list if summary.model not in models]
    return _results_table("Results", compared, ranks(compared)), _results_table("Without a model", others, {})


def _results_table(title: str, summary_list: Sequence[Summary], places: Mapping[tuple[str, str], int]) -> Table:
    columns: tuple[_Numbers, ...] = (
        SUITE,
        MODEL,
        *_rate_columns(summary_list),
        Column("n", lambda summary: number_formats.count(summary.attempts)),
        Column("passed", lambda summary: number_formats.count(summary.passed)),
        Column("failed", lambda summary: number_formats.count(summary.failed)),
        Column("errors", lambda summary: number_formats.count(summary.errors)),
        Column("unscored", lambda summary: number_formats.count(summary.unscored)),
        Column("rank (UB)", lambda summary: str(places.get((summary.suite, summary.model), ""))),
        Column("tokens", lambda summary: tokens_text(summary.known_usage)),
        Column("cost", lambda summary: cost_text(summary.known_usage)),
        *_other_usage("judge", lambda summary: (summary.judge_usage, summary.known_judge_usage)),
        *_other_usage("user", lambda summary: (summary.user_usage, summary.known_user_usage)),
        Column("total time", lambda summary: number_formats.seconds(summary.seconds)),
    )
    notes = ["rank (UB): 1 + number of models whose interval lies wholly above"] if places else []
    if any(summary.unscored for summary in summary_list):
        notes.append("a range of pass rates: from all unscored attempts failed to all passed")
    return table_of(
        title,
        columns,
        summary_list,
        "; ".join(
            [
                *notes,
                *xfail_notes(
                    sum(summary.xfailed for summary in summary_list), sum(summary.xpassed for summary in summary_list)
                ),
            ]
        ),
    )


def _other_usage(whose: str, usage: Callable[[Summary], tuple[Usage, UsageSum]]) -> Iterator[_Numbers]:
    """Yield tokens and cost of judge or user, which are empty for summaries without one."""

    def known(form: Callable[[UsageSum], str]) -> Callable[[Summary], str]:
        return lambda summary: "" if usage(summary)[0] == NO_USAGE else form(usage(summary)[1])

    yield Column(f"{whose} tokens", known(tokens_text), is_optional=True)
    yield Column(f"{whose} cost", known(cost_text), is_optional=True)


def tokens_text(usage: UsageSum) -> str:
    """Return tokens read and written, with the number of attempts that do not know theirs."""
    known = f"{number_formats.tokens(usage.input_tokens.known)}+{number_formats.tokens(usage.output_tokens.known)}"
    unknown = max(usage.input_tokens.unknown, usage.output_tokens.unknown)
    return number_formats.at_least(known, unknown, usage.input_tokens.attempts, unknown_text="?+?")


def cost_text(usage: UsageSum) -> str:
    """Return the cost, with the number of attempts that do not know theirs."""
    cost = usage.cost_usd
    return number_formats.at_least(number_formats.money(cost.known), cost.unknown, cost.attempts)


def oracle_table(report: Report) -> Table:
    """Return the table that says what the attempts of ``oracle`` show; without rows if there are none."""
    origins: dict[str, Counter[str]] = {}
    for entry in report.entries:
        if entry.answer_origin is not None:
            count = origins.setdefault(entry.series, Counter())
            count.update(["attempts", entry.answer_origin, *(["no call"] if not entry.tool_calls else [])])
    note = "no call: the run does not show that the tools suffice; recited: the answer is taken from the task"
    headings = {"no call": "no call", DERIVED: "answer derived", SHOWN: "answer found", RECITED: "answer recited"}
    headings[NOT_COMPARED] = "words not compared"

    def counted(key: str) -> Callable[[tuple[str, Counter[str]]], str]:
        return lambda row: number_formats.count(row[1][key]) if row[1][key] else ""

    columns: tuple[Column[tuple[str, Counter[str]]], ...] = (
        Column("suite", lambda row: one_line(row[0], 40), is_words=True),
        Column("attempts", counted("attempts")),
        *(Column(heading, counted(key)) for key, heading in headings.items()),
    )
    is_told = any(count["no call"] or count[RECITED] for count in origins.values())
    return table_of("Oracle", columns, origins.items(), note if is_told else "")


def condition_table(report: Report) -> Table:
    """Return the table of conditions that differ from the defaults."""
    return _table_of_suites("Conditions", ("condition", "value"), unusual_conditions(report.facts))


def server_table(report: Report) -> Table:
    """Return the table of servers that are real: programs and servers at a URL."""
    return _table_of_suites("Real servers", ("server", "program or address"), real_servers(report.facts))


def _table_of_suites(title: str, headings: tuple[str, str], rows: Iterable[tuple[str, str, str]]) -> Table:
    """Return a table of suites with a name and a text in each row."""
    columns: tuple[Column[tuple[str, str, str]], ...] = (
        Column("suite", lambda row: one_line(row[0], 40), is_words=True),
        Column(headings[0], lambda row: row[1], is_words=True),
        Column(headings[1], lambda row: one_line(row[2], 80), is_words=True),
    )
    return table_of(title, columns, rows)


def search_table(report: Report) -> Table:
    """Return the table of searches for tools, over the attempts at tasks with reference calls whose model searched.

    A run in which every model saw all definitions has no rows.
    """
    counts = [
        (entry.series, entry.model, found) for entry in report.entries if (found := entry.counts.get("tool_search"))
    ]
    rows = []
    for (suite, model), group in group_by(counts, lambda each: each[:2]).items():
        total = {name: sum(each[name] for _, _, each in group) for name in group[0][2]}
        rows.append(
            (
                one_line(suite, 40),
                model_name(model),
                number_formats.count(len(group)),
                f"{total['part']:.0f} of {total['whole']:.0f}",
                f"{total['first']:.0f}",
                f"{total['searches'] / len(group):.1f}",
                f"{total['never_searched']:.0f}",
                f"{total['uncalled']:.0f}",
                f"{total['shown'] / len(group):,.0f} of {total['all'] / len(group):,.0f}",
            )
        )
    headings = ("suite", "model", "n", "found", "rank 1", "searches", "none", "uncalled", "tokens")
    note = (
        "found: of the needed tools; searches: mean of an attempt; none: attempts without a search; "
        "uncalled: found, not called; tokens: of the definitions shown at the last message, of all, estimated"
    )
    return filled_table("Tool search", headings, rows, 2, note=note)


def metric_table(summary_list: Sequence[Summary]) -> Table:
    """Return the table with the mean of each metric and its denominators."""
    ordered = [
        (summary, name, summary.metrics[name])
        for suite, group in group_by(summary_list, lambda summary: summary.suite).items()
        for name in dict.fromkeys(name for summary in group for name in summary.metrics)
        for summary in group
        if name in summary.metrics
    ]
    columns: tuple[Column[tuple[Summary, str, Aggregate]], ...] = (
        Column("suite", lambda row: row[0].suite, is_words=True),
        Column("metric", lambda row: one_line(row[1], 40), is_words=True),
        Column("model", lambda row: model_name(row[0].model), is_words=True),
        Column("mean", lambda row: number_formats.score(row[2].macro)),
        Column("95 % interval", lambda row: number_formats.score_interval(row[2].interval)),
        Column("micro", lambda row: "" if row[2].micro is None else number_formats.score(row[2].micro)),
        Column("n", lambda row: number_formats.count(row[2].n)),
        Column("unscored", lambda row: number_formats.count(row[2].unscored), is_optional=True),
        Column("n/a", lambda row: number_formats.count(row[2].not_applicable), is_optional=True),
    )
    pooled = sorted({name for _, name, _ in ordered} & HEADLINE_IS_MICRO)
    notes = [f"published numbers of {', '.join(pooled)} are micro averages"] if pooled else []
    if any(found.unscored for _, _, found in ordered):
        notes.append("a mean is over the n attempts that have a value")
    if any(summary.is_replayed for summary in summary_list):
        notes.append(f"tool_success n/a: {REPLAYED}")
    return table_of("Metrics", columns, ordered, "; ".join(notes))


def trial_table(summary_list: Sequence[Summary]) -> Table:
    """Return the table of pass@k and pass^k."""
    rows = [
        (summary, each)
        for summary in summary_list
        for each in summary.repetition
        if each.k in _TRIALS_SHOWN or each.k == len(summary.repetition)
    ]
    columns: tuple[Column[tuple[Summary, Repetition]], ...] = (
        Column("suite", lambda row: row[0].suite, is_words=True),
        Column("model", lambda row: model_name(row[0].model), is_words=True),
        Column("k", lambda row: str(row[1].k)),
        Column("pass@k", lambda row: number_formats.percent(row[1].pass_at)),
        Column("pass^k", lambda row: number_formats.percent(row[1].pass_hat)),
        Column("tasks", lambda row: number_formats.count(row[1].tasks)),
    )
    notes = [f"pass@k n/a: {REPLAYED}"] if any(summary.is_replayed for summary, _ in rows) else []
    fewer = any(each.tasks < summary.tasks for summary, each in rows)
    notes += ["over the tasks with verdicts in as many trials as the largest k"] if fewer else []
    return table_of("Trials", columns, rows, "; ".join(notes))


def threshold_table(summary_list: Sequence[Summary]) -> Table:
    """Return the table with the shares of attempts whose coverage reaches each threshold of MCP-Atlas."""
    kept = [summary for summary in summary_list if "coverage" in summary.thresholds]
    levels = dict.fromkeys(level for summary in kept for level in summary.thresholds["coverage"])

    def share(level: float) -> Callable[[Summary], str]:
        return lambda summary: number_formats.percent(summary.thresholds["coverage"].get(level))

    columns: tuple[_Numbers, ...] = (
        SUITE,
        MODEL,
        *(Column(f"≥ {level:g}", share(level)) for level in levels),
        Column("n", lambda summary: number_formats.count(summary.metrics["coverage"].n)),
    )
    return table_of("Attempts by coverage", columns, kept, "shares of the n attempts that have a coverage")


def xfail_notes(failed: int, passed: int) -> Iterator[str]:
    """Yield the number of attempts marked ``xfail``, which pytest counts separately and tables by outcome."""
    for outcome, count in (("failed", failed), ("passed", passed)):
        if count:
            yield f"of the {outcome} attempts {count} {'was' if count == 1 else 'were'} marked xfail"
