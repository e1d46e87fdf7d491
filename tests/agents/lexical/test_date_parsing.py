from datetime import date, datetime, time, timedelta

import pytest

from pytest_mcpbench.agents.lexical import argument_filling

NOW = datetime(2025, 8, 20, 9)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-03-04", date(2025, 3, 4)),
        ("2025-03-04 10:30", datetime(2025, 3, 4, 10, 30)),
        ("March 5, 2024", date(2024, 3, 5)),
        ("5th of March", date(2025, 3, 5)),
        ("2025年3月4日", date(2025, 3, 4)),
        ("today", date(2025, 8, 20)),
        ("tomorrow", date(2025, 8, 21)),
        ("the day after tomorrow", date(2025, 8, 22)),
        ("明天", date(2025, 8, 21)),
        ("in two weeks", date(2025, 9, 3)),
        ("in a month", date(2025, 9, 20)),
        ("next Friday", date(2025, 8, 22)),
        ("Wednesday", date(2025, 8, 27)),
        ("last Monday", date(2025, 8, 18)),
    ],
)
def test_days_as_people_write_them(text: str, expected: date) -> None:
    assert argument_filling.parse_day(text, NOW) == expected


@pytest.mark.parametrize("text", ["tomorrow", "March 5", "next Friday"])
def test_a_day_that_needs_a_clock_is_unknown_without_one(text: str) -> None:
    assert argument_filling.parse_day(text, None) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3pm", time(15)), ("4:30 p.m.", time(16, 30)), ("14:05", time(14, 5)), ("noon", time(12)), ("99:99", None)],
)
def test_times_of_day(text: str, expected: time | None) -> None:
    assert argument_filling.parse_time(text) == expected


@pytest.mark.parametrize(
    ("text", "minutes"), [("30 minutes", 30), ("an hour", 60), ("half an hour", 30), ("1.5 hours", 90), ("90-min", 90)]
)
def test_durations(text: str, minutes: int) -> None:
    assert argument_filling.parse_duration(text) == timedelta(minutes=minutes)
