"""Tables of MCP-Atlas (the leaderboard's page of September 2025, which does not number them)."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, quantiles

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.aggregates.measures import (
    Measure,
    MeasuredNumber,
    MeasureReading,
    count_of,
    metric,
    score_of,
    without_value,
)
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.papers.drawing import lines
from pytest_mcpbench.reporting.papers.experiment import (
    Experiment,
    Selection,
    Slice,
    entries_of,
    grid_of,
    measured_grid,
)
from pytest_mcpbench.reporting.papers.items import Paper, figure, missing, table
from pytest_mcpbench.reporting.tables.grid import Cell, Grid, GridRow
from pytest_mcpbench.statistics.comparison import rank_upper_bound
from pytest_mcpbench.statistics.intervals import Interval
from pytest_mcpbench.text.natural_order import natural_key

PASSES_AT = 0.75
_SAME = 1e-12
_PERCENT = number_formats.hundredths
CATEGORIES = ("ENV-BASIC", "ENV-ANALYTICS", "ENV-PRODUCTIVITY", "ENV-FINANCIAL", "ENV-CODING")
TAXONOMY = "atlas_primary_2025"
FAILURE_CATEGORIES = {
    "tool_usage": "Tool Usage",
    "task_understanding": "Task Understanding",
    "response_quality": "Response Quality",
    "logical_errors": "Logical Errors",
    "environment_constraint_violation": "Environment constraint violation",
    "undetermined": "(undetermined)",
}
PATTERNS = {
    "task_understanding:partial_task_completion": "Partial task completion",
    "tool_usage:no_tools_called": "No tools called",
    "response_quality:incorrect_conclusion": "Incorrect conclusion",
    "tool_usage:incorrect_tool_parameters": "Incorrect tool parameters",
    "task_understanding:skipped_steps": "Skipped steps",
    "tool_usage:missing_tool_calls": "Missing tool calls",
    "task_understanding:misunderstood_task": "Misunderstood task",
    "task_understanding:insufficient_exploration": "Insufficient exploration",
    "tool_usage:capability_discovery_missing": "Capability discovery missing",
    "environment_constraint_violation": "Environment constraint violation",
    "tool_usage:wrong_tool_selection": "Wrong tool selection",
    "logical_errors:flawed_reasoning": "Flawed reasoning",
    "undetermined": "(undetermined)",
}
"""Label of the taxonomy -> pattern, in the order of the page's table for GPT-5, followed by the others."""
_NEEDS_PATTERNS = frozenset(
    (
        "task_understanding:skipped_steps",
        "task_understanding:insufficient_exploration",
        "tool_usage:capability_discovery_missing",
    )
)
_FOUND_BY_RULE = frozenset(
    (
        "tool_usage:no_tools_called",
        "tool_usage:incorrect_tool_parameters",
        "tool_usage:missing_tool_calls",
        "tool_usage:wrong_tool_selection",
        "undetermined",
    )
)
_NO_PATTERNS = "needs a judge: no attempt of the model has the metric failure_patterns"
_NO_JUDGE = "needs a judge: no attempt of the model has the metric failure_patterns or failure_modes"
_PASSES_NOTE = f"an attempt passes with a coverage of at least {PASSES_AT}, whatever the floors of the run are"


def passes(entry: Entry) -> MeasureReading:
    """Return 1 if the coverage is at least 0.75, and 0 if it is less."""
    return reaches(PASSES_AT)(entry)


def reaches(threshold: float) -> Callable[[Entry], MeasureReading]:
    """Return the reading that is 1 where the coverage reaches a threshold."""

    def read(entry: Entry) -> MeasureReading:
        coverage = score_of("coverage", entry)
        if coverage.value is None:
            return coverage
        return MeasureReading(float(coverage.value >= threshold - _SAME))

    return read


PASS_RATE = Measure("Pass Rate", passes, _PERCENT)
COVERAGE = metric("coverage", _PERCENT)


def table_1(experiment: Experiment) -> list[Grid]:
    """Return the key metrics: best pass rate, numbers of tasks, servers and tools, reference calls a task."""
    tasks = experiment.tasks()
    calls = sorted(len(attempt.details.reference_tools) for attempt in tasks if attempt.entry.outcome != "error")
    tools = {(tool.server, tool.name) for attempt in experiment.attempts for tool in attempt.details.tools}
    top, *_ = _spread([*_pass_rates(experiment, experiment.compared_models()).values()])
    cells = (top, count_of(tasks), count_of({server for server, _ in tools}), count_of(tools), _middle(calls))
    columns = [Slice((name,)) for name in ("Top Pass Rate", "Tasks", "MCP Servers", "Tools", "Tool Calls/Task")]
    note = "servers and tools that agents were shown; calls of the reference: the middle half of the tasks"
    return [grid_of(experiment, "Key Metrics at a Glance", (), columns, [GridRow((), cells)], note, _PASSES_NOTE)]


