"""Tables and figures of MCPToolBench++ (arXiv 2508.07575)."""

from collections import Counter
from collections.abc import Iterator

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.aggregates.measures import (
    Measure,
    MeasuredNumber,
    MeasureReading,
    is_replayed,
    metric,
    score_of,
)
from pytest_mcpbench.reporting.aggregates.tool_statistics import CategorySize, category_sizes
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.papers.drawing import bars, parts_of_rows
from pytest_mcpbench.reporting.papers.experiment import (
    Experiment,
    Slice,
    both,
    entries_of,
    grid_of,
    measured_grid,
    tagged,
)
from pytest_mcpbench.reporting.papers.items import Paper, figure, missing, table
from pytest_mcpbench.reporting.tables.grid import Grid, GridRow
from pytest_mcpbench.text.natural_order import natural_key

CATEGORIES = {
    "browser": "Browser",
    "filesystem": "File System",
    "search": "Search",
    "map": "Map",
    "pay": "Pay",
    "finance": "Finance",
}
"""Tag ``category`` -> name, in the order of Table 2."""
_ORDER_OF_TABLE_1 = ("browser", "filesystem", "search", "map", "finance", "pay")
_REPLAYED = "Pass@1: the servers replay a recording, which hides whether a call would succeed"


def trial(entry: Entry) -> MeasureReading:
    """Return 1 if the trial passed: ``ast`` is 1 and all of its calls succeeded (section 4.1.2)."""
    calls, success = score_of("ast", entry), score_of("tool_success", entry)
    if is_replayed(entry):
        return MeasureReading(reason=_REPLAYED)
    if calls.value is None or calls.value < 1:
        return MeasureReading(calls.value and 0.0, calls.reason, calls.applies)
    if success.value is None and entry.tool_calls == 0:
        return MeasureReading(1.0)
    return MeasureReading(success.value if success.value is None else float(success.value == 1), success.reason)


AST = metric("ast", number_formats.four_decimals)
PASS_AT_1 = Measure("Pass@1", trial, number_formats.four_decimals)
SUCCESS = metric("tool_success", number_formats.four_decimals, is_micro=True)


def table_1(experiment: Experiment) -> list[Grid]:
    """Return the statistics of tasks and tool definitions by category."""
    sizes = category_sizes(Report(entries=tuple(entries_of(experiment.attempts))))
    by_category = {size.category: size for size in sizes}
    order = [
        *_ORDER_OF_TABLE_1,
        *sorted({name for name in by_category if name} - set(_ORDER_OF_TABLE_1), key=natural_key),
    ]
    found = [by_category[name] for name in (*order, None) if name in by_category]
    columns = [Slice((name,)) for name in ("Number Instance", "MCP Tool Count", "Tokens Per Tool", "Total Tokens")]
    return [
        grid_of(
            experiment,
            "Statistics of Dataset Instance MCP Tools Count and Tokens",
            ("Category",),
            columns,
            map(_size_row, found),
            "tokens are estimated from the definitions of all tools of the connected servers",
        )
    ]


def table_2(experiment: Experiment) -> list[Grid]:
    """Return AST and Pass@1 by category."""
    columns = [
        Slice((name, heading), tagged("category", tag), measure)
        for tag, name in _categories(experiment)
        for heading, measure in (("AST", AST), ("Pass@1", PASS_AT_1))
    ]
    return [
        measured_grid(
            experiment,
            "Evaluation of MCP Tool Call Abstract Syntax Tree (AST) and Pass@K",
            ("Model",),
            experiment.models(),
            columns,
            "mean over tasks of the mean over trials; a trial passes (Pass@1) if ast is 1 and every call succeeded",
        )
    ]


def table_3(experiment: Experiment) -> list[Grid]:
    """Return the tools that the tasks of each category expose, by server."""
    rows = [
        GridRow((name, server), (", ".join(sorted(tools, key=natural_key)),))
        for tag, name in _categories(experiment)
        for server, tools in sorted(_tools(experiment, tag).items(), key=lambda pair: natural_key(pair[0]))
    ]
    note = "tools that agents were shown; tasks of several categories show the servers of each"
    return [grid_of(experiment, "MCP Servers By Various Categories", ("Category", "Server"), [_TOOLS], rows, note)]


def table_4(experiment: Experiment) -> list[Grid]:
    """Return the causes of failed calls in each category, with the most frequent message of each."""
    columns = [Slice(("Calls",)), Slice(("Most frequent log",))]
    rows = [
        GridRow((name, cause), (_count(sum(logs.values())), logs.most_common(1)[0][0]))
        for tag, name in _categories(experiment)
        for cause, logs in _logs(experiment, tag)
    ]
    title = "MCP Errors Root Causes Typical Examples"
    return [grid_of(experiment, title, ("Category", "Errors"), columns, rows, f"calls of all models; {_NO_ROW}")]


def figure_3(experiment: Experiment) -> list[Grid]:
    """Return AST by category and model."""
    return [_by_category(experiment, "MCP Tool Call Abstract Syntax Tree Score Performance", AST)]


