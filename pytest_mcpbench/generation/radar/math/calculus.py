"""Problems of calculus: slopes, areas, extrema, limits, motion, decay."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import cos, exp
from random import Random

from pytest_mcpbench.generation.radar.math.problem import (
    Calculator,
    KindOfProblem,
    Problem,
    calculator_polynomial,
    format_rounded,
    polynomial,
    simpson,
    substitute,
    value_at,
)


def slope_of_a_product(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed from the Taylor coefficients of both factors."""
    first = (draw.randint(2, 5), draw.randint(-7, -1), draw.randint(1, 9))
    second = (draw.randint(1, 4), 0, draw.randint(-9, -2), draw.randint(3, 8))
    point = draw.choice((-3, -2, 2, 3, 4))
    # The coefficient of h in f(point + h), found by expanding both factors around the point.
    (a0, a1), (b0, b1) = _taylor(first, point), _taylor(second, point)
    p, q = polynomial(first), polynomial(second)
    prompt = (
        f"Let f(x) = ({p})({q}). What is f'({point})?",
        f"How steep is the graph of y = ({p}) * ({q}) at x = {point}?",
    )[wording]

    def solution(tools: Calculator) -> str:
        return tools.calculate(
            substitute(
                tools.differentiate(f"({calculator_polynomial(first)})*({calculator_polynomial(second)})"), point
            )
        )

    return Problem(prompt, str(a0 * b1 + a1 * b0), solution)


def _taylor(coefficients: tuple[int, ...], point: int) -> tuple[int, int]:
    """Return value and slope at a point by dividing twice by ``x - point``."""
    quotient: list[int] = []
    for number in coefficients:
        quotient.append(number + point * (quotient[-1] if quotient else 0))
    value = quotient.pop()
    return value, int(value_at(quotient, point))


