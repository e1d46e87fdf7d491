"""Problems of algebra: equations, roots, polynomials, series."""

from fractions import Fraction
from random import Random

from pytest_mcpbench.generation.radar.math.problem import (
    MEN,
    WOMEN,
    Calculator,
    Drawn,
    calculator_polynomial,
    format_signed,
    join_values,
    list_elements,
    polynomial,
    value_at,
)


def age_now(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is found by trying all ages."""
    older, younger = draw.sample(WOMEN + MEN, 2)
    while True:
        child, times, years, ratio = draw.randint(4, 16), draw.randint(4, 6), draw.randint(5, 25), draw.choice((2, 3))
        found = [age for age in range(1, 120) if times * age + years == ratio * (age + years)]
        if found == [child]:
            break
    equation = f"x + {years} = {ratio}*(x/{times} + {years})"
    return Drawn(
        {"older": older, "times": times, "younger": younger, "years": years, "ratio": ratio},
        str(times * child),
        lambda tools: tools.solve_equation(equation),
    )


def child_tickets(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is found by trying all numbers of children."""
    adult, child = draw.choice(((13, 7), (17, 9), (19, 11), (23, 8)))
    adults, children = draw.randint(180, 420), draw.randint(150, 390)
    total, money = adults + children, adults * adult + children * child
    found = [count for count in range(total + 1) if count * child + (total - count) * adult == money]
    equation = f"{child}*x + {adult}*({total} - x) = {money}"
    return Drawn(
        {"total": total, "money": money, "adult": adult, "child": child},
        join_values(found),
        lambda tools: tools.solve_equation(equation),
    )


def roots_of_a_quadratic(draw: Random, _wording: int) -> Drawn:
    """Draw a problem that is built from linear factors, so that its roots are known."""
    (p, q), (r, s) = ((draw.randint(2, 7), draw.choice((-11, -7, -5, 5, 8, 13))) for _ in range(2))
    if Fraction(-q, p) == Fraction(-s, r):
        s += 2 * r
    coefficients = (p * r, p * s + q * r, q * s)
    roots = sorted({Fraction(-q, p), Fraction(-s, r)})
    equation = f"{calculator_polynomial(coefficients)} = 0"
    return Drawn(
        {"polynomial": polynomial(coefficients)},
        join_values(roots),
        lambda tools: join_values(list_elements(tools.solve_equation(equation))),
    )


def squares_of_cubic_roots(draw: Random, _wording: int) -> Drawn:
    """Draw a problem that is built from known roots."""
    roots = draw.sample([number for number in range(-14, 19) if number], 3)
    a, b, c = roots
    coefficients = (1, -(a + b + c), a * b + b * c + a * c, -a * b * c)
    equation = f"{calculator_polynomial(coefficients)} = 0"

    def solution(tools: Calculator) -> str:
        found = list_elements(tools.solve_equation(equation))
        return tools.calculate(" + ".join(f"({root})**2" for root in found))

    return Drawn({"polynomial": polynomial(coefficients)}, str(sum(root * root for root in roots)), solution)


def remainder_of_a_polynomial(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by Horner's rule."""
    coefficients = tuple(draw.choice((-9, -7, -5, -4, -3, 2, 3, 5, 6, 8)) for _ in range(6))
    point = draw.choice((-4, -3, 3, 4, 5))
    text, divisor = polynomial(coefficients), f"x {format_signed(-point)}"
    terms = [f"({number})*({point})**{5 - index}" for index, number in enumerate(coefficients)]
    return Drawn(
        {"text": text, "divisor": divisor},
        str(value_at(coefficients, point)),
        lambda tools: tools.calculate(" + ".join(terms)),
    )


def power_sum_of_roots(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by Newton's recurrence, without the roots."""
    total, product = draw.randint(4, 9), draw.choice((-7, -5, -3, 2, 3))
    power = draw.choice((5, 6, 7))
    sums = [2, total]
    while len(sums) <= power:
        sums.append(total * sums[-1] - product * sums[-2])
    equation = f"x^2 - {total}x {format_signed(product)} = 0"
    root = f"sqrt({total}**2 - 4*({product}))"
    expression = f"simplify(expand((({total} + {root})/2)**{power} + (({total} - {root})/2)**{power}))"
    return Drawn({"equation": equation, "power": power}, str(sums[power]), lambda tools: tools.calculate(expression))


def exponent_that_fits(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by comparing exponents of the common base."""
    base, small, large = draw.choice(((2, 2, 5), (3, 2, 3), (5, 2, 3), (2, 3, 7)))
    a, b, c = draw.randint(2, 5), draw.randint(1, 9), draw.randint(11, 29)
    # base**(small*(a x + b)) = base**(large*(c - x)), hence small*(a x + b) = large*(c - x).
    answer = Fraction(large * c - small * b, small * a + large)
    left, right = f"{base**small}^({a}x + {b})", f"{base**large}^({c} - x)"
    equation = f"({a}*x + {b})*log({base**small}) = ({c} - x)*log({base**large})"
    return Drawn(
        {"left": left, "right": right},
        str(answer),
        lambda tools: tools.calculate(_first(tools.solve_equation(equation))),
    )


def _first(solutions: str) -> str:
    return f"simplify({solutions.strip('[]')})"


def logarithmic_equation(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is found by trying integers, without logarithms."""
    base = draw.choice((2, 3))
    while True:
        shift, less, power = draw.randint(1, 30), draw.randint(1, 12), draw.randint(4, 9)
        found = [x for x in range(less + 1, 400) if (x + shift) * (x - less) == base**power]
        if found:
            break
    equation = f"log_{base}(x + {shift}) + log_{base}(x - {less}) = {power}"
    questions = f"(x + {shift})*(x - {less}) = {base}**{power}"

    def solution(tools: Calculator) -> str:
        return tools.calculate(f"max({join_values(list_elements(tools.solve_equation(questions)))})")

    return Drawn({"equation": equation, "base": base}, str(found[0]), solution)


def equation_with_a_root(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is found by trying integers where the right side is not negative."""
    while True:
        factor, added, less = draw.randint(3, 11), draw.randint(5, 160), draw.randint(2, 19)
        found = [x for x in range(less, 500) if factor * x + added == (x - less) ** 2]
        if len(found) == 1:
            break
    equation = f"sqrt({factor}x + {added}) = x - {less}"
    questions = f"sqrt({factor}*x + {added}) = x - {less}"
    return Drawn(
        {"equation": equation}, str(found[0]), lambda tools: join_values(list_elements(tools.solve_equation(questions)))
    )


def seats_in_a_theatre(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by adding row after row."""
    first, more, rows = draw.randint(17, 29), draw.choice((3, 4, 5)), draw.randint(31, 48)
    seats, total = first, 0
    for row in range(1, rows + 1):
        total += seats if row % 4 else 0
        seats += more
    expression = f"sum(({first} + {more}*(k - 1))*(k % 4 != 0), k, 1, {rows})"
    return Drawn({"rows": rows, "first": first, "more": more}, str(total), lambda tools: tools.calculate(expression))


def composed_polynomial(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by the binomial formula for the coefficients."""
    a, b, c = draw.randint(2, 6), draw.choice((-7, -5, -3, 4, 8)), draw.randint(-9, 9)
    m, n = draw.choice((-4, -3, 2, 3, 5)), draw.choice((-6, -2, 1, 7))
    coefficients = (a * m * m, 2 * a * m * n + b * m, a * n * n + b * n + c)
    outer, inner = polynomial((a, b, c)), polynomial((m, n))
    expression = f"expand({a}*({calculator_polynomial((m, n))})**2 + ({b})*({calculator_polynomial((m, n))}) + ({c}))"
    return Drawn({"outer": outer, "inner": inner}, polynomial(coefficients), lambda tools: tools.calculate(expression))
