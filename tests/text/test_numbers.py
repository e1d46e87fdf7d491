import pytest

from pytest_mcpbench.judges.keyfacts.reading import plain
from pytest_mcpbench.text.numbers import Number, numbers, parse_number, same_quantity, with_commas

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
    ("fourteen thousand", 14000),
    ("two hundred and five people", 205),
    ("one hundred twenty-three thousand four hundred", 123400),
    ("a hundred", 100),
    ("twenty-five thousand", 25000),
    ("three million", 3e6),
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
    return numbers(plain(text))[-1]


AGREEMENTS = [
    ("100", "100", "same"),
    ("100", "104", "different"),
    ("100.0", "104", "close"),
    ("100.0", "106", "different"),
    ("$41.62", "41.6 USD", "same"),
    ("$41.62", "41.6 EUR", "different"),
    ("48.39%", "48 percent", "same"),
    ("48.39%", "49%", "close"),
    ("48.39%", "50%", "different"),
    ("50%", "0.5", "same"),
    ("50%", "half", "same"),
    ("0.5", "50 %", "same"),
    ("2022", "2022", "same"),
    ("2022", "2023", "different"),
    ("third", "3rd", "same"),
    ("third", "4th", "different"),
    ("1.2 million", "1,200,000", "same"),
    ("1,234,567", "1.2 million", "same"),
    ("1.2 million", "1.2", "different"),
    ("43.6718771", "43.67", "same"),
    ("12", "twelve", "same"),
    ("forty-two", "42", "same"),
    ("-5", "5", "other sign"),
    ("minus 5", "-5", "same"),
    ("3 hours", "180 minutes", "same"),
    ("3 hours", "3 minutes", "different"),
    ("2,431 m", "2.431 km", "same"),
    ("27 square metres", "27 m²", "same"),
    ("-5 °C", "5 °C below zero", "same"),
    ("5 °C", "5 °F", "different"),
    ("1.250,00 Euro", "1250 €", "same"),
]


@pytest.mark.parametrize(("claimed", "stated", "agreement"), AGREEMENTS)
def test_numbers_agree_by_value_unit_and_rounding(claimed: str, stated: str, agreement: str) -> None:
    assert _one(claimed).agreement(_one(stated)) == agreement


def test_a_number_after_about_may_be_off_by_the_tolerance() -> None:
    assert _one("100").agreement(_one("104"), is_approximate=True) == "same"


def test_a_number_takes_the_unit_of_the_next() -> None:
    assert [number.dimension for number in numbers("from 900 to 700 EUR")] == ["EUR", "EUR"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("14\u00a0599 EUR", "14,599 EUR"),
        ("14\u202f599\u00a0EUR", "14,599\u00a0EUR"),
        ("14\u2009599,50 €", "14,599.50 €"),
        ("1'234'567 people", "1,234,567 people"),
        ("CHF 14’599.50", "CHF 14,599.50"),
        ("14 599 euros in all", "14,599 euros in all"),
        ("€14 599.50", "€14,599.50"),
        ("EUR 1 234 567", "EUR 1,234,567"),
        ("14,599 EUR", "14,599 EUR"),
    ],
)
def test_groups_of_digits_are_joined_by_commas(text: str, expected: str) -> None:
    assert with_commas(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "in 2024 300 people came",
        "room 12 300 seats",
        "12 30 EUR",
        "call 030 123 4567",
        "14\u00a059 EUR",
        "3,14\u00a0159",
        "ids 1'2345",
        "the '90s 300 EUR",
    ],
)
def test_other_numbers_stay_as_they_are(text: str) -> None:
    assert with_commas(text) == text


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1,234", "1234"),
        ("14\u202f599,50 €", "EUR 14,599.50"),
        ("14'599", "14599"),
        ("2 hours", "120 min"),
        ("twenty-five", "25"),
        ("\u22125", "-5"),
        ("1.2 million", "1,200,000"),
    ],
)
def test_two_spellings_of_a_quantity_are_the_same(left: str, right: str) -> None:
    assert same_quantity(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("2 hours", "2"),
        ("3", "3rd"),
        ("5 EUR", "5 USD"),
        ("1.2", "12"),
        ("1.10", "1.1"),
        ("007", "7"),
        ("two", "two people"),
    ],
)
def test_other_units_ranks_and_further_words_make_a_difference(left: str, right: str) -> None:
    assert not same_quantity(left, right)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,250", 1250.0), ("-3.5", -3.5), ("Twelve", 12.0), ("1e3", 1000.0), ("many", None), ("5 km", None)],
)
def test_a_text_that_is_one_number_is_parsed(text: str, value: float | None) -> None:
    assert parse_number(text) == value
