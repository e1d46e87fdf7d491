"""The calculator server: four tools of ``calculator-mcp-server`` (huhabla, MIT) with its parameters and responses."""

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import FASTMCP, Simulation
from pytest_mcpbench.simulated.math import world
from pytest_mcpbench.simulated.math.world import Answer


def calculate(_calculator: None, expression: str) -> Answer:
    """Work out an expression.

    Operators: + - * / // % and ** for powers; comparisons such as == and < give 1 or 0. Constants: pi, e, I, oo.
    Numbers are exact as long as possible; other values come as decimals, with their exact form beside them.

    Functions: sqrt, cbrt, root(x, n), exp, ln, log(x, base), log10, log2, abs, floor, ceil, round(x, digits), sign,
    min, max; sin, cos, tan, cot and their kin in radians, degrees, radians; factorial, binomial(n, k),
    permutations(n, k), gcd, lcm, mod, powmod(a, b, n), isprime, nextprime, factors, totient, divisor_count,
    divisor_sum, fibonacci; mean, median, stdev (sample), pstdev (population).
    Sums and products: sum(term, k, first, last) and product(term, k, first, last).
    Matrices are lists of rows: det, inv, transpose, rank, trace, eigenvalues, and + * ** between them.
    Algebra with one-letter variables: expand, factor, simplify, limit(expression, x, point).

    Args:
        expression: What to work out, for instance "sqrt(16) * 2", "det([[4, 7], [2, 6]])" or "sum(k**2, k, 1, 10)".

    Returns:
        {"result": value}, with "exact" where the decimal is rounded; or {"error": reason}.
    """
    return world.calculate(expression)


def solve_equation(_calculator: None, equation: str) -> Answer:
    """Find every x that satisfies an equation.

    Args:
        equation: Two sides with one = between them and x as the unknown, for instance "2*x + 3 = 7" or
            "sin(x) = 0.5". Write products with * and powers with **.

    Returns:
        {"solutions": list as text}, with "decimals" where a solution is irrational; or {"error": reason}.
    """
    return world.solve_equation(equation)


def differentiate(_calculator: None, expression: str, variable: str = "x") -> Answer:
    """Find the derivative of a function.

    Args:
        expression: The function, for instance "x**2 * sin(x)".
        variable: By which variable to derive; x if it is left out.

    Returns:
        {"result": derivative as text}; or {"error": reason}.
    """
    return world.differentiate(expression, variable)


def integrate(_calculator: None, expression: str, variable: str = "x") -> Answer:
    """Find an antiderivative of a function, without the constant of integration.

    Args:
        expression: The function, for instance "exp(2*x)" or "1/x".
        variable: The variable of integration; x if it is left out.

    Returns:
        {"result": antiderivative as text}; or {"error": reason}.
    """
    return world.integrate(expression, variable)


def _no_state(_world: World) -> None:
    """Return no state, because a calculator keeps nothing between two calls."""


SIMULATION = Simulation(
    name="calculator",
    state=_no_state,
    tools=(calculate, solve_equation, differentiate, integrate),
    dialect=FASTMCP,
    indent=2,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
