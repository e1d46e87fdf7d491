"""Problems of everyday arithmetic: stock, flow, speed, mixtures, clocks, pages."""

from fractions import Fraction
from random import Random

from pytest_mcpbench.generation.radar.math.problem import Solved, format_rounded


def bottles_left_over(crates: int, bottles: int, broken: int, shops: int) -> Solved:
    """Return the answer, computed by simulating the rounds until too few bottles are left."""
    stock = list(range(crates * bottles - broken))
    while len(stock) >= shops:
        del stock[-shops:]
    return Solved(str(len(stock)), f"({crates}*{bottles} - {broken}) % {shops}")


def digits_of_page_numbers(first: int, last: int) -> Solved:
    """Return the answer, computed by writing every number down."""
    digits = sum(len(str(page)) for page in range(first, last + 1))
    expression = f"2*(99 - {first} + 1) + 3*900 + 4*({last} - 999)"
    return Solved(str(digits), expression)


def average_speed(draw: Random) -> Solved:
    """Return the answer, computed with exact fractions of hours."""
    legs = [(draw.randint(35, 180), draw.choice((45, 54, 63, 72, 84, 96, 108))) for _ in range(3)]
    hours = sum((Fraction(length, speed) for length, speed in legs), Fraction(0))
    answer = format_rounded(sum(length for length, _ in legs) / hours, 2)
    (a, u), (b, v), (c, w) = legs
    expression = f"round(({a} + {b} + {c})/({a}/{u} + {b}/{v} + {c}/{w}), 2)"
    return Solved(answer, expression, {"a": a, "u": u, "b": b, "v": v, "c": c, "w": w})


def litres_of_strong_acid(weak: int, strong: int, target: int, strong_litres: int) -> Solved:
    """Return the answer, computed by the mixture rule and verified by the amount of acid."""
    weak_litres = Fraction(strong_litres * (strong - target), target - weak)
    held = (weak_litres * weak + strong_litres * strong) / (weak_litres + strong_litres)
    assert held == target
    total = weak_litres + strong_litres
    text = f"{total.numerator}/{total.denominator}" if total.denominator > 1 else str(total)
    equation = f"{weak}*(x - {strong_litres}) + {strong}*{strong_litres} = {target}*x"
    return Solved(text, lambda tools: tools.solve_equation(equation))


def angle_of_clock_hands(hour: int, minute: int) -> Solved:
    """Return the answer, computed by counting half degrees on the dial."""
    # Positions in half degrees: the hour hand moves one a minute, the minute hand twelve.
    apart = abs((hour * 60 + minute) - 12 * minute) % 720
    answer = Fraction(min(apart, 720 - apart), 2)
    time = f"{hour}:{minute:02d}"
    turn = f"abs(30*{hour} + {minute}/2 - 6*{minute})"
    return Solved(_plain(answer), f"min({turn}, 360 - {turn})", {"time": time})


def _plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else str(float(value))