def figure_4(experiment: Experiment) -> list[Grid]:
    """Return Pass@1 by category and model."""
    return [_by_category(experiment, "MCP Tool Call Pass@K Score Performance", PASS_AT_1)]


def figure_5(experiment: Experiment) -> list[Grid]:
    """Return the success rate of calls by category and model."""
    note = "successful calls / calls, pooled over all attempts"
    return [_by_category(experiment, "MCP Tool Run Success Rate By Category", SUCCESS, note)]


def figure_6(experiment: Experiment) -> list[Grid]:
    """Return the number of failed calls by cause and category."""
    models = experiment.models()
    rows = [
        GridRow((name, cause), tuple(_count(_causes(experiment, tag, model)[cause]) for model in models))
        for tag, name in _categories(experiment)
        for cause, _ in _causes(experiment, tag).most_common()
    ]
    title = "MCP Tool Call Errors Root Cause Analysis"
    return [grid_of(experiment, title, ("Category", "Error"), models, rows, f"numbers of failed calls; {_NO_ROW}")]


_NO_ROW = "a category without failed calls has no row"
PAPER = Paper(
    "toolbench",
    "MCPToolBench++",
    "arXiv 2508.07575",
    (
        missing("figure", "1", "Distribution of MCP Servers Count by Category", "it counts servers of market places"),
        missing("figure", "2", "Overview of the MCPToolBench++ Data Preparation Process", "it is a drawing"),
        table("1", "Statistics of Dataset Instance MCP Tools Count and Tokens", "tool definitions of the run", table_1),
        table("2", "Evaluation of MCP Tool Call AST and Pass@K", "`ast`, `tool_success`; tag `category`", table_2),
        figure("3", "AST Score Performance", "`ast`; tag `category`", figure_3, bars),
        figure("4", "Pass@K Score Performance", "`ast`, `tool_success`; tag `category`", figure_4, bars),
        figure(
            "5", "MCP Tool Run Success Rate By Category", "counts of `tool_success`; tag `category`", figure_5, bars
        ),
        figure("6", "MCP Tool Call Errors Root Cause Analysis", "root causes of failed calls", figure_6, parts_of_rows),
        table("3", "MCP Servers By Various Categories", "tools that agents were shown", table_3),
        table("4", "MCP Errors Root Causes Typical Examples", "root causes and results of failed calls", table_4),
    ),
)
_TOOLS = Slice(("Tools",))


def _categories(experiment: Experiment) -> list[tuple[str, str]]:
    """Return tag and name of each category: those of the paper, followed by others that the tasks have."""
    return [(tag, CATEGORIES.get(tag, tag)) for tag in experiment.values("category", tuple(CATEGORIES))]


def _by_category(experiment: Experiment, title: str, measure: Measure, *notes: str) -> Grid:
    rows = [Slice((name,), tagged("category", tag), measure) for tag, name in _categories(experiment)]
    return measured_grid(experiment, title, ("Category",), rows, experiment.models(), *notes)


def _size_row(size: CategorySize) -> GridRow:
    name = "Total" if size.category is None else CATEGORIES.get(size.category, size.category)
    each = size.tokens / size.tools if size.tools else None
    cells = (
        MeasuredNumber(float(size.tasks), number_formats.whole, n=size.tasks),
        MeasuredNumber(float(size.tools), number_formats.whole, n=size.tools),
        MeasuredNumber(each, number_formats.one_decimal, n=size.tools, reason="" if each else "no tool was offered"),
        MeasuredNumber(float(size.tokens), number_formats.whole, n=size.tools),
    )
    return GridRow((name,), cells)


def _tools(experiment: Experiment, category: str) -> dict[str, set[str]]:
    """Return the names of the tools of each server that attempts at the category were shown."""
    tools: dict[str, set[str]] = {}
    for attempt in filter(tagged("category", category), experiment.attempts):
        for tool in attempt.details.tools:
            tools.setdefault(tool.server, set()).add(tool.name)
    return tools


def _causes(experiment: Experiment, category: str, model: Slice | None = None) -> Counter[str]:
    """Return the number of failed calls with each cause."""
    selects = both(tagged("category", category), model.selects) if model else tagged("category", category)
    causes = Counter[str]()
    for attempt in filter(selects, experiment.attempts):
        causes.update(call.cause for call in attempt.details.failed_calls)
    return causes


def _logs(experiment: Experiment, category: str) -> Iterator[tuple[str, Counter[str]]]:
    """Yield each cause with the messages of its calls, the most frequent cause first."""
    logs: dict[str, Counter[str]] = {}
    for attempt in filter(tagged("category", category), experiment.attempts):
        for call in attempt.details.failed_calls:
            logs.setdefault(call.cause, Counter()).update([call.message])
    yield from sorted(logs.items(), key=lambda pair: -pair[1].total())


def _count(calls: int) -> MeasuredNumber:
    return MeasuredNumber(float(calls), number_formats.whole, n=calls)
