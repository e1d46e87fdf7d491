"""Tables and figures of MCPToolBench++ (arXiv 2508.07575)."""

from collections import Counter
from collections.abc import Sequence

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.aggregates.measures import (
    Measure,
    MeasuredNumber,
    MeasureReading,
    count_of,
    metric,
    score_of,
)
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.papers.details import ExposedTool
from pytest_mcpbench.reporting.papers.drawing import bars, parts_of_rows
from pytest_mcpbench.reporting.papers.experiment import (
    Experiment,
    Selection,
    Slice,
    both,
    entries_of,
    grid_of,
    measured_grid,
    tagged,
)
from pytest_mcpbench.reporting.papers.items import Paper, figure, missing, table
from pytest_mcpbench.reporting.tables.grid import Grid, GridRow

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
    """Return 1 if the trial passed: ``ast`` is 1 and all of its calls succeeded (section 4.1.2).

    The judge of the metric ``response`` says whether a call succeeded, where the run has one; else rules do.
    """
    judged = score_of("response", entry)
    calls, success = score_of("ast", entry), judged if judged.value is not None else score_of("tool_success", entry)
    if entry.is_replayed:
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
    """Return the number of tasks, and of tools with the tokens of their definitions, by category."""
    found = experiment.values("category")
    order = [*(name for name in _ORDER_OF_TABLE_1 if name in found)]
    order += [name for name in found if name not in order]
    tools: dict[str, list[ExposedTool]] = {}
    for name in order:
        by_server = experiment.tools_of_category(name, tagged("category", name))
        tools[name] = [tool for each in by_server.values() for tool in each]
    every = {(tool.server, tool.name): tool for name in order for tool in tools[name]}
    rows = [_size_row(experiment, CATEGORIES.get(name, name), tagged("category", name), tools[name]) for name in order]
    rows.append(_size_row(experiment, "Total", lambda _attempt: True, [*every.values()]))
    columns = [Slice((name,)) for name in ("Number Instance", "MCP Tool Count", "Tokens Per Tool", "Total Tokens")]
    title = "Statistics of Dataset Instance MCP Tools Count and Tokens"
    note = (
        "tools of the category's servers that agents were shown; tokens of their definitions as JSON in OpenAI's form, "
        f"with \\uXXXX for what is not ASCII: {experiment.tokenizer.name}"
    )
    return [grid_of(experiment, title, ("Category",), columns, rows, note)]


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
            _judged_note(experiment),
        )
    ]


def table_3(experiment: Experiment) -> list[Grid]:
    """Return the tools that the tasks of each category expose, by server."""
    rows = [
        GridRow((name, server), (", ".join(tool.name for tool in tools),))
        for tag, name in _categories(experiment)
        for server, tools in experiment.tools_of_category(tag, tagged("category", tag)).items()
    ]
    note = "tools of the category's servers that agents were shown; tasks of several categories show those of each"
    return [grid_of(experiment, "MCP Servers By Various Categories", ("Category", "Server"), [_TOOLS], rows, note)]


def table_4(experiment: Experiment) -> list[Grid]:
    """Return the causes of failed calls in each category, with the most frequent message of each."""
    columns = [Slice(("Calls",)), Slice(("Most frequent log",))]
    rows: list[GridRow] = []
    for tag, name in _categories(experiment):
        messages: dict[str, Counter[str]] = {}
        for attempt in filter(tagged("category", tag), experiment.attempts):
            for call in attempt.details.failed_calls:
                messages.setdefault(call.cause, Counter()).update([call.message])
        rows += [
            GridRow((name, cause), (_count(logs.total()), logs.most_common(1)[0][0]))
            for cause, logs in sorted(messages.items(), key=lambda pair: -pair[1].total())
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
        table(
            "1",
            "Statistics of Dataset Instance MCP Tools Count and Tokens",
            "tool definitions of the run; `[categories]` of the suite",
            table_1,
        ),
        table(
            "2",
            "Evaluation of MCP Tool Call AST and Pass@K",
            "`ast`, `response` or else `tool_success`; tag `category`",
            table_2,
        ),
        figure("3", "AST Score Performance", "`ast`; tag `category`", figure_3, bars),
        figure(
            "4", "Pass@K Score Performance", "`ast`, `response` or else `tool_success`; tag `category`", figure_4, bars
        ),
        figure(
            "5", "MCP Tool Run Success Rate By Category", "counts of `tool_success`; tag `category`", figure_5, bars
        ),
        figure("6", "MCP Tool Call Errors Root Cause Analysis", "root causes of failed calls", figure_6, parts_of_rows),
        table(
            "3",
            "MCP Servers By Various Categories",
            "tools that agents were shown; `[categories]` of the suite",
            table_3,
        ),
        table("4", "MCP Errors Root Causes Typical Examples", "root causes and results of failed calls", table_4),
    ),
)
_TOOLS = Slice(("Tools",))


def _categories(experiment: Experiment) -> list[tuple[str, str]]:
    """Return tag and name of each category: those of the paper, followed by others that the tasks have."""
    return [(tag, CATEGORIES.get(tag, tag)) for tag in experiment.values("category", tuple(CATEGORIES))]


def _judged_note(experiment: Experiment) -> str:
    """Return who says whether a call succeeded, with the number of attempts of each."""
    made = [entry for entry in entries_of(experiment.attempts) if entry.tool_calls and entry.outcome != "error"]
    judged = sum(entry.scores.get("response") is not None for entry in made)
    if judged == len(made):
        return "whether a call succeeded says the judge of section 4.1.2 (response)"
    by_rule = "rules (tool_success); the judge of section 4.1.2 needs --mcpbench-metric=response and a model as judge"
    if not judged:
        return f"whether a call succeeded say {by_rule}"
    of_judge = f"the judge of section 4.1.2 in {judged} of {quantity(len(made), 'attempt')}"
    return f"whether a call succeeded says {of_judge}, and else say {by_rule}"


def _by_category(experiment: Experiment, title: str, measure: Measure, *notes: str) -> Grid:
    rows = [Slice((name,), tagged("category", tag), measure) for tag, name in _categories(experiment)]
    return measured_grid(experiment, title, ("Category",), rows, experiment.models(), *notes)


def _size_row(experiment: Experiment, name: str, selects: Selection, tools: Sequence[ExposedTool]) -> GridRow:
    tokens = sum(experiment.tokenizer.count(tool.definition) for tool in tools)
    each = tokens / len(tools) if tools else None
    cells = (
        count_of(experiment.tasks(selects)),
        count_of(tools),
        MeasuredNumber(each, number_formats.one_decimal, n=len(tools), reason="" if each else "no tool was offered"),
        MeasuredNumber(float(tokens), number_formats.whole, n=len(tools)),
    )
    return GridRow((name,), cells)


def _causes(experiment: Experiment, category: str, model: Slice | None = None) -> Counter[str]:
    """Return the number of failed calls with each cause."""
    selects = both(tagged("category", category), model.selects) if model else tagged("category", category)
    causes = Counter[str]()
    for attempt in filter(selects, experiment.attempts):
        causes.update(call.cause for call in attempt.details.failed_calls)
    return causes


def _count(calls: int) -> MeasuredNumber:
    return MeasuredNumber(float(calls), number_formats.whole, n=calls)
