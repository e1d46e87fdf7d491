"""A report as tables of plain text, which the terminal, Markdown and HTML only have to draw."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.core.statistics.groups import Aggregate
from pytest_mcpbench.core.trajectory import NO_USAGE, Usage
from pytest_mcpbench.reporting import number_formats
from pytest_mcpbench.reporting.conditions import unusual
from pytest_mcpbench.reporting.display_text import one_line
from pytest_mcpbench.reporting.model_comparison import Paired, against_best, efficiencies, ranks
from pytest_mcpbench.reporting.summary import HEADLINE_IS_MICRO, Summary, by_tag, summaries
from pytest_mcpbench.reporting.tool_statistics import causes, definition_sizes, tool_rates

FIRST_TAGS = ("difficulty", "scenario", "domain", "category")
"""Tags whose tables come before the others'."""
_MOST_VALUES_OF_A_TAG = 20
_TRIALS_SHOWN = frozenset({1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100})
_LONGEST_ERROR = 100
_PARTICULARS = re.compile(
    r"(?<!server )(?<!model )(?<!judge )(?<!metric )(?:(?<!\w)'[^']*'|\"[^\"]*\")|[^\s'\"]*/[^\s'\"]*|\b(?:gw)?\d[\d.]*"
)
"""What messages of one kind differ in: what is quoted but for the name of who must act, paths, numbers, workers."""
_PAIRED = ("suite", "model", "against", "tasks", "difference", "95 % interval", "better", "worse", "p", "detectable")


@dataclass(frozen=True)
class Table:
    """Rows of cells, each on one line and without control characters."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    """How many columns from the left hold words; the others hold numbers."""
    note: str = ""


def main_tables(report: Report) -> tuple[Table, ...]:
    """What everyone wants to see: results, metrics and, where there are any, repetition and models side by side."""
    made = summaries(report)
    tables = (results(made), metrics(made), repetition(made), thresholds(made), comparisons(report, made))
    return tuple(table for table in tables if table.rows)


def detail_tables(report: Report) -> tuple[Table, ...]:
    """What explains them: conditions, tags, efficiency, what went wrong, tools."""
    made = summaries(report)
    tables = (
        conditions(report),
        *(of_tag(report, tag) for tag in shown_tags(report)),
        efficiency(report),
        failures(made),
        errors(report),
        tools(report),
        root_causes(report),
        definitions(report),
    )
    return tuple(table for table in tables if table.rows)


def results(made: Sequence[Summary]) -> Table:
    """One row for each suite and model."""
    places = ranks(made)
    headings = ("suite", "model", "n", "passed", "failed", "errors", "unscored", "pass rate", "95 % interval")
    rows = [
        (
            *_names(summary),
            *map(str, (summary.attempts, summary.passed, summary.failed, summary.errors, summary.unscored)),
            number_formats.percent(summary.pass_rate),
            number_formats.percent_interval(summary.pass_interval),
            str(places.get((summary.suite, summary.model), "")),
            number_formats.usage_tokens(summary.usage),
            number_formats.money(summary.usage.cost_usd),
            *_judging(summary.judge_usage),
            number_formats.seconds(summary.seconds),
        )
        for summary in made
    ]
    notes = ["rank (UB): 1 + number of models whose interval lies wholly above"] if places else []
    note = "; ".join([*notes, *_expectations(made)])
    more = ("rank (UB)", "tokens", "cost", "judge tokens", "judge cost", "time")
    return _table("Results", (*headings, *more), rows, 2, ("rank (UB)", "judge tokens", "judge cost"), note)


def conditions(report: Report) -> Table:
    """Those of an experiment that are not the defaults."""
    rows = tuple((one_line(suite, 40), name, one_line(value, 80)) for suite, name, value in unusual(report.facts))
    return Table("Conditions", ("suite", "condition", "value"), rows, words=3)


def metrics(made: Sequence[Summary]) -> Table:
    """The mean of each metric with its denominators."""
    headings = ("suite", "metric", "model", "mean", "95 % interval", "micro", "n", "unscored", "n/a")
    ordered = [
        (summary, name)
        for suite in dict.fromkeys(summary.suite for summary in made)
        for name in dict.fromkeys(name for summary in made if summary.suite == suite for name in summary.metrics)
        for summary in made
        if summary.suite == suite and name in summary.metrics
    ]
    rows = [
        (summary.suite, one_line(name, 40), _model(summary.model), *_metric(summary.metrics[name]))
        for summary, name in ordered
    ]
    pooled = sorted({name for _, name in ordered} & HEADLINE_IS_MICRO)
    note = f"published numbers of {', '.join(pooled)} are micro averages" if pooled else ""
    return _table("Metrics", headings, rows, 3, ("micro", "unscored", "n/a"), note)


def repetition(made: Sequence[Summary]) -> Table:
    """pass@k and pass^k."""
    rows = [
        (
            *_names(summary),
            str(each.k),
            number_formats.percent(each.pass_at),
            number_formats.percent(each.pass_hat),
            str(each.tasks),
        )
        for summary in made
        for each in summary.repetition
        if each.k in _TRIALS_SHOWN or each.k == len(summary.repetition)
    ]
    return _table("Trials", ("suite", "model", "k", "pass@k", "pass^k", "tasks"), rows, 2)


def thresholds(made: Sequence[Summary]) -> Table:
    """Shares of attempts whose coverage reaches each of MCP-Atlas' thresholds."""
    levels = dict.fromkeys(level for summary in made for level in summary.thresholds.get("coverage", ()))
    rows = [
        (
            *_names(summary),
            *(number_formats.percent(summary.thresholds["coverage"].get(level)) for level in levels),
            str(summary.metrics["coverage"].n),
        )
        for summary in made
        if "coverage" in summary.thresholds
    ]
    headings = ("suite", "model", *(f"≥ {level:g}" for level in levels), "n")
    return _table("Attempts by coverage", headings, rows, 2)


