"""Problems of everyday arithmetic: stock, flow, speed, mixtures, clocks, pages."""

from fractions import Fraction
from random import Random

from pytest_mcpbench.generation.radar.math.problem import Drawn, format_rounded


def bottles_left_over(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by simulating the rounds until too few bottles are left."""
    crates, bottles, broken, shops = (
        draw.randint(240, 480),
        draw.randint(36, 64),
        draw.randint(117, 389),
        draw.randint(53, 97),
    )
    stock = list(range(crates * bottles - broken))
    while len(stock) >= shops:
        del stock[-shops:]
    return Drawn(
        {"crates": crates, "bottles": bottles, "broken": broken, "shops": shops},
        str(len(stock)),
        lambda tools: tools.calculate(f"({crates}*{bottles} - {broken}) % {shops}"),
    )


def digits_of_page_numbers(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by writing every number down."""
    first, last = draw.randint(12, 70), draw.randint(1_150, 3_400)
    digits = sum(len(str(page)) for page in range(first, last + 1))
    expression = f"2*(99 - {first} + 1) + 3*900 + 4*({last} - 999)"
    return Drawn({"first": first, "last": last}, str(digits), lambda tools: tools.calculate(expression))


def average_speed(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed with exact fractions of hours."""
    legs = [(draw.randint(35, 180), draw.choice((45, 54, 63, 72, 84, 96, 108))) for _ in range(3)]
    hours = sum((Fraction(length, speed) for length, speed in legs), Fraction(0))
    answer = format_rounded(sum(length for length, _ in legs) / hours, 2)
    (a, u), (b, v), (c, w) = legs
    expression = f"round(({a} + {b} + {c})/({a}/{u} + {b}/{v} + {c}/{w}), 2)"
    return Drawn({"a": a, "u": u, "b": b, "v": v, "c": c, "w": w}, answer, lambda tools: tools.calculate(expression))


def litres_of_strong_acid(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by the mixture rule and verified by the amount of acid."""
    weak, strong = draw.randint(5, 15), draw.randint(55, 80)
    target = draw.randint(22, 38)
    strong_litres = draw.randint(6, 19)
    weak_litres = Fraction(strong_litres * (strong - target), target - weak)
    held = (weak_litres * weak + strong_litres * strong) / (weak_litres + strong_litres)
    assert held == target
    total = weak_litres + strong_litres
    text = f"{total.numerator}/{total.denominator}" if total.denominator > 1 else str(total)
    equation = f"{weak}*(x - {strong_litres}) + {strong}*{strong_litres} = {target}*x"
    return Drawn(
        {"strong_litres": strong_litres, "strong": strong, "weak": weak, "target": target},
        text,
        lambda tools: tools.solve_equation(equation),
    )


def angle_of_clock_hands(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by counting half degrees on the dial."""
    hour, minute = draw.randint(1, 11), draw.choice((7, 13, 19, 23, 29, 37, 41, 47, 53))
    # Positions in half degrees: the hour hand moves one a minute, the minute hand twelve.
    apart = abs((hour * 60 + minute) - 12 * minute) % 720
    answer = Fraction(min(apart, 720 - apart), 2)
    time = f"{hour}:{minute:02d}"
    turn = f"abs(30*{hour} + {minute}/2 - 6*{minute})"
    return Drawn({"time": time}, _plain(answer), lambda tools: tools.calculate(f"min({turn}, 360 - {turn})"))


def _plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else str(float(value))
