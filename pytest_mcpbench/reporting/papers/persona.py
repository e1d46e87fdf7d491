"""Tables and figures of MCP-Persona (arXiv 2606.02470)."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from pytest_mcpbench.core.judgement import POINTS
from pytest_mcpbench.reporting.aggregates.measures import (
    COST,
    STEPS,
    TOKENS,
    MeasuredNumber,
    count_of,
    metric,
    without_value,
)
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.papers.drawing import bars, scatter
from pytest_mcpbench.reporting.papers.experiment import (
    Experiment,
    Selection,
    Slice,
    both,
    cells_of,
    grid_of,
    measured_grid,
    tagged,
    under,
)
from pytest_mcpbench.reporting.papers.items import Paper, figure, missing, table
from pytest_mcpbench.reporting.tables.grid import Cell, Grid, GridRow
from pytest_mcpbench.text.natural_order import natural_key

_PERCENT = number_formats.hundredths
ACC = metric("checkpoints", _PERCENT)
SUCCESS_RATE = metric("sr", _PERCENT)
EXEC = metric("exec", _PERCENT)
EFFORT = {"Tokens": TOKENS, "Cost": COST, "Steps": STEPS}
SINGLE = {
    "collaboration-platform": "Collaboration Platform",
    "content-management": "Content Management",
    "social-media": "Social Media",
    "email": "Email",
}
CROSS = {"lark-centric": "Lark-Centric", "rednote-centric": "Rednote-Centric", "hodgepodge": "Hodgepodge"}
"""Tag ``category`` -> column of Table 3, for tasks of one personal app and of several."""
SUBSETS = (
    "Lark_Short",
    "Lark_Long",
    "Rednote_Short",
    "Rednote_Long",
    "Notion_Short",
    "Notion_Long",
    "Obsidian_Short",
    "Obsidian_Long",
    "Email",
    "Wecom",
    "Reddit",
    "Instagram",
    "Slack",
    "Lark_Rednote",
    "Lark_Obsidian",
    "Lark_Notion",
    "Lark_Other",
    "Rednote_Obsidian",
    "Rednote_Notion",
    "Rednote_Other",
    "Hodgepodge",
)
"""Rows of Table 7, in its order."""
_APPS = {"lark": "Lark", "feishu": "Lark", "xiaohongshu": "Rednote", "wecome": "Wecom", "wecom": "Wecom"}
_ACC_NOTE = "Acc: mean over tasks of the mean over checkpoints; each task's trials count as one"


def figure_2(experiment: Experiment) -> list[Grid]:
    """Return the number of tasks of each column of Table 3, and of each length of the tool chain."""
    by_category = [
        GridRow((scope, name), (count_of(experiment.tasks(tagged("category", tag))),))
        for scope, names in (("Single-Server", SINGLE), ("Cross-Server", CROSS))
        for tag, name in names.items()
    ]
    lengths = [
        GridRow((length,), (count_of(experiment.tasks(tagged("tools", length))),))
        for length in experiment.values("tools")
    ]
    tasks = [Slice(("Tasks",))]
    return [
        grid_of(experiment, "Tasks by scope and category", ("Scope", "Category"), tasks, by_category),
        grid_of(experiment, "Tasks by length of the tool chain", ("Tool calls",), tasks, lengths),
    ]


def table_3(experiment: Experiment) -> list[Grid]:
    """Return Acc by category, and overall Acc, SR-0.8, Exec-Acc, tokens, cost and steps."""
    categories = [
        Slice((group, name), tagged("category", tag), ACC)
        for group, names in (("Single-Server", SINGLE), ("Cross-Server", CROSS))
        for tag, name in names.items()
    ]
    overall = [
        Slice(("Overall", name), measure=measure)
        for name, measure in (("Acc", ACC), ("SR-0.8", SUCCESS_RATE), ("Exec-Acc", EXEC))
    ]
    effort = [Slice(("Mean of a task", name), measure=measure) for name, measure in EFFORT.items()]
    return [
        measured_grid(
            experiment,
            "Performance of LLM agents on MCP-Persona",
            ("Model",),
            experiment.models(),
            [*categories, *overall, *effort],
            _ACC_NOTE,
            "tokens, cost and steps are those of Figure 3",
        )
    ]


def table_5(experiment: Experiment) -> list[Grid]:
    """Return Acc and Exec-Acc of the Lark and the Rednote tasks with each skill."""
    columns = [
        Slice((f"{subset} Subset {_skill_name(skills)}", name), both(selects, under("skills", skills)), measure)
        for subset, selects in (("Lark", _app("Lark")), ("Rednote", _app("Rednote")))
        for skills in sorted(experiment.settings("skills"), key=bool)
        for name, measure in (("Acc", ACC), ("Exec-Acc", EXEC))
    ]
    return [
        measured_grid(
            experiment,
            "Comparison with and without skill documentations on the Lark and Rednote subsets",
            ("Model",),
            experiment.models("skills"),
            columns,
            _ACC_NOTE,
            "a task of Lark and Rednote is in both subsets",
            "a run for each skill: --mcpbench-skill",
        )
    ]


def table_6(experiment: Experiment) -> list[Grid]:
    """Return Acc and Exec-Acc with all tools and with those of the task's servers."""
    settings = [("All Tools", under("exposure", "all")), ("Selected Tools", under("exposure", "selected"))]
    title = "Ablation study on the candidate tool settings"
    return [_ablation(experiment, title, settings, "exposure")]


