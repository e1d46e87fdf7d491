"""Problems of probability and statistics: samples, games, guests, alarms, weather, marks."""

from fractions import Fraction
from functools import cache
from math import sqrt
from random import Random

from pytest_mcpbench.generation.radar.math.problem import (
    Calculator,
    Solved,
    format_exact,
    format_rounded,
    join_values,
)


def drawn_without_return(good: int, bad: int, drawn: int, target: int, wording: int) -> Solved:
    """Return the answer, computed by following every sequence of draws."""

    @cache
    def chance(goods: int, bads: int, left: int, still: int) -> Fraction:
        if left == 0 or still < 0:
            return Fraction(int(still == 0))
        total = goods + bads
        with_good = Fraction(goods, total) * chance(goods - 1, bads, left - 1, still - 1) if goods else Fraction(0)
        return with_good + (Fraction(bads, total) * chance(goods, bads - 1, left - 1, still) if bads else 0)

    most = (target, drawn)[wording]
    answer = sum(chance(good, bad, drawn, number) for number in range(target, most + 1))
    ways = f"binomial({good}, k)*binomial({bad}, {drawn} - k)/binomial({good + bad}, {drawn})"
    return Solved(format_rounded(100 * Fraction(answer), 1), f"round(100*sum({ways}, k, {target}, {most}), 1)")


def sum_of_dice(draw: Random, wording: int) -> Solved:
    """Return the answer, computed by adding one die after the other."""
    dice = (4, 5)[wording]
    total = draw.randint(2 * dice + 1, 4 * dice)
    most = (total, 6 * dice)[wording]
    ways = {0: 1}
    for _ in range(dice):
        sums: dict[int, int] = {}
        for points, found in ways.items():
            for face in range(1, 7):
                sums[points + face] = sums.get(points + face, 0) + found
        ways = sums
    answer = Fraction(100 * sum(ways[points] for points in range(total, most + 1)), 6**dice)
    count = f"sum((-1)**j*binomial({dice}, j)*binomial(k - 6*j - 1, {dice - 1}), j, 0, floor((k - {dice})/6))"
    expression = f"round(100*sum({count}, k, {total}, {most})/6**{dice}, 2)"
    return Solved(format_rounded(answer, 2), expression, {"total": total})


def at_least_so_many(trials: int, percent: int, least: int) -> Solved:
    """Return the answer, computed by adding one trial after the other."""
    chances = [Fraction(1)] + [Fraction(0)] * trials
    for _ in range(trials):
        good = Fraction(percent, 100)
        chances = [(chances[k - 1] * good if k else 0) + chances[k] * (1 - good) for k in range(trials + 1)]
    term = f"binomial({trials}, k)*({percent}/100)**k*(1 - {percent}/100)**({trials} - k)"
    expression = f"round(100*(1 - sum({term}, k, 0, {least - 1})), 1)"
    return Solved(format_rounded(100 * sum(chances[least:]), 1), expression)


def a_positive_test(ill: int, found: int, false: int) -> Solved:
    """Return the answer, computed by natural frequencies among 100,000 cases."""
    sick = 100 * ill
    true_alarms, false_alarms = Fraction(sick * found, 100), Fraction((100_000 - sick) * false, 100)
    answer = format_rounded(100 * true_alarms / (true_alarms + false_alarms), 1)
    right = f"{ill}/1000*{found}/100"
    expression = f"round(100*{right}/({right} + (1 - {ill}/1000)*{false}/100), 1)"
    return Solved(answer, expression, {"wrong": false})


def weather_after_days(stay: int, turn: int, days: int) -> Solved:
    """Return the answer, computed by stepping from day to day."""
    good = Fraction(1)
    for _ in range(days):
        good = good * Fraction(stay, 10) + (1 - good) * Fraction(turn, 10)
    matrix = f"[[{stay}/10, {10 - stay}/10], [{turn}/10, {10 - turn}/10]]"

    def solution(tools: Calculator) -> str:
        row = tools.calculate(f"{matrix}**{days}").lstrip("[").split(",")[0]
        return tools.calculate(f"round(100*{row}, 1)")

    return Solved(format_rounded(100 * good, 1), solution)


def missing_mark(draw: Random) -> Solved:
    """Return the answer, found by trying all marks."""
    while True:
        marks = [draw.randint(58, 97) for _ in range(6)]
        goal = draw.randint(79, 88)
        found = [mark for mark in range(101) if (sum(marks) + 3 * mark) == goal * 9]
        if found:
            break
    equation = f"{' + '.join(map(str, marks))} + 3*x = {goal}*9"
    return Solved(str(found[0]), lambda tools: tools.solve_equation(equation), {"marks": marks, "goal": goal})


def spread_of_measurements(draw: Random, wording: int) -> Solved:
    """Return the answer, computed from the squared differences of all pairs."""
    tenths = [(draw.randint(261, 284), 10 * draw.randint(112, 187))[wording] for _ in range(9)]
    values = [Fraction(each, 10) for each in tenths]
    divisor = (len(values), len(values) - 1)[wording]
    # The mean of all squared differences of pairs is twice the variance.
    pairs = sum((a - b) ** 2 for a in values for b in values)
    answer = format_rounded(sqrt(pairs / (2 * len(values) * divisor)), (3, 2)[wording])
    texts = [format_exact(value) for value in values]
    function = ("pstdev", "stdev")[wording]
    return Solved(answer, f"round({function}({join_values(texts)}), {(3, 2)[wording]})", {"values": texts})
