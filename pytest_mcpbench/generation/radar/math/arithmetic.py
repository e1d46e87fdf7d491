"""Problems of everyday arithmetic: stock, flow, speed, mixtures, clocks, pages."""

from fractions import Fraction
from random import Random

from pytest_mcpbench.generation.radar.math.problem import KindOfProblem, Problem, format_rounded


def bottles_left_over(draw: Random, wording: int) -> Problem:
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
    prompt = (
        f"A depot takes in {crates} crates of {bottles} bottles each. During unloading {broken} bottles break. The "
        f"rest are shared out equally among {shops} shops, as many to each as possible. How many bottles stay at the "
        "depot?",
        f"After {broken} bottles were smashed on the way, what is left of a delivery of {crates} crates with "
        f"{bottles} bottles in each has to go to {shops} shops, all getting the same whole number. What is the "
        "remainder that nobody gets, if every shop gets as much as it can?",
    )[wording]
    return Problem(prompt, str(len(stock)), lambda tools: tools.calculate(f"({crates}*{bottles} - {broken}) % {shops}"))


def digits_of_page_numbers(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by writing every number down."""
    first, last = draw.randint(12, 70), draw.randint(1_150, 3_400)
    digits = sum(len(str(page)) for page in range(first, last + 1))
    prompt = (
        f"A printer sets the page numbers {first} to {last} of an encyclopaedia by hand, one metal digit per figure. "
        "How many metal digits does he need altogether?",
        f"Somebody writes down every whole number from {first} up to and including {last}. How many digits are on the "
        "paper in the end?",
    )[wording]
    expression = f"2*(99 - {first} + 1) + 3*900 + 4*({last} - 999)"
    return Problem(prompt, str(digits), lambda tools: tools.calculate(expression))


def average_speed(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed with exact fractions of hours."""
    legs = [(draw.randint(35, 180), draw.choice((45, 54, 63, 72, 84, 96, 108))) for _ in range(3)]
    hours = sum((Fraction(length, speed) for length, speed in legs), Fraction(0))
    answer = format_rounded(sum(length for length, _ in legs) / hours, 2)
    (a, u), (b, v), (c, w) = legs
    prompt = (
        f"A coach drives {a} km at {u} km/h, then {b} km at {v} km/h and finally {c} km at {w} km/h, without "
        "stopping. What is its mean speed over the whole way, in km/h, to two decimals?",
        f"Three stretches of a rally are {a}, {b} and {c} kilometres long; a team covers them at a steady {u}, {v} "
        f"and {w} km/h. Work out total distance over total time in km/h and round to 2 decimal places.",
    )[wording]
    expression = f"round(({a} + {b} + {c})/({a}/{u} + {b}/{v} + {c}/{w}), 2)"
    return Problem(prompt, answer, lambda tools: tools.calculate(expression))


def litres_of_strong_acid(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by the mixture rule and verified by the amount of acid."""
    weak, strong = draw.randint(5, 15), draw.randint(55, 80)
    target = draw.randint(22, 38)
    strong_litres = draw.randint(6, 19)
    weak_litres = Fraction(strong_litres * (strong - target), target - weak)
    held = (weak_litres * weak + strong_litres * strong) / (weak_litres + strong_litres)
    assert held == target
    total = weak_litres + strong_litres
    text = f"{total.numerator}/{total.denominator}" if total.denominator > 1 else str(total)
    prompt = (
        f"A chemist pours {strong_litres} litres of {strong} % acid into just enough {weak} % acid to get a {target} "
        "% mixture. How many litres of mixture are there? Give a whole number or a fraction in lowest terms.",
        f"Some {weak} % solution is to be strengthened to {target} % by adding exactly {strong_litres} litres of a "
        f"{strong} % solution. Find the total volume afterwards in litres, exactly (integer or reduced fraction).",
    )[wording]
    equation = f"{weak}*(x - {strong_litres}) + {strong}*{strong_litres} = {target}*x"
    return Problem(prompt, text, lambda tools: tools.solve_equation(equation))


def angle_of_clock_hands(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by counting half degrees on the dial."""
    hour, minute = draw.randint(1, 11), draw.choice((7, 13, 19, 23, 29, 37, 41, 47, 53))
    # Positions in half degrees: the hour hand moves one a minute, the minute hand twelve.
    apart = abs((hour * 60 + minute) - 12 * minute) % 720
    answer = Fraction(min(apart, 720 - apart), 2)
    time = f"{hour}:{minute:02d}"
    prompt = (
        f"What is the smaller angle, in degrees, between the hour hand and the minute hand of a clock at {time}? "
        "Write it as a decimal if it is not whole.",
        f"An analogue clock shows {time}. Its hands cut the dial into two sectors; how many degrees has the smaller "
        "one?",
    )[wording]
    turn = f"abs(30*{hour} + {minute}/2 - 6*{minute})"
    return Problem(prompt, _plain(answer), lambda tools: tools.calculate(f"min({turn}, 360 - {turn})"))


def _plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else str(float(value))


KINDS = (
    KindOfProblem("arithmetic", "easy", bottles_left_over),
    KindOfProblem("arithmetic", "medium", digits_of_page_numbers),
    KindOfProblem("arithmetic", "easy", average_speed),
    KindOfProblem("arithmetic", "medium", litres_of_strong_acid),
    KindOfProblem("arithmetic", "easy", angle_of_clock_hands),
)