def table_2(experiment: Experiment) -> list[Grid]:
    """Return the servers of the tasks of each category."""
    environments = {tag for attempt in experiment.attempts for tag in attempt.entry.tags if tag.startswith("ENV-")}
    rows = [
        GridRow(
            (name,),
            (
                count_of(experiment.tasks(_is_of(name))),
                ", ".join(experiment.tools_of_category(name, _is_of(name))),
            ),
        )
        for name in [*CATEGORIES, *sorted(environments - set(CATEGORIES), key=natural_key)]
    ]
    columns = [Slice(("Tasks",)), Slice(("Servers",))]
    note = "servers of the category that agents were shown; a task counts in each category whose servers it calls"
    return [grid_of(experiment, "MCP Server Distribution", ("Category",), columns, rows, note)]


def table_3(experiment: Experiment) -> list[Grid]:
    """Return the complexity of the tasks: servers, reference calls and exposed tools."""
    tasks = [attempt for attempt in experiment.tasks() if attempt.entry.outcome != "error"]
    several: list[bool] = []
    for attempt in tasks:
        needed = set(attempt.details.reference_tools)
        # A tool that the agent was not shown has no known server.
        servers = {tool.server for tool in attempt.details.tools if tool.name in needed}
        several.append(len(servers) > 1)
    known = [attempt.entry.tags["conditional"] for attempt in experiment.tasks() if "conditional" in attempt.entry.tags]
    conditional = [value == "yes" for value in known]
    rows = [
        GridRow(("Tasks that require several servers (%)",), (_share_of_tasks(several, "no task"),)),
        GridRow(
            ("Tasks with conditional logic (%)",),
            (_share_of_tasks(conditional, "tasks do not say whether they are conditional"),),
        ),
        GridRow(("Tool calls per task",), (_middle([len(attempt.details.reference_tools) for attempt in tasks]),)),
        GridRow(("Tools exposed per task",), (_middle([len(attempt.details.tools) for attempt in tasks]),)),
    ]
    note = "ranges: the middle half of the tasks"
    return [grid_of(experiment, "Task Complexity Distribution", ("Property",), [Slice(("Value",))], rows, note)]


def table_4(experiment: Experiment) -> list[Grid]:
    """Return the spread of pass rate and coverage over the models."""
    entries = [_entries(experiment, model) for model in experiment.compared_models()]
    found = {"Pass Rate": [*map(PASS_RATE.of, entries)], "Coverage": [*map(COVERAGE.of, entries)]}
    rows = [GridRow((name,), tuple(_spread(cells))) for name, cells in found.items()]
    columns = [Slice((name,)) for name in ("Top", "25 %", "75 %")]
    note = "quartiles over the models, interpolated linearly"
    return [grid_of(experiment, "Performance Overview", ("Value",), columns, rows, note, _PASSES_NOTE)]


def table_5(experiment: Experiment) -> list[Grid]:
    """Return pass rate and mean coverage of each model, the best first."""
    columns = [Slice(("Pass Rate",), measure=PASS_RATE), Slice(("Average Coverage",), measure=COVERAGE)]
    title = "Pass rate and average coverage"
    return [measured_grid(experiment, title, ("Model",), _best_first(experiment), columns, _PASSES_NOTE)]


def table_6(experiment: Experiment) -> list[Grid]:
    """Return the share of each category of failures: its range over the models, and of each model."""
    models = experiment.models()
    compared = {model.labels for model in experiment.compared_models()}
    failed = [_failed(experiment, model) for model in models]
    rows = []
    for category, name in FAILURE_CATEGORIES.items():
        shares: list[MeasuredNumber] = []
        for attempts in failed:
            if category not in ("tool_usage", "undetermined") and not _is_judged(
                attempts, "failure_patterns", "failure_modes"
            ):
                shares.append(without_value(_NO_JUDGE, _PERCENT))
            else:
                shares.append(
                    _share_of(sum(_mode(entry).partition(":")[0] == category for entry in attempts), attempts)
                )
        of_compared = [share for share, model in zip(shares, models, strict=True) if model.labels in compared]
        rows.append(GridRow((name,), (*_range(of_compared), *shares)))
    columns = [
        Slice(("Range", "low")),
        Slice(("Range", "high")),
        *(Slice(("Model", *model.labels)) for model in models),
    ]
    note = "% of the attempts with a coverage below 0.75, each with one primary failure mode"
    return [grid_of(experiment, "Failure Categories", ("Failure Category",), columns, rows, note)]


