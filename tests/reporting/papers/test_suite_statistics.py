"""Statistics of a suite count each task once, and say of how many tasks each number is."""

import json

import pytest

from pytest_mcpbench.core.simulated_user import SimulatedUser
from pytest_mcpbench.core.task import Expected, Task, Turn
from pytest_mcpbench.reporting.papers.suite_statistics import FORMATS, SVG, SuiteStatistics, text
from pytest_mcpbench.reporting.papers.task_sizes import TaskSize, size_of
from pytest_mcpbench.reporting.tables.grid import PLAIN, Grid, as_table
from tests.builders import a_task, a_tool, expected_call

ONE, TWO = expected_call("one", server="s"), expected_call("two", server="s")
TURNS = (Turn(user="first"), Turn(user="second"))
TASKS = (
    a_task((ONE,), tags={"category": "a"}),
    a_task((ONE, TWO), (ONE,), tags={"category": "b"}),
    a_task(*[(ONE,)] * 6, tags={"category": "b"}),
    a_task((ONE,), (TWO,), turns=TURNS),
    a_task(expected=Expected(answer="4")),
    a_task(expected=Expected(forbidden_tools="all")),
)
STATISTICS = SuiteStatistics("mine", tuple(map(size_of, TASKS)))


def rows(grid: Grid) -> list[tuple[str, ...]]:
    return [tuple(row) for row in as_table(grid, PLAIN).rows]


@pytest.mark.parametrize(
    ("task", "kind", "calls", "steps", "turns", "tools"),
    [
        (TASKS[0], "single_tool", 1, 1, 1, 1),
        (TASKS[1], "multi_tool", 3, 2, 1, 2),
        (TASKS[3], "multi_turn", 2, 2, 2, 2),
        (TASKS[4], "unknown", None, None, 1, None),
        (TASKS[5], "no_tool", 0, 0, 1, 0),
        (a_task((ONE,), user=SimulatedUser(goal="Buy.")), "multi_turn", 1, 1, None, 1),
    ],
    ids=["single", "parallel", "turns", "no reference", "no call", "user"],
)
def test_what_a_task_does_not_say_is_unknown_and_not_0(
    task: Task, kind: str, calls: int | None, steps: int | None, turns: int | None, tools: int | None
) -> None:
    size = size_of(task)
    called = None if size.tools is None else len(size.tools)
    assert (size.kind, size.calls, size.steps, size.turns, called) == (kind, calls, steps, turns, tools)


def test_table_1_counts_every_task_once_and_kinds_add_up() -> None:
    table = rows(STATISTICS.grids()[0])
    assert table == [
        ("All", "Samples", "6", "", ""),
        ("All", "Easy", "4", "", ""),
        ("All", "Medium", "1", "", ""),
        ("All", "Hard", "0", "", ""),
        ("Single-Tool", "Samples", "1", "", ""),
        ("Multi-Tool", "Samples", "2", "", ""),
        ("Multi-Tool", "MCP calls per instance", "", "4.50", "4.50"),
        ("Multi-Tool", "Steps per instance", "", "4.00", "4.00"),
        ("Multi-Tool", "Samples having parallel calls", "1", "", ""),
        ("Multi-Turn", "Samples", "1", "", ""),
        ("Multi-Turn", "MCP calls per instance", "", "2.00", "2.00"),
        ("Multi-Turn", "Number of turns", "", "2.00", "2.00"),
        ("No tool", "Samples", "1", "", ""),
        ("Reference not known", "Samples", "1", "", ""),
        ("MCP", "Tools that references call", "2", "", ""),
    ]


def test_groups_say_of_how_many_tasks_a_number_is() -> None:
    by_category = STATISTICS.grids()[3]
    assert [row[:4] for row in rows(by_category)] == [
        ("a", "1", "1.00", "1.00"),
        ("b", "2", "4.50", "4.00"),
        ("no such tag", "3", "1.00", "1.00"),
        ("All", "6", "2.40", "2.20"),
    ]
    assert "calls, steps, tools: of 5 of 6 tasks, the others have no reference calls" in by_category.all_notes


def test_offered_tools_are_counted_beside_those_that_references_call() -> None:
    offered = SuiteStatistics("mine", STATISTICS.sizes, tools=(a_tool("one", {"a": {}, "b": {}}), a_tool("three")))
    table = rows(offered.grids()[0])
    assert table[-3:-1] == [
        ("MCP", "Tools that servers offer", "2", "", ""),
        ("MCP", "Arguments", "", "1.00", "1.00"),
    ]


def test_every_task_is_in_each_histogram_that_knows_its_size() -> None:
    counted = {name: sum(int(row[1]) for row in figure.table.rows) for name, figure in STATISTICS.figures()}
    assert counted == {"calls": 5, "steps": 5, "turns": 6, "tools": 5, "tokens": 6}
    assert dict(STATISTICS.figures())["calls"].table.rows[:4] == (("0", "1"), ("1", "1"), ("2", "1"), ("3", "1"))
    large = SuiteStatistics("mine", tuple(TaskSize(tokens=tokens) for tokens in (0, 19, 5000)))
    ((name, figure),) = large.figures()
    assert name == "tokens"
    assert [row for row in figure.table.rows if row[1] != "0"] == [("0 – 500", "2"), ("5,000 – 5,500", "1")]


@pytest.mark.parametrize("form", [form for form in FORMATS if form != SVG])
@pytest.mark.parametrize("statistics", [STATISTICS, SuiteStatistics("none", ())], ids=["tasks", "no task"])
def test_every_format_shows_the_suite_also_without_a_task(form: str, statistics: SuiteStatistics) -> None:
    written = text(statistics, PLAIN, form)
    assert statistics.name in written
    if form == "json":
        assert len(json.loads(written)["tasks"]) == len(statistics.sizes)


def test_the_page_shows_the_title_of_each_table_once() -> None:
    shown = text(STATISTICS, PLAIN, "html")
    titles = [grid.title for grid in STATISTICS.grids()]
    assert shown.count('<div class="one-table">') == len(titles)
    assert all(shown.count(f">{title}</h2>") == 1 for title in titles)
