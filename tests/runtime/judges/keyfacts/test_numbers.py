import pytest

from pytest_mcpbench.runtime.judges.keyfacts.numbers import Number, numbers

READ = [
    ("1,234.5", 1234.5),
    ("12.3%", 12.3),
    ("$1.2 million", 1.2e6),
    ("US$3.4bn", 3.4e9),
    ("$5m", 5e6),
    ("a walk of 5m", 5),
    ("-18.4 %", -18.4),
    ("within 10km", 10),
    ("共12条", 12),
    ("3万", 30000),
    ("the 3rd", 3),
    ("the second", 2),
    ("each with one movie", 1),
    ("half of them", 0.5),
    ("2.5e3", 2500),
    (".5", 0.5),
    ("43.6718771° N", 43.6718771),
]
NOT_READ = ["0865ef48", "v1.2.3", "Q4", "the one that is red", "no one"]


@pytest.mark.parametrize(("text", "value"), READ, ids=[text for text, _ in READ])
def test_a_number_is_read_in_its_notation(text: str, value: float) -> None:
    assert [number.value for number in numbers(text)] == [value]


@pytest.mark.parametrize("text", NOT_READ)
def test_what_is_no_number_is_not_read_as_one(text: str) -> None:
    assert numbers(text) == ()


def test_a_range_and_a_list_are_several_numbers() -> None:
    assert [number.value for number in numbers("2022-2023, and 3,4,5")] == [2022, 2023, 3, 4, 5]


def _one(text: str) -> Number:
    return numbers(text)[-1]


MET = [
    ("100", "104"),
    ("100", "95"),
    ("$41.62", "41.6 USD"),
    ("48.39%", "48 percent"),
    ("48.39%", "about 49%"),
    ("50%", "0.5"),
    ("50%", "half"),
    ("0.5", "50 %"),
    ("2022", "2022"),
    ("third", "3rd"),
    ("second", "2"),
    ("1.2 million", "1,200,000"),
    ("43.6718771", "43.67"),
    ("12", "twelve"),
]
NOT_MET = [
    ("100", "106"),
    ("48.39%", "50%"),
    ("12", "11"),
    ("2022", "2023"),
    ("third", "4th"),
    ("-5", "5"),
    ("43.6718771", "44.1"),
    ("1.2 million", "1.2"),
]


@pytest.mark.parametrize(("stated", "other"), MET)
def test_a_number_is_met_within_five_per_cent_one_point_or_in_another_notation(stated: str, other: str) -> None:
    assert _one(stated).is_met_by(_one(other))


@pytest.mark.parametrize(("stated", "other"), NOT_MET)
def test_a_number_is_not_met_beyond_that(stated: str, other: str) -> None:
    assert not _one(stated).is_met_by(_one(other))
