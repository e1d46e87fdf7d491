from datetime import datetime
from typing import Any

import pytest

from pytest_mcpbench.simulated.calendar.world import occurrences

FIRST = datetime(2026, 3, 2, 9, 30)


@pytest.mark.parametrize(
    ("rule", "days"),
    [
        (None, ["03-02"]),
        ({"frequency": 0, "interval": 2, "occurrence_count": 3}, ["03-02", "03-04", "03-06"]),
        ({"frequency": 0, "end_date": "2026-03-04T09:30:00"}, ["03-02", "03-03", "03-04"]),
        ({"frequency": 0, "end_date": "2026-03-04T09:00:00"}, ["03-02", "03-03"]),
        ({"frequency": 1, "interval": 1}, ["03-02", "03-09", "03-16", "03-23", "03-30"]),
        ({"frequency": 1, "interval": 2}, ["03-02", "03-16", "03-30"]),
        ({"frequency": 1, "days_of_week": [1, 2, 7], "occurrence_count": 4}, ["03-02", "03-07", "03-08", "03-09"]),
        ({"frequency": 2}, ["03-02"]),
        ({"frequency": 3, "interval": 1}, ["03-02"]),
    ],
    ids=str,
)
def test_occurrences_of_a_rule_until_the_end_of_the_month(rule: dict[str, Any] | None, days: list[str]) -> None:
    found = list(occurrences(FIRST, rule, datetime(2026, 3, 31)))
    assert [f"{start:%m-%d}" for start in found] == days
    assert {start.time() for start in found} == {FIRST.time()}


def test_nothing_begins_before_the_first_time() -> None:
    assert list(occurrences(FIRST, None, datetime(2026, 3, 1))) == []
    assert list(occurrences(FIRST, {"frequency": 0}, datetime(2026, 3, 1))) == []


def test_a_month_without_the_day_is_passed_over() -> None:
    found = occurrences(datetime(2026, 1, 31, 8), {"frequency": 2}, datetime(2026, 5, 31, 8))
    assert [start.month for start in found] == [1, 3, 5]
