"""Problems of everyday arithmetic: leftovers, speeds, mixtures, clocks, numerals."""

from fractions import Fraction
from random import Random

from pytest_mcpbench.generation.radar.math.problem import Calculator, Solved, format_exact, format_rounded


def bottles_left_over(crates: int, bottles: int, broken: int, shops: int) -> Solved:
    """Return the answer, computed by simulating the rounds until too few bottles are left."""
    stock = list(range(crates * bottles - broken))
    while len(stock) >= shops:
        del stock[-shops:]
    return Solved(str(len(stock)), f"({crates}*{bottles} - {broken}) % {shops}")


def digits_of_numbers(first: int, last: int, digit: int, wording: int) -> Solved:
    """Return the answer, computed by writing every number down."""
    written = "".join(map(str, range(first, last + 1)))
    if wording == 0:
        return Solved(str(len(written)), f"2*(99 - {first} + 1) + 3*900 + 4*({last} - 999)")
    return Solved(str(written.count(str(digit))), f"{_up_to(last, digit)} - ({_up_to(first - 1, digit)})")


def _up_to(last: int, digit: int) -> str:
    """Return the expression that counts a digit in the numbers from 1, place by place."""
    return " + ".join(
        f"floor({last}/{10 * place})*{place} + min(max({last} % {10 * place} - {digit * place} + 1, 0), {place})"
        for place in (1, 10, 100, 1000)
    )


def average_speed(draw: Random, wording: int) -> Solved:
    """Return the answer, computed with exact fractions of hours."""
    least, most = ((35, 180), (9, 34))[wording]
    speeds = ((45, 54, 63, 72, 84, 96, 108), (12, 13, 15, 16, 18, 21, 22))[wording]
    legs = [(draw.randint(least, most), draw.choice(speeds)) for _ in range(3)]
    hours = sum((Fraction(length, speed) for length, speed in legs), Fraction(0))
    answer = format_rounded(sum(length for length, _ in legs) / hours, 2)
    (a, u), (b, v), (c, w) = legs
    expression = f"round(({a} + {b} + {c})/({a}/{u} + {b}/{v} + {c}/{w}), 2)"
    return Solved(answer, expression, {"a": a, "u": u, "b": b, "v": v, "c": c, "w": w})


def litres_of_a_mixture(weak: int, strong: int, target: int, strong_litres: int, wording: int) -> Solved:
    """Return the answer, computed by the mixture rule and verified by the amount of what is dissolved."""
    weak_litres = Fraction(strong_litres * (strong - target), target - weak)
    total = weak_litres + strong_litres
    assert (weak_litres * weak + strong_litres * strong) / total == target
    equation = f"{weak}*x + {strong}*{strong_litres} = {target}*(x + {strong_litres})"

    def solution(tools: Calculator) -> str:
        added = tools.solve_equation(equation).strip("[]")
        return tools.calculate((f"round({added}, 2)", f"round({added} + {strong_litres}, 2)")[wording])

    return Solved(format_rounded((weak_litres, total)[wording], 2), solution)


def angle_of_clock_hands(hour: int, minute: int, wording: int) -> Solved:
    """Return the answer, computed by counting half degrees on the dial."""
    # Positions in half degrees: the hour hand moves one a minute, the minute hand twelve.
    apart = abs((hour * 60 + minute) - 12 * minute) % 720
    choose, function = ((min, "min"), (max, "max"))[wording]
    turn = f"abs(30*{hour} + {minute}/2 - 6*{minute})"
    answer = format_exact(Fraction(choose(apart, 720 - apart), 2))
    return Solved(answer, f"{function}({turn}, 360 - {turn})", {"time": f"{hour}:{minute:02d}"})