def table_7(experiment: Experiment) -> list[Grid]:
    """Return the mean over models of the share of each pattern, the most frequent first."""
    failed = [_failed(experiment, model) for model in experiment.compared_models()]
    shares = {label: _mean_share([_share(label, attempts) for attempts in failed]) for label in PATTERNS}
    order = sorted(shares, key=lambda label: -_value(shares[label], -1.0))
    rows: list[GridRow] = []
    for label in order:
        category = label.partition(":")[0]
        rows.append(GridRow((FAILURE_CATEGORIES.get(category, category), PATTERNS[label]), (shares[label],)))
    columns = [Slice(("Avg. share of failures",))]
    note = "mean over the models that have failed attempts"
    return [grid_of(experiment, "Critical Failure Patterns", ("Category", "Pattern"), columns, rows, note)]


def table_8(experiment: Experiment) -> list[Grid]:
    """Return the share of each pattern among the failures of each model."""
    models = experiment.models()
    failed = [_failed(experiment, model) for model in models]
    rows = [GridRow((name,), tuple(_share(label, attempts) for attempts in failed)) for label, name in PATTERNS.items()]
    title = "Failure modes by model (% of its failures)"
    return [grid_of(experiment, title, ("Failure mode",), models, rows)]


def table_9(experiment: Experiment) -> list[Grid]:
    """Return the leaderboard: rank, pass rate and its 95 % interval."""
    rates = _pass_rates(experiment, experiment.models())
    compared = _pass_rates(experiment, experiment.compared_models())
    intervals = {name: rate.interval for name, rate in compared.items() if rate.interval}
    ranks = rank_upper_bound({name: each for name, each in intervals.items() if each})
    rows: list[GridRow] = []
    for name in (model.labels[0] for model in _best_first(experiment)):
        if name in ranks:
            rank = MeasuredNumber(float(ranks[name]), number_formats.whole, n=1)
        elif name in compared:
            rank = without_value("no attempt has a coverage", number_formats.whole)
        else:
            rank = without_value("an agent without a model has no rank beside models", number_formats.whole)
        rate = rates[name]
        ends = [MeasuredNumber(end, _PERCENT, n=rate.n, reason=rate.reason) for end in rate.interval or (None, None)]
        rows.append(GridRow((name,), (rank, rate, *ends)))
    columns = [Slice((name,)) for name in ("Rank (UB)", "Pass Rate", "low", "high")]
    note = "rank (UB): 1 + number of models whose interval lies wholly above; 95 % intervals over tasks"
    return [grid_of(experiment, "Performance Comparison", ("Model",), columns, rows, note, _PASSES_NOTE)]


def figure_1(experiment: Experiment) -> list[Grid]:
    """Return the share of attempts whose coverage reaches each threshold."""
    rows = [
        Slice((f"{percent / 100:.2f}",), measure=Measure("coverage", reaches(percent / 100), _PERCENT))
        for percent in range(5, 101, 5)
    ]
    title = "Share of tasks (%) with at least this coverage"
    return [measured_grid(experiment, title, ("Coverage",), rows, experiment.models())]


_ON_FAILED = "primary failure modes (`atlas_primary_2025`) of attempts with `coverage` < 0.75"
PAPER = Paper(
    "atlas",
    "MCP-Atlas",
    "leaderboard of Scale AI, September 2025",
    (
        table("1", "Key Metrics at a Glance", "`coverage`; references; tools that agents were shown", table_1),
        table(
            "2",
            "MCP Server Distribution",
            "tags `ENV-…`; `[categories]` of the suite; tools that agents were shown",
            table_2,
        ),
        table(
            "3", "Task Complexity Distribution", "references; tag `conditional`; tools that agents were shown", table_3
        ),
        table("4", "Performance Overview", "`coverage`; quartiles over models", table_4),
        table("5", "Pass rate and average coverage", "`coverage`", table_5),
        table("6", "Failure Categories", _ON_FAILED, table_6),
        table("7", "Critical Failure Patterns", _ON_FAILED, table_7),
        table("8", "Failure modes of one model", _ON_FAILED, table_8),
        table("9", "Performance Comparison (leaderboard)", "`coverage`; 95 % intervals over tasks", table_9),
        figure("1", "Coverage curve", "`coverage`; not on the page", figure_1, lines),
        missing(
            "table", "10", "Ground Truth Claims and model responses", "it is one example; `mcpbench show` prints any"
        ),
    ),
)


def _pass_rates(experiment: Experiment, models: Iterable[Slice]) -> dict[str, MeasuredNumber]:
    return {model.labels[0]: PASS_RATE.of(_entries(experiment, model)) for model in models}


