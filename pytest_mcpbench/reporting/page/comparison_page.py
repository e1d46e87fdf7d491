"""The HTML page of a comparison of two runs: verdict, differences, and changed tasks with both trajectories."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from markupsafe import Markup

from pytest_mcpbench.core.gate.result import TaskTraces
from pytest_mcpbench.reporting.aggregates.model_comparison import (
    PASSED,
    PairedComparison,
    direction,
    mark,
    matching_attempts,
    severity,
    without_repeated_criteria,
)
from pytest_mcpbench.reporting.aggregates.regressions import RunComparison
from pytest_mcpbench.reporting.aggregates.telling_tasks import TellingTask, changed_tasks
from pytest_mcpbench.reporting.charts.axis import Axis, point_axis
from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.charts.forest import ForestEstimate, forest_plot
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.page.document import page
from pytest_mcpbench.reporting.page.sections.layout import figure_grid, folded, folded_tables, paragraph, tables_markup
from pytest_mcpbench.reporting.pull_request.comparison import SIDES, ComparedRuns, cost_change, headline
from pytest_mcpbench.reporting.tables.models import run_comparison_table
from pytest_mcpbench.reporting.tables.resource_changes import ResourceChange, resource_changes, resource_table
from pytest_mcpbench.reporting.tables.section import Section, plain, sentence
from pytest_mcpbench.reporting.texts.explanation import explanation_tables
from pytest_mcpbench.reporting.texts.run_comparison import findings
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.statistics.intervals import Interval

TITLE = "mcpbench comparison"
TRACES = 200
"""Changed tasks of each suite and model whose trajectories are on the page."""
_LONGEST_LINE = 2000


def comparison_page(runs: ComparedRuns) -> Iterator[str]:
    """Yield the parts of the page."""
    yield from page(title=TITLE, sections=comparison_sections(runs))


def comparison_sections(runs: ComparedRuns) -> tuple[Section, ...]:
    """Return the sections of the page; the verdict is the first."""
    return verdict_section(runs), changed_tasks_section(runs), causes_section(runs), differences_section(runs)


def verdict_section(runs: ComparedRuns) -> Section:
    """Return the verdict in one sentence, a line for each suite and model, and the conditions that differ."""
    state = "failed" if runs.comparison.has_regression else "unscored" if runs.comparison.lost else ""
    body = paragraph(verdict(runs.comparison), f"verdict gate {state}".strip())
    body += Markup().join(paragraph(remark, "verdict") for remark in runs.comparison.remarks)
    body += _list(headlines(runs))
    body += _list([f"Conditions differ. {line}" for line in runs.conditions], "failed")
    lines = [line.strip() for line in findings(runs.comparison, (runs.explanations or {}))]
    return Section("verdict", "Verdict", body + folded("All findings", _list(lines)))


def verdict(comparison: RunComparison) -> str:
    """Return the result of the comparison in one sentence."""
    passes = [each for each in comparison.pairs if each.metric == PASSED]
    lost = len(comparison.lost)
    verb = "counts" if lost == 1 else "count"
    without = f"; {quantity(lost, 'task')} lost the verdict and {verb} as worse" if lost else ""
    if comparison.has_regression:
        return f"Significantly fewer attempts pass in the second run{without}."
    if not passes:
        return f"No task has a verdict in both runs{without}."
    better = [each for each in passes if each.comparison.is_robust and each.comparison.difference > 0]
    if better:
        where = ", ".join(f"{each.suite} ({each.right})" for each in better)
        return f"Significantly more attempts pass in the second run: {where}{without}."
    if not any(each.comparison.discordant for each in passes):
        compared = quantity(sum(each.comparison.tasks for each in passes), "task")
        return f"All {compared} have the same verdict in both runs{without}."
    return f"The difference in passes is not significant{without}."


def headlines(runs: ComparedRuns) -> list[str]:
    """Return a line with rates, interval, cost and changed tasks for each suite and model, the worst first."""
    costs = {
        (left[0].series, left[0].model): cost_change(left, right)
        for left, right in matching_attempts(runs.before.entries, runs.after.entries)
    }
    passes = sorted((each for each in runs.comparison.pairs if each.metric == PASSED), key=severity)
    return [
        f"{mark(each)}: {_subject(each)}: "
        + headline(each, costs.get((each.suite, each.left), ""), len(runs.comparison.lost_by(each.suite, each.left)))
        for each in passes
    ]


def differences_section(runs: ComparedRuns) -> Section:
    """Return forest plots of the differences of passes and metrics, and those of cost, tokens and time."""
    changes = list(resource_changes(runs.before, runs.after))
    groups = group_by(without_repeated_criteria(runs.comparison.pairs), lambda each: (each.suite, each.left))
    figures = [difference_forest(pairs) for pairs in groups.values()]
    figures += [resource_forest(each) for each in group_by(changes, lambda one: (one.suite, one.model)).values()]
    tables = run_comparison_table(runs.comparison), resource_table(changes)
    return Section("differences", "Differences", figure_grid(figures, "differences") + folded_tables(tables))


def difference_forest(pairs: Sequence[PairedComparison]) -> Figure:
    """Return the differences of passes and metrics of one suite and model, in percentage points."""
    rows = [
        ForestEstimate(
            "pass rate" if each.metric == PASSED else each.metric,
            each.comparison.difference,
            each.comparison.interval,
            each.comparison.tasks,
            kind={-1: "fail", 0: "neutral", 1: "pass"}[direction(each)],
        )
        for each in pairs
    ]
    return forest_plot(
        _subject(pairs[0]),
        rows,
        axis=point_axis("second − first run, points"),
        reference=0.0,
        note="Differences with 95 % intervals; n: tasks of both runs.",
    )


def resource_forest(changes: Sequence[ResourceChange]) -> Figure:
    """Return the relative changes of cost, tokens, time and calls of one suite and model.

    A quantity of which the first run used nothing has no relative change; the table has its difference.
    """
    rows: list[ForestEstimate] = []
    for change in changes:
        if change.before != 0:
            name = change.resource.name
            if not change.before or change.interval is None:
                rows.append(ForestEstimate(name, change.share, None, change.tasks, kind="neutral"))
            else:
                low, high = (bound / change.before for bound in change.interval)
                # Less of each resource is better.
                kind = "pass" if high < 0 else "fail" if low > 0 else "neutral"
                rows.append(ForestEstimate(name, change.share, Interval(low, high), change.tasks, kind=kind))
    title = f"{changes[0].suite}, {changes[0].model}: cost, tokens, time"
    axis = Axis(
        "change of the mean, %", lambda value: f"{value * 100:+.1f} %", tick_text=lambda value: f"{value * 100:+g}"
    )
    return forest_plot(title, rows, axis=axis, reference=0.0, note="Relative to the first run; n: tasks of both runs.")


def changed_tasks_section(runs: ComparedRuns) -> Section:
    """Return the tasks that pass more or less often, grouped by direction and cause, with both trajectories."""
    tasks = changed_tasks(runs.before, runs.after)
    traces = {
        (suite, model, each.task): each
        for (suite, model), explanation in (runs.explanations or {}).items()
        for each in explanation.traces
    }
    fallen = {
        (each.suite, each.left, task)
        for each in runs.comparison.pairs
        if each.metric == PASSED
        for task, before, after in each.changed
        if after < before
    }
    worse = fallen | {(each.suite, each.model, each.task) for each in runs.comparison.lost}
    groups = group_by(tasks, lambda task: ((task.suite, task.model, task.task) in worse, task.cause.kind))
    body = Markup().join(
        folded(
            f"{'Worse' if is_worse else 'Better, before'}: {cause} ({quantity(len(group), 'task')})",
            _group(group, traces, is_open=is_worse),
            is_open=is_worse,
        )
        for (is_worse, cause), group in sorted(groups.items(), key=lambda item: (not item[0][0], -len(item[1])))
    )
    return Section("changed", "Changed tasks by cause", body or paragraph("No task passes more or less often."))


def causes_section(runs: ComparedRuns) -> Section:
    """Return the texts, tools and arguments that changed."""
    body = Markup()
    for (suite, model), explanation in (runs.explanations or {}).items():
        tables = explanation_tables(explanation.model_copy(update={"traces": ()}), *SIDES)
        body += folded(f"{suite}, {model}", tables_markup(tables))
    return Section("causes", "Changed texts, tools and arguments", body or paragraph("Nothing of these changed."))


def side_by_side(traces: TaskTraces) -> Markup:
    """Return both trajectories with equal lines beside each other and the others marked."""
    rows = Markup().join(
        Markup('<tr{}><td class="words">{}</td><td class="words">{}</td></tr>').format(
            Markup("") if is_same else Markup(" class=differs"), _line(left), _line(right)
        )
        for left, right, is_same in aligned(traces.baseline, traces.candidate)
    )
    return Markup(
        '<figure class="table" tabindex=0 role=group aria-label="Trajectories of {}">'
        "<table class=trajectories><thead><tr>"
        '<th scope=col class="words">{}</th><th scope=col class="words">{}</th></tr></thead>'
        "<tbody>{}</tbody></table></figure>"
    ).format(plain(traces.task), *SIDES, rows)


def aligned(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield the lines of both sides, equal ones beside each other, with whether they are equal."""
    for kind, start, end, other_start, other_end in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        for ours, theirs in zip_longest(left[start:end], right[other_start:other_end], fillvalue=""):
            yield ours, theirs, kind == "equal"


