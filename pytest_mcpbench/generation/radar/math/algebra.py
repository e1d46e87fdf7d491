"""Problems of algebra: prices, borders, sheets at other sizes, work that is shared, growth."""

from collections.abc import Callable
from fractions import Fraction
from itertools import count
from random import Random

from pytest_mcpbench.generation.radar.math.problem import (
    Calculator,
    RedrawError,
    Solved,
    calculator_polynomial,
    format_exact,
    format_rounded,
    join_values,
    list_elements,
    polynomial,
)


def cheaper_printer(small: int, large: int, dear: int, cheap: int, wording: int) -> Solved:
    """Return the answer, found by counting copies until the other offer is cheaper."""
    first = next(n for n in count() if 100 * large + cheap * n < 100 * small + dear * n)
    if 100 * large + cheap * (first - 1) == 100 * small + dear * (first - 1):
        raise RedrawError("both offers cost the same at one number")
    equation = f"{100 * small} + {dear}*x = {100 * large} + {cheap}*x"

    def solution(tools: Calculator) -> str:
        equal = tools.solve_equation(equation).strip("[]")
        return tools.calculate((f"floor({equal}) + 1", f"floor({equal})")[wording])

    return Solved(str((first, first - 1)[wording]), solution)


def child_tickets(adult: int, child: int, adults: int, children: int) -> Solved:
    """Return the answer, found by trying all numbers of children."""
    total, money = adults + children, adults * adult + children * child
    found = [count for count in range(total + 1) if count * child + (total - count) * adult == money]
    equation = f"{child}*x + {adult}*({total} - x) = {money}"
    return Solved(join_values(found), lambda tools: tools.solve_equation(equation), {"total": total, "money": money})


def width_of_a_border(a: int, b: int, tenths: int, wording: int) -> Solved:
    """Return the answer, found by trying all widths in tenths of a unit."""

    def covered(width: int) -> int:
        # In hundredths of a square unit: print and mount, or the path alone.
        return (10 * a + 2 * width) * (10 * b + 2 * width) - (0, 100 * a * b)[wording]

    found = [width for width in range(1, 1000) if covered(width) == covered(tenths)]
    assert len(found) == 1
    area = format_exact(Fraction(covered(tenths), 100))
    equation = f"({a} + 2*x)*({b} + 2*x) = {area}{('', f' + {a}*{b}')[wording]}"
    return Solved(
        format_exact(Fraction(found[0], 10)),
        lambda tools: tools.calculate(f"max({tools.solve_equation(equation).strip('[]')})"),
        {"area": area},
    )


def homework(draw: Random, wording: int) -> Solved:
    """Return the answer of an exercise from school."""
    return (_roots_of_a_quadratic, _composed_polynomial)[wording](draw)


def _roots_of_a_quadratic(draw: Random) -> Solved:
    """Return the answer of a problem that is built from linear factors, so that its roots are known."""
    (p, q), (r, s) = ((draw.randint(2, 7), draw.choice((-11, -7, -5, 5, 8, 13))) for _ in range(2))
    if Fraction(-q, p) == Fraction(-s, r):
        s += 2 * r
    coefficients = (p * r, p * s + q * r, q * s)
    roots = sorted({Fraction(-q, p), Fraction(-s, r)})
    equation = f"{calculator_polynomial(coefficients)} = 0"
    return Solved(
        join_values(roots),
        lambda tools: join_values(list_elements(tools.solve_equation(equation))),
        {"polynomial": polynomial(coefficients)},
    )


def _composed_polynomial(draw: Random) -> Solved:
    """Return the answer, computed by the binomial formula for the coefficients of a polynomial of a polynomial."""
    a, b, c = draw.randint(2, 6), draw.choice((-7, -5, -3, 4, 8)), draw.randint(1, 9)
    m, n = draw.choice((-4, -3, 2, 3, 5)), draw.choice((-6, -2, 1, 7))
    coefficients = (a * m * m, 2 * a * m * n + b * m, a * n * n + b * n + c)
    outer, inner = polynomial((a, b, c)), polynomial((m, n))
    expression = f"expand({a}*({calculator_polynomial((m, n))})**2 + ({b})*({calculator_polynomial((m, n))}) + ({c}))"
    return Solved(polynomial(coefficients), expression, {"outer": outer, "inner": inner})


