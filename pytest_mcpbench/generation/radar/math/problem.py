"""A problem with an answer: what every kind of problem gives, and how its numbers are written."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Literal, Protocol

Level = Literal["easy", "medium", "hard"]


class TieError(ValueError):
    """The value is so near to a tie that two ways to compute it could be rounded differently."""


class Calculator(Protocol):
    """The four tools as a working uses them: each takes and gives text."""

    def calculate(self, expression: str) -> str: ...
    def solve_equation(self, equation: str) -> str: ...
    def differentiate(self, expression: str) -> str: ...
    def integrate(self, expression: str) -> str: ...


@dataclass(frozen=True)
class Problem:
    """One problem. ``answer`` is computed without the calculator, ``working`` reaches it by another way with it."""

    prompt: str
    answer: str
    solution: Callable[[Calculator], str]


Kind = Callable[[Random, int], Problem]
"""Makes a problem from a source of randomness and the number of a wording (0 or 1)."""


@dataclass(frozen=True)
class KindOfProblem:
    """A kind with its place in the table of kinds."""

    area: str
    level: Level
    make: Kind

    @property
    def name(self) -> str:
        return self.make.__name__


def format_rounded(value: Fraction | float, places: int) -> str:
    """The value with that many decimals; raises :class:`TieError` near a tie."""
    scaled = Fraction(value) * 10**places
    floor = scaled.numerator // scaled.denominator
    rest = scaled - floor
    if abs(rest - Fraction(1, 2)) < Fraction(1, 1000):
        raise TieError(f"{float(value)} is too near to a tie at {places} places")
    whole = floor + (rest > Fraction(1, 2))
    sign, digits = ("-" if whole < 0 else ""), str(abs(whole)).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"


def polynomial(coefficients: Sequence[int], variable: str = "x", *, power: str = "^") -> str:
    """``3x^2 - x + 4`` from the coefficients, the highest first; ``power="**"`` writes it for a calculator."""
    times = "*" if power == "**" else ""
    terms = [
        _term(number, len(coefficients) - 1 - index, variable, power, times)
        for index, number in enumerate(coefficients)
        if number
    ]
    return re.sub(r"\+ -", "- ", " + ".join(terms)) or "0"


def _term(number: int, degree: int, variable: str, power: str, times: str) -> str:
    if degree == 0:
        return str(number)
    letter = variable if degree == 1 else f"{variable}{power}{degree}"
    sign = {1: "", -1: "-"}.get(number, f"{number}{times}")
    return sign + letter


def calculator_polynomial(coefficients: Sequence[int]) -> str:
    """A polynomial as the calculator reads it."""
    return polynomial(coefficients, power="**")


def value_at(coefficients: Sequence[int], x: Fraction | int) -> Fraction:
    """A polynomial's value, by Horner's rule."""
    result = Fraction(0)
    for number in coefficients:
        result = result * x + number
    return result


def simpson(coefficients: Sequence[int], low: Fraction | int, high: Fraction | int) -> Fraction:
    """The integral of a polynomial of degree up to 3, for which Simpson's rule is exact."""
    middle = Fraction(low + high) / 2
    ends = value_at(coefficients, low) + value_at(coefficients, high)
    return (Fraction(high) - low) / 6 * (ends + 4 * value_at(coefficients, middle))


def substitute(expression: str, value: object) -> str:
    """The expression with a value in the place of ``x``."""
    return "(" + re.sub(r"\bx\b", f"({value})", expression) + ")"


def format_signed(number: int) -> str:
    """``+ 3`` or ``- 3``."""
    return f"- {-number}" if number < 0 else f"+ {number}"


def join_values(numbers: Sequence[object]) -> str:
    """``1, 2, 3``."""
    return ", ".join(map(str, numbers))


def list_elements(text: str) -> list[str]:
    """The elements of a list that a tool gave as text."""
    return [part.strip() for part in text.strip("[]").split(",")]


WOMEN = ("Amina", "Carla", "Elif", "Greta", "Imani", "Kavya")
MEN = ("Bruno", "Dmitri", "Farid", "Hugo", "Jonas", "Lars")
