"""Problems of calculus: slopes, areas, extrema, limits, motion, decay."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import cos, exp
from random import Random

from pytest_mcpbench.generation.radar.math.problem import (
    Calculator,
    Drawn,
    calculator_polynomial,
    format_rounded,
    polynomial,
    simpson,
    substitute,
    value_at,
)


def slope_of_a_product(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed from the Taylor coefficients of both factors."""
    first = (draw.randint(2, 5), draw.randint(-7, -1), draw.randint(1, 9))
    second = (draw.randint(1, 4), 0, draw.randint(-9, -2), draw.randint(3, 8))
    point = draw.choice((-3, -2, 2, 3, 4))
    # The coefficient of h in f(point + h), found by expanding both factors around the point.
    (a0, a1), (b0, b1) = _taylor(first, point), _taylor(second, point)
    p, q = polynomial(first), polynomial(second)

    def solution(tools: Calculator) -> str:
        return tools.calculate(
            substitute(
                tools.differentiate(f"({calculator_polynomial(first)})*({calculator_polynomial(second)})"), point
            )
        )

    return Drawn({"p": p, "q": q, "point": point}, str(a0 * b1 + a1 * b0), solution)


def _taylor(coefficients: tuple[int, ...], point: int) -> tuple[int, int]:
    """Return value and slope at a point by dividing twice by ``x - point``."""
    quotient: list[int] = []
    for number in coefficients:
        quotient.append(number + point * (quotient[-1] if quotient else 0))
    value = quotient.pop()
    return value, int(value_at(quotient, point))


def area_under_a_curve(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by Simpson's rule, which is exact for cubics."""
    coefficients = (draw.randint(2, 7), draw.randint(1, 9), draw.randint(-5, 5), draw.randint(3, 11))
    low, high = draw.randint(0, 2), draw.randint(4, 7)
    text = polynomial(coefficients)
    answer = simpson(coefficients, low, high)
    assert all(value_at(coefficients, Fraction(n, 50)) > 0 for n in range(50 * low, 50 * high + 1))

    def solution(tools: Calculator) -> str:
        antiderivative = tools.integrate(calculator_polynomial(coefficients))
        return tools.calculate(f"{substitute(antiderivative, high)} - {substitute(antiderivative, low)}")

    return Drawn({"text": text, "low": low, "high": high}, str(answer), solution)


def open_box(draw: Random, wording: int) -> Drawn:
    """Draw a problem whose answer is found by searching a grid of cuts."""
    side = 6 * draw.randint(5, 16) + (0, 3)[wording]
    steps = range(1, side * 10)
    best = max((Fraction(step, 20) for step in steps), key=lambda cut: cut * (side - 2 * cut) ** 2)
    volume = best * (side - 2 * best) ** 2
    answer = (volume, best)[wording]
    expression = f"x*({side} - 2*x)**2"

    def solution(tools: Calculator) -> str:
        roots = tools.solve_equation(f"{tools.differentiate(expression)} = 0")
        cut = f"min({roots.strip('[]')})"
        return tools.calculate((substitute(expression, cut), cut)[wording])

    return Drawn({"side": side}, str(answer) if answer.denominator == 1 else str(float(answer)), solution)


def distance_with_a_turn(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by Simpson's rule between the turning points."""
    first, second = draw.randint(1, 3), draw.randint(4, 6)
    factor, end = draw.choice((2, 3, 6)), draw.randint(7, 9)
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

    return Drawn({"text": text, "end": end}, str(answer), solution)


def limit_at_zero(draw: Random, wording: int) -> Drawn:
    """Draw a problem whose answer is computed by extrapolating values near 0."""
    a, b, c = draw.randint(2, 9), draw.randint(2, 7), draw.choice((2, 3, 5, 7))
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
    return Drawn({"text": text}, str(answer), lambda tools: tools.calculate(f"limit({expression}, x, 0)"))


def local_extreme(draw: Random, wording: int) -> Drawn:
    """Draw a problem whose answer is found by searching a grid around the extremum."""
    low, high = draw.randint(-6, -1), draw.randint(1, 6)
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

    return Drawn({"text": text}, str(extreme), solution)


def function_from_its_slope(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed from the polynomial whose slope the text states."""
    a, b, c = draw.randint(1, 5), draw.choice((-4, -3, 2, 5)), draw.choice((-7, -2, 3, 9))
    slope = (4 * a, 3 * b, 0, c)
    point, value = draw.choice((-2, -1, 1, 2)), draw.randint(-15, 20)
    constant = value - int(value_at((a, b, 0, c, 0), point))
    answer = polynomial((a, b, 0, c, constant))
    text = polynomial(slope)

    def solution(tools: Calculator) -> str:
        antiderivative = tools.integrate(calculator_polynomial(slope))
        return tools.calculate(f"expand({antiderivative} + {value} - {substitute(antiderivative, point)})")

    return Drawn({"text": text, "point": point, "value": value}, answer, solution)


def time_of_decay(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is found by bisection."""
    half, start, end = draw.choice((5.3, 8.1, 12.3, 28.8)), draw.randint(150, 420), draw.randint(12, 49)
    low, high = 0.0, 1000.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if start * 0.5 ** (middle / half) > end else (low, middle)
    expression = f"round({half}*log({start}/{end})/log(2), 2)"
    return Drawn(
        {"start": start, "half": half, "end": end}, format_rounded(low, 2), lambda tools: tools.calculate(expression)
    )
