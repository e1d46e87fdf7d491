"""Tables and figures of MCP-RADAR (arXiv 2505.16700)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.aggregates.conditions import format_value
from pytest_mcpbench.reporting.aggregates.measures import (
    NO_ATTEMPT,
    TOKENS,
    Measure,
    MeasuredNumber,
    MeasureReading,
    count_of,
    metric,
    score_of,
    without_value,
)
from pytest_mcpbench.reporting.aggregates.tool_choices import METRIC as OPERATION
from pytest_mcpbench.reporting.aggregates.tool_choices import is_hinted, selection_cell
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.papers.drawing import bars, lines, parts_of_columns, radar
from pytest_mcpbench.reporting.papers.experiment import (
    Experiment,
    Selection,
    Slice,
    both,
    cells_of,
    entries_of,
    grid_of,
    measured_grid,
    tagged,
    under,
)
from pytest_mcpbench.reporting.papers.items import Paper, figure, missing, table
from pytest_mcpbench.reporting.tables.grid import Cell, Grid, GridRow
from pytest_mcpbench.statistics.comparison import cre
from pytest_mcpbench.statistics.intervals import Interval
from pytest_mcpbench.text.natural_order import natural_key

DOMAINS = {
    "math": "Math",
    "websearch": "Websearch",
    "email": "Email",
    "calendar": "Calendar",
    "filemanagement": "Filemanagement",
    "terminal": "Terminal",
}
"""Tag ``domain`` -> name, in the order of Table 1."""
KINDS = {"precise": "Precise Answer", "fuzzy": "Fuzzy Match"}
PROMPTS = {"react": "ReAct", None: "Concise"}
"""Condition ``prompt`` -> row of Table 5; the suite's own prompt is the concise one."""
ERRORS = {
    "tool_use:parameter_error": "Parameter Error",
    "tool_use:inaccurate_tool_invocation": "Inaccurate Tool Invocation",
    "reasoning:tool_omission": "Tool Omission",
    "reasoning:faulty_reasoning": "Faulty Reasoning",
    "reasoning:redundant_tool_invocation": "Redundant Tool Invocation",
    "synthesis:tool_result_integration_error": "Tool-Result Integration Error",
    "synthesis:information_extraction_failure": "Information Extraction Failure",
}
"""Label of the taxonomy ``radar`` -> name in section 6.1; all others are "Other Types"."""
_NEEDS_JUDGE = frozenset(
    (
        "reasoning:faulty_reasoning",
        "synthesis:tool_result_integration_error",
        "synthesis:information_extraction_failure",
    )
)
_NO_JUDGE = "needs a judge: no attempt has the metric failure_modes"


def accuracy(entry: Entry) -> MeasureReading:
    """Return the accuracy of an attempt: ``answer`` of a precise task, ``operation`` of a fuzzy one."""
    return score_of("answer" if entry.tags.get("kind") == "precise" else OPERATION, entry)


ACC = Measure("ACC", accuracy)
DTSR = metric("dtsr")
PRECISE = ("math", "websearch")
"""Domains whose tasks have an answer and no reference calls; they have no DTSR (Table 2)."""


def table_1(experiment: Experiment) -> list[Grid]:
    """Return the number of tasks and the tools of each domain."""
    rows: list[GridRow] = []
    for domain, name in _domains(experiment):
        selects = tagged("domain", domain)
        usual = "precise" if domain in PRECISE else "fuzzy"
        kind = next((attempt.entry.tags.get("kind", usual) for attempt in experiment.tasks(selects)), usual)
        by_server = experiment.tools_of_category(domain, selects)
        tools = sorted((tool.name for tools in by_server.values() for tool in tools), key=natural_key)
        cells = count_of(experiment.tasks(selects)), count_of(tools), ", ".join(tools)
        rows.append(GridRow((KINDS.get(kind, kind), name), cells))
    columns = [Slice((name,)) for name in ("Quantity", "#Tools", "Tools")]
    note = "tools of the domain's servers that agents were shown"
    return [grid_of(experiment, "Data-Tool Statistics", ("Task Type", "Data-Domain"), columns, rows, note)]