def comparisons(report: Report, made: Sequence[Summary]) -> Table:
    """Every model beside the best of its suite, on the tasks that both have."""
    rows = [(pair.suite, _model(pair.right), _model(pair.left), *_paired(pair)) for pair in against_best(report, made)]
    note = "difference of pass rates, * beyond chance; p: exact McNemar; detectable: least that so many tasks show"
    return _table("Against the best", _PAIRED, rows, 3, note=note)


def between(pairs: Iterable[Paired]) -> Table:
    """Two runs: passes, then metrics."""
    rows = [
        (
            pair.suite,
            _model(pair.right),
            one_line(pair.metric, 40),
            number_formats.score(pair.comparison.left),
            number_formats.score(pair.comparison.right),
            *_paired(pair),
        )
        for pair in pairs
    ]
    return _table("Comparison", ("suite", "model", "value", "before", "after", *_PAIRED[3:]), rows, 3)


def of_tag(report: Report, tag: str) -> Table:
    """Pass rates for each value of a tag."""
    rows = [
        (
            one_line(value, 60),
            *_names(summary),
            *map(str, (summary.attempts, summary.errors, summary.unscored)),
            number_formats.percent(summary.pass_rate),
            number_formats.percent_interval(summary.pass_interval),
        )
        for value, group in by_tag(report, tag).items()
        for summary in group
    ]
    headings = (one_line(tag, 40), "suite", "model", "n", "errors", "unscored", "pass rate", "95 % interval")
    return _table(f"By {one_line(tag, 40)}", headings, rows, 3, ("errors", "unscored"))


def shown_tags(report: Report) -> tuple[str, ...]:
    """Tags with few enough values to be a table, the usual ones first."""
    values: dict[str, set[str]] = {}
    for entry in report.entries:
        for tag, value in entry.tags.items():
            values.setdefault(tag, set()).add(value)
    shown = [tag for tag, found in values.items() if 1 < len(found) <= _MOST_VALUES_OF_A_TAG]
    return (*(tag for tag in FIRST_TAGS if tag in shown), *(tag for tag in shown if tag not in FIRST_TAGS))


def efficiency(report: Report) -> Table:
    """Tokens a task and CRE by domain; needs two models."""
    rows = [
        (
            each.suite,
            one_line(each.domain, 40),
            _model(each.model),
            number_formats.tokens(each.tokens),
            number_formats.score(each.cre),
        )
        for each in efficiencies(report)
    ]
    note = "CRE: 1 is the cheapest of these models, 0 the dearest (MCP-RADAR 4.2)"
    return _table("Efficiency", ("suite", "domain", "model", "tokens a task", "CRE"), rows, 3, note=note)


def failures(made: Sequence[Summary]) -> Table:
    """How many of the attempts that were made show each label; one attempt may show several."""
    rows = [
        (*_names(summary), taxonomy, label, str(count), number_formats.percent(count / summary.made))
        for summary in made
        for taxonomy, labels in summary.failures.items()
        for label, count in labels.items()
    ]
    note = "share of the attempts that were made; an attempt may have several labels, also one that passed"
    return _table("What went wrong", ("suite", "model", "taxonomy", "label", "attempts", "share"), rows, 4, note=note)


