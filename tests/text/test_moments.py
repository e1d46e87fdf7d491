import datetime

import pytest

from pytest_mcpbench.text.moments import dates, long_date, parse_date, times

SAME_DAY = [
    "April 3, 2024",
    "Apr. 3rd, 2024",
    "3 April 2024",
    "the 3rd of April 2024",
    "2024-04-03",
    "2024/4/3",
    "2024年4月3日",
    "3. April 2024",
    "3 avril 2024",
]


@pytest.mark.parametrize("text", SAME_DAY)
def test_a_date_is_read_in_its_notation(text: str) -> None:
    (date,) = dates(text)
    assert (date.year, date.month, date.day) == (2024, 4, 3)


def test_a_date_is_written_in_english() -> None:
    assert long_date(datetime.date(2024, 4, 3)) == "3 April 2024"


@pytest.mark.parametrize("text", SAME_DAY[:1] + SAME_DAY[2:3] + SAME_DAY[4:])
def test_a_text_that_is_one_day_is_parsed(text: str) -> None:
    assert parse_date(text) == datetime.date(2024, 4, 3)


@pytest.mark.parametrize("text", ["April 3", "on April 3, 2024", "3/4/2024", "31 April 2024", "2024-04-03T10:00"])
def test_a_day_without_a_year_or_among_words_is_not_parsed(text: str) -> None:
    assert parse_date(text) is None


def test_an_ambiguous_date_is_read_both_ways() -> None:
    assert {(date.month, date.day) for date in dates("3/4/2024")} == {(3, 4), (4, 3)}
    assert {(date.month, date.day) for date in dates("25.12.2024")} == {(12, 25)}


def test_a_date_without_a_year_is_that_day_of_any_year() -> None:
    assert dates("on April 3")[0].is_met_by(dates("2024-04-03")[0])
    assert not dates("April 3, 2023")[0].is_met_by(dates("2024-04-03")[0])


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("15:39:04", (15, 39, 4)),
        ("3:39 PM", (15, 39, None)),
        ("10 a.m.", (10, 0, None)),
        ("12 am", (0, 0, None)),
        ("16h40", (16, 40, None)),
        ("下午2点", (14, 0, None)),
    ],
)
def test_a_time_is_read_in_its_notation(text: str, time: tuple[int, int, int | None]) -> None:
    (found,) = times(text)
    assert (found.hour, found.minute, found.second) == time


@pytest.mark.parametrize("text", ["10", "(+02:00)", "25:10", "chapter 3"])
def test_what_is_no_time_is_not_read_as_one(text: str) -> None:
    assert times(text) == ()


def test_a_time_without_seconds_is_any_second_of_its_minute() -> None:
    assert times("3:39 PM")[0].is_met_by(times("15:39:04")[0])
    assert not times("3:39 AM")[0].is_met_by(times("15:39:04")[0])


def test_both_days_of_a_range_are_dates() -> None:
    assert sorted((date.month, date.day) for date in dates("from 7 to 17 April")) == [(4, 7), (4, 17)]


@pytest.mark.parametrize("text", ["since January 9,072.00 EUR", "in May 12.50 EUR", "since March 1,200 EUR"])
def test_an_amount_behind_a_month_is_no_day(text: str) -> None:
    assert dates(text) == ()


@pytest.mark.parametrize("text", ["on January 9, 2024", "on January 9, 2 men came", "on January 9. Then"])
def test_a_day_may_end_a_clause_or_a_sentence(text: str) -> None:
    assert [(date.month, date.day) for date in dates(text)] == [(1, 9)]
