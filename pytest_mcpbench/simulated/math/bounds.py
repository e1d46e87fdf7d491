"""Limits on the size of numbers, powers and polynomials; anything larger is refused."""

import math
from typing import Any

import sympy

MAX_BITS = 200_000
"""Maximum bits of an exact intermediate number."""
MAX_DIGITS = 4_000
"""Maximum digits of an integer in a result; Python's JSON encoder refuses integers of more than 4,300 digits."""
MAX_DEGREE = 200
"""Maximum degree of an expression with variables."""
MAX_TERMS = 2_000
"""Maximum number of terms of an expression after its powers and products are expanded."""
MAX_ROOT_BITS = 2_000
"""Maximum bits of a number whose root is taken, because SymPy factors it."""


class TooLargeError(ValueError):
    """A computation that would take too much time or memory."""


def check_number(value: Any) -> Any:
    """Return the value, or raise :class:`TooLargeError` if it is an exact number of more than ``MAX_BITS`` bits."""
    if isinstance(value, sympy.Rational) and _bits(value) > MAX_BITS:
        raise TooLargeError(f"a number here has more than {MAX_BITS * 3 // 10:,} digits")
    return value


def check_growth(value: sympy.Expr) -> None:
    """Raise :class:`TooLargeError` for a number whose exponential cannot be computed."""
    if value.is_number and abs(value.evalf(15)) > MAX_BITS:
        raise TooLargeError("the exponential of so large a number cannot be computed")


def power(base: Any, exponent: Any) -> Any:
    """Return ``base ** exponent``.

    The result is exact if it stays small; a power of a fraction becomes a decimal if the exact one would be too large.
    """
    if not (base.is_number and exponent.is_number):
        return base**exponent
    if base.is_zero and exponent.is_negative:
        raise ZeroDivisionError("division by zero")
    if isinstance(base, sympy.Rational) and isinstance(exponent, sympy.Integer):
        if abs(base) in (0, 1) or _bits(base) * abs(exponent) <= MAX_BITS:
            return base**exponent
        if isinstance(base, sympy.Integer):
            raise TooLargeError(
                f"{_abbreviate(base)}**{_abbreviate(exponent)} has more than {MAX_BITS * 3 // 10:,} digits"
            )
        _check_magnitude(base, exponent)
        return base.evalf(30) ** exponent
    _check_magnitude(base, exponent)
    if isinstance(base, sympy.Rational) and _bits(base) > MAX_ROOT_BITS:
        base = base.evalf(30)
    return base**exponent


def _check_magnitude(base: Any, exponent: Any) -> None:
    """Raise :class:`TooLargeError` for a power above ``2 ** MAX_BITS`` or below its inverse."""
    size = abs(sympy.log(abs(base.evalf(15)), 2).evalf(15) * exponent.evalf(15)) if not base.is_zero else 0
    if not size <= MAX_BITS:
        raise TooLargeError(f"the power {_abbreviate(exponent)} is too large")


def check_size(value: Any) -> None:
    """Raise :class:`TooLargeError` for an expression with too high a degree or, once expanded, too many terms."""
    if not isinstance(value, sympy.Expr):
        return
    if value.free_symbols and _degree(value) > MAX_DEGREE:
        raise TooLargeError(f"the degree of the expression is above {MAX_DEGREE}")
    if _terms(value) > MAX_TERMS:
        raise TooLargeError(f"multiplied out, the expression has more than {MAX_TERMS:,} terms")


def _degree(value: sympy.Expr) -> float:
    """Return an upper bound of the degree of the polynomials in an expression."""
    parts = [_degree(part) for part in value.args]
    if value.is_Mul:
        return sum(parts)
    if value.is_Pow and isinstance(value.exp, sympy.Rational):
        return parts[0] * float(abs(value.exp))
    return max(parts, default=float(value.is_Symbol))


def _terms(value: sympy.Expr) -> float:
    """Return an upper bound of the number of terms after expansion."""
    parts = [_terms(part) for part in value.args]
    if value.is_Add:
        return sum(parts)
    if value.is_Mul:
        return math.prod(parts)
    if value.is_Pow and isinstance(value.exp, sympy.Rational):
        # C(n + k - 1, k), or an upper bound if that is above ``MAX_TERMS`` anyway.
        terms = parts[0]
        exponent = int(abs(value.exp))
        if terms <= 1:
            return 1.0
        if terms > MAX_TERMS or exponent > MAX_TERMS:
            return float(terms * max(exponent, 1))
        return float(math.comb(int(terms) + exponent - 1, exponent))
    return max(parts, default=1.0)


def _bits(value: sympy.Rational) -> int:
    return max(int(value.p).bit_length(), int(value.q).bit_length())


def _abbreviate(value: sympy.Expr) -> str:
    text = str(value)
    return text if len(text) <= 20 else text[:17] + "..."
