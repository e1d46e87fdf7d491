"""Confusion of tools over several attempts."""

import pytest

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.tool_choice import NO_TOOL, ArgumentCheck, ChosenTool, ToolChoice
from pytest_mcpbench.reporting.aggregates.tool_choices import accuracies, changed_cells, confusion, model_choices
from pytest_mcpbench.reporting.tables.tools import argument_table, confusion_table, tool_accuracy_table
from tests.reporting.samples import a_report, an_entry


def chose(called: str, task_id: str = "t", expected: str = "rain", trial: int = 1) -> Entry:
    mistake = None if called == expected else "wrong value"
    choice = ToolChoice(
        tools=(ChosenTool(expected=expected, called=called),),
        arguments=(ArgumentCheck(tool="rain", parameter="city", mistake=mistake),),
    )
    return an_entry(task_id, trial=trial, choice=choice)


def test_each_task_counts_once_however_often_it_was_tried() -> None:
    trials = [chose("rain", "a"), *(chose("sun", "b", trial=trial) for trial in (1, 2, 3, 4))]
    assert confusion(trials) == {("rain", "rain"): 1.0, ("rain", "sun"): 1.0}


def test_recall_and_precision_of_a_tool() -> None:
    cells = {("rain", "rain"): 3.0, ("rain", "sun"): 1.0, (NO_TOOL, "rain"): 2.0, ("sun", "sun"): 1.0}
    rain, sun = accuracies(cells)
    assert (rain.recall, rain.precision, rain.instead) == (0.75, 0.6, {"sun": 1.0})
    assert (sun.recall, sun.precision) == (1.0, 0.5)
    assert rain.recall_interval is not None
    assert rain.recall_interval.low < 0.75 < rain.recall_interval.high


def test_cells_that_differ_come_with_the_greatest_change_first() -> None:
    before, after = {("a", "a"): 3.0, ("b", "b"): 1.0}, {("a", "a"): 1.0, ("a", "b"): 2.5, ("b", "b"): 1.0}
    assert changed_cells(before, after) == [(("a", "b"), 0.0, 2.5), (("a", "a"), 3.0, 1.0)]


def test_tables_hold_what_went_wrong_and_are_empty_if_nothing_did() -> None:
    wrong = model_choices(a_report(chose("sun", "a"), chose("rain", "b")))
    assert [row[2:6] for row in tool_accuracy_table(wrong).rows] == [
        ("rain", "sun 1", "2", "50.0 %"),
        ("sun", "", "0", "n/a"),
    ]
    assert [row[2:] for row in confusion_table(wrong).rows] == [("rain", "sun", "1")]
    assert [row[2:4] for row in argument_table(wrong).rows] == [("rain.city", "2")]
    right = model_choices(a_report(chose("rain", "a")))
    assert not any(table(right).rows for table in (tool_accuracy_table, confusion_table, argument_table))


@pytest.mark.parametrize("entry", [an_entry("x"), an_entry("y", "error")])
def test_attempts_without_choices_count_nowhere(entry: Entry) -> None:
    assert confusion([entry]) == {}


def test_numbers_in_names_of_tools_are_sorted_by_their_value() -> None:
    cells = {(f"tool-{number}", "other"): 1.0 for number in (10, 2, 1)}

    assert [each.tool for each in accuracies(cells)] == ["other", "tool-1", "tool-2", "tool-10"]
    assert [cell[0] for cell, _, _ in changed_cells({}, cells)] == ["tool-1", "tool-2", "tool-10"]
