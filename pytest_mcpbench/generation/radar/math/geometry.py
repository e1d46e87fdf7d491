"""Problems of geometry: plots, gables, heights, tables and pavilions."""

from fractions import Fraction
from math import cos, gcd, pi, sin, tan
from random import Random

from pytest_mcpbench.generation.radar.math.problem import Solved, format_exact, format_rounded

Point = tuple[int, int]


def area_of_a_polygon(draw: Random) -> Solved:
    """Return the answer, computed by counting lattice points (Pick's theorem)."""
    corners: list[Point] = [
        (draw.randint(0, 3), draw.randint(0, 3)),
        (draw.randint(13, 18), draw.randint(-4, 1)),
        (draw.randint(19, 24), draw.randint(8, 12)),
        (draw.randint(8, 12), draw.randint(15, 19)),
        (draw.randint(-6, -2), draw.randint(9, 13)),
    ]
    points = ", ".join(map(str, corners))
    pairs = list(zip(corners, corners[1:] + corners[:1], strict=True))
    expression = " + ".join(f"det([[{a}, {b}], [{c}, {d}]])" for (a, b), (c, d) in pairs)
    # The area by Pick's theorem: inner points + half the boundary points - 1. The polygon must be convex.
    boundary = sum(gcd(a - c, b - d) for (a, b), (c, d) in pairs)
    inside = sum(
        all((c - a) * (y - b) - (d - b) * (x - a) > 0 for (a, b), (c, d) in pairs)
        for x in range(-10, 30)
        for y in range(-10, 30)
    )
    return Solved(format_exact(inside + Fraction(boundary, 2) - 1), f"abs({expression})/2", {"points": points})


HERONIAN = ((13, 14, 15), (13, 20, 21), (17, 25, 28), (17, 39, 44), (25, 39, 56), (29, 52, 69), (37, 39, 52))


def triangle_from_its_sides(draw: Random, factor: int, wording: int) -> Solved:
    """Return the answer, computed from the foot of the height."""
    a, b, c = (factor * side for side in draw.choice(HERONIAN))
    # Place the longest side on the x-axis and look for the foot of the height.
    foot = Fraction(a * a - b * b + c * c, 2 * c)
    height_squared = a * a - foot * foot
    area = Fraction(c, 2) * _root(height_squared)
    half = f"({a} + {b} + {c})/2"
    heron = f"sqrt({half}*({half} - {a})*({half} - {b})*({half} - {c}))"
    answer = (str(area), format_rounded(_root(height_squared), 1))[wording]
    return Solved(answer, (heron, f"round(2*{heron}/{c}, 1)")[wording], {"a": a, "b": b, "c": c})


def _root(value: Fraction) -> Fraction:
    """Return the rational square root, which must exist."""
    root = Fraction(round(value.numerator**0.5), round(value.denominator**0.5))
    assert root * root == value
    return root


def height_from_two_angles(far: int, near: int, apart: int) -> Solved:
    """Return the answer, found by bisection."""
    low, high = 0.0, 1000.0
    while high - low > 1e-10:
        height = (low + high) / 2
        gap = height / tan(far * pi / 180) - height / tan(near * pi / 180)
        low, high = (height, high) if gap < apart else (low, height)
    expression = f"round({apart}/(cot(radians({far})) - cot(radians({near}))), 1)"
    return Solved(format_rounded(low, 1), expression)


def regular_polygon(corners: int, length: int, wording: int) -> Solved:
    """Return the answer, computed from the coordinates of the corners."""
    radius = length / (2 * sin(pi / corners))
    places = [(radius * cos(2 * pi * n / corners), radius * sin(2 * pi * n / corners)) for n in range(corners)]
    twice = sum(a * d - b * c for (a, b), (c, d) in zip(places, places[1:] + places[:1], strict=True))
    answer = (format_rounded(twice / 2, 1), format_rounded(radius, 2))[wording]
    expression = (
        f"round({corners}*{length}**2/(4*tan(pi/{corners})), 1)",
        f"round({length}/(2*sin(pi/{corners})), 2)",
    )[wording]
    return Solved(answer, expression)