def table_7(experiment: Experiment) -> list[Grid]:
    """Return the checkpoints of each subset, those on which people disagree, and each model's Acc and effort."""
    models = experiment.models()
    columns = [Slice((name,)) for name in ("Misaligned Ckpt", "Total Ckpt", "Ratio (%)")]
    measures = {"Acc": ACC, **EFFORT}
    effort = [
        Slice((*model.labels, name), model.selects, measure) for model in models for name, measure in measures.items()
    ]
    found = {subset_of(attempt.entry.tags.get("query_type", "")) for attempt in experiment.attempts}
    subsets: list[tuple[str, Selection]] = [
        (name, _in_subset(name)) for name in [*SUBSETS, *sorted(found - {*SUBSETS, ""}, key=natural_key)]
    ]
    rows = [
        GridRow((name,), (*_checkpoint_cells(experiment, selects), *cells_of(experiment, Slice((), selects), effort)))
        for name, selects in [*subsets, ("Overall", lambda _attempt: True)]
    ]
    title = "Checkpoints by subset, with human and LLM judgments, tokens, cost and steps"
    return [grid_of(experiment, title, ("Task Category",), [*columns, *effort], rows, _ACC_NOTE)]


def table_8(experiment: Experiment) -> list[Grid]:
    """Return the servers with the number of their tools and of the tasks that show them."""
    servers = sorted(
        {tool.server for attempt in experiment.attempts for tool in attempt.details.tools}, key=natural_key
    )
    rows: list[GridRow] = []
    for name in servers:
        tools = {tool.name for attempt in experiment.attempts for tool in attempt.details.tools if tool.server == name}
        shows = [
            attempt for attempt in experiment.tasks() if any(tool.server == name for tool in attempt.details.tools)
        ]
        rows.append(GridRow((name,), (count_of(tools), count_of(shows))))
    columns = [Slice(("Tools",)), Slice(("Tasks",))]
    title = "MCP servers included in the MCP-Persona Benchmark"
    return [grid_of(experiment, title, ("MCP Server",), columns, rows, "tools that agents were shown")]


def table_9(experiment: Experiment) -> list[Grid]:
    """Return Acc and Exec-Acc with the necessary context only and with distractors."""
    title = "The impact of context composition on model performance"
    settings = [
        ("Only Necessary Context", both(under("context", "necessary"), under("context_distractors", 0))),
        ("With Context Distractors", lambda attempt: bool(attempt.conditions.get("context_distractors"))),
    ]
    return [_ablation(experiment, title, settings, "context", "context_distractors")]


def figure_3(experiment: Experiment) -> list[Grid]:
    """Return mean tokens, cost and steps of a task beside Acc."""
    columns = [Slice((name,), measure=measure) for name, measure in {**EFFORT, "Acc": ACC}.items()]
    title = "Efficiency and performance trade-offs"
    return [measured_grid(experiment, title, ("Model",), experiment.models(), columns, _ACC_NOTE)]


def table_10(experiment: Experiment) -> list[Grid]:
    """Return the version of each model, as the replies of its provider name it."""
    rows = [
        GridRow(model.labels, (", ".join(experiment.versions(model)) or without_value("its replies name no version"),))
        for model in experiment.models()
    ]
    return [grid_of(experiment, "Versions of the LLMs", ("Model",), [Slice(("Version",))], rows)]


