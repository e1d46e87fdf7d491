import pytest

from pytest_mcpbench.audit import texts
from pytest_mcpbench.judges.keyfacts.wording import decide_wording

MAIL = "Hi Bea, the meeting with Vetro Lume has been moved to 5 March at 14:30 in room Loft. Best, Siyuan"
BUDGET = "Hi Priya, the budget of Lantern is 44,486.50 EUR; 12,518.00 EUR are left."
ORDER = "The order 60440 will be delivered on 2 March 2026 to Marcus Hill."
RIGHT = [
    (MAIL, "Hello Bea, our meeting with Vetro Lume is moved to March 5, 2:30 pm, room Loft. Siyuan"),
    (BUDGET, "Hi Priya! Lantern's budget is €44,486.50, of which €12,518.00 are left."),
    (ORDER, "Order 60440 will be delivered to Marcus Hill on 2 March 2026."),
    ("Thanks, see you soon!", "thanks - see you soon"),
]
WRONG = [
    (reference, text)
    for reference in (MAIL, BUDGET, ORDER)
    for text in (
        texts.negate(reference),
        texts.with_false_addition(reference),
        texts.with_numbers_exchanged(reference),
        texts.with_names_exchanged(reference),
        texts.with_other_numbers(reference),
        f"It is not true that: {reference}",
        f"FALSE: {reference}",
        f"{reference} Just kidding.",
        f"{reference} Bring 3 chairs.",
        f"{reference}\n{reference}",
    )
    if text
]


@pytest.mark.parametrize(("reference", "text"), RIGHT)
def test_a_text_with_every_hard_fact_is_fulfilled(reference: str, text: str) -> None:
    assert decide_wording(reference, text).label == "fulfilled"


@pytest.mark.parametrize(
    "amount",
    ["14 599 EUR", "14\u00a0599 EUR", "14\u202f599,00 EUR", "14'599 EUR", "14’599.00 EUR", "14.599 EUR", "€14,599.00"],
)
def test_an_amount_may_have_any_separator_of_thousands(amount: str) -> None:
    reference = "The bill of Halden is 14,599 EUR."

    assert decide_wording(reference, f"The bill of Halden is {amount}.").label == "fulfilled"
    assert decide_wording(reference, f"The bill of Halden is {amount.replace('599', '598')}.").label == "not_fulfilled"


def test_over_names_the_amount_of_a_bill_and_a_bound_elsewhere() -> None:
    reference = "I have a bill of 14,599 EUR."

    assert decide_wording(reference, "I have a bill over 14,599 EUR.").label == "fulfilled"
    assert decide_wording(reference, "I have a bill of over 14,599 EUR.").label == "not_fulfilled"


def test_a_text_that_changes_a_fact_is_never_fulfilled() -> None:
    assert [text for reference, text in WRONG if decide_wording(reference, text).label == "fulfilled"] == []


def test_a_reference_without_a_hard_fact_is_undecided() -> None:
    assert decide_wording("Thanks, see you soon!", "I look forward to it.").label is None


def test_a_further_number_must_be_in_the_request() -> None:
    text = f"{ORDER} It has 12 parts."
    assert decide_wording(ORDER, text).label == "not_fulfilled"
    assert decide_wording(ORDER, text, "Write that the order of 12 parts arrives.").label == "fulfilled"


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ("The balance is -5 today.", "The balance is 5 today."),
        ("The ratio is 3.5 today.", "The ratio is 3 5 today."),
        ("We meet at 12:30 in Bonn.", "We meet at 12:30 in Bonn?"),
        ("Please bring the keys, Bea.", "Please bring the k\u200beys, Bea."),
        ("Please bring the keys, Bea.", "Please bring the k\u0435ys, Bea."),
    ],
    ids=["sign", "decimal point", "question", "invisible character", "Cyrillic letter"],
)
def test_punctuation_and_letters_that_change_a_text_count(reference: str, text: str) -> None:
    assert decide_wording(reference, text).label != "fulfilled"