def errors(report: Report) -> Table:
    """What kept attempts from being made, by who must act; messages that differ in particulars only are one row."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for entry in report.entries:
        if entry.outcome == "error":
            message = _first_line(entry.error or "")
            key = (entry.series, _model(entry.model), entry.error_kind or "internal", _PARTICULARS.sub("…", message))
            alike.setdefault(key, []).append(message)
    ranked = sorted(alike.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    rows = [(*key[:3], _common(key[3], messages), str(len(messages))) for key, messages in ranked[:50]]
    return _table("Errors", ("suite", "model", "of", "what", "attempts"), rows, 4)


def tools(report: Report) -> Table:
    """Success of calls by server and tool."""
    rows = [
        (
            rate.suite,
            _model(rate.model),
            one_line(rate.server, 40),
            "(all)" if rate.tool is None else one_line(rate.tool, 60),
            str(rate.calls),
            str(rate.successes),
            number_formats.percent(rate.successes / rate.calls),
        )
        for rate in tool_rates(report)
    ]
    return _table("Tool calls", ("suite", "model", "server", "tool", "calls", "successes", "success"), rows, 4)


def root_causes(report: Report) -> Table:
    """Why calls did not succeed (MCPToolBench++ 4.3)."""
    rows = [
        (
            cause.suite,
            _model(cause.model),
            cause.cause,
            str(cause.calls),
            number_formats.percent(cause.calls / cause.of),
        )
        for cause in causes(report)
    ]
    return _table("Root causes", ("suite", "model", "cause", "calls", "share of calls"), rows, 3)


def definitions(report: Report) -> Table:
    """Tokens of the tool definitions (MCPToolBench++ Table 1)."""
    rows = [
        (size.suite, one_line(size.server, 40), str(size.tools), str(size.tokens), f"{size.tokens / size.tools:.0f}")
        for size in definition_sizes(report)
    ]
    return _table("Tool definitions", ("suite", "server", "tools", "tokens (estimate)", "tokens a tool"), rows, 2)


def _table(  # noqa: PLR0913 (each is a part of the table)
    title: str,
    headings: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    words: int,
    optional: tuple[str, ...] = (),
    note: str = "",
) -> Table:
    """The table without the optional columns in which every cell is empty or 0."""
    dropped = {
        index
        for index, heading in enumerate(headings)
        if heading in optional and all(row[index] in ("", "0") for row in rows)
    }

    def kept(cells: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(cell for index, cell in enumerate(cells) if index not in dropped)

    return Table(title, kept(headings), tuple(map(kept, rows)), words, note)


def _judging(usage: Usage) -> tuple[str, str]:
    """Tokens and cost; empty where no model judged."""
    return ("", "") if usage == NO_USAGE else (number_formats.usage_tokens(usage), number_formats.money(usage.cost_usd))


def _expectations(made: Sequence[Summary]) -> Iterator[str]:
    """How many attempts were marked ``xfail``: pytest counts them apart, these tables by what they did."""
    for outcome, count in (
        ("failed", sum(summary.xfailed for summary in made)),
        ("passed", sum(summary.xpassed for summary in made)),
    ):
        if count:
            yield f"of the {outcome} attempts {count} {'was' if count == 1 else 'were'} marked xfail"


def _names(summary: Summary) -> tuple[str, str]:
    return summary.suite, _model(summary.model)


def _model(name: str) -> str:
    return one_line(name, 60)


def _metric(metric: Aggregate) -> tuple[str, ...]:
    return (
        number_formats.score(metric.macro),
        number_formats.score_interval(metric.interval),
        "" if metric.micro is None else number_formats.score(metric.micro),
        *map(str, (metric.n, metric.unscored, metric.not_applicable)),
    )


def _paired(pair: Paired) -> tuple[str, ...]:
    made = pair.comparison
    detectable = made.smallest_detectable
    return (
        str(made.tasks),
        number_formats.difference(made.difference) + (" *" if made.is_significant else ""),
        number_formats.difference_interval(made.interval),
        str(made.better),
        str(made.worse),
        number_formats.p_value(made.p_value),
        number_formats.NONE if detectable is None else f"{detectable:.3f}",
    )


def _first_line(text: str) -> str:
    return one_line(text.strip().partition("\n")[0])


def _common(pattern: str, messages: Sequence[str]) -> str:
    """The message where there is one, else what they have in common; short enough for a line of a table."""
    return one_line(messages[0] if len(set(messages)) == 1 else pattern, _LONGEST_ERROR)