def _group(tasks: Sequence[TellingTask], traces: Mapping[tuple[str, str, str], TaskTraces], *, is_open: bool) -> Markup:
    """Return a folded part for each task; that of the first is open on request."""
    parts: list[Markup] = []
    for index, task in enumerate(tasks):
        heading = Markup("{} <small>{} · {}</small>").format(
            plain(f"{task.suite}/{task.task}"), plain(task.model), plain(task.result)
        )
        if task.tools:
            heading += Markup(" <code>{}</code>").format(plain(task.tools))
        both = traces.get((task.suite, task.model, task.task))
        trajectories = (
            side_by_side(both)
            if both is not None
            else paragraph("The trajectories are in the records of the two runs.", "note")
        )
        parts.append(
            Markup("<details class=fold{}><summary>{}</summary>{}{}</details>").format(
                Markup(" open") if is_open and index == 0 else "",
                heading,
                paragraph(task.reason, "note") if task.reason else "",
                trajectories,
            )
        )
    return Markup().join(parts)


def _subject(pair: PairedComparison) -> str:
    return f"{pair.suite}, {pair.right if pair.left == pair.right else f'{pair.right} after {pair.left}'}"


def _list(lines: Sequence[str], kind: str = "") -> Markup:
    items = Markup().join(Markup("<li>{}</li>").format(sentence(line)) for line in lines)
    return Markup('<ul class="{}">{}</ul>').format(kind, items) if lines else Markup()


def _line(text: str) -> Markup:
    return plain(one_line(text, _LONGEST_LINE))
