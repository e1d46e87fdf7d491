"""A small Python interpreter for the simulated terminal, with no access to the host.

It supports expressions, variables and ``print``; numbers, strings, lists, tuples, sets and dictionaries; arithmetic,
comparisons, slices, comprehensions, f-strings, a few built-in functions, methods of strings and collections, and the
module ``math``. Everything else (definitions, loops, files, attributes) raises a ``NotImplementedError`` that says so.
The number of steps per line and the size of numbers and strings are limited.
"""

import ast
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pytest_mcpbench.simulated.python_syntax import parse_in_threads

_MAX_STEPS = 20_000
_MAX_BITS = 4096
_MAX_LENGTH = 10_000
_MAX_CELLS = 2_000_000
"""Characters and items, also of inner lists, that the values and operands of one run have together."""
_OPERATORS: Mapping[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, many: one in many,
    ast.NotIn: lambda one, many: one not in many,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": abs,
    "all": all,
    "any": any,
    "bool": bool,
    "dict": dict,
    "divmod": divmod,
    "enumerate": lambda many, start=0: list(enumerate(many, start)),
    "float": float,
    "int": int,
    "len": len,
    "list": list,
    "max": max,
    "min": min,
    "range": lambda *bounds: _range_list(range(*bounds)),
    "reversed": lambda many: list(reversed(many)),
    "round": lambda number, digits=None: _round(number, digits),
    "set": set,
    "sorted": sorted,
    "str": str,
    "sum": sum,
    "tuple": tuple,
    "zip": lambda *many: list(zip(*many, strict=False)),
}
_METHODS: Mapping[type, tuple[str, ...]] = {
    str: (
        *("capitalize", "count", "endswith", "find", "isdigit", "join", "lower", "lstrip", "replace", "rstrip"),
        *("split", "startswith", "strip", "title", "upper"),
    ),
    list: ("append", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort"),
    dict: ("get", "items", "keys", "pop", "setdefault", "update", "values"),
    set: ("add", "discard", "union", "intersection", "difference"),
    tuple: ("count", "index"),
}
_MATH = (
    "ceil",
    "cos",
    "e",
    "exp",
    "floor",
    "gcd",
    "hypot",
    "log",
    "log10",
    "log2",
    "pi",
    "sin",
    "sqrt",
    "tan",
    "trunc",
)


_SIZED = (str, list, tuple, dict, set)


class Interpreter:
    """An interpreter with the variables of one session."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = {}
        self._printed: list[str] = []
        self._steps = 0
        self._cells = 0

    def run(self, source: str, *, is_interactive: bool = True) -> tuple[str, str]:
        """Run source text and return its output and its error; a session also prints the values of expressions."""
        self._printed, self._steps, self._cells = [], 0, 0
        try:
            for statement in parse_in_threads(lambda: ast.parse(source)).body:
                result = self._execute(statement)
                self._count_cells(result)
                if is_interactive and result is not None:
                    self._printed.append(f"{result!r}\n")
        except SyntaxError:
            return self._out(), f'  File "<stdin>", line 1\n    {source}\nSyntaxError: invalid syntax\n'
        except RecursionError:
            return self._out(), _traceback("RecursionError", "maximum recursion depth exceeded")
        except Exception as error:
            return self._out(), _traceback(type(error).__name__, str(error))
        return self._out(), ""

    def _out(self) -> str:
        return "".join(self._printed)

    def _execute(self, statement: ast.stmt) -> Any:
        """Execute a statement, and return the value if it is an expression."""
        match statement:
            case ast.Expr(value):
                return self._value(value, {})
            case ast.Assign(targets, value):
                result = self._value(value, {})
                for target in targets:
                    self._assign(target, result, self._names)
            case ast.AugAssign(ast.Name(name) as target, operation, value):
                old = self._value(ast.Name(name, ast.Load()), {})
                self._assign(target, self._apply(operation, old, self._value(value, {})), self._names)
            case ast.Import([ast.alias("math", None)]):
                self._names["math"] = math
            case ast.Pass():
                pass
            case _:
                raise NotImplementedError(f"this simulated Python does not know {type(statement).__name__} statements")
        return None

    def _assign(self, target: ast.expr, value: Any, names: dict[str, Any]) -> None:
        match target:
            case ast.Name(name):
                names[name] = value
            case ast.Tuple(parts) | ast.List(parts):
                for part, one in zip(parts, value, strict=True):
                    self._assign(part, one, names)
            case ast.Subscript(container, index):
                self._value(container, names)[self._value(index, names)] = value
            case _:
                raise NotImplementedError("this simulated Python does not know such a target")

    def _value(self, node: ast.expr, local: dict[str, Any]) -> Any:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise TimeoutError("this simulated Python takes at most 20000 steps a line")
        value = self._evaluate(node, local)
        if isinstance(value, int) and value.bit_length() > _MAX_BITS:
            raise OverflowError("numbers of this simulated Python have at most 4096 bits")
        if isinstance(value, _SIZED) and len(value) > _MAX_LENGTH:
            raise MemoryError("texts and lists of this simulated Python have at most 10000 items")
        self._cells += len(value) if isinstance(value, _SIZED) else 1
        self._check_cells()
        return value

    def _count_cells(self, *values: Any) -> None:
        """Count the cells of operands, whose inner values an operation may visit or copy; refuse too many."""
        left = list(values)
        while left:
            value = left.pop()
            self._cells += len(value) if isinstance(value, _SIZED) else 1
            self._check_cells()
            if isinstance(value, dict):
                left += [*value.keys(), *value.values()]
            elif isinstance(value, list | tuple | set):
                left += value

    def _check_cells(self) -> None:
        if self._cells > _MAX_CELLS:
            raise MemoryError(
                "the values of one line of this simulated Python have at most 2000000 characters and items"
            )

    def _evaluate(self, node: ast.expr, local: dict[str, Any]) -> Any:  # noqa: PLR0912, C901 (one case per kind of node)
        match node:
            case ast.Constant(value):
                return value
            case ast.Name(name):
                return self._lookup(name, local)
            case ast.List(parts):
                return [self._value(part, local) for part in parts]
            case ast.Tuple(parts):
                return tuple(self._value(part, local) for part in parts)
            case ast.Set(parts):
                return {self._value(part, local) for part in parts}
            case ast.Dict(keys, values):
                return {self._value(k, local): self._value(v, local) for k, v in zip(keys, values, strict=True) if k}
            case ast.UnaryOp(operation, operand):
                return _OPERATORS[type(operation)](self._value(operand, local))
            case ast.BinOp(left, operation, right):
                return self._apply(operation, self._value(left, local), self._value(right, local))
            case ast.BoolOp(operation, values):
                return self._bool_operation(isinstance(operation, ast.And), values, local)
            case ast.Compare(left, operations, others):
                return self._compare(self._value(left, local), operations, others, local)
            case ast.IfExp(test, body, orelse):
                return self._value(body if self._value(test, local) else orelse, local)
            case ast.Subscript(value, index):
                return self._value(value, local)[self._index(index, local)]
            case ast.Call():
                return self._call(node, local)
            case ast.Attribute(ast.Name("math"), name) if self._names.get("math") is math and name in _MATH:
                return getattr(math, name)
            case ast.ListComp(element, generators) | ast.GeneratorExp(element, generators):
                return [self._value(element, names) for names in self._iterations(generators, local)]
            case ast.SetComp(element, generators):
                return {self._value(element, names) for names in self._iterations(generators, local)}
            case ast.DictComp(key, value, generators):
                rounds = self._iterations(generators, local)
                return {self._value(key, names): self._value(value, names) for names in rounds}
            case ast.JoinedStr(values):
                return "".join(self._format(part, local) for part in values)
        raise NotImplementedError(f"this simulated Python does not know {type(node).__name__} expressions")

    def _lookup(self, name: str, local: dict[str, Any]) -> Any:
        for names in (local, self._names, _FUNCTIONS):
            if name in names:
                return names[name]
        raise NameError(f"name '{name}' is not defined")

    def _apply(self, operation: ast.operator, left: Any, right: Any) -> Any:
        function = _OPERATORS.get(type(operation))
        if function is None:
            raise NotImplementedError(f"this simulated Python does not know {type(operation).__name__}")
        if isinstance(operation, ast.Pow) and isinstance(left, int) and isinstance(right, int):
            if left.bit_length() * abs(right) > _MAX_BITS:
                raise OverflowError("numbers of this simulated Python have at most 4096 bits")
        elif isinstance(operation, ast.Mult):
            for many, count in ((left, right), (right, left)):
                if isinstance(many, str | list | tuple) and isinstance(count, int) and len(many) * count > _MAX_LENGTH:
                    raise MemoryError("texts and lists of this simulated Python have at most 10000 items")
        elif isinstance(operation, ast.Mod) and isinstance(left, str):
            raise NotImplementedError("this simulated Python does not know % for texts; use an f-string")
        self._count_cells(left, right)
        return function(left, right)

    def _bool_operation(self, is_and: bool, values: list[ast.expr], local: dict[str, Any]) -> Any:
        result: Any = is_and
        for value in values:
            result = self._value(value, local)
            if bool(result) is not is_and:
                break
        return result

    def _compare(self, left: Any, operations: list[ast.cmpop], others: list[ast.expr], local: dict[str, Any]) -> bool:
        for operation, other in zip(operations, others, strict=True):
            right = self._value(other, local)
            self._count_cells(left, right)
            if not _OPERATORS[type(operation)](left, right):
                return False
            left = right
        return True

    def _index(self, index: ast.expr, local: dict[str, Any]) -> Any:
        if not isinstance(index, ast.Slice):
            return self._value(index, local)
        bounds = (index.lower, index.upper, index.step)
        return slice(*(None if bound is None else self._value(bound, local) for bound in bounds))

    def _call(self, call: ast.Call, local: dict[str, Any]) -> Any:
        arguments = [self._value(argument, local) for argument in call.args]
        keywords = {keyword.arg: self._value(keyword.value, local) for keyword in call.keywords if keyword.arg}
        self._count_cells(arguments, keywords)
        match call.func:
            case ast.Name("print"):
                end = str(keywords.get("end", "\n"))
                self._printed.append(str(keywords.get("sep", " ")).join(map(str, arguments)) + end)
                return None
            case ast.Name(name):
                function = self._lookup(name, local)
                if function not in _FUNCTIONS.values():
                    raise TypeError(f"'{type(function).__name__}' object is not callable")
                return function(*arguments, **keywords)
            case ast.Attribute(ast.Name("math"), name) if self._names.get("math") is math and name in _MATH:
                return getattr(math, name)(*arguments)
            case ast.Attribute(owner, name):
                target = self._value(owner, local)
                self._count_cells(target)
                if name not in _METHODS.get(type(target), ()):
                    raise AttributeError(
                        f"'{type(target).__name__}' object has no attribute '{name}' in this simulated Python"
                    )
                method: Callable[..., Any] = getattr(target, name)
                return method(*arguments, **keywords)
        raise NotImplementedError("this simulated Python does not know such a call")

    def _iterations(self, generators: list[ast.comprehension], local: dict[str, Any]) -> Iterator[dict[str, Any]]:
        first, *others = generators
        for one in self._value(first.iter, local):
            names = dict(local)
            self._assign(first.target, one, names)
            if all(self._value(test, names) for test in first.ifs):
                yield from self._iterations(others, names) if others else (names,)

    def _format(self, part: ast.expr, local: dict[str, Any]) -> str:
        if not isinstance(part, ast.FormattedValue):
            return str(self._value(part, local))
        form = self._value(part.format_spec, local) if part.format_spec else ""
        if sum(map(len, form.split("."))) > 6:
            raise ValueError("Invalid format specifier")
        value = self._value(part.value, local)
        self._count_cells(value)
        return format(repr(value) if part.conversion == ord("r") else value, form)


def _round(number: Any, digits: Any) -> Any:
    if isinstance(number, int) and isinstance(digits, int) and digits < -_MAX_BITS:
        return 0  # as round() does, which computes the power of ten first
    return round(number, digits)


def _range_list(numbers: range) -> list[int]:
    if len(numbers) > _MAX_LENGTH:
        raise MemoryError("texts and lists of this simulated Python have at most 10000 items")
    return list(numbers)


def _traceback(kind: str, message: str) -> str:
    last_line = f"{kind}: {message}" if message else kind
    return f'Traceback (most recent call last):\n  File "<stdin>", line 1, in <module>\n{last_line}\n'
