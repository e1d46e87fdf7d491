"""Tables of a report."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from pytest_mcpbench.core.evidence import REPLAYED
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.core.statistics.groups import Aggregate
from pytest_mcpbench.core.trajectory import DERIVED, NO_USAGE, NOT_COMPARED, RECITED
from pytest_mcpbench.reporting import number_formats
from pytest_mcpbench.reporting.conditions import unusual_conditions
from pytest_mcpbench.reporting.display_text import one_line
from pytest_mcpbench.reporting.model_comparison import PASSED, PairedComparison, compare_with_best, efficiencies, ranks
from pytest_mcpbench.reporting.model_ranges import ModelRange, model_ranges
from pytest_mcpbench.reporting.regressions import RunComparison
from pytest_mcpbench.reporting.summary import HEADLINE_IS_MICRO, Summary, UsageSum, by_tag, summaries
from pytest_mcpbench.reporting.table import Table, filled_table
from pytest_mcpbench.reporting.tool_choice_tables import argument_table, confusion_table, tool_accuracy_table
from pytest_mcpbench.reporting.tool_selection import SelectionCells, selection_cells
from pytest_mcpbench.reporting.tool_statistics import category_sizes, causes, definition_sizes, tool_rates

FIRST_TAGS = ("difficulty", "scenario", "domain", "category")
"""Tags whose tables come first."""
_MOST_VALUES_OF_A_TAG = 20
_TRIALS_SHOWN = frozenset({1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100})
_LONGEST_ERROR = 100
_PARTICULARS = re.compile(
    r"(?<!server )(?<!model )(?<!judge )(?<!metric )(?:(?<!\w)'[^']*'|\"[^\"]*\")|[^\s'\"]*/[^\s'\"]*|\b(?:gw)?\d[\d.]*"
)
"""Parts in which similar messages differ: quoted text (except the name of the server or model), paths, numbers."""
_PAIRED = ("suite", "model", "against", "tasks", "difference", "95 % interval", "better", "worse", "p", "detectable")


def main_tables(report: Report) -> tuple[Table, ...]:
    """Return the tables that every report shows."""
    summary_list = summaries(report)
    tables = (
        results(summary_list),
        playback(report),
        metrics(summary_list),
        repetition(summary_list),
        thresholds(summary_list),
        comparisons(report, summary_list),
    )
    return tuple(table for table in tables if table.rows)


def detail_tables(report: Report) -> tuple[Table, ...]:
    """Return the tables that explain the results: conditions, tags, efficiency, failures, errors and tools."""
    summary_list = summaries(report)
    tables = (
        conditions(report),
        *(tag_table(report, tag) for tag in tags_with_table(report)),
        efficiency(report),
        tool_selection(report),
        tool_accuracy_table(report),
        confusion_table(report),
        argument_table(report),
        failures(summary_list),
        ranges(summary_list),
        errors(report),
        tools(report),
        root_causes(report),
        definitions(report),
        definitions_by_category(report),
    )
    return tuple(table for table in tables if table.rows)


def results(summary_list: Sequence[Summary]) -> Table:
    """Return the table with one row per suite and model."""
    places = ranks(summary_list)
    headings = ("suite", "model", "n", "passed", "failed", "errors", "unscored", "pass rate", "95 % interval")
    rows = [
        (
            *_names(summary),
            *map(str, (summary.attempts, summary.passed, summary.failed, summary.errors, summary.unscored)),
            number_formats.percent(summary.pass_rate),
            number_formats.percent_interval(summary.pass_interval),
            str(places.get((summary.suite, summary.model), "")),
            *_usage_cells(summary.known_usage),
            *(("", "") if summary.judge_usage == NO_USAGE else _usage_cells(summary.known_judge_usage)),
            number_formats.seconds(summary.seconds),
        )
        for summary in summary_list
    ]
    notes = ["rank (UB): 1 + number of models whose interval lies wholly above"] if places else []
    note = "; ".join([*notes, *_xfail_notes(summary_list)])
    more = ("rank (UB)", "tokens", "cost", "judge tokens", "judge cost", "time")
    return filled_table("Results", (*headings, *more), rows, 2, ("rank (UB)", "judge tokens", "judge cost"), note)


def playback(report: Report) -> Table:
    """Return the table that says what the attempts of ``oracle`` show; without rows if there are none."""
    origins: dict[str, Counter[str]] = {}
    for entry in report.entries:
        if entry.answer_origin is not None:
            count = origins.setdefault(entry.series, Counter())
            count.update(["attempts", entry.answer_origin, *(["no call"] if not entry.tool_calls else [])])
    columns = ("attempts", "no call", DERIVED, RECITED, NOT_COMPARED)
    rows = [
        (one_line(suite, 40), *(str(count[column] or "") for column in columns)) for suite, count in origins.items()
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


def conditions(report: Report) -> Table:
    """Return the table of conditions that differ from the defaults."""
    rows = tuple(
        (one_line(suite, 40), name, one_line(value, 80)) for suite, name, value in unusual_conditions(report.facts)
    )
    return Table("Conditions", ("suite", "condition", "value"), rows, words=3)


def metrics(summary_list: Sequence[Summary]) -> Table:
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
        (summary.suite, one_line(name, 40), _model(summary.model), *_metric(summary.metrics[name]))
        for summary, name in ordered
    ]
    pooled = sorted({name for _, name in ordered} & HEADLINE_IS_MICRO)
    notes = [f"published numbers of {', '.join(pooled)} are micro averages"] if pooled else []
    if any(summary.is_replayed for summary in summary_list):
        notes.append(f"tool_success n/a: {REPLAYED}")
    return filled_table("Metrics", headings, rows, 3, ("micro", "unscored", "n/a"), "; ".join(notes))


def repetition(summary_list: Sequence[Summary]) -> Table:
    """Return the table of pass@k and pass^k."""
    rows = [
        (
            *_names(summary),
            str(each.k),
            number_formats.percent(each.pass_at),
            number_formats.percent(each.pass_hat),
            str(each.tasks),
        )
        for summary in summary_list
        for each in summary.repetition
        if each.k in _TRIALS_SHOWN or each.k == len(summary.repetition)
    ]
    note = f"pass@k n/a: {REPLAYED}" if any(summary.is_replayed for summary in summary_list) else ""
    return filled_table("Trials", ("suite", "model", "k", "pass@k", "pass^k", "tasks"), rows, 2, note=note)


def thresholds(summary_list: Sequence[Summary]) -> Table:
    """Return the table with the shares of attempts whose coverage reaches each threshold of MCP-Atlas."""
    levels = dict.fromkeys(level for summary in summary_list for level in summary.thresholds.get("coverage", ()))
    rows = [
        (
            *_names(summary),
            *(number_formats.percent(summary.thresholds["coverage"].get(level)) for level in levels),
            str(summary.metrics["coverage"].n),
        )
        for summary in summary_list
        if "coverage" in summary.thresholds
    ]
    headings = ("suite", "model", *(f"≥ {level:g}" for level in levels), "n")
    return filled_table("Attempts by coverage", headings, rows, 2)


def comparisons(report: Report, summary_list: Sequence[Summary]) -> Table:
    """Return the table that compares every model with the best of its suite, on the tasks that both have."""
    rows = [
        (pair.suite, _model(pair.right), _model(pair.left), *_comparison_cells(pair))
        for pair in compare_with_best(report, summary_list)
    ]
    note = "difference of pass rates, * significant; p: exact paired test; detectable: smallest difference to be found"
    return filled_table("Against the best", _PAIRED, rows, 3, note=note)


def run_comparison_table(comparison: RunComparison) -> Table:
    """Return the table that compares two runs: passes with the tasks that are lost, then metrics."""
    rows = [_run_comparison_row(pair, comparison) for pair in comparison.pairs]
    compared = {(pair.suite, pair.left) for pair in comparison.pairs if pair.metric == PASSED}
    every = Counter((lost.suite, lost.model) for lost in comparison.lost)
    nothing = (number_formats.NONE,) * 2 + ("0",) + (number_formats.NONE,) * 2 + ("", "")
    rows += [
        (suite, _model(model), PASSED, *nothing, str(count), "", "")
        for (suite, model), count in every.items()
        if (suite, model) not in compared
    ]
    headings = ("suite", "model", "value", "before", "after", *_PAIRED[3:8], "lost", *_PAIRED[8:])
    note = "* significant; lost: tasks with a verdict before that now end in an error, have no score or are missing"
    return filled_table("Comparison", headings, rows, 3, ("lost",), note if comparison.lost else "* significant")


def _run_comparison_row(pair: PairedComparison, comparison: RunComparison) -> tuple[str, ...]:
    cells = _comparison_cells(pair)
    lost = str(len(comparison.lost_by(pair.suite, pair.left))) if pair.metric == PASSED else ""
    means = number_formats.score(pair.comparison.left), number_formats.score(pair.comparison.right)
    return pair.suite, _model(pair.right), one_line(pair.metric, 40), *means, *cells[:5], lost, *cells[5:]


def tag_table(report: Report, tag: str) -> Table:
    """Return the table of pass rates for each value of a tag."""
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
    return filled_table(f"By {one_line(tag, 40)}", headings, rows, 3, ("errors", "unscored"))


def tags_with_table(report: Report) -> tuple[str, ...]:
    """Return the tags that get a table: those with 2 to 20 values, the usual ones first."""
    values = _values_of_tags(report)
    return tuple(tag for tag in all_tags(report) if 1 < len(values[tag]) <= _MOST_VALUES_OF_A_TAG)


def all_tags(report: Report) -> tuple[str, ...]:
    """Return every tag, the usual ones first."""
    values = _values_of_tags(report)
    return (*(tag for tag in FIRST_TAGS if tag in values), *(tag for tag in values if tag not in FIRST_TAGS))


def _values_of_tags(report: Report) -> dict[str, set[str]]:
    values: dict[str, set[str]] = {}
    for entry in report.entries:
        for tag, value in entry.tags.items():
            values.setdefault(tag, set()).add(value)
    return values


def efficiency(report: Report) -> Table:
    """Return the table of tokens per task and CRE by domain; it requires two models."""
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
    return filled_table("Efficiency", ("suite", "domain", "model", "tokens a task", "CRE"), rows, 3, note=note)


def failures(summary_list: Sequence[Summary]) -> Table:
    """Return the table with the number of attempts that have each failure label; an attempt may have several."""
    rows = [
        (*_names(summary), taxonomy, label, str(count), number_formats.percent(count / summary.completed_attempts))
        for summary in summary_list
        for taxonomy, labels in summary.failures.items()
        for label, count in labels.items()
    ]
    note = "share of the attempts without an error; an attempt may have several labels, even if it passed"
    return filled_table(
        "What went wrong", ("suite", "model", "taxonomy", "label", "attempts", "share"), rows, 4, note=note
    )


def ranges(summary_list: Sequence[Summary]) -> Table:
    """Return the range and the interquartile range over models of pass rate, metrics and failures (MCP-Atlas)."""
    rows = [
        (
            each.suite,
            one_line(f"{each.taxonomy} {each.value}" if each.taxonomy else each.value, 80),
            each.of,
            str(each.models),
            *(number_formats.percent(value) if each.of else number_formats.score(value) for value in _spread(each)),
        )
        for each in model_ranges(summary_list)
    ]
    headings = ("suite", "value", "share of", "models", "lowest", "25 %", "median", "75 %", "highest")
    note = "the interquartile range is from 25 % to 75 %: half of the models are in it"
    return filled_table("Ranges over models", headings, rows, 3, note=note)


def _spread(each: ModelRange) -> tuple[float, ...]:
    return each.low, each.first_quartile, each.median, each.third_quartile, each.high


def tool_selection(report: Report) -> Table:
    """Return the cells of MCP-RADAR's Table 4, as shares of the attempts at tasks with several reference calls."""
    rows = [
        (cells.suite, _model(cells.model), cell, str(cells.attempts), str(count), number_formats.score(share))
        for cells in selection_cells(report)
        for cell, count in _selection_rows(cells)
        for share in (count / cells.attempts,)
    ]
    note = (
        "tasks with several reference calls; 2/ and 2/2: all right, without and with a hint of their number; "
        "1/1: fewer calls, all right; 1/2: some right"
    )
    return filled_table("Multi-tool selection", ("suite", "model", "cell", "n", "attempts", "ACC"), rows, 3, note=note)


