"""Interface of math problems, and formatting of the numbers in them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, Protocol

from pytest_mcpbench.generation.source.files import SourceEntry


class RedrawError(ValueError):
    """Error for drawn values that make no good problem.

    Mostly the answer is so close to a rounding tie that two methods of computing it could round differently.
    """


class Calculator(Protocol):
    """Tools of the calculator server; each takes and returns text."""

    def calculate(self, expression: str) -> str: ...
    def solve_equation(self, equation: str) -> str: ...
    def differentiate(self, expression: str) -> str: ...
    def integrate(self, expression: str) -> str: ...


Solution = Callable[[Calculator], str]


@dataclass(frozen=True)
class Solved:
    """Answer of one problem, and how the calculator finds it."""

    answer: str
    solution: str | Solution
    """Expression to calculate, or a function of the calculator's tools."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """Further values for the slots of the wording."""


@dataclass(frozen=True)
class Problem:
    """One problem. ``answer`` is computed without the calculator; ``solution`` finds it by another method with it."""

    prompt: str
    answer: str
    solution: Solution


class KindOfProblem(SourceEntry):
    """Kind of problem, as it is written in a source file."""

    area: str
    """Area of mathematics."""
    level: Literal["easy", "medium", "hard"]
    draw: Mapping[str, str] = {}
    """Name of a value, or several names for a list of values -> expression that draws it."""
    wordings: tuple[str, str]
    """Two ways to ask, with slots for the values."""


def format_rounded(value: Fraction | float, places: int) -> str:
    """Format a value with a number of decimals. Raises :class:`RedrawError` if it is close to a rounding tie."""
    scaled = Fraction(value) * 10**places
    floor = scaled.numerator // scaled.denominator
    rest = scaled - floor
    if abs(rest - Fraction(1, 2)) < Fraction(1, 1000):
        raise RedrawError(f"{float(value)} is too close to a rounding tie at {places} decimals")
    whole = floor + (rest > Fraction(1, 2))
    sign, digits = ("-" if whole < 0 else ""), str(abs(whole)).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"


def format_exact(value: Fraction) -> str:
    """Format a value with as many decimals as it has: ``83.5``, ``12``."""
    return str(value.numerator) if value.denominator == 1 else str(float(value))


def polynomial(coefficients: Sequence[int], variable: str = "x", *, power: str = "^") -> str:
    """Format a polynomial, highest power first: ``3x^2 - x + 4``. ``power="**"`` writes it for a calculator."""
    times = "*" if power == "**" else ""
    terms = []
    for index, number in enumerate(coefficients):
        if not number:
            continue
        degree = len(coefficients) - 1 - index
        letter = variable if degree == 1 else f"{variable}{power}{degree}"
        sign = {1: "", -1: "-"}.get(number, f"{number}{times}")
        terms.append(f"{sign}{letter}" if degree else str(number))
    return re.sub(r"\+ -", "- ", " + ".join(terms)) or "0"


def calculator_polynomial(coefficients: Sequence[int]) -> str:
    """Format a polynomial in the calculator's syntax."""
    return polynomial(coefficients, power="**")


def value_at(coefficients: Sequence[Fraction | int], x: Fraction | int) -> Fraction:
    """Return a polynomial's value by Horner's rule."""
    result = Fraction(0)
    for number in coefficients:
        result = result * x + number
    return result


def simpson(coefficients: Sequence[Fraction | int], low: Fraction | int, high: Fraction | int) -> Fraction:
    """Return the integral of a polynomial of degree 3 or less by Simpson's rule, which is exact for it."""
    middle = Fraction(low + high) / 2
    ends = value_at(coefficients, low) + value_at(coefficients, high)
    return (Fraction(high) - low) / 6 * (ends + 4 * value_at(coefficients, middle))


def substitute(expression: str, value: object) -> str:
    """Return the expression with ``x`` replaced by a value."""
    return "(" + re.sub(r"\bx\b", f"({value})", expression) + ")"


def format_signed(number: int) -> str:
    """Format a number as an addend: ``+ 3`` or ``- 3``."""
    return f"- {-number}" if number < 0 else f"+ {number}"


def join_values(numbers: Sequence[object]) -> str:
    """Join values with commas: ``1, 2, 3``."""
    return ", ".join(map(str, numbers))


def list_elements(text: str) -> list[str]:
    """Split a list that a tool returned as text into its elements."""
    return [part.strip() for part in text.strip("[]").split(",")]
