"""Airtable's ``filterByFormula``: fields in braces, comparisons, AND, OR, NOT and a few functions."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from types import MappingProxyType
from typing import Any

from pytest_mcpbench.simulated.engine import ToolFailure

_TOKEN = re.compile(
    r"\s*(?:(?P<field>\{[^}]+\})|(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')|(?P<number>-?\d+(?:\.\d+)?)"
    r"|(?P<sign><=|>=|!=|<>|[=<>(),&+\-*/])|(?P<word>[A-Za-z_]\w*))"
)
_MAX_DEPTH = 40

Fields = Mapping[str, Any]
Node = Callable[[Fields], Any]

_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {"=": eq, "!=": ne, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
)


def compile_filter(formula: str) -> Callable[[Fields], bool]:
    """Compile a formula to a predicate on a record's fields; raise :class:`ToolFailure` if the formula is invalid."""
    tokens = [*_tokens(formula)]
    parser = _Parser(tokens)
    node = parser.comparison()
    if parser.position < len(tokens):
        raise _invalid_formula(f"unexpected {tokens[parser.position][1]!r}")
    return lambda fields: bool(node(fields))


def _invalid_formula(why: str) -> ToolFailure:
    return ToolFailure(f"INVALID_FILTER_BY_FORMULA: The formula for filtering records is invalid: {why}")


def _tokens(formula: str) -> Iterator[tuple[str, str]]:
    position, end = 0, len(formula.rstrip())
    while position < end:
        match = _TOKEN.match(formula, position)
        if match is None:
            raise _invalid_formula(f"cannot read {formula[position : position + 10]!r}")
        yield str(match.lastgroup), match[str(match.lastgroup)]
        position = match.end()


@dataclass
class _Parser:
    """Recursive-descent parser of a formula's tokens."""

    tokens: Sequence[tuple[str, str]]
    position: int = 0
    depth: int = 0

    def comparison(self) -> Node:
        left = self._value()
        kind, sign = self._peek()
        if kind != "sign" or sign not in _COMPARISONS:
            return left
        self.position += 1
        return _comparison(_COMPARISONS[sign], left, self._value())

    def _value(self) -> Node:
        kind, text = self._peek()
        self.position += 1
        if kind == "field":
            name = text[1:-1]
            return lambda fields: fields.get(name)
        if kind == "text":
            return _constant(re.sub(r"\\(.)", r"\1", text[1:-1]))
        if kind == "number":
            return _constant(float(text))
        if kind == "word" and self._peek()[1] == "(":
            return self._call(text.upper())
        if text == "(":
            node = self._nested_expression()
            self._expect(")")
            return node
        if kind == "word":
            return lambda fields: fields.get(text)
        raise _invalid_formula(f"unexpected {text or 'end'!r}")

    def _call(self, name: str) -> Node:
        self._expect("(")
        arguments: list[Node] = []
        while self._peek()[1] != ")":
            arguments.append(self._nested_expression())
            if self._peek()[1] == ",":
                self.position += 1
            elif self._peek()[1] != ")":
                raise _invalid_formula(f"unexpected {self._peek()[1] or 'end'!r}")
        self._expect(")")
        function = _FUNCTIONS.get(name)
        if function is None:
            raise _invalid_formula(f"unknown function {name}; there are: {', '.join(_FUNCTIONS)}")
        return lambda fields: _apply(name, function, [argument(fields) for argument in arguments])

    def _nested_expression(self) -> Node:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise _invalid_formula("it is nested too deeply")
        node = self.comparison()
        self.depth -= 1
        return node

    def _peek(self) -> tuple[str, str]:
        return self.tokens[self.position] if self.position < len(self.tokens) else ("end", "")

    def _expect(self, sign: str) -> None:
        if self._peek()[1] != sign:
            raise _invalid_formula(f"expected {sign!r}, found {self._peek()[1] or 'end'!r}")
        self.position += 1


def _constant(value: Any) -> Node:
    return lambda _: value


def _comparison(compare: Callable[[Any, Any], bool], left: Node, right: Node) -> Node:
    return lambda fields: _compare(compare, left(fields), right(fields))


def _compare(compare: Callable[[Any, Any], bool], left: Any, right: Any) -> bool:
    """Compare as Airtable does: a blank equals an empty text or zero, and mixed types are compared as texts."""
    if isinstance(left, int | float) and isinstance(right, int | float):
        return compare(float(left), float(right))
    if None in (left, right) and isinstance(left if right is None else right, int | float):
        return compare(float(left or 0), float(right or 0))
    return compare(_as_text(left), _as_text(right))


def _as_text(value: Any) -> str:
    if value is None or value is False:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _find(part: Any, text: Any) -> int:
    return _as_text(text).find(_as_text(part)) + 1


def _search(part: Any, text: Any) -> int:
    return _as_text(text).casefold().find(_as_text(part).casefold()) + 1


_FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "AND": lambda *values: all(values),
        "OR": lambda *values: any(values),
        "NOT": lambda value: not value,
        "FIND": _find,
        "SEARCH": _search,
        "LOWER": lambda value: _as_text(value).lower(),
        "UPPER": lambda value: _as_text(value).upper(),
        "LEN": lambda value: len(_as_text(value)),
        "BLANK": lambda: None,
        "TRUE": lambda: True,
        "FALSE": lambda: False,
        "IS_BEFORE": lambda first, second: _as_text(first) < _as_text(second),
        "IS_AFTER": lambda first, second: _as_text(first) > _as_text(second),
    }
)


def _apply(name: str, function: Callable[..., Any], values: list[Any]) -> Any:
    try:
        return function(*values)
    except TypeError:
        raise _invalid_formula(f"{name} does not take {len(values)} arguments") from None
