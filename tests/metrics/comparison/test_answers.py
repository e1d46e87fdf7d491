from fractions import Fraction

import hypothesis.strategies as st
import pytest
from hypothesis import given

from pytest_mcpbench.metrics.comparison.answers import parse_number, same_answer, strict_form

SAME = [
    ('"Travel".', "Travel"),
    ("14599", "14 599"),
    ("14599", "14\u00a0599"),
    ("14599", "14'599"),
    ("12", "twelve"),
    ("2 hours", "120 minutes"),
    ("14,599.50 EUR", "14\u202f599,50 €"),
    ("10", "10.0"),
    ("1,234", "1234"),
    ("-1,234,567.50", "-1234567.5"),
    ("1/2", "0.5"),
    ("½", "1/2"),
    (r"$\frac{1}{2}$", "2/4"),
    (r"$1\frac{1}{2}$", "1 1/2"),
    (r"\(5\)", r"\[5\]"),
    (r"\boxed{\text{Paris}}", "paris."),
    ("New York", "new  york"),
    ("Paris, London", "London,Paris"),
    ("1,000, 2,000", "2000, 1000"),
    ("a, b, a", "b, a, a"),
    (r"\{1, 2\}", "2,1"),
    (r"\left( 1, 2 \right)", "(1.0,2)"),
    ("(1,2), (3,4)", "(3,4),(1, 2)"),
    ("−5", "-5"),
    ("1e3", "1000"),
    ("x²", "x^2"),
    ("１２", "12"),
    ("5.", "5"),
    ("4", "x = 4"),
    ("4", "f(x) = 4"),
    ("2, 3", "x_1 = 2, x_2 = 3"),
    ("2, 3", "x = 2 or x = 3"),
    ("-6, 11", "λ₁ = -6, λ₂ = 11"),
    ("-6, 11", "-6 and 11"),
    ("Widow's Law", "Widow’s Law"),
    ("2, 3", "x = 2, x = 3"),
    ("(1, 2)", "(1,~2)"),
    ("", " "),
]
DIFFERENT = [
    ("1 200 3", "1 2003"),
    ("2 hours", "2 minutes"),
    ("5 EUR", "5 USD"),
    ("42", "~42"),
    ("x = 4, y = 2", "y = 4, x = 2"),
    ("4", "x == 4"),
    ("4", "x >= 4"),
    ("1/3", "0.333"),
    ("a, a, b", "a, b, b"),
    ("(1,2)", "(2,1)"),
    ("(1,2)", "[1,2]"),
    ("50%", "50"),
    ("5", "$5"),
    ("2, 3", "2 or 3"),
    ("4", "f'(x) = 4"),
    ("x²", "x2"),
    ("Paris", "London"),
    ("1, 2", "1"),
    ("5", ""),
    ("x+1", "1+x"),
    ("10", "100"),
]


@pytest.mark.parametrize(("left", "right"), SAME, ids=str)
def test_the_same_answer(left: str, right: str) -> None:
    assert same_answer(left, right)
    assert same_answer(right, left)


@pytest.mark.parametrize(("left", "right"), DIFFERENT, ids=str)
def test_another_answer(left: str, right: str) -> None:
    assert not same_answer(left, right)
    assert not same_answer(right, left)


@given(st.text(max_size=30))
def test_every_answer_is_the_same_as_itself(text: str) -> None:
    assert same_answer(text, text)


@given(st.lists(st.sampled_from(["a", "b", "1/2", "0.5", "(1,2)"]), min_size=2, max_size=6), st.data())
def test_the_order_of_a_list_does_not_count(items: list[str], data: st.DataObject) -> None:
    assert same_answer(", ".join(items), ",".join(data.draw(st.permutations(items))))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.5", Fraction(2469, 2)),
        ("1,23", None),
        (".5", Fraction(1, 2)),
        ("3/0", None),
        ("1e999", Fraction(10**999)),
        ("1e9999", None),
        ("five", None),
        (r"\dfrac{3}{6}", Fraction(1, 2)),
    ],
)
def test_numbers_are_exact(text: str, value: Fraction | None) -> None:
    assert parse_number(text) == value


def test_the_strict_form_trims_and_unifies_compatible_characters() -> None:
    assert strict_form(" ｘ² \n") == "x2"
