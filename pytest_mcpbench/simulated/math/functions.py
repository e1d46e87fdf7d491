"""The functions that an expression may call, by name."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

import sympy

from pytest_mcpbench.simulated.math.bounds import MAX_BITS, TooLargeError, check_growth, check_size, power

MAX_MATRIX = 8
"""Maximum rows or columns of a matrix."""
MAX_FACTORED_BITS = 64
"""Maximum bits of a number that is factored into primes."""


@dataclass(frozen=True)
class MathFunction:
    """A function and the number of arguments it takes."""

    apply: Callable[..., Any]
    least: int = 1
    most: int | None = 1
    """``None`` allows any number of arguments; a list counts as its elements."""


def _integer(value: Any, name: str) -> int:
    if not isinstance(value, sympy.Integer):
        raise ValueError(f"{name} needs whole numbers, not {value}")
    return int(value)


def _bounded_integer(value: Any, name: str, most: int) -> int:
    number = _integer(value, name)
    if number < 0:
        raise ValueError(f"{name} needs a number that is not negative, not {number}")
    if number > most:
        raise TooLargeError(f"{name} takes numbers up to {most:,}")
    return number


def _matrix(value: Any) -> Any:
    if not isinstance(value, sympy.MatrixBase):
        raise ValueError("a matrix is written as a list of rows, such as [[4, 7], [2, 6]]")
    return value


def _square(value: Any) -> Any:
    matrix = _matrix(value)
    if matrix.rows != matrix.cols:
        raise ValueError(f"the matrix must be square, and this one has {matrix.rows} rows and {matrix.cols} columns")
    return matrix


def matrix_of(rows: list[list[Any]]) -> Any:
    """Return the matrix with these rows, which must have the same length."""
    if len({len(row) for row in rows}) != 1:
        raise ValueError("the rows of the matrix differ in length")
    if max(len(rows), len(rows[0])) > MAX_MATRIX:
        raise TooLargeError(f"matrices have at most {MAX_MATRIX} rows and columns")
    return sympy.ImmutableMatrix(rows)


def matrix_power(base: Any, exponent: Any) -> Any:
    """Raise a square matrix to a whole power; a negative power inverts it."""
    matrix, times = _square(base), _integer(exponent, "the power of a matrix")
    if abs(times) > 200:
        raise TooLargeError("powers of matrices go up to 200")
    return matrix**times


def _root(value: Any, degree: Any) -> Any:
    """Return the real root if there is one: the cube root of -8 is -2."""
    odd = isinstance(degree, sympy.Integer) and degree % 2 == 1
    if odd and value.is_negative:
        return -power(-value, 1 / degree)
    return power(value, 1 / degree)


def _log(value: Any, base: Any = None) -> Any:
    if value.is_zero or (base is not None and base in (0, 1)):
        raise ValueError("math domain error: the logarithm is not defined there")
    return sympy.log(value) if base is None else sympy.log(value, base)


def _with_growth_check(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(value: Any) -> Any:
        check_growth(value)
        return function(value)

    return apply


def _with_size_check(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(value: Any) -> Any:
        check_size(value)
        return function(value)

    return apply


def _round(value: Any, digits: Any = sympy.S.Zero) -> Any:
    """Round half away from zero, as taught at school."""
    places = _integer(digits, "round")
    if not value.is_real or abs(places) > 100:
        raise ValueError("round takes a real number and up to 100 places")
    with localcontext() as context:
        context.prec = 400
        exact = Decimal(str(value.evalf(150 + places)))
        return sympy.Rational(str(exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)))


def _modulo(value: Any, divisor: Any) -> Any:
    if divisor.is_zero:
        raise ZeroDivisionError("division by zero")
    return sympy.Mod(value, divisor)


def _power_modulo(base: Any, exponent: Any, modulus: Any) -> Any:
    numbers = [_integer(number, "powmod") for number in (base, exponent, modulus)]
    if any(number.bit_length() > 4096 for number in numbers):
        raise TooLargeError("powmod takes numbers of up to 1,200 digits")
    return sympy.Integer(pow(*numbers))


def _binomial(n: Any, k: Any) -> Any:
    total, selected = _integer(n, "binomial"), _bounded_integer(k, "binomial", MAX_BITS)
    if min(selected, abs(total - selected)) * total.bit_length() > MAX_BITS:
        raise TooLargeError("binomial: the result is too large")
    return sympy.binomial(total, selected)


def _permutations(n: Any, k: Any) -> Any:
    total, selected = _bounded_integer(n, "permutations", MAX_BITS), _bounded_integer(k, "permutations", MAX_BITS)
    if selected * total.bit_length() > MAX_BITS:
        raise TooLargeError("permutations: the result is too large")
    return sympy.ff(total, selected)


def _integer_function(function: Callable[[int], Any], name: str, *, bits: int) -> Callable[[Any], Any]:
    """Return a function that takes one positive whole number of bounded size."""

    def apply(value: Any) -> Any:
        number = _integer(value, name)
        if number < 1:
            raise ValueError(f"{name} needs a positive number, not {number}")
        if number.bit_length() > bits:
            raise TooLargeError(f"{name} takes numbers of up to {bits} bits")
        return sympy.sympify(function(number))

    return apply


def _factors(number: int) -> Any:
    """Return the prime factors of a number with their multiplicity."""
    exponents = sympy.factorint(number)
    return sympy.Tuple(*(prime for prime, times in sorted(exponents.items()) for _ in range(times)))


def _integers_function(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    return lambda *values: sympy.Integer(function(*(_integer(value, name) for value in values)))


def _median(*values: Any) -> Any:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _squares(values: tuple[Any, ...]) -> Any:
    mean = sum(values) / sympy.Integer(len(values))
    return sum((value - mean) ** 2 for value in values)


def _eigenvalues(value: Any) -> Any:
    multiplicities = _square(value).eigenvals()
    return sympy.Tuple(
        *sorted((root for root, times in multiplicities.items() for _ in range(times)), key=_by_real_part)
    )


def _by_real_part(value: Any) -> tuple[float, float]:
    number = complex(value.evalf(15))
    return number.real, number.imag


def _inverse(value: Any) -> Any:
    matrix = _square(value)
    if matrix.det() == 0:
        raise ValueError("the matrix has no inverse: its determinant is 0")
    return matrix.inv()


_is_prime = _integer_function(lambda number: int(sympy.isprime(number)), "isprime", bits=1024)

_PLAIN: Mapping[str, Callable[..., Any]] = {
    "sin": sympy.sin,
    "cos": sympy.cos,
    "tan": sympy.tan,
    "sec": sympy.sec,
    "csc": sympy.csc,
    "cot": sympy.cot,
    "asin": sympy.asin,
    "acos": sympy.acos,
    "atan": sympy.atan,
    "sinh": _with_growth_check(sympy.sinh),
    "cosh": _with_growth_check(sympy.cosh),
    "tanh": sympy.tanh,
    "exp": _with_growth_check(sympy.exp),
    "ln": _log,
    "log10": lambda value: _log(value, sympy.Integer(10)),
    "log2": lambda value: _log(value, sympy.Integer(2)),
    "sqrt": lambda value: power(value, sympy.Rational(1, 2)),
    "cbrt": lambda value: _root(value, sympy.Integer(3)),
    "abs": sympy.Abs,
    "sign": sympy.sign,
    "floor": sympy.floor,
    "ceil": sympy.ceiling,
    "degrees": lambda value: value * 180 / sympy.pi,
    "radians": lambda value: value * sympy.pi / 180,
    "factorial": lambda value: sympy.factorial(_bounded_integer(value, "factorial", 10_000)),
    "fibonacci": lambda value: sympy.fibonacci(_bounded_integer(value, "fibonacci", 100_000)),
    "isprime": lambda value: sympy.Integer(_integer(value, "isprime") > 1 and _is_prime(value) == 1),
    "nextprime": _integer_function(sympy.nextprime, "nextprime", bits=256),
    "prime": _integer_function(sympy.prime, "prime", bits=16),
    "totient": _integer_function(sympy.totient, "totient", bits=MAX_FACTORED_BITS),
    "divisor_count": _integer_function(sympy.divisor_count, "divisor_count", bits=MAX_FACTORED_BITS),
    "divisor_sum": _integer_function(sympy.divisor_sigma, "divisor_sum", bits=MAX_FACTORED_BITS),
    "factors": _integer_function(_factors, "factors", bits=MAX_FACTORED_BITS),
    "simplify": _with_size_check(sympy.simplify),
    "expand": _with_size_check(sympy.expand),
    "factor": _with_size_check(sympy.factor),
    "Matrix": _matrix,
    "det": lambda value: _square(value).det(),
    "inv": _inverse,
    "transpose": lambda value: _matrix(value).T,
    "rank": lambda value: sympy.Integer(_matrix(value).rank()),
    "trace": lambda value: _square(value).trace(),
    "eigenvalues": _eigenvalues,
}

FUNCTIONS: Mapping[str, MathFunction] = {
    **{name: MathFunction(apply) for name, apply in _PLAIN.items()},
    "log": MathFunction(_log, 1, 2),
    "root": MathFunction(_root, 2, 2),
    "round": MathFunction(_round, 1, 2),
    "mod": MathFunction(_modulo, 2, 2),
    "powmod": MathFunction(_power_modulo, 3, 3),
    "binomial": MathFunction(_binomial, 2, 2),
    "comb": MathFunction(_binomial, 2, 2),
    "permutations": MathFunction(_permutations, 2, 2),
    "perm": MathFunction(_permutations, 2, 2),
    "atan2": MathFunction(sympy.atan2, 2, 2),
    "limit": MathFunction(sympy.limit, 3, 3),
    "gcd": MathFunction(_integers_function(math.gcd, "gcd"), 1, None),
    "lcm": MathFunction(_integers_function(math.lcm, "lcm"), 1, None),
    "min": MathFunction(sympy.Min, 1, None),
    "max": MathFunction(sympy.Max, 1, None),
    "mean": MathFunction(lambda *values: sum(values) / sympy.Integer(len(values)), 1, None),
    "median": MathFunction(_median, 1, None),
    "pstdev": MathFunction(lambda *values: sympy.sqrt(_squares(values) / len(values)), 1, None),
    "stdev": MathFunction(lambda *values: sympy.sqrt(_squares(values) / (len(values) - 1)), 2, None),
}
"""Function by the name that expressions use; ``sum`` and ``product`` bind a variable and belong to the parser."""
