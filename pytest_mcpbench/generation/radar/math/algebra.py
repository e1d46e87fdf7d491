"""Problems of algebra: equations, roots, polynomials, series."""

from fractions import Fraction
from random import Random

from pytest_mcpbench.generation.radar.math.problem import (
    Calculator,
    Solved,
    calculator_polynomial,
    format_signed,
    join_values,
    list_elements,
    polynomial,
    value_at,
)


def age_now(draw: Random) -> Solved:
    """Return the answer, found by trying all ages."""
    while True:
        child, times, years, ratio = draw.randint(4, 16), draw.randint(4, 6), draw.randint(5, 25), draw.choice((2, 3))
        found = [age for age in range(1, 120) if times * age + years == ratio * (age + years)]
        if found == [child]:
            break
    equation = f"x + {years} = {ratio}*(x/{times} + {years})"
    return Solved(
        str(times * child),
        lambda tools: tools.solve_equation(equation),
        {"times": times, "years": years, "ratio": ratio},
    )


def child_tickets(adult: int, child: int, adults: int, children: int) -> Solved:
    """Return the answer, found by trying all numbers of children."""
    total, money = adults + children, adults * adult + children * child
    found = [count for count in range(total + 1) if count * child + (total - count) * adult == money]
    equation = f"{child}*x + {adult}*({total} - x) = {money}"
    return Solved(join_values(found), lambda tools: tools.solve_equation(equation), {"total": total, "money": money})


def roots_of_a_quadratic(draw: Random) -> Solved:
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


def squares_of_cubic_roots(draw: Random) -> Solved:
    """Return the answer of a problem that is built from known roots."""
    roots = draw.sample([number for number in range(-14, 19) if number], 3)
    a, b, c = roots
    coefficients = (1, -(a + b + c), a * b + b * c + a * c, -a * b * c)
    equation = f"{calculator_polynomial(coefficients)} = 0"

    def solution(tools: Calculator) -> str:
        found = list_elements(tools.solve_equation(equation))
        return tools.calculate(" + ".join(f"({root})**2" for root in found))

    return Solved(str(sum(root * root for root in roots)), solution, {"polynomial": polynomial(coefficients)})


def remainder_of_a_polynomial(draw: Random) -> Solved:
    """Return the answer, computed by Horner's rule."""
    coefficients = tuple(draw.choice((-9, -7, -5, -4, -3, 2, 3, 5, 6, 8)) for _ in range(6))
    point = draw.choice((-4, -3, 3, 4, 5))
    text, divisor = polynomial(coefficients), f"x {format_signed(-point)}"
    terms = [f"({number})*({point})**{5 - index}" for index, number in enumerate(coefficients)]
    return Solved(str(value_at(coefficients, point)), " + ".join(terms), {"text": text, "divisor": divisor})


def power_sum_of_roots(total: int, product: int, power: int) -> Solved:
    """Return the answer, computed by Newton's recurrence, without the roots."""
    sums = [2, total]
    while len(sums) <= power:
        sums.append(total * sums[-1] - product * sums[-2])
    equation = f"x^2 - {total}x {format_signed(product)} = 0"
    root = f"sqrt({total}**2 - 4*({product}))"
    expression = f"simplify(expand((({total} + {root})/2)**{power} + (({total} - {root})/2)**{power}))"
    return Solved(str(sums[power]), expression, {"equation": equation})


def exponent_that_fits(  # noqa: PLR0913 (the numbers of the problem)
    base: int, small: int, large: int, a: int, b: int, c: int
) -> Solved:
    """Return the answer, computed by comparing exponents of the common base."""
    # base**(small*(a x + b)) = base**(large*(c - x)), hence small*(a x + b) = large*(c - x).
    answer = Fraction(large * c - small * b, small * a + large)
    left, right = f"{base**small}^({a}x + {b})", f"{base**large}^({c} - x)"
    equation = f"({a}*x + {b})*log({base**small}) = ({c} - x)*log({base**large})"
    return Solved(
        str(answer),
        lambda tools: tools.calculate(_first(tools.solve_equation(equation))),
        {"left": left, "right": right},
    )


def _first(solutions: str) -> str:
    return f"simplify({solutions.strip('[]')})"


def logarithmic_equation(draw: Random, base: int) -> Solved:
    """Return the answer, found by trying integers, without logarithms."""
    while True:
        shift, less, power = draw.randint(1, 30), draw.randint(1, 12), draw.randint(4, 9)
        found = [x for x in range(less + 1, 400) if (x + shift) * (x - less) == base**power]
        if found:
            break
    equation = f"log_{base}(x + {shift}) + log_{base}(x - {less}) = {power}"
    questions = f"(x + {shift})*(x - {less}) = {base}**{power}"

    def solution(tools: Calculator) -> str:
        return tools.calculate(f"max({join_values(list_elements(tools.solve_equation(questions)))})")

    return Solved(str(found[0]), solution, {"equation": equation})


def equation_with_a_root(draw: Random) -> Solved:
    """Return the answer, found by trying integers where the right side is not negative."""
    while True:
        factor, added, less = draw.randint(3, 11), draw.randint(5, 160), draw.randint(2, 19)
        found = [x for x in range(less, 500) if factor * x + added == (x - less) ** 2]
        if len(found) == 1:
            break
    equation = f"sqrt({factor}x + {added}) = x - {less}"
    questions = f"sqrt({factor}*x + {added}) = x - {less}"
    return Solved(
        str(found[0]), lambda tools: join_values(list_elements(tools.solve_equation(questions))), {"equation": equation}
    )


def seats_in_a_theatre(first: int, more: int, rows: int) -> Solved:
    """Return the answer, computed by adding row after row."""
    seats, total = first, 0
    for row in range(1, rows + 1):
        total += seats if row % 4 else 0
        seats += more
    expression = f"sum(({first} + {more}*(k - 1))*(k % 4 != 0), k, 1, {rows})"
    return Solved(str(total), expression)


def composed_polynomial(a: int, b: int, c: int, m: int, n: int) -> Solved:
    """Return the answer, computed by the binomial formula for the coefficients."""
    coefficients = (a * m * m, 2 * a * m * n + b * m, a * n * n + b * n + c)
    outer, inner = polynomial((a, b, c)), polynomial((m, n))
    expression = f"expand({a}*({calculator_polynomial((m, n))})**2 + ({b})*({calculator_polynomial((m, n))}) + ({c}))"
    return Solved(polynomial(coefficients), expression, {"outer": outer, "inner": inner})
