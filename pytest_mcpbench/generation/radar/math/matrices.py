"""Problems of linear algebra: orders and offers, patterns that grow, shares that settle, unknown prices."""

from fractions import Fraction
from itertools import permutations
from math import prod
from random import Random

from pytest_mcpbench.generation.radar.math.problem import (
    Calculator,
    RedrawError,
    Solved,
    format_rounded,
    list_elements,
)

Matrix = list[list[int]]


def cheapest_offer(draw: Random, wording: int) -> Solved:
    """Return the answer, computed by adding one piece after the other."""
    if wording == 0:
        counts = [draw.randint(18, 64) for _ in range(3)]
        rows = [[draw.randint(*ends) for ends in ((140, 260), (310, 420), (480, 690))] for _ in range(3)]
    else:
        counts = [draw.randint(12, 18), draw.randint(20, 32), draw.randint(33, 44)]
        rows = [[draw.randint(3, 24) for _ in range(3)] for _ in range(3)]
    sums = [sum(sum([each] * number) for each, number in zip(row, counts, strict=True)) for row in rows]
    if len(set(sums)) < 3:
        raise RedrawError("two of the sums are equal")
    product = f"{rows}*{[[number] for number in counts]}"

    def solution(tools: Calculator) -> str:
        total = ", ".join(list_elements(tools.calculate(product).replace("[", "").replace("]", "")))
        return tools.calculate((f"min({total})/100", f"max({total})")[wording])

    answer = (format_rounded(Fraction(min(sums), 100), 2), str(max(sums)))[wording]
    offers = [_listed([f"{cents / 100:.2f}" for cents in row]) for row in rows]
    orders = [_listed([str(number) for number in row]) for row in rows]
    return Solved(answer, solution, {"counts": counts, "parts": counts, "offers": offers, "orders": orders})


def _listed(items: list[str]) -> str:
    return f"{', '.join(items[:-1])} and {items[-1]}"


def growing_step_by_step(draw: Random, wording: int) -> Solved:
    """Return the answer, computed by letting things grow step by step."""
    if wording == 0:
        young, (x, y), steps = draw.randint(2, 4), (draw.randint(2, 5), draw.randint(2, 7)), draw.randint(4, 6)
        (a, b), (c, d) = (1, 1), (young, 0)
    else:
        (a, b), (c, d) = ((draw.randint(2, 4), draw.randint(2, 4)) for _ in range(2))
        young, (x, y), steps = 0, (1, 1), draw.randint(4, 5)
    if (a, c) == (b, d):
        raise RedrawError("both kinds of things grow alike")
    matrix = f"[[{a}, {b}], [{c}, {d}]]**{steps}*[[{x}], [{y}]]"
    values = {"young": young, "x": x, "y": y, "a": a, "b": b, "c": c, "d": d, "steps": steps}
    for _ in range(steps):
        x, y = a * x + b * y, c * x + d * y

    def solution(tools: Calculator) -> str:
        first, second = list_elements(tools.calculate(matrix).replace("[", "").replace("]", ""))
        return tools.calculate((f"{first} + {second}", first)[wording])

    return Solved(str((x + y, x)[wording]), solution, values)


def share_in_the_long_run(leave: int, come: int, factor: int, wording: int) -> Solved:
    """Return the answer, found by letting one period after the other pass."""
    lamps = factor * (leave + come)
    share = 1.0
    for _ in range(500):
        share = share * (1 - leave / 100) + (1 - share) * come / 100
    equation = f"x = x*(1 - {leave}/100) + (1 - x)*{come}/100"

    def solution(tools: Calculator) -> str:
        found = tools.solve_equation(equation).strip("[]")
        return tools.calculate((f"round(100*{found}, 1)", f"{lamps}*{found}")[wording])

    answer = (format_rounded(100 * share, 1), str(round(lamps * share)))[wording]
    return Solved(answer, solution, {"lamps": lamps})


def three_prices(draw: Random, wording: int) -> Solved:
    """Return the answer, found by trying all prices."""
    lowest, highest = ((3, 19), (35, 90))[wording]
    prices = [draw.randint(lowest, highest) for _ in range(3)]
    while True:
        baskets = [[draw.randint(2, 7) for _ in range(3)] for _ in range(3)]
        sums = [sum(count * price for count, price in zip(basket, prices, strict=True)) for basket in baskets]
        found = _whole_prices(baskets, sums)
        if len(found) == 1 and _determinant(baskets):
            break
    names = (("rollers", "buckets", "trays"), ("hours of drawing", "hours of modelling", "hours of travel"))[wording]
    buys = [
        f"{basket[0]} {names[0]}, {basket[1]} {names[1]} and {basket[2]} {names[2]} come to {total} euros"
        for basket, total in zip(baskets, sums, strict=True)
    ]
    replaced = [[*basket[:2], total] for basket, total in zip(baskets, sums, strict=True)]
    expression = f"det({replaced})/det({baskets})"
    return Solved(str(found[0][2]), expression, {"buys": buys, "names": names})


def _whole_prices(baskets: Matrix, sums: list[int]) -> list[tuple[int, ...]]:
    """Return all prices of up to 120 euros with which the baskets come to the sums."""
    (a, b, c), *others = baskets
    prices = [
        (x, y, (sums[0] - a * x - b * y) // c)
        for x in range(1, 121)
        for y in range(1, 121)
        if sums[0] > a * x + b * y and (sums[0] - a * x - b * y) % c == 0
    ]
    return [
        each
        for each in prices
        if all(
            sum(number * price for number, price in zip(basket, each, strict=True)) == total
            for basket, total in zip(others, sums[1:], strict=True)
        )
    ]


def _determinant(rows: Matrix) -> int:
    """Return the determinant by the sum over all permutations."""
    total = 0
    for order in permutations(range(len(rows))):
        swaps = sum(a > b for index, a in enumerate(order) for b in order[index + 1 :])
        total += (-1 if swaps % 2 else 1) * prod(rows[row][column] for row, column in enumerate(order))
    return total
