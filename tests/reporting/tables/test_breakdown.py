"""Any metric by any tag, against averages that are computed here."""

from statistics import fmean

import pytest

from pytest_mcpbench.reporting.aggregates.measures import MeasuredNumber, named_measure
from pytest_mcpbench.reporting.aggregates.summary import summaries
from pytest_mcpbench.reporting.page.sections.report_sections import report_sections
from pytest_mcpbench.reporting.tables.breakdown import Breakdown, json_content, suite_grids, unknown_names
from pytest_mcpbench.reporting.tables.grid import Grid
from pytest_mcpbench.reporting.tables.report_tables import main_tables
from tests.reporting.samples import a_report, an_entry, scored

COUNTS = {"tool_f1": {"hits": 1.0, "called": 1.0, "expected": 1.0}}
FEW = {"tool_f1": {"hits": 1.0, "called": 4.0, "expected": 8.0}}
REPORT = a_report(
    scored("a", 1, metric="tool_f1", counts=COUNTS, tags={"kind": "x", "level": "easy"}),
    scored("a", 0.5, metric="tool_f1", counts=FEW, tags={"kind": "x", "level": "easy"}, trial=2),
    scored("b", 0, metric="tool_f1", counts=FEW, tags={"kind": "x", "level": "hard"}),
    an_entry("b", "error", tags={"kind": "x", "level": "hard"}, trial=2),
    scored("c", 1, metric="tool_f1", counts=COUNTS, tags={"kind": "y", "level": "hard"}),
    scored("c", None, metric="tool_f1", tags={"kind": "y", "level": "hard"}, trial=2),
    scored("d", 1, metric="tool_f1", counts=COUNTS),
    scored("a", 0, metric="tool_f1", counts=FEW, tags={"kind": "x", "level": "easy"}, model="other"),
)


def numbers(grid: Grid, metric: str, model: str) -> dict[tuple[str, ...], MeasuredNumber]:
    (index,) = [at for at, column in enumerate(grid.columns) if (column.group, column.heading) == (metric, model)]
    cells = {row.labels: row.cells[index] for row in grid.rows}
    return {labels: cell for labels, cell in cells.items() if isinstance(cell, MeasuredNumber)}


def test_a_metric_is_averaged_over_tasks_or_pooled_in_each_row() -> None:
    ((_, grid),) = [
        (each.suite, each.grid) for each in suite_grids(REPORT, Breakdown(("kind",), ("tool_f1:macro", "tool_f1")))
    ]
    macro, micro = numbers(grid, "tool_f1:macro", "m"), numbers(grid, "tool_f1", "m")
    assert {labels: cell.value for labels, cell in macro.items()} == {
        ("(none)",): 1.0,
        ("x",): fmean((0.75, 0)),
        ("y",): None,
        ("all",): None,
    }
    assert (macro["y",].bounds, macro["all",].bounds) == (
        (0.5, 1.0),
        (fmean((0.75, 0, 0.5, 1)), fmean((0.75, 0, 1, 1))),
    )
    assert {labels: cell.value for labels, cell in micro.items()} == {
        ("(none)",): 1.0,
        ("x",): 2 * 3 / (9 + 17),
        ("y",): 1.0,
        ("all",): 2 * 5 / (11 + 19),
    }
    assert [(cell.n, cell.tasks, cell.errors, cell.unscored) for cell in micro.values()] == [
        (1, 1, 0, 0),
        (3, 2, 1, 0),
        (1, 1, 0, 1),
        (5, 4, 1, 1),
    ]


def test_a_score_without_counts_is_in_no_pooled_number() -> None:
    counted = [
        scored("a", 1, metric="tool_f1", counts=COUNTS),
        scored("b", 0, metric="tool_f1", counts=FEW),
        scored("c", 0, metric="tool_f1", counts=FEW),
    ]
    uncounted = [scored("a", 1, metric="tool_f1", trial=2), scored("d", 1, metric="tool_f1")]
    pooled = named_measure("tool_f1")
    found, expected = pooled.of([*counted, *uncounted]), pooled.of(counted)
    assert found.interval is not None
    assert (found.value, found.interval) == (expected.value, expected.interval)


def test_rows_are_the_combinations_of_several_tags_and_an_empty_cell_says_why() -> None:
    grid = suite_grids(REPORT, Breakdown(("kind", "level"), ("passed",)))[0].grid
    assert [row.labels for row in grid.rows] == [
        ("(none)", "(none)"),
        ("x", "easy"),
        ("x", "hard"),
        ("y", "hard"),
        ("all", ""),
    ]
    other = numbers(grid, "passed", "other")
    assert (other["x", "easy"].value, other["y", "hard"].value, other["y", "hard"].reason) == (0.0, None, "no attempt")


def test_without_names_the_table_has_the_pass_rate_and_the_metrics_with_a_floor() -> None:
    grid = suite_grids(REPORT, Breakdown())[0].grid
    assert [group for group, _ in grid.groups] == ["passed", "tool_f1"]
    assert numbers(grid, "passed", "m")[("all",)].text == "50 – 62 % (5 of 6 decided)"


def test_the_pass_rate_is_that_of_the_results() -> None:
    grid = suite_grids(REPORT, Breakdown(("kind",), ("passed",)))[0].grid
    by_model = {summary.model: summary.pass_rate for summary in summaries(REPORT)}
    assert {model: numbers(grid, "passed", model)[("all",)].value for model in by_model} == by_model


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (Breakdown(("knid",)), "no attempt has the tag 'knid'; there are: kind, level."),
        (
            Breakdown(("kind",), ("f1",)),
            "no attempt has the metric 'f1'; there are: calls, cost, passed, seconds, steps, tokens, tool_f1.",
        ),
        (Breakdown(("kind",), ("tool_f1:micro", "cost")), None),
    ],
    ids=["tag", "metric", "right"],
)
def test_a_name_that_no_attempt_has_is_named_with_those_that_exist(wanted: Breakdown, message: str | None) -> None:
    assert list(unknown_names(REPORT, wanted)) == ([message] if message else [])


def test_the_settings_of_a_run_add_their_tables_to_every_report() -> None:
    asked = REPORT.model_copy(update={"facts": {"settings": {"by": ["kind,level"], "by_metrics": ["tool_f1"]}}})
    titles = [table.title for table in main_tables(asked)]
    assert titles[-1] == "s: tool_f1 by kind, level"
    assert titles[:-1] == [table.title for table in main_tables(REPORT)]
    before, _ = report_sections(asked)
    assert (before[-1].title, before[-1].suite) == ("tool_f1 by kind, level", "s")
    assert "<caption>tool_f1 by kind, level</caption>" in before[-1].body


def test_json_has_every_cell_with_its_place_and_denominators() -> None:
    content = json_content(REPORT, Breakdown(("kind",), ("tool_f1",)))
    (cell,) = [each for each in content["cells"] if each["tags"] == {"kind": "y"} and each["model"] == "m"]
    place = {name: cell[name] for name in ("suite", "metric", "value", "n", "tasks", "errors", "unscored", "reason")}
    assert place == {
        "suite": "s",
        "metric": "tool_f1",
        "value": 1.0,
        "n": 1,
        "tasks": 1,
        "errors": 0,
        "unscored": 1,
        "reason": None,
    }
    assert [each["tags"] for each in content["cells"]][-1] == {}
