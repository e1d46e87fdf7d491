"""Problems of calculus: rates of change, areas, best sizes, motion, decay."""

from collections.abc import Callable
from fractions import Fraction
from math import pi
from random import Random

from pytest_mcpbench.generation.radar.math.problem import (
    Calculator,
    Solved,
    calculator_polynomial,
    format_exact,
    format_rounded,
    polynomial,
    simpson,
    substitute,
    value_at,
)


def changing_product(first: int, second: int, growth: float, loss: float, wording: int) -> Solved:
    """Return the answer, the slope of a parabola, computed from two of its chords."""
    up, down = Fraction(str(growth)), Fraction(str(loss))
    rates = ((up, -down), (-down, up))[wording]

    def size(time: int) -> Fraction:
        return (first + rates[0] * time) * (second + rates[1] * time)

    grows, shrinks = f"{growth}*x", f"-{loss}*x"
    terms = ((grows, shrinks), (shrinks, grows))[wording]

    def solution(tools: Calculator) -> str:
        slope = tools.differentiate(f"({first} + {terms[0]})*({second} + {terms[1]})")
        return tools.calculate(substitute(slope, 0))

    return Solved(format_exact((size(1) - size(-1)) / 2), solution)


def area_under_a_curve(a: float, b: float, end: int, wording: int) -> Solved:
    """Return the answer, computed by Simpson's rule, which is exact for parabolas."""
    width, height = Fraction(str(a)), Fraction(str(b))
    # The arch begins at 0; the flow grows along a line.
    coefficients = ((-4 * height / width**2, 4 * height / width, 0), (0, height, width))[wording]
    last = (width, Fraction(end))[wording]
    curve = (f"4*{b}/{a}*x - 4*{b}/{a}**2*x**2", f"{a} + {b}*x")[wording]

    def solution(tools: Calculator) -> str:
        area = tools.integrate(curve)
        return tools.calculate(f"round({substitute(area, (a, end)[wording])}, 2)")

    return Solved(format_rounded(simpson(coefficients, 0, last), 2), solution)


def open_box(side: int, wording: int) -> Solved:
    """Return the answer, found by searching a grid of cuts."""
    steps = range(1, side * 10)
    best = max((Fraction(step, 20) for step in steps), key=lambda cut: cut * (side - 2 * cut) ** 2)
    volume = best * (side - 2 * best) ** 2
    expression = f"x*({side} - 2*x)**2"

    def solution(tools: Calculator) -> str:
        roots = tools.solve_equation(f"{tools.differentiate(expression)} = 0")
        cut = f"min({roots.strip('[]')})"
        return tools.calculate((substitute(expression, cut), cut)[wording])

    return Solved(format_exact((volume, best)[wording]), solution)


def distance_with_a_turn(less: int, turn: int, end: int) -> Solved:
    """Return the answer, computed by Simpson's rule before and after the turn."""
    velocity = (-less, less * turn)
    answer = sum(abs(simpson(velocity, low, high)) for low, high in ((0, turn), (turn, end)))

    def solution(tools: Calculator) -> str:
        place = tools.integrate(calculator_polynomial(velocity))
        at_turn = tools.solve_equation(f"{calculator_polynomial(velocity)} = 0").strip("[]")
        return tools.calculate(
            f"abs({substitute(place, at_turn)} - {substitute(place, 0)})"
            f" + abs({substitute(place, end)} - {substitute(place, at_turn)})"
        )

    return Solved(format_exact(Fraction(answer)), solution, {"speed": less * turn})


def least_sheet(volume: int, wording: int) -> Solved:
    """Return the answer, found by narrowing down the radius."""
    content = (volume, 1000 * volume)[wording]
    ends = (2, 1)[wording]
    radius = _lowest(lambda r: ends * pi * r * r + 2 * content / r, 0.1, 200)

    def solution(tools: Calculator) -> str:
        slope = tools.differentiate(f"{ends}*pi*x**2 + 2*{content}/x")
        best = f"cbrt({content}/({ends}*pi))"
        # The slope is 0 at the best radius, or the last call would not return the diameter.
        return tools.calculate(f"round(2*{best} + {substitute(slope, best)}, 1)")

    return Solved(format_rounded(2 * radius, 1), solution)


def best_outline(outline: float, wording: int) -> Solved:
    """Return the answer, found by narrowing down the width."""

    def height(width: float) -> float:
        return (outline - width - pi * width / 2) / 2 if wording == 0 else (outline - pi * width) / 2

    def area(width: float) -> float:
        return width * height(width) + (pi * width * width / 8 if wording == 0 else 0)

    best = _lowest(lambda width: -area(width), 0, outline / pi)
    formula = (
        f"x*({outline} - x - pi*x/2)/2 + pi*x**2/8",
        f"x*({outline} - pi*x)/2",
    )[wording]

    def solution(tools: Calculator) -> str:
        width = tools.solve_equation(f"{tools.differentiate(formula)} = 0").strip("[]")
        return tools.calculate(f"round({width}, 2)")

    return Solved(format_rounded(best, 2), solution)


def _lowest(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function with one valley is lowest, by thirds."""
    while high - low > 1e-6:
        first, second = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, second) if function(first) < function(second) else (first, high)
    return (low + high) / 2


def function_from_its_slope(draw: Random, first: int, last: int, length: float, wording: int) -> Solved:
    """Return the answer of an exercise from school, or the height of a slide."""
    return _antiderivative(draw) if wording == 0 else _height_of_a_slide(first, last, length)


def _antiderivative(draw: Random) -> Solved:
    """Return the answer, computed from the polynomial whose slope the text states."""
    a, b, c = draw.randint(1, 5), draw.choice((-4, -3, 2, 5)), draw.choice((-7, -2, 3, 9))
    slope = (4 * a, 3 * b, 0, c)
    point, value = draw.choice((-2, -1, 1, 2)), draw.randint(-15, 20)
    constant = value - int(value_at((a, b, 0, c, 0), point))

    def solution(tools: Calculator) -> str:
        antiderivative = tools.integrate(calculator_polynomial(slope))
        return tools.calculate(f"expand({antiderivative} + {value} - {substitute(antiderivative, point)})")

    values = {"slope": polynomial(slope), "point": point, "value": value}
    return Solved(polynomial((a, b, 0, c, constant)), solution, values)


def _height_of_a_slide(first: int, last: int, length: float) -> Solved:
    """Return the answer, computed by Simpson's rule, which is exact for a line."""
    end = Fraction(str(length))
    height = simpson((Fraction(last - first) / end, first), 0, end)
    line = f"({first} + ({last} - {first})*x/{length})/100"
    return Solved(
        format_rounded(height, 1),
        lambda tools: tools.calculate(f"round(100*{substitute(tools.integrate(line), length)}, 1)"),
    )


def time_of_decay(half: float, start: int, end: int) -> Solved:
    """Return the answer, found by bisection."""
    low, high = 0.0, 1000.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if start * 0.5 ** (middle / half) > end else (low, middle)
    expression = f"round({half}*log({start}/{end})/log(2), 1)"
    return Solved(format_rounded(low, 1), expression)
