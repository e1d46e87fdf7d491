"""Sizes of tool definitions by category and by task."""

from pytest_mcpbench.core.definition_tokens import Definitions
from pytest_mcpbench.reporting.aggregates.tool_statistics import TaskDefinitionSize, task_definition_sizes
from pytest_mcpbench.reporting.tables.tools import category_table
from tests.reporting.samples import a_report, an_entry

FILES, MAPS = Definitions(tools=2, tokens=100), Definitions(tools=3, tokens=500)
ONE_OF_MAPS = Definitions(tools=1, tokens=200)
REPORT = a_report(
    an_entry("a", definitions={"files": FILES}, offered={"files": FILES}, tags={"category": "filesystem"}),
    an_entry("b", definitions={"maps": ONE_OF_MAPS}, offered={"maps": MAPS}, tags={"category": "map"}),
    an_entry("c", definitions={"maps": MAPS}, offered={"maps": MAPS, "files": FILES}, tags={"category": "map"}),
    an_entry("d", "error"),
)


def test_the_sums_by_category_are_those_of_the_papers_table_with_the_exposed_share() -> None:
    assert category_table(REPORT).rows == (
        ("s", "filesystem", "1", "2", "50", "100", "100", "100", "100.0 %"),
        ("s", "map", "2", "5", "120", "600", "350", "550", "63.6 %"),
        ("s", "all", "3", "5", "120", "600", "267", "400", "66.7 %"),
    )


def test_the_tools_of_other_categories_do_not_count_where_the_suite_says_whose_servers_are_whose() -> None:
    categories = {"filesystem": ["files"], "map": ["maps"]}
    report = REPORT.model_copy(update={"facts": {"suites": {"s": {"categories": categories}}}})
    assert [row[:6] for row in category_table(report).rows] == [
        ("s", "filesystem", "1", "2", "50", "100"),
        ("s", "map", "2", "3", "167", "500"),
        ("s", "all", "3", "5", "120", "600"),
    ]


def test_each_task_has_the_tokens_of_the_exposed_and_of_all_tools() -> None:
    assert task_definition_sizes(REPORT) == (
        TaskDefinitionSize("s", "a", 100, 100),
        TaskDefinitionSize("s", "b", 200, 500),
        TaskDefinitionSize("s", "c", 500, 600),
    )
