"""Tables of results: outcomes, metrics, trials, thresholds and conditions."""

from collections import Counter
from collections.abc import Iterator, Sequence

from pytest_mcpbench.core.evidence import REPLAYED
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.core.trajectory import DERIVED, NO_USAGE, NOT_COMPARED, RECITED
from pytest_mcpbench.reporting.aggregates.conditions import unusual_conditions
from pytest_mcpbench.reporting.aggregates.model_comparison import ranks
from pytest_mcpbench.reporting.aggregates.summary import HEADLINE_IS_MICRO, Summary, UsageSum
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables.table import Table, filled_table, model_name, names
from pytest_mcpbench.statistics.groups import Aggregate

_TRIALS_SHOWN = frozenset({1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100})


def usage_cells(usage: UsageSum) -> tuple[str, str]:
    """Return tokens and cost, each with the number of attempts that do not know theirs."""
    tokens = f"{number_formats.tokens(usage.input_tokens.known)}+{number_formats.tokens(usage.output_tokens.known)}"
    unknown_tokens = max(usage.input_tokens.unknown, usage.output_tokens.unknown)
    attempts, cost = usage.cost_usd.attempts, usage.cost_usd
    return (
        number_formats.at_least(tokens, unknown_tokens, attempts, unknown_text="?+?"),
        number_formats.at_least(number_formats.money(cost.known), cost.unknown, attempts),
    )


def results_table(summary_list: Sequence[Summary]) -> Table:
    """Return the table with one row per suite and model."""
    places = ranks(summary_list)
    headings = ("suite", "model", "n", "passed", "failed", "errors", "unscored", "pass rate", "95 % interval")
    rows = [
        (
            *names(summary),
            *map(
                number_formats.count,
                (summary.attempts, summary.passed, summary.failed, summary.errors, summary.unscored),
            ),
            summary.rate.text,
            number_formats.percent_interval(summary.pass_interval),
            str(places.get((summary.suite, summary.model), "")),
            *usage_cells(summary.known_usage),
            *(("", "") if summary.judge_usage == NO_USAGE else usage_cells(summary.known_judge_usage)),
            *(("", "") if summary.user_usage == NO_USAGE else usage_cells(summary.known_user_usage)),
            number_formats.seconds(summary.seconds),
        )
        for summary in summary_list
    ]
    notes = ["rank (UB): 1 + number of models whose interval lies wholly above"] if places else []
    note = "; ".join([*notes, *_xfail_notes(summary_list)])
    more = ("rank (UB)", "tokens", "cost", "judge tokens", "judge cost", "user tokens", "user cost", "total time")
    optional = ("rank (UB)", "judge tokens", "judge cost", "user tokens", "user cost")
    return filled_table("Results", (*headings, *more), rows, 2, optional, note)


def oracle_table(report: Report) -> Table:
    """Return the table that says what the attempts of ``oracle`` show; without rows if there are none."""
    origins: dict[str, Counter[str]] = {}
    for entry in report.entries:
        if entry.answer_origin is not None:
            count = origins.setdefault(entry.series, Counter())
            count.update(["attempts", entry.answer_origin, *(["no call"] if not entry.tool_calls else [])])
    columns = ("attempts", "no call", DERIVED, RECITED, NOT_COMPARED)
    rows = [
        (one_line(suite, 40), *(number_formats.count(count[column]) if count[column] else "" for column in columns))
        for suite, count in origins.items()
    ]
    note = "no call: the run does not show that the tools suffice; recited: the answer is taken from the task"
    return filled_table(
        "Oracle",
        ("suite", "attempts", "no call", "answer derived", "answer recited", "words not compared"),
        rows,
        1,
        ("no call", "answer derived", "answer recited", "words not compared"),
        note if any(count["no call"] or count[RECITED] for count in origins.values()) else "",
    )


def condition_table(report: Report) -> Table:
    """Return the table of conditions that differ from the defaults."""
    rows = tuple(
        (one_line(suite, 40), name, one_line(value, 80)) for suite, name, value in unusual_conditions(report.facts)
    )
    return Table("Conditions", ("suite", "condition", "value"), rows, words=3)


def metric_table(summary_list: Sequence[Summary]) -> Table:
    """Return the table with the mean of each metric and its denominators."""
    headings = ("suite", "metric", "model", "mean", "95 % interval", "micro", "n", "unscored", "n/a")
    ordered = [
        (summary, name)
        for suite in dict.fromkeys(summary.suite for summary in summary_list)
        for name in dict.fromkeys(
            name for summary in summary_list if summary.suite == suite for name in summary.metrics
        )
        for summary in summary_list
        if summary.suite == suite and name in summary.metrics
    ]
    rows = [
        (summary.suite, one_line(name, 40), model_name(summary.model), *_metric(summary.metrics[name]))
        for summary, name in ordered
    ]
    pooled = sorted({name for _, name in ordered} & HEADLINE_IS_MICRO)
    notes = [f"published numbers of {', '.join(pooled)} are micro averages"] if pooled else []
    if any(summary.is_replayed for summary in summary_list):
        notes.append(f"tool_success n/a: {REPLAYED}")
    return filled_table("Metrics", headings, rows, 3, ("micro", "unscored", "n/a"), "; ".join(notes))


def trial_table(summary_list: Sequence[Summary]) -> Table:
    """Return the table of pass@k and pass^k."""
    rows = [
        (
            *names(summary),
            str(each.k),
            number_formats.percent(each.pass_at),
            number_formats.percent(each.pass_hat),
            number_formats.count(each.tasks),
        )
        for summary in summary_list
        for each in summary.repetition
        if each.k in _TRIALS_SHOWN or each.k == len(summary.repetition)
    ]
    note = f"pass@k n/a: {REPLAYED}" if any(summary.is_replayed for summary in summary_list) else ""
    return filled_table("Trials", ("suite", "model", "k", "pass@k", "pass^k", "tasks"), rows, 2, note=note)


def threshold_table(summary_list: Sequence[Summary]) -> Table:
    """Return the table with the shares of attempts whose coverage reaches each threshold of MCP-Atlas."""
    levels = dict.fromkeys(level for summary in summary_list for level in summary.thresholds.get("coverage", ()))
    rows = [
        (
            *names(summary),
            *(number_formats.percent(summary.thresholds["coverage"].get(level)) for level in levels),
            number_formats.count(summary.metrics["coverage"].n),
        )
        for summary in summary_list
        if "coverage" in summary.thresholds
    ]
    headings = ("suite", "model", *(f"≥ {level:g}" for level in levels), "n")
    return filled_table("Attempts by coverage", headings, rows, 2)


def _xfail_notes(summary_list: Sequence[Summary]) -> Iterator[str]:
    """Yield the number of attempts marked ``xfail``, which pytest counts separately and these tables by outcome."""
    for outcome, count in (
        ("failed", sum(summary.xfailed for summary in summary_list)),
        ("passed", sum(summary.xpassed for summary in summary_list)),
    ):
        if count:
            yield f"of the {outcome} attempts {count} {'was' if count == 1 else 'were'} marked xfail"


def _metric(metric: Aggregate) -> tuple[str, ...]:
    return (
        number_formats.score(metric.macro),
        number_formats.score_interval(metric.interval),
        "" if metric.micro is None else number_formats.score(metric.micro),
        *map(number_formats.count, (metric.n, metric.unscored, metric.not_applicable)),
    )
