"""Section with the passed trials of each task and model."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from markupsafe import Markup

from pytest_mcpbench.core.model_names import is_competitor
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.aggregates.telling_tasks import passes_text
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.page.sections.layout import paragraph
from pytest_mcpbench.reporting.page.sections.suite_results import SuiteResults
from pytest_mcpbench.reporting.tables.section import Section, plain
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.natural_order import natural_key

_CAPTION = (
    "2/3: two of three trials passed. Trials that have no verdict because of an error, or because a score is missing, "
    "are named: 1/3, 1 unscored. –: no attempt."
)


def matrix_section(results: SuiteResults) -> Section:
    """Return a table with one row per task and one column per model; a switch hides rows in which models agree.

    Agents without a model are shown, but not compared: ``oracle`` and ``noop`` differ in every task.

    The markup leaves out closing tags and quotation marks that HTML does not need: a suite can have thousands of tasks.
    """
    trials = group_by(results.entries, lambda entry: (entry.task_id, entry.model))
    tasks = sorted({task for task, _ in trials}, key=natural_key)
    suite = quote(results.suite, safe="")
    rows = [_row(suite, task, {model: trials.get((task, model), []) for model in results.models}) for task in tasks]
    differing = sum(differs for _, differs in rows)
    compared = list(filter(is_competitor, results.models))
    if len(compared) > 1:
        switch = _switch(results, differing, len(tasks))
    else:
        models = results.models
        if len(models) < 2:
            switch = Markup()
        else:
            agents = ", ".join(model for model in models if not is_competitor(model))
            number = "only one model" if any(map(is_competitor, models)) else "no model"
            switch = paragraph(f"The run has {number} to compare: {agents} work without a model.", "note")
    heads = Markup().join(Markup("<th scope=col>{}").format(plain(model)) for model in results.models)
    table = Markup(
        '<figure><div class=tall tabindex=0 role=group aria-label="Passed trials by task and model">'
        "<table class=matrix><caption>Passed trials of all trials</caption>"
        "<thead><tr><th scope=col class=words>task{}</thead>"
        "<tbody>{}</tbody></table></div><figcaption>{}</figcaption></figure>"
    ).format(heads, Markup().join(row for row, _ in rows), _CAPTION)
    return Section(results.section_id("matrix"), "Tasks by model", switch + table, results.suite)


def cell_class(entries: Sequence[Entry]) -> str:
    """Return ``p`` if all trials passed, ``f`` if none did, ``m`` for some, ``e`` without a verdict, or nothing."""
    verdicts = [entry.outcome == "passed" for entry in entries if entry.outcome in ("passed", "failed")]
    if not entries:
        return ""
    if not verdicts:
        return "e"
    return "p" if all(verdicts) else "m" if any(verdicts) else "f"


def _row(suite: str, task: str, cells: Mapping[str, Sequence[Entry]]) -> tuple[Markup, bool]:
    """Return the row of a task, and whether the models differ in it."""
    differs = len({passes_text(cells[model]) for model in filter(is_competitor, cells)}) > 1
    shown = Markup()
    for entries in cells.values():
        words = plain(passes_text(entries))
        unpassed = next((entry for entry in entries if entry.outcome != "passed"), None)
        if unpassed is not None:
            words = Markup('<a href="#{}">{}</a>').format(address(unpassed), words)
        kind = cell_class(entries)
        shown += Markup("<td class={}>{}").format(kind, words) if kind else Markup("<td>{}").format(words)
    opening = Markup("<tr>") if differs else Markup("<tr class=same>")
    return Markup("{}<th scope=row class=words><a href=#{}/{}>{}</a>{}").format(
        opening, suite, quote(task, safe=""), plain(task), shown
    ), differs


def address(entry: Entry) -> str:
    """Return the address of an attempt within the page."""
    return "/".join(quote(str(part), safe="") for part in (entry.series, entry.task_id, entry.model, entry.trial))


def _switch(results: SuiteResults, differing: int, tasks: int) -> Markup:
    """Return the box that hides rows; it is ticked if there are rows to show."""
    key = results.section_id("differ")
    return Markup(
        '<input type=checkbox class=differ id="{key}"{checked}><label for="{key}">only where models differ '
        "({differing:,} of {tasks})</label>"
    ).format(
        key=key, checked=Markup(" checked") if differing else "", differing=differing, tasks=quantity(tasks, "task")
    )
