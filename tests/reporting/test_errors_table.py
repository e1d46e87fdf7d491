"""The table of errors has one row for each kind of error, and fits on a line."""

import pytest

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.tables.failures import error_table
from tests.reporting.samples import a_report, an_entry


def _error(number: int, message: str) -> Entry:
    return an_entry(f"t{number}", "error", error=message, error_kind="server")


@pytest.mark.parametrize(
    ("messages", "rows"),
    [
        pytest.param(["no such file"] * 2, [("no such file", "2")], id="equal"),
        pytest.param(
            [f"server 'a' failed to call: 'tool_{number}' died in {number}.5 s of /tmp/{number}" for number in (1, 2)],
            [("server 'a' failed to call: … died in … s of …", "2")],
            id="alike",
        ),
        pytest.param(["gw0 crashed", "gw1 crashed"], [("… crashed", "2")], id="of two workers"),
        pytest.param(
            ["server 'a' failed to start", "server 'b' failed to start"],
            [("server 'a' failed to start", "1"), ("server 'b' failed to start", "1")],
            id="of two servers",
        ),
        pytest.param(["word " * 60], [(("word " * 20)[:99] + "…", "1")], id="long"),
    ],
)
def test_errors_of_one_kind_are_one_row(messages: list[str], rows: list[tuple[str, str]]) -> None:
    report = a_report(*(_error(number, message) for number, message in enumerate(messages)))
    assert [row[3:] for row in error_table(report).rows] == rows