def _best_first(experiment: Experiment) -> list[Slice]:
    rates = _pass_rates(experiment, experiment.models())
    return sorted(experiment.models(), key=lambda model: [-end for end in rates[model.labels[0]].extent or (-1.0,)])


def _value(number: MeasuredNumber, otherwise: float) -> float:
    return otherwise if number.value is None else number.value


def _entries(experiment: Experiment, model: Slice) -> list[Entry]:
    return entries_of(filter(model.selects, experiment.attempts))


def _failed(experiment: Experiment, model: Slice) -> list[Entry]:
    """Return the attempts of a model whose coverage is known and too low."""
    entries = [entry for entry in _entries(experiment, model) if entry.outcome != "error"]
    return [entry for entry in entries if passes(entry).value == 0]


def _mode(entry: Entry) -> str:
    """Return the primary mode; an attempt that passed the floors of its run has none."""
    return next(iter(entry.failures.get(TAXONOMY, ())), "undetermined")


def _is_judged(failed: Sequence[Entry], *metrics: str) -> bool:
    return any(entry.scores.get(name) is not None for entry in failed for name in metrics)


def _share(label: str, failed: Sequence[Entry]) -> MeasuredNumber:
    """Return the share of a pattern among failed attempts."""
    if label in _NEEDS_PATTERNS and not _is_judged(failed, "failure_patterns"):
        return without_value(_NO_PATTERNS, _PERCENT)
    if label not in _FOUND_BY_RULE and not _is_judged(failed, "failure_patterns", "failure_modes"):
        return without_value(_NO_JUDGE, _PERCENT)
    return _share_of(Counter(map(_mode, failed))[label], failed)


def _share_of(count: int, failed: Sequence[Entry]) -> MeasuredNumber:
    if not failed:
        return without_value("the model has no failed attempt", _PERCENT)
    return MeasuredNumber(count / len(failed), _PERCENT, n=len(failed), tasks=len({entry.task_id for entry in failed}))


def _share_of_tasks(facts: Sequence[bool], if_none: str) -> MeasuredNumber:
    if not facts:
        return without_value(if_none, _PERCENT)
    return MeasuredNumber(sum(facts) / len(facts), _PERCENT, n=len(facts))


def _mean_share(shares: Sequence[MeasuredNumber]) -> MeasuredNumber:
    known = [share.value for share in shares if share.value is not None]
    if not known:
        return without_value(next((share.reason for share in shares if share.reason), "no model"), _PERCENT)
    return MeasuredNumber(fmean(known), _PERCENT, n=sum(share.n for share in shares if share.value is not None))


def _range(shares: Sequence[MeasuredNumber]) -> tuple[MeasuredNumber, MeasuredNumber]:
    known = [share for share in shares if share.value is not None]
    if not known:
        none = _mean_share(shares)
        return none, none
    return min(known, key=lambda share: _value(share, 0.0)), max(known, key=lambda share: _value(share, 0.0))


def _spread(cells: Sequence[MeasuredNumber]) -> tuple[Cell, ...]:
    """Return the highest value and both quartiles over models; each has bounds if a model's value has."""
    known = [cell for cell in cells if cell.extent]
    if len(known) < 2:
        top = next(iter([*known, *cells]), without_value("no model", _PERCENT))
        return (top, *[without_value("quartiles need two models", _PERCENT)] * 2)
    lows, highs = zip(*(cell.extent for cell in known if cell.extent), strict=True)
    ends = [(max(each), *quantiles(each, n=4, method="inclusive")[::2]) for each in (lows, highs)]
    # A number over models is a range where theirs leave both ends possible.
    spread: list[MeasuredNumber] = []
    for low, high in zip(*ends, strict=True):
        if low == high:
            spread.append(MeasuredNumber(low, _PERCENT, n=len(known)))
            continue
        n, unscored = sum(cell.n for cell in known), sum(cell.unscored for cell in known)
        reason = next(cell.reason for cell in known if cell.bounds)
        spread.append(MeasuredNumber(None, _PERCENT, n=n, unscored=unscored, reason=reason, bounds=Interval(low, high)))
    return tuple(spread)


def _middle(sizes: Sequence[int]) -> str:
    """Return the range of the middle half of sizes, such as ``3–6``."""
    if not sizes:
        return ""
    first, _, third = quantiles(sizes, n=4, method="inclusive") if len(sizes) > 1 else (sizes[0],) * 3
    return f"{first:g}–{third:g}"


def _is_of(environment: str) -> Selection:
    return lambda attempt: environment in attempt.entry.tags
