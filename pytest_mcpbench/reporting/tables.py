"""Tables of a report, in their order."""

from pytest_mcpbench.core.model_names import AGENTS_WITHOUT_MODEL
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.breakdown import requested_tables
from pytest_mcpbench.reporting.comparison_tables import comparison_table, efficiency_table, range_table
from pytest_mcpbench.reporting.failure_tables import error_table, failure_table
from pytest_mcpbench.reporting.judge_panels import agreement_table, panel_table
from pytest_mcpbench.reporting.result_tables import (
    condition_table,
    metric_table,
    oracle_table,
    results_table,
    threshold_table,
    trial_table,
)
from pytest_mcpbench.reporting.run_table import run_table
from pytest_mcpbench.reporting.summary import summaries
from pytest_mcpbench.reporting.sweep_tables import sweep_tables
from pytest_mcpbench.reporting.table import Table, without_zeros
from pytest_mcpbench.reporting.tag_tables import tag_table, tags_with_table
from pytest_mcpbench.reporting.tool_choice_tables import argument_table, confusion_table, tool_accuracy_table
from pytest_mcpbench.reporting.tool_choices import model_choices
from pytest_mcpbench.reporting.tool_tables import (
    category_table,
    definition_table,
    root_cause_table,
    tool_call_table,
    tool_selection_table,
)


def main_tables(report: Report) -> tuple[Table, ...]:
    """Return the tables that every report shows."""
    summary_list = summaries(report)
    tables = (
        results_table(summary_list),
        oracle_table(report),
        metric_table(summary_list),
        trial_table(summary_list),
        threshold_table(summary_list),
        panel_table(report),
        agreement_table(report),
        comparison_table(report, summary_list),
        *sweep_tables(report),
        *requested_tables(report),
    )
    return tuple(table for table in tables if table.rows)


def brief_tables(report: Report) -> tuple[Table, ...]:
    """Return the main tables that a run shows unless it is asked for more.

    Columns of outcomes and costs that are 0 for every model are left out, and so are the metrics if no model took part.
    """
    is_without_model = {entry.model.partition("@")[0] for entry in report.entries} <= set(AGENTS_WITHOUT_MODEL)
    left_out = "Metrics" if is_without_model else None
    zeros = ("failed", "errors", "unscored", "tokens", "cost", "judge tokens", "judge cost")
    return tuple(without_zeros(table, *zeros) for table in main_tables(report) if table.title != left_out)


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
