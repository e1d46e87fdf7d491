"""Conversion of text into a SymPy value: only a small allowed syntax, within bounds, never evaluated by Python."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import sympy

from pytest_mcpbench.simulated.math.bounds import check_number, check_size, power
from pytest_mcpbench.simulated.math.functions import FUNCTIONS, MathFunction, matrix_of, matrix_power
from pytest_mcpbench.simulated.python_syntax import parse_in_threads

MAX_CHARACTERS = 1_000
MAX_NODES = 500
MAX_TERMS = 10_000
"""Maximum terms of a sum or product that is written out."""

CONSTANTS: Mapping[str, Any] = {"pi": sympy.pi, "e": sympy.E, "E": sympy.E, "I": sympy.I, "oo": sympy.oo}


class ExpressionError(ValueError):
    """Error for a text that is not a valid expression; the message explains why."""


def parse_expression(text: str) -> Any:
    """Parse an expression into a number, an expression with variables, a matrix or a list of values."""
    if len(text) > MAX_CHARACTERS:
        raise ExpressionError(f"the expression is longer than {MAX_CHARACTERS:,} characters")
    try:
        tree = parse_in_threads(lambda: ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        if not text.strip():
            syntax_problem = "the expression is empty"
        elif "!" in text:
            syntax_problem = "invalid syntax: write factorial(n) for n!"
        elif "=" in text:
            syntax_problem = "invalid syntax: an expression has no equality sign"
        else:
            reason = error.msg if isinstance(error, SyntaxError) else str(error)
            syntax_problem = f"invalid syntax: {reason}; write products with *, such as 2*x"
        raise ExpressionError(syntax_problem) from None
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise ExpressionError(f"the expression has more than {MAX_NODES} parts")
    value = _value(tree.body, {})
    check_size(value)
    return value


_STEP_FUNCTIONS = (sympy.Mod, sympy.floor, sympy.ceiling)
"""Functions for which SymPy finds no closed form of a sum in reasonable time."""

Bound = Mapping[str, Any]
"""Values of the variables that a sum or a product binds."""


def _value(node: ast.expr, bound: Bound) -> Any:
    evaluate = _EVALUATORS.get(type(node))
    if evaluate is None:
        raise ExpressionError(f"{type(node).__name__} is not allowed in an expression")
    return evaluate(node, bound)


def _number(node: ast.Constant, _bound: Bound) -> Any:
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        raise ExpressionError(f"{node.value!r} is not a number")
    if node.value in (float("inf"), float("-inf")):
        raise ExpressionError("a number here is too large")
    return check_number(sympy.Rational(repr(node.value)))


def _name(node: ast.Name, bound: Bound) -> Any:
    if node.id in bound:
        return bound[node.id]
    if node.id in CONSTANTS:
        return CONSTANTS[node.id]
    if node.id in FUNCTIONS or node.id in _BINDERS:
        raise ExpressionError(f"{node.id} is a function: write {node.id}(...)")
    return variable(node.id)


def variable(name: str) -> sympy.Symbol:
    """Return the variable with the name, which must be one letter and optional digits."""
    if not name.isascii() or not name[:1].isalpha() or (name[1:] and not name[1:].isdigit()):
        raise ExpressionError(f"name {name!r} is not defined")
    return sympy.Symbol(name)


def _binary(node: ast.BinOp, bound: Bound) -> Any:
    operate = _OPERATIONS.get(type(node.op))
    if operate is None:
        raise ExpressionError("the operators are + - * / // % ** (** is the power, not ^)")
    left, right = _value(node.left, bound), _value(node.right, bound)
    return check_number(operate(_scalar(left), _scalar(right)))


def _scalar(value: Any) -> Any:
    """Return the value, or raise an error if it is a list."""
    if isinstance(value, sympy.Tuple):
        raise ExpressionError("a list can only be given to a function")
    return value


def _divide(left: Any, right: Any) -> Any:
    return left / _divisor(right)


def _floor_divide(left: Any, right: Any) -> Any:
    return sympy.floor(left / _divisor(right))


def _remainder(left: Any, right: Any) -> Any:
    return sympy.Mod(left, _divisor(right))


def _divisor(value: Any) -> Any:
    if value.is_zero:
        raise ZeroDivisionError("division by zero")
    return value


def _power(base: Any, exponent: Any) -> Any:
    return (matrix_power if isinstance(base, sympy.MatrixBase) else power)(base, exponent)


def _unary(node: ast.UnaryOp, bound: Bound) -> Any:
    value = _scalar(_value(node.operand, bound))
    if isinstance(node.op, ast.USub):
        return -value
    if isinstance(node.op, ast.UAdd):
        return value
    raise ExpressionError(f"{type(node.op).__name__} is not allowed in an expression")


def _comparison(node: ast.Compare, bound: Bound) -> Any:
    """Evaluate a comparison to 1 if it holds and to 0 if not, so that a sum over comparisons counts."""
    compare = _COMPARISONS.get(type(node.ops[0]))
    if compare is None or len(node.ops) > 1:
        raise ExpressionError("comparisons are ==, !=, <, <=, > and >= between two numbers")
    left, right = _value(node.left, bound), _value(node.comparators[0], bound)
    if not (left.is_number and right.is_number):
        raise ExpressionError("only numbers can be compared; solve_equation takes equations")
    return sympy.Integer(bool(compare(left, right)))


def _list(node: ast.List | ast.Tuple, bound: Bound) -> Any:
    if node.elts and all(isinstance(row, ast.List | ast.Tuple) for row in node.elts):
        return matrix_of([list(_value(row, bound)) for row in node.elts])
    return sympy.Tuple(*(_value(element, bound) for element in node.elts))


def _call(node: ast.Call, bound: Bound) -> Any:
    if not isinstance(node.func, ast.Name) or node.keywords:
        raise ExpressionError("functions are called as name(value, ...)")
    name = node.func.id
    if name in _BINDERS:
        # Evaluate ``sum(values)``, or ``sum(term, k, first, last)`` over the whole numbers of a range.
        nodes = node.args
        if len(nodes) != 4 or not isinstance(nodes[1], ast.Name):
            return _fold(name, [_value(node, bound) for node in nodes])
        term, counter = nodes[0], nodes[1].id
        first, last = _value(nodes[2], bound), _value(nodes[3], bound)
        if isinstance(first, sympy.Integer) and isinstance(last, sympy.Integer) and last - first < MAX_TERMS:
            whole_numbers = [sympy.Integer(k) for k in range(int(first), int(last) + 1)]
            return _fold(name, [_value(term, {**bound, counter: k}) for k in whole_numbers])
        symbol = variable(counter)
        body = _value(term, {**bound, counter: symbol})
        closed = None if body.has(*_STEP_FUNCTIONS) else _BINDERS[name][1](body, (symbol, first, last))
        if closed is None or closed.has(sympy.Sum, sympy.Product):
            raise ExpressionError(
                f"this {name} has no closed form that is known here, and more than {MAX_TERMS:,} terms"
            )
        return closed
    if name not in FUNCTIONS:
        raise ExpressionError(f"name {name!r} is not defined; there are: {', '.join(sorted([*FUNCTIONS, *_BINDERS]))}")
    values = [_value(argument, bound) for argument in node.args]
    return check_number(_apply(name, FUNCTIONS[name], values))


def _apply(name: str, function: MathFunction, values: list[Any]) -> Any:
    if function.most is None and len(values) == 1 and isinstance(values[0], sympy.Tuple):
        values = list(values[0])
    if len(values) < function.least or (function.most is not None and len(values) > function.most):
        if function.most is None:
            arity = f"at least {function.least} values"
        else:
            arity = (
                f"{function.least} to {function.most} values"
                if function.least != function.most
                else f"{function.least}"
            )
        raise ExpressionError(f"{name} takes {arity}, not {len(values)}")
    if function.most is None or len(values) > 1:
        values = [_scalar(value) for value in values]
    return function.apply(*values)


def _fold(name: str, values: list[Any]) -> Any:
    if len(values) == 1 and isinstance(values[0], sympy.Tuple):
        values = list(values[0])
    operate, _closed, total = _BINDERS[name]
    for value in values:
        total = check_number(operate(total, _scalar(value)))
    return total


_BINDERS: Mapping[str, tuple[Callable[[Any, Any], Any], Callable[..., Any], Any]] = {
    "sum": (operator.add, sympy.summation, sympy.Integer(0)),
    "product": (operator.mul, sympy.product, sympy.Integer(1)),
    "prod": (operator.mul, sympy.product, sympy.Integer(1)),
}

_OPERATIONS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.MatMult: operator.mul,
    ast.Div: _divide,
    ast.FloorDiv: _floor_divide,
    ast.Mod: _remainder,
    ast.Pow: _power,
}

_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}

_EVALUATORS: Mapping[type[ast.expr], Callable[[Any, Bound], Any]] = {
    ast.Constant: _number,
    ast.Name: _name,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _comparison,
    ast.List: _list,
    ast.Tuple: _list,
    ast.Call: _call,
}
