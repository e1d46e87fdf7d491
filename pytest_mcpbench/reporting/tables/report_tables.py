"""Tables of a report, in their order."""

from pytest_mcpbench.core.model_names import compared_models, is_competitor
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.aggregates.run_end import end_of_run, joined_runs
from pytest_mcpbench.reporting.aggregates.summary import summaries
from pytest_mcpbench.reporting.aggregates.tool_choices import model_choices
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables.breakdown import requested_tables
from pytest_mcpbench.reporting.tables.failures import error_table, failure_table
from pytest_mcpbench.reporting.tables.judge_panels import agreement_table, cascade_table, panel_table
from pytest_mcpbench.reporting.tables.models import comparison_table, efficiency_table, range_table
from pytest_mcpbench.reporting.tables.published import published_table
from pytest_mcpbench.reporting.tables.results import (
    condition_table,
    metric_table,
    oracle_table,
    results_tables,
    search_table,
    server_table,
    threshold_table,
    trial_table,
)
from pytest_mcpbench.reporting.tables.standings import standing_tables
from pytest_mcpbench.reporting.tables.table import Table, filled_table, without_zeros
from pytest_mcpbench.reporting.tables.tags import sweep_tables, tag_table, tags_with_table
from pytest_mcpbench.reporting.tables.tools import (
    argument_table,
    category_table,
    confusion_table,
    definition_table,
    root_cause_table,
    tool_accuracy_table,
    tool_call_table,
    tool_selection_table,
)

# Table of the runs that were joined into one report.

_HEADINGS = ("run", "started", "attempts", "version", "Python", "platform", "isolation", "end")


def run_table(report: Report) -> Table:
    """Return when and where each run was made, and how it ended before all of its attempts had run."""
    rows: list[tuple[str, ...]] = []
    for run in joined_runs(report):
        attempts = int(run.get("attempts", 0))
        names = ("version", "python", "platform", "isolation")
        facts = (one_line(str(run.get(name) or ""), 40) for name in names)
        started = str(run.get("started_at") or "")[:19].replace("T", " ")
        rows.append(
            (one_line(str(run.get("directory")), 300), started, f"{attempts:,}", *facts, end_of_run(run, attempts))
        )
    return filled_table("Runs", _HEADINGS, rows, len(_HEADINGS))


def main_tables(report: Report) -> tuple[Table, ...]:
    """Return the tables that every report shows."""
    summary_list = summaries(report)
    tables = (
        *results_tables(summary_list),
        oracle_table(report),
        search_table(report),
        metric_table(summary_list),
        trial_table(summary_list),
        threshold_table(summary_list),
        cascade_table(report),
        panel_table(report),
        agreement_table(report),
        comparison_table(report, summary_list),
        published_table(report),
        server_table(report),
        *sweep_tables(report),
        *requested_tables(report),
    )
    return tuple(table for table in tables if table.rows)


def brief_tables(report: Report) -> tuple[Table, ...]:
    """Return the few tables that a run ends with unless it is asked for more.

    They are those of the models, or of the arms that a run compares, and those that its options ask for, with what each
    of several judges said; and, if they are about one model at one suite, its metrics and trials.
    """
    models = compared_models(entry.model for entry in report.entries)
    compared = [entry for entry in report.entries if entry.model in models]
    is_one_model = len({(entry.series, entry.model) for entry in compared}) == 1 and is_competitor(models[0])
    of_model = summaries(Report(entries=tuple(compared))) if is_one_model else ()
    zeros = ("errors", "unscored", "tokens", "cost", "judge tokens", "judge cost")
    tables = (
        *(standing_tables(report) or (without_zeros(table, *zeros) for table in results_tables(summaries(report)))),
        *((metric_table(of_model), trial_table(of_model)) if is_one_model else ()),
        cascade_table(report),
        panel_table(report),
        *sweep_tables(report),
        *requested_tables(report),
    )
    return tuple(table for table in tables if table.rows)


def detail_tables(report: Report) -> tuple[Table, ...]:
    """Return the tables that explain results: joined runs, conditions, tags, efficiency, failures, errors, tools."""
    summary_list = summaries(report)
    choices_list = model_choices(report)
    tables = (
        run_table(report),
        condition_table(report),
        *(tag_table(report, tag) for tag in tags_with_table(report)),
        efficiency_table(report),
        tool_selection_table(report),
        tool_accuracy_table(choices_list),
        confusion_table(choices_list),
        argument_table(choices_list),
        failure_table(summary_list),
        range_table(summary_list),
        error_table(report),
        tool_call_table(report),
        root_cause_table(report),
        definition_table(report),
        category_table(report),
    )
    return tuple(table for table in tables if table.rows)
