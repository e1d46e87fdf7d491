"""Problems of combinatorics: how many cards, strips, routes, budgets and codes there are."""

from functools import cache
from itertools import combinations

from pytest_mcpbench.generation.radar.math.problem import Solved


def sample_cards(first: int, second: int, chosen: int) -> Solved:
    """Return the answer, computed by listing all cards."""
    cards = [
        (some, others)
        for some in combinations(range(first), chosen)
        for others in combinations(range(second), chosen)
        if not (0 in some and 0 in others)
    ]
    all_ways = f"binomial({first}, {chosen})*binomial({second}, {chosen})"
    together = f"binomial({first - 1}, {chosen - 1})*binomial({second - 1}, {chosen - 1})"
    return Solved(str(len(cards)), f"{all_ways} - {together}")


def different_strips(a: int, b: int, c: int) -> Solved:
    """Return the answer, computed by recursion on the first tile."""
    return Solved(str(_orders((a, b, c))), f"factorial({a + b + c})/(factorial({a})*factorial({b})*factorial({c}))")


@cache
def _orders(counts: tuple[int, ...]) -> int:
    """Return the number of rows with so many things of each kind, by recursion on the first thing."""
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


def sharing_equal_things(parts: int, least: int, extra: int) -> Solved:
    """Return the answer, computed by counting part after part."""
    things = parts * least + extra
    ways = [1] + [0] * things
    for _ in range(parts):
        ways = [sum(ways[total - part] for part in range(least, total + 1)) for total in range(things + 1)]
    expression = f"binomial({extra + parts - 1}, {parts - 1})"
    return Solved(str(ways[things]), expression, {"things": things})


def allowed_codes(length: int, symbols: int, wording: int) -> Solved:
    """Return the answer, computed by adding one character after the other."""
    if wording == 0:
        letters, digits, both = 26, 10, 0
        for _ in range(length - 1):
            letters, digits, both = 26 * letters, 10 * digits, 36 * both + 10 * letters + 26 * digits
        return Solved(str(both), f"36**{length} - 26**{length} - 10**{length}")
    ending = [1] * symbols
    for _ in range(length - 1):
        ending = [sum(ending[:last] + ending[last + 1 :]) for last in range(symbols)]
    return Solved(str(sum(ending)), f"{symbols}*{symbols - 1}**{length - 1}")