def figure_3(experiment: Experiment) -> list[Grid]:
    """Return the number of tasks with one reference call and with several, by domain."""
    columns = [Slice((name,)) for name in ("Single-tool", "Multi-tool")]
    rows: list[GridRow] = []
    for tag, name in _domains(experiment):
        of_domain = tagged("domain", tag)
        if any("steps" in attempt.entry.tags for attempt in filter(of_domain, experiment.attempts)):
            kinds = (both(of_domain, tagged("steps", steps)) for steps in ("single", "multi"))
            rows.append(GridRow((name,), tuple(count_of(experiment.tasks(selects)) for selects in kinds)))
        else:
            rows.append(GridRow((name,), (without_value(_NO_STEPS), without_value(_NO_STEPS))))
    return [grid_of(experiment, "Multi-Tool Data Distribution", ("Domain",), columns, rows)]


def table_2(experiment: Experiment) -> list[Grid]:
    """Return ACC and CRE of the precise domains."""
    title = "Comparison of model performance metrics across two domains of MCP-RADAR"
    return [_performance(experiment, title, PRECISE, with_dtsr=False)]


def table_3(experiment: Experiment) -> list[Grid]:
    """Return ACC, CRE and DTSR of the fuzzy domains."""
    title = "Comparison of model performance metrics across Four domains of MCP-RADAR"
    others = [tag for tag, _ in _domains(experiment) if tag not in PRECISE]
    return [_performance(experiment, title, others, with_dtsr=True)]


def table_4(experiment: Experiment) -> list[Grid]:
    """Return the shares of the tasks with several reference calls in which all or some of these were made."""
    rows = [
        Slice(("ACC", name), _hinted(is_with_hint), Measure(name, _cell_reading(cell)))
        for name, is_with_hint, cell in (
            ("2/", False, "all"),
            ("2/2", True, "all"),
            ("1/1", True, "fewer"),
            ("1/2", True, "some"),
        )
    ]
    note = (
        "tasks with at least two reference calls; 2/: all calls are right, without a hint of their number; "
        "2/2: the same with a hint (a run with --mcpbench-hint=tools); "
        "1/1: with a hint, fewer calls, all right; 1/2: with a hint, some calls right"
    )
    title = "Multi Tool Selection Result"
    return [measured_grid(experiment, title, ("Task", "Called"), rows, experiment.models("hint"), note)]


def figure_4(experiment: Experiment) -> list[Grid]:
    """Return ACC and CRE by domain, and DTSR by fuzzy domain, a grid for each."""
    models = experiment.models()
    by_metric = {
        "ACC": [GridRow((name,), _acc(experiment, tag, models)) for tag, name in _domains(experiment)],
        "CRE": [GridRow((name,), _cre(experiment, tag, models)) for tag, name in _domains(experiment)],
        "DTSR": [
            GridRow((name,), _dtsr(experiment, tag, models)) for tag, name in _domains(experiment) if tag not in PRECISE
        ],
    }
    title = "Model Performance Comparison Across Tasks"
    return [grid_of(experiment, f"{title}: {name}", ("Domain",), models, rows) for name, rows in by_metric.items()]


def table_5(experiment: Experiment) -> list[Grid]:
    """Return the mean accuracy under each prompt, and the difference of the first two."""
    models = experiment.models("prompt")
    found = experiment.settings("prompt")
    rows = [
        GridRow((PROMPTS.get(prompt, str(prompt)),), _mean_accuracies(experiment, under("prompt", prompt), models))
        for prompt in (*(one for one in PROMPTS if one in found), *(one for one in found if one not in PROMPTS))
    ]
    # Without two prompts there is no difference.
    if len(rows) < 2:
        difference = GridRow(("Δ",), tuple(without_value("Δ needs runs with both prompts") for _ in rows[0].cells))
    else:
        difference = GridRow(
            ("Δ",), tuple(_minus(first, second) for first, second in zip(rows[0].cells, rows[1].cells, strict=True))
        )
    return [
        grid_of(
            experiment,
            "Prompt Effect Comparison",
            ("Mean-Acc.",),
            models,
            [*rows, difference],
            _MEAN,
            _PROMPTS_NOTE,
        )
    ]


def table_6(experiment: Experiment) -> list[Grid]:
    """Return the mean accuracy for each limit of rounds."""
    title = "Impact of Dialogue Rounds K on Average Accuracy Across Domains"
    models = experiment.models("rounds")
    rows = [
        GridRow((f"K={format_value(rounds)}",), _mean_accuracies(experiment, under("rounds", rounds), models))
        for rounds in experiment.settings("rounds")
    ]
    return [grid_of(experiment, title, ("Dialogue Rounds (K)",), models, rows, _MEAN, _ROUNDS_NOTE)]


