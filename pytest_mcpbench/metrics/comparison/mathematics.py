"""Equality of mathematical expressions as functions of their letters, decided in bounded time.

Both trees are evaluated with 380 digits at fixed real points without structure. Expressions that are different
functions differ there, and rounded numbers differ from what they stand for; so agreement decides what symbolic
simplification may take minutes for and cannot be stopped at in a thread. Nothing is evaluated as code.
"""

from collections.abc import Callable, Sequence
from typing import Any

from pytest_mcpbench.metrics.comparison.math_parser import Node, NotMathematicsError, parse_expression

MOST_EXPONENT = 1000
"""Powers with a larger exponent and factorials of larger numbers are not computed."""

_DIGITS = 380
_AGREEING_DIGITS = 330
"""More than a text of the greatest length can hold, so that long integers are compared to their last digit."""
_SMALLEST = 350
"""Differences below 10^-350 come from rounding."""
_MOST_BITS = 20_000

_POINTS = ("0.73194028461", "1.93175509234", "-1.38715093327", "2.71430981736", "-0.41730928817", "5.20481736155")
_STEP = "0.61803398875"
"""How far the value of each further letter is from the one before."""


def same_mathematics(left: str, right: str) -> bool:
    """Return whether both texts are expressions with equal values wherever both have one; letters are real numbers.

    Equations are compared side by side, in either order; matrices cell by cell.
    """
    try:
        return _same(parse_expression(left), parse_expression(right))
    except (NotMathematicsError, RecursionError):
        return False


def _same(left: Node, right: Node) -> bool:
    if {left.operation, right.operation} & {"equation", "matrix"}:
        return _same_parts(left, right)
    letters = sorted(_letters(left) | _letters(right))
    points = _POINTS if letters else _POINTS[:1]
    agreed = [_agree(left, right, letters, point) for point in points]
    known = [one for one in agreed if one is not None]
    return bool(known) and all(known)


def _same_parts(left: Node, right: Node) -> bool:
    if left.operation != right.operation or left.text != right.text or len(left.operands) != len(right.operands):
        return False
    if all(map(_same, left.operands, right.operands)):
        return True
    return left.operation == "equation" and all(map(_same, left.operands, right.operands[::-1]))


def _letters(node: Node) -> set[str]:
    own = {node.text} if node.operation == "letter" else set()
    return own.union(*(_letters(part) for part in node.operands))


def _agree(left: Node, right: Node, letters: Sequence[str], point: str) -> bool | None:
    """Return whether the values at a point agree; ``None`` if one of them cannot be computed there."""
    # Imported here: only answers to mathematical tasks need it.
    import mpmath  # type: ignore[import-untyped]  # it ships no types

    context = mpmath.MPContext()
    context.dps = _DIGITS
    values = {letter: context.mpf(point) + index * context.mpf(_STEP) for index, letter in enumerate(letters)}
    try:
        first, second = _Evaluator(context, values)(left), _Evaluator(context, values)(right)
    except (ArithmeticError, ValueError, NotImplementedError, mpmath.libmp.NoConvergence):
        return None
    allowed = max(abs(first), abs(second)) * context.mpf(10) ** -_AGREEING_DIGITS
    return bool(abs(first - second) <= max(allowed, context.mpf(10) ** -_SMALLEST))


class _Evaluator:
    """Values of trees in one context at one point."""

    def __init__(self, context: Any, values: dict[str, Any]) -> None:
        self._context = context
        self._values = values
        self._constants = {"pi": +context.pi, "e": +context.e, "i": context.mpc(0, 1)}

    def __call__(self, node: Node) -> Any:
        value = self._value(node)
        if not self._context.isfinite(value) or (value != 0 and self._context.mag(value) > _MOST_BITS):
            raise ValueError("no finite value of a reasonable size")
        return value

    def _value(self, node: Node) -> Any:
        match node.operation:
            case "number":
                return self._context.mpf(node.text)
            case "letter":
                return self._values[node.text]
            case "constant":
                return self._constants[node.text]
        return self._operation(node.operation, node.text, [self(part) for part in node.operands])

    def _operation(self, operation: str, name: str, values: list[Any]) -> Any:
        match operation:
            case "add":
                return values[0] + values[1]
            case "negate":
                return -values[0]
            case "multiply":
                return values[0] * values[1]
            case "divide":
                return values[0] / values[1]
            case "power":
                return values[0] ** self._check_bound(values[1])
            case "factorial":
                return self._context.factorial(self._check_bound(values[0]))
            case "call":
                return self._function(name)(values[0])
        raise ValueError(f"{operation} has no value")

    def _check_bound(self, value: Any) -> Any:
        if abs(value) > MOST_EXPONENT:
            raise ValueError(f"more than {MOST_EXPONENT}")
        return value

    def _function(self, name: str) -> Callable[[Any], Any]:
        return getattr(self._context, {"abs": "fabs"}.get(name, name))  # type: ignore[no-any-return]  # mpmath has no types
