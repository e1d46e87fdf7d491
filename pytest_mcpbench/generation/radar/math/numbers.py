"""Problems of number theory: things that coincide, fit without a rest, or carry a check digit."""

from itertools import count
from math import prod
from random import Random

from pytest_mcpbench.generation.radar.math.problem import RedrawError, Solved, join_values


def check_digit(draw: Random, wording: int) -> Solved:
    """Return the answer, found by trying all digits."""
    if wording == 0:
        digits, weights, modulus = [4, 0, *(draw.randint(0, 9) for _ in range(10))], [1, 3] * 6 + [1], 10
        text = "".join(map(str, digits))
    else:
        digits, weights, modulus = [draw.randint(0, 9) for _ in range(9)], list(range(10, 0, -1)), 11
        text = "{}-{}{}{}-{}{}{}{}{}".format(*digits)
    known = [digit * weight for digit, weight in zip(digits, weights, strict=False)]
    found = [digit for digit in range(10) if (sum(known) + digit * weights[-1]) % modulus == 0]
    if not found:
        raise RedrawError("the tenth digit of this ISBN is an X")
    terms = " + ".join(f"{digit}*{weight}" for digit, weight in zip(digits, weights, strict=False))
    return Solved(str(found[0]), f"({modulus} - ({terms}) % {modulus}) % {modulus}", {"digits": text})


def meeting_again(first: int, second: int, third: int) -> Solved:
    """Return the answer, found by stepping from one time to the next."""
    moment = first
    while moment % second or moment % third:
        moment += first
    return Solved(str(moment), f"lcm({first}, {second}, {third})")


def ferry_and_bus(draw: Random, periods: list[int]) -> Solved:
    """Return the answer, found by trying times from 1."""
    rests = [draw.randint(2, min(period - 1, 55)) for period in periods]
    found = next(n for n in count(1) if all(n % period == rest for period, rest in zip(periods, rests, strict=True)))
    if not 2 * max(periods) < found < 15 * 60 or len(set(rests)) < len(rests):
        raise RedrawError("they meet at once or at night, or two begin together")
    times = [f"6:{rest:02d}" for rest in rests]
    # The expression of the Chinese remainder theorem.
    whole = prod(periods)
    parts = [
        f"{rest}*{whole // modulus}*powmod({whole // modulus}, -1, {modulus})"
        for modulus, rest in zip(periods, rests, strict=True)
    ]
    return Solved(str(found), f"({' + '.join(parts)}) % {whole}", {"rests": rests, "times": times})


def rectangles_of_tiles(number: int, least: int, wording: int) -> Solved:
    """Return the answer, found by trying all numbers of rows."""
    sides = [(rows, number // rows) for rows in range(1, number + 1) if number % rows == 0]
    formats = {frozenset(pair) for pair in sides}
    seatings = [pair for pair in sides if min(pair) >= least]
    expression = (
        f"ceil(divisor_count({number})/2)",
        f"divisor_count({number}) - 2*sum({number} % k == 0, k, 1, {least - 1})",
    )[wording]
    return Solved(str(len((formats, seatings)[wording])), expression)


def square_tiles(side: int, x: int, y: int, wording: int) -> Solved:
    """Return the answer, found by trying all sides."""
    a, b = side * x, side * y
    largest = next(n for n in range(b, 0, -1) if a % n == 0 and b % n == 0)
    expression = (f"{a}*{b}/gcd({a}, {b})**2", f"gcd({a}, {b})")[wording]
    return Solved(str((a // largest * (b // largest), largest)[wording]), expression, {"a": a, "b": b})


def divisible_but_not(limit: int, a: int, b: int, c: int) -> Solved:
    """Return the answer, found by testing every number."""
    found = [n for n in range(1, limit + 1) if (n % a == 0 or n % b == 0) and n % c]

    def multiples(*factors: int) -> str:
        return f"floor({limit}/lcm({', '.join(map(str, factors))}))"

    both = f"{multiples(a)} + {multiples(b)} - {multiples(a, b)}"
    expression = f"{both} - {multiples(a, c)} - {multiples(b, c)} + {multiples(a, b, c)}"
    return Solved(str(len(found)), expression)


def offcut(length: int, long: int, short: int) -> Solved:
    """Return the answer, found by trying all numbers of pieces of both lengths."""
    rests = [
        length - long * longs - short * shorts
        for longs in range(length // long + 1)
        for shorts in range(length // short + 1)
    ]
    least = min(rest for rest in rests if rest >= 0)
    if least == 0:
        raise RedrawError("nothing is left over")
    remainders = join_values([f"{length - long * longs} % {short}" for longs in range(length // long + 1)])
    return Solved(str(least), f"min({remainders})")


def cannot_be_bought(small: int, large: int, wording: int) -> Solved:
    """Return the answer, found by trying all numbers of both packs."""
    every = range(1, small * large)
    exact = {small * n + large * m for n in range(large + 1) for m in range(small + 1)}
    missing = [number for number in every if number not in exact]
    expression = (f"{small}*{large} - {small} - {large}", f"({small} - 1)*({large} - 1)/2")[wording]
    return Solved(str((max(missing), len(missing))[wording]), expression)


def number_in_another_base(draw: Random, wording: int) -> Solved:
    """Return the answer, computed by parsing the digits with Python's ``int``, or with one step for each dozen."""
    if wording == 0:
        parts = [draw.randint(20, 240) for _ in range(3)]
        colour = "#{:02X}{:02X}{:02X}".format(*parts)
        found = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        terms = [f"{part // 16}*16 + {part % 16}" for part in parts]
        return Solved(join_values(found), f"[{join_values(terms)}]", {"colour": colour})
    counts = [draw.randint(2, 11) for _ in range(4)]
    total = 0
    for each in counts:
        total = 12 * total + each
    terms = [f"{each}*12**{3 - at}" for at, each in enumerate(counts)]
    return Solved(str(total), " + ".join(terms), {"counts": counts})


def stars_in_one_line(number: int, wording: int) -> Solved:
    """Return the answer, found by following the line of every step."""
    lines: dict[int, frozenset[frozenset[int]]] = {}
    for step in range(1, number):
        # The strokes between points of a circle until the line is back at the first point.
        strokes: set[frozenset[int]] = set()
        at = 0
        while not strokes or at:
            strokes.add(frozenset((at, (at + step) % number)))
            at = (at + step) % number
        lines[step] = frozenset(strokes)
    closed = {step: line for step, line in lines.items() if len(line) == number}
    stars = {line for step, line in closed.items() if step not in (1, number - 1)}
    expression = (f"totient({number})", f"totient({number})/2 - 1")[wording]
    return Solved(str((len(closed), len(stars))[wording]), expression)