def figure_6(experiment: Experiment) -> list[Grid]:
    """Return the distribution of the errors of failed attempts, by type of task and model."""
    compared = experiment.compared_models()
    every = [
        Slice(("All models",), lambda attempt: any(model.selects(attempt) for model in compared)),
        *experiment.models(),
    ]
    columns = [
        Slice((name, *each.labels), both(tagged("kind", tag), each.selects))
        for tag, name in KINDS.items()
        for each in every
    ]
    found: list[list[Entry]] = []
    for column in columns:
        entries = [
            entry for entry in entries_of(filter(column.selects, experiment.attempts)) if entry.outcome != "error"
        ]
        found.append([entry for entry in entries if (value := accuracy(entry).value) is not None and value < 1])
    names = {**ERRORS, "other": "Other Types"}
    rows = [GridRow((name,), tuple(_error_share(label, failed) for failed in found)) for label, name in names.items()]
    note = "shares (%) of the labels of attempts whose ACC is below 1; an attempt may have several labels"
    return [grid_of(experiment, "Error Distribution by Task Type", ("Error",), columns, rows, note)]


_NO_STEPS = "the tasks have no tag `steps`: a precise answer has no reference calls to count"
_MEAN = "mean over the domains of ACC, which is the mean over tasks of the mean over trials"
_PROMPTS_NOTE = "a run for each prompt: --mcpbench-prompt; concise: the suite's own"
_ROUNDS_NOTE = "a run for each K with --mcpbench-rounds, or one with --mcpbench-sweep rounds=5,10,15"
_ACC_FROM = "`answer` (precise) or `operation` (fuzzy)"
PAPER = Paper(
    "radar",
    "MCP-RADAR",
    "arXiv 2505.16700",
    (
        missing("figure", "1", "Overview of MCP-RADAR", "it is a drawing"),
        table(
            "1",
            "Data-Tool Statistics",
            "tags `kind` and `domain`; tools that agents were shown; `[categories]` of the suite",
            table_1,
        ),
        missing("figure", "2", "Data Generation", "it is a drawing"),
        figure("3", "Multi-Tool Data Distribution", "tags `domain` and `steps`", figure_3, bars),
        table("2", "Performance in two domains", f"{_ACC_FROM}, tokens; tag `domain`", table_2),
        table("3", "Performance in four domains", f"{_ACC_FROM}, tokens, `dtsr`; tag `domain`", table_3),
        table("4", "Multi Tool Selection Result", "counts of `operation`; condition `hint`", table_4),
        figure("4", "Model Performance Comparison Across Tasks", "as Tables 2 and 3", figure_4, radar),
        figure("5", "Impact of Dialogue Rounds on Average Accuracy", "as Table 6", table_6, lines),
        figure(
            "6", "Error Distribution by Task Type", "failure labels `radar`; tag `kind`", figure_6, parts_of_columns
        ),
        table("5", "Prompt Effect Comparison", f"{_ACC_FROM}; condition `prompt`, a run or swept value each", table_5),
        table("6", "Impact of Dialogue Rounds K", f"{_ACC_FROM}; limit `rounds`, a run or swept value each", table_6),
    ),
)


def _domains(experiment: Experiment) -> list[tuple[str, str]]:
    return [(tag, DOMAINS.get(tag, tag)) for tag in experiment.values("domain", tuple(DOMAINS))]


def _performance(experiment: Experiment, title: str, domains: Iterable[str], *, with_dtsr: bool) -> Grid:
    models = experiment.models()
    rows: list[GridRow] = []
    for tag in domains:
        name = DOMAINS.get(tag, tag)
        rows += [
            GridRow((name, "ACC."), _acc(experiment, tag, models)),
            GridRow((name, "CRE."), _cre(experiment, tag, models)),
        ]
        rows += [GridRow((name, "DTSR."), _dtsr(experiment, tag, models))] if with_dtsr else []
    note = "CRE: 1 for the model with the fewest tokens a task, 0 for the one with the most"
    return grid_of(experiment, title, ("Task", "Metric"), models, rows, note)


def _acc(experiment: Experiment, domain: str, models: Sequence[Slice]) -> tuple[Cell, ...]:
    return cells_of(experiment, Slice((), tagged("domain", domain), ACC), models)


