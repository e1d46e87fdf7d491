"""Problems of calculus: slopes, areas, extrema, limits, motion, decay."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import cos, exp
from random import Random

from pytest_mcpbench.generation.radar.math.problem import (
    Calculator,
    Solved,
    calculator_polynomial,
    format_rounded,
    polynomial,
    simpson,
    substitute,
    value_at,
)


def slope_of_a_product(first: list[int], second: list[int], point: int) -> Solved:
    """Return the answer, computed from the Taylor coefficients of both factors."""
    # The coefficient of h in f(point + h), found by expanding both factors around the point.
    (a0, a1), (b0, b1) = _taylor(first, point), _taylor(second, point)
    p, q = polynomial(first), polynomial(second)

    def solution(tools: Calculator) -> str:
        return tools.calculate(
            substitute(
                tools.differentiate(f"({calculator_polynomial(first)})*({calculator_polynomial(second)})"), point
            )
        )

    return Solved(str(a0 * b1 + a1 * b0), solution, {"p": p, "q": q})


def _taylor(coefficients: Sequence[int], point: int) -> tuple[int, int]:
    """Return value and slope at a point by dividing twice by ``x - point``."""
    quotient: list[int] = []
    for number in coefficients:
        quotient.append(number + point * (quotient[-1] if quotient else 0))
    value = quotient.pop()
    return value, int(value_at(quotient, point))


def area_under_a_curve(coefficients: list[int], low: int, high: int) -> Solved:
    """Return the answer, computed by Simpson's rule, which is exact for cubics."""
    text = polynomial(coefficients)
    answer = simpson(coefficients, low, high)
    assert all(value_at(coefficients, Fraction(n, 50)) > 0 for n in range(50 * low, 50 * high + 1))

    def solution(tools: Calculator) -> str:
        antiderivative = tools.integrate(calculator_polynomial(coefficients))
        return tools.calculate(f"{substitute(antiderivative, high)} - {substitute(antiderivative, low)}")

    return Solved(str(answer), solution, {"text": text})


def open_box(side: int, wording: int) -> Solved:
    """Return the answer, found by searching a grid of cuts."""
    steps = range(1, side * 10)
    best = max((Fraction(step, 20) for step in steps), key=lambda cut: cut * (side - 2 * cut) ** 2)
    volume = best * (side - 2 * best) ** 2
    answer = (volume, best)[wording]
    expression = f"x*({side} - 2*x)**2"

    def solution(tools: Calculator) -> str:
        roots = tools.solve_equation(f"{tools.differentiate(expression)} = 0")
        cut = f"min({roots.strip('[]')})"
        return tools.calculate((substitute(expression, cut), cut)[wording])

    return Solved(str(answer) if answer.denominator == 1 else str(float(answer)), solution)


def distance_with_a_turn(first: int, second: int, factor: int, end: int) -> Solved:
    """Return the answer, computed by Simpson's rule between the turning points."""
    velocity = (factor, -factor * (first + second), factor * first * second)
    answer = sum(abs(simpson(velocity, low, high)) for low, high in ((0, first), (first, second), (second, end)))
    text = polynomial(velocity, "t")

    def solution(tools: Calculator) -> str:
        place = tools.integrate(calculator_polynomial(velocity))
        parts = [
            f"abs({substitute(place, high)} - {substitute(place, low)})"
            for low, high in ((0, first), (first, second), (second, end))
        ]
        return tools.calculate(" + ".join(parts))

    return Solved(str(answer), solution, {"text": text})


def limit_at_zero(a: int, b: int, c: int, wording: int) -> Solved:
    """Return the answer, computed by extrapolating values near 0."""
    functions: tuple[tuple[str, str, Callable[[float], float]], ...] = (
        (f"(1 - cos({a}x)) / ({c}x^2)", f"(1 - cos({a}*x))/({c}*x**2)", lambda x: (1 - cos(a * x)) / (c * x * x)),
        (
            f"(e^({a}x) - 1 - {a}x) / ({b}x^2)",
            f"(exp({a}*x) - 1 - {a}*x)/({b}*x**2)",
            lambda x: (exp(a * x) + exp(-a * x) - 2) / (2 * b * x * x),
        ),
    )
    text, expression, near = functions[wording]
    # Two steps of Richardson's extrapolation over an even function of the step.
    steps = [near(0.02 / 2**n) for n in range(3)]
    once = [(4 * fine - coarse) / 3 for coarse, fine in pairwise(steps)]
    answer = Fraction((16 * once[1] - once[0]) / 15).limit_denominator(40)
    return Solved(str(answer), f"limit({expression}, x, 0)", {"text": text})


def local_extreme(draw: Random, low: int, high: int, wording: int) -> Solved:
    """Return the answer, found by searching a grid around the extremum."""
    if (low + high) % 2:
        high += 1
    shift = draw.randint(-30, 40)
    # f' = 6 (x - low)(x - high)
    coefficients = (2, -3 * (low + high), 6 * low * high, shift)
    grid = [Fraction(n, 10) for n in range(10 * (low - 1), 10 * (high + 1))]
    inner = [x for x in grid if abs(x - (low, high)[wording]) < 1]
    extreme = (max, min)[wording](value_at(coefficients, x) for x in inner)
    text = polynomial(coefficients)

    def solution(tools: Calculator) -> str:
        roots = tools.solve_equation(f"{tools.differentiate(calculator_polynomial(coefficients))} = 0").strip("[]")
        return tools.calculate(substitute(calculator_polynomial(coefficients), f"{('min', 'max')[wording]}({roots})"))

    return Solved(str(extreme), solution, {"text": text})


def function_from_its_slope(draw: Random, a: int, b: int, c: int) -> Solved:
    """Return the answer, computed from the polynomial whose slope the text states."""
    slope = (4 * a, 3 * b, 0, c)
    point, value = draw.choice((-2, -1, 1, 2)), draw.randint(-15, 20)
    constant = value - int(value_at((a, b, 0, c, 0), point))
    answer = polynomial((a, b, 0, c, constant))
    text = polynomial(slope)

    def solution(tools: Calculator) -> str:
        antiderivative = tools.integrate(calculator_polynomial(slope))
        return tools.calculate(f"expand({antiderivative} + {value} - {substitute(antiderivative, point)})")

    return Solved(answer, solution, {"text": text, "point": point, "value": value})


def time_of_decay(half: float, start: int, end: int) -> Solved:
    """Return the answer, found by bisection."""
    low, high = 0.0, 1000.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if start * 0.5 ** (middle / half) > end else (low, middle)
    expression = f"round({half}*log({start}/{end})/log(2), 2)"
    return Solved(format_rounded(low, 2), expression)
