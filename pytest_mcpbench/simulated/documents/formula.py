"""The filters of Airtable's ``filterByFormula``: fields in braces, comparisons, AND, OR, NOT and a few functions."""

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
_DEEPEST = 40

Fields = Mapping[str, Any]
Node = Callable[[Fields], Any]

_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {"=": eq, "!=": ne, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
)


def filter_of(formula: str) -> Callable[[Fields], bool]:
    """Whether a record's fields fulfil a formula; :class:`ToolFailure` where it cannot be read."""
    tokens = [*_tokens(formula)]
    parser = _Parser(tokens)
    node = parser.comparison()
    if parser.at < len(tokens):
        raise _invalid(f"unexpected {tokens[parser.at][1]!r}")
    return lambda fields: bool(node(fields))


def _invalid(why: str) -> ToolFailure:
    return ToolFailure(f"INVALID_FILTER_BY_FORMULA: The formula for filtering records is invalid: {why}")


def _tokens(formula: str) -> Iterator[tuple[str, str]]:
    at, end = 0, len(formula.rstrip())
    while at < end:
        match = _TOKEN.match(formula, at)
        if match is None:
            raise _invalid(f"cannot read {formula[at : at + 10]!r}")
        yield str(match.lastgroup), match[str(match.lastgroup)]
        at = match.end()


@dataclass
class _Parser:
    """Reads tokens by descending."""

    tokens: Sequence[tuple[str, str]]
    at: int = 0
    depth: int = 0

    def comparison(self) -> Node:
        left = self._value()
        kind, sign = self._peek()
        if kind != "sign" or sign not in _COMPARISONS:
            return left
        self.at += 1
        return _compared(_COMPARISONS[sign], left, self._value())

    def _value(self) -> Node:
        kind, text = self._peek()
        self.at += 1
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
            inner = self._nested()
            self._expect(")")
            return inner
        if kind == "word":
            return lambda fields: fields.get(text)
        raise _invalid(f"unexpected {text or 'end'!r}")

    def _call(self, name: str) -> Node:
        self._expect("(")
        arguments: list[Node] = []
        while self._peek()[1] != ")":
            arguments.append(self._nested())
            if self._peek()[1] == ",":
                self.at += 1
            elif self._peek()[1] != ")":
                raise _invalid(f"unexpected {self._peek()[1] or 'end'!r}")
        self._expect(")")
        function = _FUNCTIONS.get(name)
        if function is None:
            raise _invalid(f"unknown function {name}; there are: {', '.join(_FUNCTIONS)}")
        return lambda fields: _applied(name, function, [argument(fields) for argument in arguments])

    def _nested(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _invalid("it is nested too deeply")
        node = self.comparison()
        self.depth -= 1
        return node

    def _peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def _expect(self, sign: str) -> None:
        if self._peek()[1] != sign:
            raise _invalid(f"expected {sign!r}, found {self._peek()[1] or 'end'!r}")
        self.at += 1


def _constant(value: Any) -> Node:
    return lambda _: value


def _compared(compare: Callable[[Any, Any], bool], left: Node, right: Node) -> Node:
    return lambda fields: _holds(compare, left(fields), right(fields))


def _holds(compare: Callable[[Any, Any], bool], left: Any, right: Any) -> bool:
    """A comparison as Airtable makes it: a blank is an empty text or zero, unlike types are compared as texts."""
    if isinstance(left, int | float) and isinstance(right, int | float):
        return compare(float(left), float(right))
    if None in (left, right) and isinstance(left if right is None else right, int | float):
        return compare(float(left or 0), float(right or 0))
    return compare(_text(left), _text(right))


def _text(value: Any) -> str:
    if value is None or value is False:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _found(wanted: Any, text: Any) -> int:
    return _text(text).find(_text(wanted)) + 1


def _found_in_any_case(wanted: Any, text: Any) -> int:
    return _text(text).casefold().find(_text(wanted).casefold()) + 1


_FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "AND": lambda *values: all(values),
        "OR": lambda *values: any(values),
        "NOT": lambda value: not value,
        "FIND": _found,
        "SEARCH": _found_in_any_case,
        "LOWER": lambda value: _text(value).lower(),
        "UPPER": lambda value: _text(value).upper(),
        "LEN": lambda value: len(_text(value)),
        "BLANK": lambda: None,
        "TRUE": lambda: True,
        "FALSE": lambda: False,
        "IS_BEFORE": lambda first, second: _text(first) < _text(second),
        "IS_AFTER": lambda first, second: _text(first) > _text(second),
    }
)


def _applied(name: str, function: Callable[..., Any], values: list[Any]) -> Any:
    try:
        return function(*values)
    except TypeError:
        raise _invalid(f"{name} does not take {len(values)} arguments") from None