def price_before(first: float, second: float, cents: int, wording: int) -> Solved:
    """Return the answer, found by trying all prices in cents."""
    down, up = Fraction(str(first)), Fraction(str(second))
    factor = (1 + down / 100 if wording else 1 - down / 100) * (1 + up / 100)
    answer = min(
        range(cents // 2, 2 * cents),
        key=lambda price: abs(price * factor.numerator - cents * factor.denominator),
    )
    now = format_rounded(Fraction(cents, 100), 2)
    equation = f"x*(1 {'-+'[wording]} {first}/100)*(1 + {second}/100) = {now}"

    def solution(tools: Calculator) -> str:
        return tools.calculate(f"round({tools.solve_equation(equation).strip('[]')}, 2)")

    return Solved(format_rounded(Fraction(answer, 100), 2), solution, {"now": now})


def working_together(fast: int, slow: int, head: int) -> Solved:
    """Return the answer, found by bisection."""
    time = _bisect(lambda hours: hours / slow + max(hours - head, 0) / fast - 1)
    equation = f"x/{slow} + (x - {head})/{fast} = 1"

    def solution(tools: Calculator) -> str:
        return tools.calculate(f"round({tools.solve_equation(equation).strip('[]')}, 2)")

    return Solved(format_rounded(time, 2), solution)


def meeting_on_the_road(u: int, v: int, later: int, distance: int, wording: int) -> Solved:
    """Return the answer, found by bisection over the time on the road."""
    gap = (
        lambda hours: u * hours + v * (hours - later / 60) - distance,
        lambda hours: v * (hours - later / 60) - u * hours,
    )[wording]
    equation = (f"{u}*x + {v}*(x - {later}/60) = {distance}", f"{u}*x = {v}*(x - {later}/60)")[wording]

    def solution(tools: Calculator) -> str:
        return tools.calculate(f"round({u}*{tools.solve_equation(equation).strip('[]')}, 1)")

    return Solved(format_rounded(u * _bisect(gap), 1), solution)


def enlarged_drawing(a: int, b: int, area: int, share: int, wording: int) -> Solved:
    """Return the answer, found by bisection."""
    answer = (
        _bisect(lambda width: width * width * b / a - 10_000 * area),
        _bisect(lambda percent: a * percent / 100 * b * percent / 100 - a * b * share / 100),
    )[wording]
    expression = (f"round(sqrt({area}*10000*{a}/{b}), 1)", f"round(100*sqrt({share}/100), 1)")[wording]
    return Solved(format_rounded(answer, 1), expression)


def seats_in_a_theatre(first: int, more: int, rows: int) -> Solved:
    """Return the answer, computed by adding row after row."""
    seats, total = first, 0
    for row in range(1, rows + 1):
        total += seats if row % 4 else 0
        seats += more
    expression = f"sum(({first} + {more}*(k - 1))*(k % 4 != 0), k, 1, {rows})"
    return Solved(str(total), expression)


def when_one_overtakes(small: int, large: int, fast: int, slow: int) -> Solved:
    """Return the answer, found by simulating one step after the other."""
    ours, theirs, steps = Fraction(small), Fraction(large), 0
    while ours <= theirs:
        ours, theirs, steps = ours * (1000 + fast) / 1000, theirs * (1000 + slow) / 1000, steps + 1
    if ours - theirs < 2:
        raise RedrawError("whole readers could overtake at another step than parts of them")
    expression = f"floor(log({large}/{small})/log((1000 + {fast})/(1000 + {slow}))) + 1"
    return Solved(str(steps), expression, {"fast": fast / 10, "slow": slow / 10})


def best_price(cost: int, price: int, lost: int, ratio: int, wording: int) -> Solved:
    """Return the answer, found by trying all prices in steps of a tenth."""
    sold = ratio * lost

    def profit(tenths: int) -> Fraction:
        each = Fraction(tenths, 10)
        return (each - cost) * (sold - lost * (each - price))

    best = max(range(10 * cost, 1000), key=profit)
    formula = f"(x - {cost})*({sold} - {lost}*(x - {price}))"

    def solution(tools: Calculator) -> str:
        found = tools.solve_equation(f"{tools.differentiate(formula)} = 0").strip("[]")
        at_best = f"({found} - {cost})*({sold} - {lost}*({found} - {price}))/10"
        return tools.calculate((f"round({found}, 2)", f"round({at_best}, 2)")[wording])

    # Prices are in euros in the first wording, and in ten cents in the second.
    answer = (Fraction(best, 10), profit(best) / 10)[wording]
    values = {"sold": sold, "now": f"{price / 10:.2f}", "making": f"{cost / 10:.2f}"}
    return Solved(format_rounded(answer, 2), solution, values)


def _bisect(rising: Callable[[float], float]) -> float:
    """Return where a rising function is 0."""
    low, high = 0.0, 10_000.0
    while high - low > 1e-10:
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return low
