"""Problems of combinatorics: committees, words, paths, boxes, arrangements."""

from collections import Counter
from functools import cache
from itertools import combinations
from random import Random

from pytest_mcpbench.generation.radar.math.problem import MEN, WOMEN, KindOfProblem, Problem


def committees_without_a_pair(draw: Random, wording: int) -> Problem:
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
    prompt = (
        f"From {women} women and {men} men a board of {chosen} women and {chosen} men is chosen. {she}, one of the "
        f"women, and {he}, one of the men, refuse to serve together. How many boards are possible?",
        f"A choir sends {chosen} of its {women} sopranos and {chosen} of its {men} basses to a festival, but soprano "
        f"{she} and bass {he} must not both go. In how many ways can the delegation be made up?",
    )[wording]
    all_ways = f"binomial({women}, {chosen})*binomial({men}, {chosen})"
    together = f"binomial({women - 1}, {chosen - 1})*binomial({men - 1}, {chosen - 1})"
    return Problem(prompt, str(len(committees)), lambda tools: tools.calculate(f"{all_ways} - {together}"))


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


def arrangements_of_a_word(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by recursion on the first letter."""
    word = draw.choice([name for name in WORDS if len(name) % 2 == wording])
    repeats = Counter(word)
    prompt = (
        f"How many different strings can be made by arranging all the letters of {word}?",
        f"Fridge magnets spell {word}. In how many distinguishable orders could all {len(word)} of them be lined up?",
    )[wording]
    below = "*".join(f"factorial({count})" for count in repeats.values())
    expression = f"factorial({len(word)})/({below})"
    return Problem(prompt, str(_orders(tuple(repeats.values()))), lambda tools: tools.calculate(expression))


@cache
def _orders(counts: tuple[int, ...]) -> int:
    """Return the number of strings with these letter counts, by recursion on the first letter."""
    if not any(counts):
        return 1
    return sum(
        _orders((*counts[:index], count - 1, *counts[index + 1 :])) for index, count in enumerate(counts) if count
    )


def ways_round_a_hole(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by counting paths from crossing to crossing."""
    east, north = draw.randint(8, 11), draw.randint(7, 10)
    hole = draw.randint(3, 5), draw.randint(2, 4)
    ways = [[0] * (north + 1) for _ in range(east + 1)]
    for x in range(east + 1):
        for y in range(north + 1):
            before = (ways[x - 1][y] if x else 0) + (ways[x][y - 1] if y else 0)
            ways[x][y] = 0 if (x, y) == hole else before or int((x, y) == (0, 0))
    a, b = hole
    prompt = (
        f"A robot moves on a grid from (0, 0) to ({east}, {north}), one unit to the right or one unit up at a time. "
        f"It must not pass the point ({a}, {b}). How many routes does it have?",
        f"In a city of square blocks a courier rides {east} blocks east and {north} blocks north by a shortest way. "
        f"The crossing that is {a} blocks east and {b} blocks north of the start is closed. How many shortest ways "
        "remain?",
    )[wording]
    through = f"binomial({a + b}, {a})*binomial({east + north - a - b}, {east - a})"
    expression = f"binomial({east + north}, {east}) - {through}"
    return Problem(prompt, str(ways[east][north]), lambda tools: tools.calculate(expression))


def sharing_equal_things(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by counting child after child."""
    children, least, extra = draw.randint(5, 7), draw.randint(1, 3), draw.randint(13, 24)
    things = children * least + extra
    ways = [1] + [0] * things
    for _ in range(children):
        ways = [sum(ways[total - part] for part in range(least, total + 1)) for total in range(things + 1)]
    prompt = (
        f"In how many ways can {things} identical marbles be given to {children} different children so that each gets "
        f"at least {least}?",
        f"How many solutions in integers has x_1 + ... + x_{children} = {things} if every x_i must be {least} or more?",
    )[wording]
    expression = f"binomial({extra + children - 1}, {children - 1})"
    return Problem(prompt, str(ways[things]), lambda tools: tools.calculate(expression))


def coefficient_of_a_power(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by multiplying the factors one at a time."""
    a, b = draw.choice(((2, -3), (2, 5), (3, -2), (3, 4), (4, -3), (5, -2)))
    n = draw.randint(9, 13)
    k = draw.randint(3, n - 3)
    coefficients = [1]
    for _ in range(n):
        coefficients = [a * low + b * high for low, high in zip([*coefficients, 0], [0, *coefficients], strict=True)]
    second = f"+ {b}x" if b > 0 else f"- {-b}x"
    prompt = (
        f"What is the coefficient of x^{k} in the expansion of ({a} {second})^{n}?",
        f"When ({a} {second})^{n} is multiplied out, some integer stands in front of x^{k}. Which (mind the sign)?",
    )[wording]
    expression = f"binomial({n}, {k})*{a}**{n - k}*({b})**{k}"
    return Problem(prompt, str(coefficients[k]), lambda tools: tools.calculate(expression))


KINDS = (
    KindOfProblem("combinatorics", "medium", committees_without_a_pair),
    KindOfProblem("combinatorics", "easy", arrangements_of_a_word),
    KindOfProblem("combinatorics", "hard", ways_round_a_hole),
    KindOfProblem("combinatorics", "medium", sharing_equal_things),
    KindOfProblem("combinatorics", "medium", coefficient_of_a_power),
)
