import pytest

from pytest_mcpbench.text.digit_groups import with_commas


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