_ACC_FROM = "`checkpoints`, `exec`"
PAPER = Paper(
    "persona",
    "MCP-Persona",
    "arXiv 2606.02470",
    (
        missing("figure", "1", "System overview of MCP-Persona", "it is a drawing"),
        missing("table", "1", "Comparison of MCP-related or personalized benchmarks", "it compares benchmarks"),
        figure(
            "2", "Dataset and tool statistics", "tags `category` and `tools`; no lengths of contexts", figure_2, bars
        ),
        missing("table", "2", "Four content generation methods", "it describes the generation of contexts"),
        table(
            "3",
            "Performance of LLM agents on MCP-Persona",
            "`checkpoints`, `sr`, `exec`, usage; tag `category`; models are not grouped by licence",
            table_3,
        ),
        missing("table", "4", "Comparison of simulation fidelity", "it is of traces; see `mcpbench fidelity`"),
        table("5", "With and without skill documentations", f"{_ACC_FROM}; condition `skills`, a run each", table_5),
        figure("3", "Efficiency and performance trade-offs", "usage, steps, `checkpoints`", figure_3, scatter),
        table("6", "Candidate tool settings", f"{_ACC_FROM}; condition `exposure`, a run or swept value each", table_6),
        table(
            "7",
            "Human and LLM judgments by subset",
            "checkpoints of the tasks; tag `query_type`; misaligned ones need people's labels (`--labels`)",
            table_7,
            uses_labels=True,
        ),
        missing("figure", "4", "Illustration of tools and contexts", "it is a drawing"),
        table("8", "MCP servers included", "tools that agents were shown", table_8),
        table("9", "Context composition", f"{_ACC_FROM}; conditions `context`, `context_distractors`", table_9),
        table("10", "Versions of the LLMs", "names of the models in the replies of their providers", table_10),
        missing("table", "11", "Representative task examples", "it has texts of tasks; `mcpbench show` prints any"),
    ),
)


def subset_of(query_type: str) -> str:
    """Return the row of Table 7 of a query type: ``Lark_Short`` of ``lark_mcp_single_short``."""
    words = [word for word in query_type.replace("lark_mcp", "lark").split("_") if word not in ("single", "mcp")]
    return "_".join(_APPS.get(word, word.capitalize()) for word in words)


def _in_subset(name: str) -> Selection:
    return lambda attempt: subset_of(attempt.entry.tags.get("query_type", "")) == name


def _app(name: str) -> Selection:
    """Return the selection of the tasks that use an app."""
    return lambda attempt: name in subset_of(attempt.entry.tags.get("query_type", "")).split("_")


def _skill_name(skills: Any) -> str:
    paths = [PurePosixPath(str(path)) for path in skills or ()]
    names = [path.parent.name if path.name == "SKILL.md" else path.stem for path in paths]
    return f"+ {', '.join(names)}" if names else "Vanilla"


def _ablation(experiment: Experiment, title: str, settings: Sequence[tuple[str, Selection]], *axes: str) -> Grid:
    """Return Acc and Exec-Acc under each setting of the conditions that the table varies."""
    columns = [
        Slice((group, name), selects, measure)
        for group, selects in settings
        for name, measure in (("Acc", ACC), ("Exec-Acc", EXEC))
    ]
    options = ", ".join("--mcpbench-" + axis.replace("_", "-") for axis in axes)
    return measured_grid(
        experiment,
        title,
        ("Model",),
        experiment.models(*axes),
        columns,
        _ACC_NOTE,
        f"a run for each setting: {options}",
    )


def _checkpoint_cells(experiment: Experiment, selects: Selection) -> tuple[Cell, ...]:
    """Return misaligned and all checkpoints, and their ratio; with labels of people they are those that have one."""
    if not experiment.has_labels:
        total = sum(len(attempt.details.checkpoints) for attempt in experiment.tasks(selects))
        unknown = without_value("misaligned checkpoints need labels of people (--labels)", _PERCENT)
        return unknown, MeasuredNumber(float(total), number_formats.whole, n=total), unknown
    pairs = [
        (POINTS.get(verdict.label or ""), attempt.people.get(verdict.statement))
        for attempt in filter(selects, experiment.attempts)
        for verdict in attempt.details.verdicts
        if verdict.statement in attempt.details.checkpoints
    ]
    labelled = [(judged, people) for judged, people in pairs if None not in (judged, people)]
    misaligned = sum(judged != people for judged, people in labelled)
    ratio = (
        MeasuredNumber(misaligned / len(labelled), _PERCENT, n=len(labelled))
        if labelled
        else without_value("no checkpoint has a verdict and a label of people", _PERCENT)
    )
    return count_of(range(misaligned)), count_of(labelled), ratio
