"""Tables and figures of FinMCP-Bench."""

from pytest_mcpbench.reporting.aggregates.measures import count_of, metric
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.papers.drawing import bars, radar
from pytest_mcpbench.reporting.papers.experiment import (
    Experiment,
    Slice,
    both,
    grid_of,
    measured_grid,
    tagged,
)
from pytest_mcpbench.reporting.papers.items import Paper, figure, missing, table
from pytest_mcpbench.reporting.papers.task_sizes import (
    DIFFICULTIES,
    EMPTY,
    KINDS,
    TaskSize,
    median_and_mean,
    statistics_rows,
)
from pytest_mcpbench.reporting.tables.grid import Grid, GridRow
from pytest_mcpbench.text.natural_order import natural_key

SCENARIOS = ("PTS", "MAR", "FP", "PSC", "IE", "IPA", "OC", "ASM", "CLA", "TEO")
"""Codes of the tag ``scenario``, in the order of Figure 1."""
_PERCENT = number_formats.hundredths
TF1 = metric("tool_f1", _PERCENT)
METRICS = {
    "TP": metric("tool_precision", _PERCENT),
    "TR": metric("tool_recall", _PERCENT),
    "TF1": TF1,
    "EMR": metric("emr", _PERCENT),
}
_POOLED = "TP, TR and TF1 are of the calls pooled over all attempts (micro averages)"


def figure_1(experiment: Experiment) -> list[Grid]:
    """Return the number of samples of each sub-scenario."""
    rows: list[GridRow] = []
    for scenario in experiment.values("scenario", SCENARIOS):
        selects = tagged("scenario", scenario)
        subs = {attempt.entry.tags.get(_SUB, "") for attempt in experiment.tasks(selects)}
        rows += [
            GridRow((scenario, sub), (count_of(experiment.tasks(both(selects, tagged(_SUB, sub)))),))
            for sub in sorted(subs, key=natural_key)
        ]
    title = "The main scenarios and sub-scenarios"
    return [grid_of(experiment, title, ("Scenario", "Sub-scenario"), [Slice(("Samples",))], rows)]


def table_1(experiment: Experiment) -> list[Grid]:
    """Return the statistics of the samples and the tools."""
    sizes: list[TaskSize] = []
    for attempt in experiment.tasks():
        # The reference calls are unknown if the attempt ended with an error.
        details, tags = attempt.details, attempt.entry.tags
        sizes.append(
            TaskSize(
                kind=tags.get("kind", ""),
                difficulty=tags.get("difficulty", ""),
                calls=None if attempt.entry.outcome == "error" else len(details.reference_tools),
                steps=details.steps,
                turns=details.turns,
                is_parallel=tags.get("parallel") == "parallel",
            )
        )
    tools = {(tool.server, tool.name): tool for attempt in experiment.attempts for tool in attempt.details.tools}
    rows = [
        *statistics_rows(sizes),
        GridRow(("MCP", "Tools that agents were shown"), (count_of(tools), EMPTY, EMPTY)),
        GridRow(("MCP", "Arguments"), median_and_mean([tool.parameters for tool in tools.values()])),
    ]
    columns = [Slice((name,)) for name in ("Number", "Median", "Avg")]
    return [grid_of(experiment, "Statistics of FinMCP-Bench", ("Type", "Statistic"), columns, rows)]


def table_2(experiment: Experiment) -> list[Grid]:
    """Return the four metrics by kind of sample."""
    every = Slice(("All",))
    kinds = [*(Slice((name,), tagged("kind", tag)) for tag, name in KINDS.items()), every]
    columns = [
        Slice((*kind.labels, heading), kind.selects, measure) for kind in kinds for heading, measure in METRICS.items()
    ]
    title = "Results (%) on FinMCP-Bench"
    note = "EMR is the mean over tasks of the mean over trials"
    return [measured_grid(experiment, title, ("Model",), experiment.models(), columns, _POOLED, note)]


def figure_4(experiment: Experiment) -> list[Grid]:
    """Return TF1 by scenario."""
    codes = experiment.values("scenario", SCENARIOS)
    rows = [Slice((code,), tagged("scenario", code), TF1) for code in codes]
    title = "Scenario-wise TF1 results on FinMCP-Bench"
    return [measured_grid(experiment, title, ("Scenario",), rows, experiment.models(), _POOLED)]


def figure_5(experiment: Experiment) -> list[Grid]:
    """Return TF1 by difficulty."""
    rows = [Slice((name,), tagged("difficulty", tag), TF1) for tag, name in DIFFICULTIES.items()]
    title = "Difficulty-wise TF1 on FinMCP-Bench"
    return [measured_grid(experiment, title, ("Difficulty",), rows, experiment.models(), _POOLED)]


PAPER = Paper(
    "finmcp",
    "FinMCP-Bench",
    "FinMCP-Bench: Benchmarking LLM Agents for Real-World Financial Tool Use under the Model Context Protocol",
    (
        figure("1", "The main scenarios and sub-scenarios", "tags `scenario` and `sub_scenario`", figure_1, bars),
        missing(
            "figure", "2", "Overview of the chain-based method for synthesizing multi-tool samples", "it is a drawing"
        ),
        missing("figure", "3", "Construction of multi-turn samples", "it is a drawing"),
        table("1", "Statistics of FinMCP-Bench", "references, messages and tools of the run's tasks", table_1),
        table(
            "2",
            "Results (%) on FinMCP-Bench",
            "`tool_precision`, `tool_recall`, `tool_f1` (micro), `emr`; tag `kind`",
            table_2,
        ),
        figure("4", "Scenario-wise TF1 results", "`tool_f1` (micro); tag `scenario`", figure_4, radar),
        figure("5", "Difficulty-wise TF1", "`tool_f1` (micro); tag `difficulty`", figure_5, bars),
    ),
)
_SUB = "sub_scenario"
