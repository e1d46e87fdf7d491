"""Problems of combinatorics: committees, words, paths, boxes, arrangements."""

from collections import Counter
from functools import cache
from itertools import combinations

from pytest_mcpbench.generation.radar.math.problem import Solved


def committees_without_a_pair(women: int, men: int, chosen: int) -> Solved:
    """Return the answer, computed by listing all groups."""
    people = [f"w{n}" for n in range(women)] + [f"m{n}" for n in range(men)]
    size = 2 * chosen
    committees = [
        group
        for group in combinations(people, size)
        if sum(name.startswith("w") for name in group) == chosen and not {"w0", "m0"} <= set(group)
    ]
    all_ways = f"binomial({women}, {chosen})*binomial({men}, {chosen})"
    together = f"binomial({women - 1}, {chosen - 1})*binomial({men - 1}, {chosen - 1})"
    return Solved(str(len(committees)), f"{all_ways} - {together}")


def arrangements_of_a_word(word: str) -> Solved:
    """Return the answer, computed by recursion on the first letter."""
    repeats = Counter(word)
    below = "*".join(f"factorial({count})" for count in repeats.values())
    expression = f"factorial({len(word)})/({below})"
    return Solved(str(_orders(tuple(repeats.values()))), expression)


@cache
def _orders(counts: tuple[int, ...]) -> int:
    """Return the number of strings with these letter counts, by recursion on the first letter."""
    if not any(counts):
        return 1
    return sum(
        _orders((*counts[:index], count - 1, *counts[index + 1 :])) for index, count in enumerate(counts) if count
    )


def ways_round_a_hole(east: int, north: int, a: int, b: int) -> Solved:
    """Return the answer, computed by counting paths from crossing to crossing."""
    ways = [[0] * (north + 1) for _ in range(east + 1)]
    for x in range(east + 1):
        for y in range(north + 1):
            before = (ways[x - 1][y] if x else 0) + (ways[x][y - 1] if y else 0)
            ways[x][y] = 0 if (x, y) == (a, b) else before or int((x, y) == (0, 0))
    through = f"binomial({a + b}, {a})*binomial({east + north - a - b}, {east - a})"
    expression = f"binomial({east + north}, {east}) - {through}"
    return Solved(str(ways[east][north]), expression)


def sharing_equal_things(children: int, least: int, extra: int) -> Solved:
    """Return the answer, computed by counting child after child."""
    things = children * least + extra
    ways = [1] + [0] * things
    for _ in range(children):
        ways = [sum(ways[total - part] for part in range(least, total + 1)) for total in range(things + 1)]
    expression = f"binomial({extra + children - 1}, {children - 1})"
    return Solved(str(ways[things]), expression, {"things": things})


def coefficient_of_a_power(a: int, b: int, n: int, k: int) -> Solved:
    """Return the answer, computed by multiplying the factors one at a time."""
    coefficients = [1]
    for _ in range(n):
        coefficients = [a * low + b * high for low, high in zip([*coefficients, 0], [0, *coefficients], strict=True)]
    second = f"+ {b}x" if b > 0 else f"- {-b}x"
    expression = f"binomial({n}, {k})*{a}**{n - k}*({b})**{k}"
    return Solved(str(coefficients[k]), expression, {"second": second})