def area_under_a_curve(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by Simpson's rule, which is exact for cubics."""
    coefficients = (draw.randint(2, 7), draw.randint(1, 9), draw.randint(-5, 5), draw.randint(3, 11))
    low, high = draw.randint(0, 2), draw.randint(4, 7)
    text = polynomial(coefficients)
    prompt = (
        f"Evaluate the definite integral of {text} from x = {low} to x = {high} exactly (integer or reduced fraction).",
        f"The curve y = {text} stays above the x-axis for {low} <= x <= {high}. Find the exact area between the two "
        "there (integer or fraction in lowest terms).",
    )[wording]
    answer = simpson(coefficients, low, high)
    assert all(value_at(coefficients, Fraction(n, 50)) > 0 for n in range(50 * low, 50 * high + 1))

    def solution(tools: Calculator) -> str:
        antiderivative = tools.integrate(calculator_polynomial(coefficients))
        return tools.calculate(f"{substitute(antiderivative, high)} - {substitute(antiderivative, low)}")

    return Problem(prompt, str(answer), solution)


def open_box(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is found by searching a grid of cuts."""
    side = 6 * draw.randint(5, 16) + (0, 3)[wording]
    steps = range(1, side * 10)
    best = max((Fraction(step, 20) for step in steps), key=lambda cut: cut * (side - 2 * cut) ** 2)
    prompt = (
        f"Equal squares are cut from the corners of a square sheet with side {side} cm, and the sides are folded up "
        "to an open box. What is the largest volume the box can have, in cubic centimetres?",
        f"From a {side} cm by {side} cm piece of card an open tray is made by removing a square of side x from each "
        "corner. Which x (in cm) gives the tray its greatest capacity? Write a decimal if it is not whole.",
    )[wording]
    volume = best * (side - 2 * best) ** 2
    answer = (volume, best)[wording]
    expression = f"x*({side} - 2*x)**2"

    def solution(tools: Calculator) -> str:
        roots = tools.solve_equation(f"{tools.differentiate(expression)} = 0")
        cut = f"min({roots.strip('[]')})"
        return tools.calculate((substitute(expression, cut), cut)[wording])

    return Problem(prompt, str(answer) if answer.denominator == 1 else str(float(answer)), solution)


def distance_with_a_turn(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by Simpson's rule between the turning points."""
    first, second = draw.randint(1, 3), draw.randint(4, 6)
    factor, end = draw.choice((2, 3, 6)), draw.randint(7, 9)
    velocity = (factor, -factor * (first + second), factor * first * second)
    answer = sum(abs(simpson(velocity, low, high)) for low, high in ((0, first), (first, second), (second, end)))
    text = polynomial(velocity, "t")
    prompt = (
        f"A particle on a line has velocity v(t) = {text} (m/s). What total distance, in metres, does it cover from "
        f"t = 0 to t = {end} s, counting there and back? Exact value, please (integer or reduced fraction).",
        f"A lift moves with v(t) = {text} metres per second, up when positive and down when negative. How many "
        f"metres does its cable run in the first {end} seconds, all movements added up? Integer or fraction in lowest "
        "terms.",
    )[wording]

    def solution(tools: Calculator) -> str:
        place = tools.integrate(calculator_polynomial(velocity))
        parts = [
            f"abs({substitute(place, high)} - {substitute(place, low)})"
            for low, high in ((0, first), (first, second), (second, end))
        ]
        return tools.calculate(" + ".join(parts))

    return Problem(prompt, str(answer), solution)


def limit_at_zero(draw: Random, wording: int) -> Problem:
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
    prompt = (
        f"Which value does {text} approach as x tends to 0? Answer exactly, as an integer or reduced fraction.",
        f"Compute the limit of {text} for x -> 0 (exact: integer or fraction in lowest terms).",
    )[wording]
    return Problem(prompt, str(answer), lambda tools: tools.calculate(f"limit({expression}, x, 0)"))


def local_extreme(draw: Random, wording: int) -> Problem:
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
    prompt = (
        f"f(x) = {text} has one local maximum. What is the value of f there (not the x)?",
        f"How low is the valley of the curve y = {text}? Give the y-coordinate of its local minimum.",
    )[wording]

    def solution(tools: Calculator) -> str:
        roots = tools.solve_equation(f"{tools.differentiate(calculator_polynomial(coefficients))} = 0").strip("[]")
        return tools.calculate(substitute(calculator_polynomial(coefficients), f"{('min', 'max')[wording]}({roots})"))

    return Problem(prompt, str(extreme), solution)


def function_from_its_slope(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed from the polynomial whose slope the text states."""
    a, b, c = draw.randint(1, 5), draw.choice((-4, -3, 2, 5)), draw.choice((-7, -2, 3, 9))
    slope = (4 * a, 3 * b, 0, c)
    point, value = draw.choice((-2, -1, 1, 2)), draw.randint(-15, 20)
    constant = value - int(value_at((a, b, 0, c, 0), point))
    answer = polynomial((a, b, 0, c, constant))
    text = polynomial(slope)
    prompt = (
        f"Find the polynomial F with F'(x) = {text} and F({point}) = {value}. Write it with descending powers of x.",
        f"A curve through the point ({point}, {value}) has the slope {text} at every x. What is its equation? Give "
        "only the polynomial in x that y equals.",
    )[wording]

    def solution(tools: Calculator) -> str:
        antiderivative = tools.integrate(calculator_polynomial(slope))
        return tools.calculate(f"expand({antiderivative} + {value} - {substitute(antiderivative, point)})")

    return Problem(prompt, answer, solution)


def time_of_decay(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is found by bisection."""
    half, start, end = draw.choice((5.3, 8.1, 12.3, 28.8)), draw.randint(150, 420), draw.randint(12, 49)
    low, high = 0.0, 1000.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if start * 0.5 ** (middle / half) > end else (low, middle)
    prompt = (
        f"A sample of {start} g decays with a half-life of {half} years. After how many years are just {end} g left? "
        "Round to two decimals.",
        f"The dose of a drug in the blood halves every {half} hours. It begins at {start} mg. When (in hours, two "
        f"decimals) has it fallen to {end} mg?",
    )[wording]
    expression = f"round({half}*log({start}/{end})/log(2), 2)"
    return Problem(prompt, format_rounded(low, 2), lambda tools: tools.calculate(expression))


KINDS = (
    KindOfProblem("calculus", "medium", slope_of_a_product),
    KindOfProblem("calculus", "easy", area_under_a_curve),
    KindOfProblem("calculus", "hard", open_box),
    KindOfProblem("calculus", "hard", distance_with_a_turn),
    KindOfProblem("calculus", "hard", limit_at_zero),
    KindOfProblem("calculus", "hard", local_extreme),
    KindOfProblem("calculus", "medium", function_from_its_slope),
    KindOfProblem("calculus", "medium", time_of_decay),
)
