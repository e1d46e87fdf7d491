"""Problems of probability and statistics: draws, dice, tests, weather, marks."""

from fractions import Fraction
from functools import cache
from math import sqrt
from random import Random

from pytest_mcpbench.generation.radar.math.problem import (
    Calculator,
    Drawn,
    format_rounded,
    join_values,
)


def drawn_without_return(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by following every sequence of draws."""
    red, blue, drawn = draw.randint(7, 12), draw.randint(6, 11), draw.randint(4, 6)
    target = draw.randint(2, drawn - 1)

    @cache
    def chance(reds: int, blues: int, left: int, still: int) -> Fraction:
        if left == 0 or still < 0:
            return Fraction(int(still == 0))
        total = reds + blues
        with_red = Fraction(reds, total) * chance(reds - 1, blues, left - 1, still - 1) if reds else Fraction(0)
        return with_red + (Fraction(blues, total) * chance(reds, blues - 1, left - 1, still) if blues else 0)

    ways = f"binomial({red}, {target})*binomial({blue}, {drawn - target})/binomial({red + blue}, {drawn})"
    return Drawn(
        {"red": red, "blue": blue, "drawn": drawn, "target": target},
        str(chance(red, blue, drawn, target)),
        lambda tools: tools.calculate(ways),
    )


def sum_of_dice(draw: Random, wording: int) -> Drawn:
    """Draw a problem whose answer is computed by adding one die after the other."""
    dice = (4, 5)[wording]
    total = draw.randint(2 * dice + 1, 4 * dice)
    ways = {0: 1}
    for _ in range(dice):
        sums: dict[int, int] = {}
        for points, found in ways.items():
            for face in range(1, 7):
                sums[points + face] = sums.get(points + face, 0) + found
        ways = sums
    answer = Fraction(ways[total], 6**dice)
    most = (total - dice) // 6
    count = f"sum((-1)**j*binomial({dice}, j)*binomial({total} - 6*j - 1, {dice - 1}), j, 0, {most})"
    return Drawn({"total": total}, str(answer), lambda tools: tools.calculate(f"{count}/6**{dice}"))


def at_least_so_many(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by adding one trial after the other."""
    trials, percent = draw.randint(14, 22), draw.choice((15, 20, 30, 35))
    least = draw.randint(3, 6)
    chances = [Fraction(1)] + [Fraction(0)] * trials
    for _ in range(trials):
        good = Fraction(percent, 100)
        chances = [(chances[k - 1] * good if k else 0) + chances[k] * (1 - good) for k in range(trials + 1)]
    term = f"binomial({trials}, k)*({percent}/100)**k*(1 - {percent}/100)**({trials} - k)"
    expression = f"round(1 - sum({term}, k, 0, {least - 1}), 4)"
    return Drawn(
        {"trials": trials, "percent": percent, "least": least},
        format_rounded(sum(chances[least:]), 4),
        lambda tools: tools.calculate(expression),
    )


def a_positive_test(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by natural frequencies among 100,000 people."""
    ill, found, false = draw.choice((4, 8, 12, 15)), draw.randint(90, 98), draw.randint(3, 9)
    # Natural frequencies among 100,000 people.
    sick = 100 * ill
    true_alarms, false_alarms = Fraction(sick * found, 100), Fraction((100_000 - sick) * false, 100)
    answer = format_rounded(true_alarms / (true_alarms + false_alarms), 4)
    right = f"{ill}/1000*{found}/100"
    expression = f"round({right}/({right} + (1 - {ill}/1000)*{false}/100), 4)"
    return Drawn({"ill": ill, "found": found, "wrong": false}, answer, lambda tools: tools.calculate(expression))


def weather_after_days(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by stepping from day to day."""
    stay, turn = draw.choice((7, 8, 9)), draw.choice((2, 3, 4))
    days = draw.randint(5, 8)
    sunny = Fraction(1)
    for _ in range(days):
        sunny = sunny * Fraction(stay, 10) + (1 - sunny) * Fraction(turn, 10)
    matrix = f"[[{stay}/10, {10 - stay}/10], [{turn}/10, {10 - turn}/10]]"

    def solution(tools: Calculator) -> str:
        row = tools.calculate(f"{matrix}**{days}").lstrip("[").split(",")[0]
        return tools.calculate(f"round({row}, 4)")

    return Drawn({"stay": stay, "turn": turn, "days": days}, format_rounded(sunny, 4), solution)


def missing_mark(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is found by trying all marks."""
    while True:
        marks = [draw.randint(58, 97) for _ in range(6)]
        goal = draw.randint(79, 88)
        found = [mark for mark in range(101) if (sum(marks) + 3 * mark) == goal * 9]
        if found:
            break
    equation = f"{' + '.join(map(str, marks))} + 3*x = {goal}*9"
    return Drawn({"marks": marks, "goal": goal}, str(found[0]), lambda tools: tools.solve_equation(equation))


def spread_of_measurements(draw: Random, wording: int) -> Drawn:
    """Draw a problem whose answer is computed from the squared differences of all pairs."""
    values = [draw.randint(112, 187) for _ in range(9)]
    divisor = (len(values), len(values) - 1)[wording]
    # The mean of all squared differences of pairs is twice the variance.
    pairs = sum((a - b) ** 2 for a in values for b in values)
    answer = format_rounded(sqrt(pairs / (2 * len(values) * divisor)), 3)
    function = ("pstdev", "stdev")[wording]
    return Drawn(
        {"values": values}, answer, lambda tools: tools.calculate(f"round({function}({join_values(values)}), 3)")
    )