def _selection_rows(cells: SelectionCells) -> tuple[tuple[str, int], ...]:
    """Return cells and counts; without a hint the paper has one cell only."""
    if not cells.is_hinted:
        return (("2/", cells.all_right),)
    return (("2/2", cells.all_right), ("1/1", cells.fewer_all_right), ("1/2", cells.some_right))


def errors(report: Report) -> Table:
    """Return the table of errors by who must act; messages that differ only in details share a row."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for entry in report.entries:
        if entry.outcome == "error":
            message = _first_line(entry.error or "")
            key = (entry.series, _model(entry.model), entry.error_kind or "internal", _PARTICULARS.sub("…", message))
            groups.setdefault(key, []).append(message)
    ranked = sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    rows = [(*key[:3], _common_message(key[3], messages), str(len(messages))) for key, messages in ranked[:50]]
    return filled_table("Errors", ("suite", "model", "of", "what", "attempts"), rows, 4)


def tools(report: Report) -> Table:
    """Return the table of call success by server and tool."""
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
    return filled_table("Tool calls", ("suite", "model", "server", "tool", "calls", "successes", "success"), rows, 4)


def root_causes(report: Report) -> Table:
    """Return the table of root causes of failed calls (MCPToolBench++ 4.3)."""
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
    return filled_table("Root causes", ("suite", "model", "cause", "calls", "share of calls"), rows, 3)


def definitions(report: Report) -> Table:
    """Return the table with the tokens of tool definitions (MCPToolBench++ Table 1)."""
    rows = [
        (size.suite, one_line(size.server, 40), str(size.tools), str(size.tokens), f"{size.tokens / size.tools:.0f}")
        for size in definition_sizes(report)
    ]
    return filled_table("Tool definitions", ("suite", "server", "tools", "tokens (estimate)", "tokens a tool"), rows, 2)


def definitions_by_category(report: Report) -> Table:
    """Return the sums of MCPToolBench++ Table 1, and the tokens of the exposed tools compared with those of all."""
    rows = [
        (
            size.suite,
            "all" if size.category is None else one_line(size.category, 40),
            str(size.tasks),
            str(size.tools),
            f"{size.tokens / size.tools:.0f}",
            str(size.tokens),
            f"{size.exposed_a_task:.0f}",
            f"{size.offered_a_task:.0f}",
            number_formats.percent(size.exposed_share),
        )
        for size in category_sizes(report)
    ]
    headings = ("suite", "category", "tasks", "tools", "tokens a tool", "tokens (estimate)")
    more = ("exposed a task", "all a task", "exposed")
    note = "tokens of the definitions of the exposed tools, and of all tools of the task's servers; means over tasks"
    return filled_table("Tool definitions by category", (*headings, *more), rows, 2, note=note)


def _usage_cells(usage: UsageSum) -> tuple[str, str]:
    """Return tokens and cost, each with the number of attempts that do not know theirs."""
    tokens = f"{number_formats.tokens(usage.input_tokens.known)}+{number_formats.tokens(usage.output_tokens.known)}"
    unknown_tokens = max(usage.input_tokens.unknown, usage.output_tokens.unknown)
    attempts, cost = usage.cost_usd.attempts, usage.cost_usd
    return (
        number_formats.at_least(tokens, unknown_tokens, attempts, unknown_text="?+?"),
        number_formats.at_least(number_formats.money(cost.known), cost.unknown, attempts),
    )


def _xfail_notes(summary_list: Sequence[Summary]) -> Iterator[str]:
    """Yield the number of attempts marked ``xfail``, which pytest counts separately and these tables by outcome."""
    for outcome, count in (
        ("failed", sum(summary.xfailed for summary in summary_list)),
        ("passed", sum(summary.xpassed for summary in summary_list)),
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


def _comparison_cells(pair: PairedComparison) -> tuple[str, ...]:
    comparison = pair.comparison
    detectable = comparison.smallest_detectable
    return (
        str(comparison.tasks),
        number_formats.difference(comparison.difference) + (" *" if comparison.is_significant else ""),
        number_formats.difference_interval(comparison.interval),
        str(comparison.better),
        str(comparison.worse),
        number_formats.p_value(comparison.p_value),
        number_formats.NONE if detectable is None else f"{detectable:.3f}",
    )


def _first_line(text: str) -> str:
    return one_line(text.strip().partition("\n")[0])


def _common_message(pattern: str, messages: Sequence[str]) -> str:
    """Return the message if all are equal, else their common pattern, shortened for a table cell."""
    return one_line(messages[0] if len(set(messages)) == 1 else pattern, _LONGEST_ERROR)
