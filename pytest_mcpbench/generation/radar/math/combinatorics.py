"""Problems of combinatorics: committees, words, paths, boxes, arrangements."""

from collections import Counter
from functools import cache
from itertools import combinations
from random import Random

from pytest_mcpbench.generation.radar.math.problem import MEN, WOMEN, Drawn


def committees_without_a_pair(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by listing all groups."""
    women, men, chosen = draw.randint(6, 8), draw.randint(5, 7), draw.randint(2, 3)
    people = [f"w{n}" for n in range(women)] + [f"m{n}" for n in range(men)]
    size = 2 * chosen
    committees = [
        group
        for group in combinations(people, size)
        if sum(name.startswith("w") for name in group) == chosen and not {"w0", "m0"} <= set(group)
    ]
    she, he = draw.choice(WOMEN), draw.choice(MEN)
    all_ways = f"binomial({women}, {chosen})*binomial({men}, {chosen})"
    together = f"binomial({women - 1}, {chosen - 1})*binomial({men - 1}, {chosen - 1})"
    return Drawn(
        {"women": women, "men": men, "chosen": chosen, "she": she, "he": he},
        str(len(committees)),
        lambda tools: tools.calculate(f"{all_ways} - {together}"),
    )


WORDS = (
    "BASSETTERRE",
    "MISSISSAUGA",
    "TENNESSEE",
    "BARRACUDA",
    "MASSACHUSETTS",
    "WILLIWILLIE",
    "SASSAFRAS",
    "COCHABAMBA",
)


def arrangements_of_a_word(draw: Random, wording: int) -> Drawn:
    """Draw a problem whose answer is computed by recursion on the first letter."""
    word = draw.choice([name for name in WORDS if len(name) % 2 == wording])
    repeats = Counter(word)
    below = "*".join(f"factorial({count})" for count in repeats.values())
    expression = f"factorial({len(word)})/({below})"
    return Drawn({"word": word}, str(_orders(tuple(repeats.values()))), lambda tools: tools.calculate(expression))


@cache
def _orders(counts: tuple[int, ...]) -> int:
    """Return the number of strings with these letter counts, by recursion on the first letter."""
    if not any(counts):
        return 1
    return sum(
        _orders((*counts[:index], count - 1, *counts[index + 1 :])) for index, count in enumerate(counts) if count
    )


def ways_round_a_hole(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by counting paths from crossing to crossing."""
    east, north = draw.randint(8, 11), draw.randint(7, 10)
    hole = draw.randint(3, 5), draw.randint(2, 4)
    ways = [[0] * (north + 1) for _ in range(east + 1)]
    for x in range(east + 1):
        for y in range(north + 1):
            before = (ways[x - 1][y] if x else 0) + (ways[x][y - 1] if y else 0)
            ways[x][y] = 0 if (x, y) == hole else before or int((x, y) == (0, 0))
    a, b = hole
    through = f"binomial({a + b}, {a})*binomial({east + north - a - b}, {east - a})"
    expression = f"binomial({east + north}, {east}) - {through}"
    return Drawn(
        {"east": east, "north": north, "a": a, "b": b},
        str(ways[east][north]),
        lambda tools: tools.calculate(expression),
    )


def sharing_equal_things(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by counting child after child."""
    children, least, extra = draw.randint(5, 7), draw.randint(1, 3), draw.randint(13, 24)
    things = children * least + extra
    ways = [1] + [0] * things
    for _ in range(children):
        ways = [sum(ways[total - part] for part in range(least, total + 1)) for total in range(things + 1)]
    expression = f"binomial({extra + children - 1}, {children - 1})"
    return Drawn(
        {"things": things, "children": children, "least": least},
        str(ways[things]),
        lambda tools: tools.calculate(expression),
    )


def coefficient_of_a_power(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by multiplying the factors one at a time."""
    a, b = draw.choice(((2, -3), (2, 5), (3, -2), (3, 4), (4, -3), (5, -2)))
    n = draw.randint(9, 13)
    k = draw.randint(3, n - 3)
    coefficients = [1]
    for _ in range(n):
        coefficients = [a * low + b * high for low, high in zip([*coefficients, 0], [0, *coefficients], strict=True)]
    second = f"+ {b}x" if b > 0 else f"- {-b}x"
    expression = f"binomial({n}, {k})*{a}**{n - k}*({b})**{k}"
    return Drawn(
        {"k": k, "a": a, "second": second, "n": n}, str(coefficients[k]), lambda tools: tools.calculate(expression)
    )
