"""Problems of linear algebra: determinants, powers, eigenvalues, systems."""

from itertools import permutations, product
from math import prod
from random import Random

from pytest_mcpbench.generation.radar.math.problem import Solved, join_values, list_elements

Matrix = list[list[int]]


def determinant(draw: Random, wording: int) -> Solved:
    """Return the answer, computed by the sum over all permutations."""
    size = (3, 4)[wording]
    rows = [[draw.randint(-9, 9) for _ in range(size)] for _ in range(size)]
    answer = sum(
        _sign(order) * prod(rows[row][column] for row, column in enumerate(order))
        for order in permutations(range(size))
    )
    return Solved(str(answer), f"det({rows})", {"rows": rows})


def _sign(order: tuple[int, ...]) -> int:
    swaps = sum(a > b for index, a in enumerate(order) for b in order[index + 1 :])
    return -1 if swaps % 2 else 1


def entry_of_a_power(draw: Random, wording: int) -> Solved:
    """Return the answer, computed by applying the matrix to a vector, step by step."""
    a, b, c, d = (draw.randint(1, 5) for _ in range(4))
    power = draw.randint(7, 10)
    x, y = (0, 1) if wording == 0 else (1, 1)
    for _ in range(power):
        x, y = a * x + b * y, c * x + d * y

    def entry(text: str) -> str:
        first = list_elements(text.replace("[", "").replace("]", ""))
        return (first[1], f"{first[0]} + {first[1]}")[wording]

    matrix = f"[[{a}, {b}], [{c}, {d}]]**{power}"
    return Solved(
        str(x),
        lambda tools: tools.calculate(entry(tools.calculate(matrix))),
        {"a": a, "b": b, "c": c, "d": d, "power": power},
    )


def eigenvalues(draw: Random) -> Solved:
    """Return the answer, found by trying integers in the characteristic equation."""
    first, second = draw.sample([number for number in range(-9, 14) if number], 2)
    a = draw.choice([number for number in range(-6, 9) if number not in (first, second)])
    d = first + second - a
    product_of_others = a * d - first * second
    b = next(n for n in (3, 2, 5, 7, 4, 1) if product_of_others % n == 0)
    c = product_of_others // b
    roots = [n for n in range(-60, 60) if (a - n) * (d - n) - b * c == 0]
    matrix = f"[[{a}, {b}], [{c}, {d}]]"
    return Solved(
        join_values(roots),
        lambda tools: join_values(list_elements(tools.calculate(f"eigenvalues({matrix})"))),
        {"a": a, "b": b, "c": c, "d": d},
    )


def three_prices(draw: Random, wording: int) -> Solved:
    """Return the answer, found by trying all prices."""
    prices = [draw.randint(3, 19) for _ in range(3)]
    while True:
        baskets = [[draw.randint(1, 6) for _ in range(3)] for _ in range(3)]
        sums = [sum(count * price for count, price in zip(basket, prices, strict=True)) for basket in baskets]
        found = [
            guess
            for guess in product(range(1, 40), repeat=3)
            if all(
                sum(count * price for count, price in zip(basket, guess, strict=True)) == total
                for basket, total in zip(baskets, sums, strict=True)
            )
        ]
        if len(found) == 1 and _leibniz(baskets):
            break
    names = (("folders", "pens", "rulers"), ("apples", "melons", "plums"))[wording]
    buys = [
        "{} {}, {} {} and {} {} cost {} euros".format(*_with_names(basket, names), total)
        for basket, total in zip(baskets, sums, strict=True)
    ]
    equations = [f"{_linear(basket)} = {total}" for basket, total in zip(baskets, sums, strict=True)]
    replaced = [[*basket[:2], total] for basket, total in zip(baskets, sums, strict=True)]
    expression = f"det({replaced})/det({baskets})"
    return Solved(str(found[0][2]), expression, {"buys": buys, "names": names, "equations": equations})


def _linear(counts: list[int]) -> str:
    return " + ".join(name if count == 1 else f"{count}{name}" for count, name in zip(counts, "xyz", strict=True))


def _with_names(counts: list[int], names: tuple[str, ...]) -> list[object]:
    return [
        part for count, name in zip(counts, names, strict=True) for part in (count, name if count > 1 else name[:-1])
    ]


def _leibniz(rows: Matrix) -> int:
    orders = permutations(range(len(rows)))
    return sum(_sign(order) * prod(rows[row][column] for row, column in enumerate(order)) for order in orders)
