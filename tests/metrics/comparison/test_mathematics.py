import time

import pytest

from pytest_mcpbench.metrics.answer import same_mathematics
from pytest_mcpbench.metrics.comparison.math_parser import MOST_CHARACTERS, NotMathematicsError, parse_expression

EQUAL = [
    ("x^2-1", "(x-1)(x+1)"),
    (r"\frac{1}{2}", "0.5"),
    (r"\dfrac12", "1/2"),
    (r"\sqrt{8}", "2sqrt(2)"),
    ("√2", "2^{1/2}"),
    ("sqrt[3]{x}", "x^{1/3}"),
    ("sin(x)^2+cos^2 x", "1"),
    ("sin 2x", "2 sin x cos x"),
    ("x^2/2 + C", "c + 0.5x²".replace("²", "^2")),
    (r"e^{i\pi}", "-1"),
    ("5!", "120"),
    (r"\log_2 8", "3"),
    ("y=2x+1", "2x+1=y"),
    ("|x|", "sqrt(x^2)"),
    ("||x|-1|", r"\left|\lvert x\rvert-1\right|"),
    ("x_1+x_{2}", "x_{2}+x_1"),
    (r"3\cdot 10^{5}", "300000"),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "[[1,2],[3,8/2]]"),
    (r"\infty", "oo"),
    ("sin(x)^2+cos(x)^2-1", "0"),
    (r"\pi r^2", "r^2*pi"),
    (r"\arctan x", "atan(x)"),
]
DIFFERENT = [
    ("1/3", "0.3333333333333333333333"),
    ("3.14159265358979", "pi"),
    ("10^100", "10^100+1"),
    ("-x^2", "(-x)^2"),
    ("x", "y"),
    ("y=2x+1", "y=2x"),
    ("y=2x", "2x"),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\begin{pmatrix}1&2&3&4\end{pmatrix}"),
    ("1/0", "2/0"),
    ("sqrt(x)", "-sqrt(x)"),
]
UNREADABLE = [
    "",
    "cat",
    "x +",
    "(x",
    "|x",
    "x)",
    "2 @ 3",
    "__import__('os')",
    "x" + "+x" * MOST_CHARACTERS,
    "=",
    "[[1,2],[3]]",
]
HEAVY = [
    "9^9^9^9",
    "1000000!",
    "10^1000^1000",
    "sin(" * 70 + "x" + ")" * 70,
    "x" + "!" * 200,
    "((x+1)^1000)^1000",
    "(" * 290 + "x",
    "2^(2^(2^(2^(2^x))))",
    "x^x^x^x^x^x^x^x",
]


@pytest.mark.parametrize(("left", "right"), EQUAL, ids=str)
def test_equal_expressions(left: str, right: str) -> None:
    assert same_mathematics(left, right)
    assert same_mathematics(right, left)


@pytest.mark.parametrize(("left", "right"), DIFFERENT, ids=str)
def test_expressions_that_are_not_equal(left: str, right: str) -> None:
    assert not same_mathematics(left, right)
    assert not same_mathematics(right, left)


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_cannot_be_read_equals_nothing_and_runs_nothing(text: str) -> None:
    with pytest.raises(NotMathematicsError):
        parse_expression(text)
    assert not same_mathematics(text, text)


@pytest.mark.parametrize("text", HEAVY, ids=range(len(HEAVY)))
def test_no_expression_takes_long(text: str) -> None:
    begin = time.process_time()
    same_mathematics(text, "x")
    same_mathematics(text, text)

    assert time.process_time() - begin < 20  # without bounds: hours


def test_words_are_no_products_of_their_letters() -> None:
    assert not same_mathematics("cat", "act")
    assert same_mathematics("ab", "ba")