def _dtsr(experiment: Experiment, domain: str, models: Sequence[Slice]) -> tuple[Cell, ...]:
    return cells_of(experiment, Slice((), tagged("domain", domain), DTSR), models)


def _cre(experiment: Experiment, domain: str, models: Sequence[Slice]) -> tuple[Cell, ...]:
    """Return the relative efficiency of the models, from their mean tokens a task (section 4.2)."""
    row = Slice((), tagged("domain", domain), TOKENS)
    spent = {model.labels[0]: cell for model, cell in zip(models, cells_of(experiment, row, models), strict=True)}
    compared = [model.labels[0] for model in experiment.compared_models()]
    without_model = "CRE: an agent without a model uses no tokens"
    means = {name: cell.value for name, cell in spent.items() if isinstance(cell, MeasuredNumber) and name in compared}
    relative = cre(means)
    known = [mean for mean in means.values() if mean is not None]
    if len(known) < 2:
        reason = "CRE compares models: it needs the tokens of two"
    else:
        reason = "" if any(known) else "CRE: no model used tokens"
    return tuple(
        MeasuredNumber(
            None if reason else relative.get(name),
            n=cell.n,
            tasks=cell.tasks,
            errors=cell.errors,
            unscored=cell.unscored,
            reason=reason or cell.reason or ("" if name in compared else without_model),
        )
        for name, cell in spent.items()
        if isinstance(cell, MeasuredNumber)
    )


def _hinted(is_with_hint: bool) -> Selection:
    return lambda attempt: is_hinted(attempt.entry) == is_with_hint


def _cell_reading(cell: str) -> Any:
    """Return the reading that is 1 where an attempt belongs to a cell of Table 4."""

    def read(entry: Entry) -> MeasureReading:
        found = selection_cell(entry)
        if found is not None:
            return MeasureReading(float(found == cell))
        reading = score_of(OPERATION, entry)
        return MeasureReading(None, reading.reason, applies=reading.applies and reading.value is None)

    return read


def _mean_accuracies(experiment: Experiment, selects: Selection, models: Sequence[Slice]) -> tuple[Cell, ...]:
    """Return the unweighted means of ACC over domains, such as 0.501 for GPT-5 over the six of Tables 2 and 3."""
    means: list[MeasuredNumber] = []
    for model in models:
        attempts = [attempt for attempt in experiment.attempts if selects(attempt) and model.selects(attempt)]
        tags = dict.fromkeys(attempt.entry.tags.get("domain", "") for attempt in attempts)
        found = [ACC.of(entries_of(filter(tagged("domain", tag), attempts))) for tag in tags]
        known = [number.extent for number in found if number.extent]
        missing_value = next((number.reason for number in found if number.value is None), NO_ATTEMPT)
        complete = bool(found) and len(known) == len(found)
        bounds = Interval(fmean(each.low for each in known), fmean(each.high for each in known)) if complete else None
        is_range = any(number.bounds for number in found)
        means.append(
            MeasuredNumber(
                bounds.low if bounds and not is_range else None,
                n=sum(number.n for number in found) if complete else 0,
                tasks=sum(number.tasks for number in found) if complete else 0,
                errors=sum(number.errors for number in found),
                unscored=sum(number.unscored for number in found),
                reason="" if complete and not is_range else missing_value,
                bounds=bounds if is_range else None,
            )
        )
    return tuple(means)


def _minus(first: Cell, second: Cell) -> MeasuredNumber:
    if (
        not (isinstance(first, MeasuredNumber) and isinstance(second, MeasuredNumber))
        or first.value is None
        or second.value is None
    ):
        return without_value("Δ needs both values")
    return MeasuredNumber(second.value - first.value, n=min(first.n, second.n), tasks=min(first.tasks, second.tasks))


def _error_share(label: str, failed: Sequence[Entry]) -> MeasuredNumber:
    """Return the share of an error among all labels of failed attempts."""
    labels = Counter(
        found if found in ERRORS else "other" for entry in failed for found in entry.failures.get("radar", ())
    )
    if label in _NEEDS_JUDGE and not any(entry.scores.get("failure_modes") is not None for entry in failed):
        return without_value(_NO_JUDGE, number_formats.hundredths)
    if not labels:
        return without_value("no failed attempt has a label", number_formats.hundredths)
    return MeasuredNumber(labels[label] / labels.total(), number_formats.hundredths, n=labels.total())
