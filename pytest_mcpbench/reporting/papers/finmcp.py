"""Tables and figures of FinMCP-Bench."""

from collections.abc import Callable, Sequence
from statistics import fmean, median

from pytest_mcpbench.core.natural_order import natural_key
from pytest_mcpbench.reporting import number_formats
from pytest_mcpbench.reporting.grid import Cell, Grid, Row
from pytest_mcpbench.reporting.measures import Number, count_of, metric, without_value
from pytest_mcpbench.reporting.papers.drawing import bars, radar
from pytest_mcpbench.reporting.papers.experiment import (
    Attempt,
    Experiment,
    Slice,
    both,
    grid_of,
    measured,
    tagged,
)
from pytest_mcpbench.reporting.papers.item import Paper, figure, missing, table

KINDS = {"single_tool": "Single-Tool", "multi_tool": "Multi-Tool", "multi_turn": "Multi-Turn"}
SCENARIOS = ("PTS", "MAR", "FP", "PSC", "IE", "IPA", "OC", "ASM", "CLA", "TEO")
"""Codes of the tag ``scenario``, in the order of Figure 1."""
DIFFICULTIES = {"easy": "Easy", "medium": "Medium", "hard": "Hard"}
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
    rows = [
        Row((scenario, sub), (count_of(experiment.tasks(both(tagged("scenario", scenario), tagged(_SUB, sub)))),))
        for scenario in experiment.values("scenario", SCENARIOS)
        for sub in _sub_scenarios(experiment, scenario)
    ]
    title = "The main scenarios and sub-scenarios"
    return [grid_of(experiment, title, ("Scenario", "Sub-scenario"), [Slice(("Samples",))], rows)]


def table_1(experiment: Experiment) -> list[Grid]:
    """Return the statistics of the samples and the tools."""
    rows = [
        *_all_rows(experiment),
        Row((KINDS["single_tool"], "Samples"), _counted(experiment, "kind", "single_tool")),
        *_kind_rows(experiment, "multi_tool", "Steps per instance", lambda attempt: attempt.details.steps),
        Row((KINDS["multi_tool"], "Samples having parallel calls"), _parallel(experiment)),
        *_kind_rows(experiment, "multi_turn", "Number of turns", lambda attempt: attempt.details.turns),
        *_tool_rows(experiment),
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
    return [measured(experiment, title, ("Model",), experiment.models(), columns, _POOLED, note)]


def figure_4(experiment: Experiment) -> list[Grid]:
    """Return TF1 by scenario."""
    codes = experiment.values("scenario", SCENARIOS)
    rows = [Slice((code,), tagged("scenario", code), TF1) for code in codes]
    title = "Scenario-wise TF1 results on FinMCP-Bench"
    return [measured(experiment, title, ("Scenario",), rows, experiment.models(), _POOLED)]


def figure_5(experiment: Experiment) -> list[Grid]:
    """Return TF1 by difficulty."""
    rows = [Slice((name,), tagged("difficulty", tag), TF1) for tag, name in DIFFICULTIES.items()]
    title = "Difficulty-wise TF1 on FinMCP-Bench"
    return [measured(experiment, title, ("Difficulty",), rows, experiment.models(), _POOLED)]


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
_NONE = ""


def _sub_scenarios(experiment: Experiment, scenario: str) -> list[str]:
    tasks = experiment.tasks(tagged("scenario", scenario))
    return sorted({attempt.entry.tags.get(_SUB, "") for attempt in tasks}, key=natural_key)


def _counted(experiment: Experiment, tag: str, value: str) -> tuple[Cell, ...]:
    return count_of(experiment.tasks(tagged(tag, value))), _NONE, _NONE


def _all_rows(experiment: Experiment) -> list[Row]:
    tasks = experiment.tasks()
    levels = [Row(("All", name), _counted(experiment, "difficulty", tag)) for tag, name in DIFFICULTIES.items()]
    return [Row(("All", "Samples"), (count_of(tasks), _NONE, _NONE)), *levels]


def _kind_rows(experiment: Experiment, kind: str, name: str, size: Callable[[Attempt], int]) -> list[Row]:
    """Return the number of samples of a kind, their reference calls and another size."""
    tasks = experiment.tasks(tagged("kind", kind))
    calls = [len(attempt.details.reference_tools) for attempt in tasks if attempt.entry.outcome != "error"]
    return [
        Row((KINDS[kind], "Samples"), _counted(experiment, "kind", kind)),
        Row((KINDS[kind], "MCP calls per instance"), _median_and_mean(calls)),
        Row((KINDS[kind], name), _median_and_mean([size(attempt) for attempt in tasks])),
    ]


def _parallel(experiment: Experiment) -> tuple[Cell, ...]:
    selects = both(tagged("kind", "multi_tool"), tagged("parallel", "parallel"))
    return count_of(experiment.tasks(selects)), _NONE, _NONE


def _tool_rows(experiment: Experiment) -> list[Row]:
    tools = {(tool.server, tool.name): tool for attempt in experiment.attempts for tool in attempt.details.tools}
    return [
        Row(("MCP", "Tools that agents were shown"), (count_of(tools), _NONE, _NONE)),
        Row(("MCP", "Arguments"), _median_and_mean([tool.parameters for tool in tools.values()])),
    ]


def _median_and_mean(sizes: Sequence[int]) -> tuple[Cell, ...]:
    if not sizes:
        return (_NONE, without_value("no sample"), without_value("no sample"))
    form = number_formats.two_decimals
    return _NONE, Number(float(median(sizes)), form, len(sizes)), Number(fmean(sizes), form, len(sizes))
