"""Templates over the results of calls: they derive an answer, or an argument, from what the servers returned.

A template is written in Jinja and rendered in its sandbox. ``results[3]`` is the decoded result of the reference call
with the id ``3``; :data:`_FILTERS` has the filters that Jinja lacks.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from pytest_mcpbench.core.placeholders import decode_json, unwrap_result
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.text.bounded_pattern import BoundedPattern
from pytest_mcpbench.text.json_reading import texts_in
from pytest_mcpbench.text.moments import long_date, parse_date
from pytest_mcpbench.text.numbers import parse_number

if TYPE_CHECKING:
    from jinja2 import Template, nodes
    from jinja2.sandbox import SandboxedEnvironment

_EXPRESSION = re.compile(r"\{\{((?:(?!\}\}|\{\{).)*)\}\}", re.DOTALL)
_CELL_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?")
_LITERAL = re.compile(
    r"""'(?:[^'\\]|\\.)*+(?:'|\\?\Z)|"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|\b(?:None|True|False)\b""", re.DOTALL
)
"""A text or constant of Python; no other begins in a text whose closing quotation mark is missing."""
_MOST_DIGITS = 100
_MOST_BITS = 10_000
_LONGEST_REPETITION = 1_000_000
_CONSTANTS = {"None": "null", "True": "true", "False": "false"}
_NO_DEFAULT = object()


class ResultTemplateError(ValueError):
    """Error for a template that is invalid, or that does not find a value in the results."""


def render(template: str, results: Mapping[str, ToolResult]) -> str:
    """Return the text of a template, without empty lines. Raises :class:`ResultTemplateError`."""
    text = _evaluate(template, {"results": _Results(results)}, is_expression=False)
    return "\n".join(line for line in str(text).splitlines() if line.strip())


def render_value(value: JsonValue, results: Mapping[str, ToolResult]) -> JsonValue:
    """Return a JSON value with its texts rendered; a text that is one ``{{ expression }}`` keeps the value's type.

    Raises :class:`ResultTemplateError`.
    """
    match value:
        case str():
            whole = _EXPRESSION.fullmatch(value)
            if whole is None:
                return render(value, results)
            values = {"results": _Results(results)}
            return _evaluate(whole[1], values, is_expression=True)  # type: ignore[no-any-return]
        case list():
            return [render_value(item, results) for item in value]
        case dict():
            return {name: render_value(item, results) for name, item in value.items()}
    return value


def fill_slots(template: str, values: Mapping[str, Any]) -> str:
    """Return a text with its ``{{ slots }}`` filled from named values. Raises :class:`ResultTemplateError`."""
    has_slots = "{{" in template or "{%" in template
    return str(_evaluate(template, values, is_expression=False)) if has_slots else template


def fill(value: Any, values: Mapping[str, Any]) -> Any:
    """Return a value with the slots of its texts filled; a text that is one slot becomes the named value itself.

    Raises :class:`ResultTemplateError`.
    """
    match value:
        case str():
            whole = _EXPRESSION.fullmatch(value)
            return _evaluate(whole[1], values, is_expression=True) if whole else fill_slots(value, values)
        case list() | tuple():
            return [fill(item, values) for item in value]
        case Mapping():
            return {fill_slots(name, values): fill(item, values) for name, item in value.items()}
    return value


def referenced_results(value: JsonValue) -> frozenset[str] | None:
    """Return the ids of the calls whose results a template reads; ``None`` if they depend on the results."""
    from jinja2 import nodes

    found = set()
    for text in texts_in(value):
        tree = _parse(text)
        indexed = [each for each in tree.find_all(nodes.Getitem) if _is_results(each.node)]
        if len(indexed) < sum(_is_results(each) for each in tree.find_all(nodes.Name)):
            return None
        for each in indexed:
            if not isinstance(each.arg, nodes.Const):
                return None
            found.add(str(each.arg.value))
    return frozenset(found)


def literal_texts(template: str) -> tuple[str, ...]:
    """Return the texts that a template can write without reading them from a result."""
    from jinja2 import nodes

    written = [part for output in _parse(template).find_all(nodes.Output) for part in output.nodes]
    return tuple(text for part in written for text in _literals(part))


def _literals(node: "nodes.Node") -> Iterator[str]:
    from jinja2 import nodes

    match node:
        case nodes.TemplateData():
            yield node.data
        case nodes.Const():
            yield str(node.value)
        case nodes.CondExpr() | nodes.Concat() | nodes.Add():
            parts = [node.expr1, node.expr2] if isinstance(node, nodes.CondExpr) else [*node.iter_child_nodes()]
            for part in parts:
                if part is not None:
                    yield from _literals(part)


def _is_results(node: "nodes.Node") -> bool:
    return getattr(node, "name", None) == "results"


def _parse(template: str) -> "nodes.Template":
    try:
        return _environment().parse(template)
    except Exception as error:  # Jinja's own, RecursionError of nested brackets, ValueError of long numbers
        raise ResultTemplateError(f"the template is invalid: {_described(error)}") from error


def _evaluate(source: str, values: Mapping[str, Any], *, is_expression: bool) -> Any:
    try:
        return _expression(source)(values) if is_expression else _template(source).render(values)
    except Exception as error:  # a template is a program of the suite's author: it raises anything
        raise ResultTemplateError(f"{type(error).__name__.removesuffix('Error')}: {_described(error)}") from error


@lru_cache(maxsize=2_000)
def _template(source: str) -> "Template":
    return _environment().from_string(source)


@lru_cache(maxsize=2_000)
def _expression(source: str) -> Callable[..., Any]:
    return _environment().compile_expression(f"({source}) | defined", undefined_to_none=False)


def _described(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else f"{error}"[:500]


class _Results(Mapping[Any, Any]):
    """Decoded results by the ids of their calls; an id that is a number may be written as one."""

    def __init__(self, results: Mapping[str, ToolResult]) -> None:
        self._results = results
        self._decoded: dict[str, Any] = {}

    def __getitem__(self, call_id: Any) -> Any:
        key = str(call_id)
        if key not in self._decoded:
            # The value of the text that the agent reads; text in neither JSON's nor Python's notation stays text.
            value = unwrap_result(decode_json(self._results[key].text))
            is_literal = isinstance(value, str) and value.startswith(("[", "{"))
            self._decoded[key] = decode_json(_LITERAL.sub(_json_literal, value)) if is_literal else value
        return self._decoded[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)


def _json_literal(found: re.Match[str]) -> str:
    """Translate a text or constant of Python into JSON.

    ``ast.literal_eval`` would do it, but in CPython 3.11 it makes parsing in another thread fail.
    """
    if found[0] in _CONSTANTS:
        return _CONSTANTS[found[0]]
    if found[0][-1] != found[0][0] or len(found[0]) < 2:
        return found[0]
    try:
        text = found[0][1:-1].encode("latin-1", "backslashreplace").decode("unicode-escape")
    except UnicodeDecodeError:
        return found[0]
    return json.dumps(text, ensure_ascii=False)


@cache
def _environment() -> "SandboxedEnvironment":
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Environment(ImmutableSandboxedEnvironment):
        """Sandbox without the powers and repetitions that take all memory."""

        intercepted_binops = frozenset({"**", "*"})

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            _require_small(operator, left, right)
            return super().call_binop(context, operator, left, right)

    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_format_float)
    environment.filters.update(_FILTERS)
    environment.globals.update(days=lambda count: timedelta(days=count))
    return environment


def _require_small(operator: str, left: Any, right: Any) -> None:
    """Raise ResultTemplateError for a number of thousands of digits, and for a text or list of millions of items."""
    if operator == "**" and isinstance(left, int) and isinstance(right, int):
        if left.bit_length() * right > _MOST_BITS:
            raise ResultTemplateError(f"{left} ** {right} is too large")
        return
    sizes = [len(value) for value in (left, right) if isinstance(value, str | bytes | list | tuple)]
    counts = [value for value in (left, right) if isinstance(value, int)]
    if sizes and counts and sizes[0] * counts[0] > _LONGEST_REPETITION:
        raise ResultTemplateError(f"a repetition has more than {_LONGEST_REPETITION:,} items")


def _format_float(value: Any) -> Any:
    return f"{value:.12g}" if isinstance(value, float) else value


def _defined(value: Any) -> Any:
    """Return the value; raise Jinja's error if it is undefined."""
    str(value)
    return value


def _find(text: str, pattern: str, default: Any = _NO_DEFAULT) -> Any:
    """Return the first group of the first match (all groups as a tuple if there are several)."""
    match = BoundedPattern(pattern).first(text)
    if match is None:
        if default is _NO_DEFAULT:
            raise ResultTemplateError(f"{pattern!r} is not found in {text[:200]!r}")
        return default
    groups = match[1:]
    return groups if len(groups) > 1 else groups[0] if groups else match[0]


def _find_all(text: str, pattern: str) -> list[Any]:
    return BoundedPattern(pattern).each(text)


def _number(value: Any) -> int | float:
    """Return the number that a text states: ``1,800`` is 1800."""
    number = parse_number(str(value))
    if number is None:
        raise ValueError(f"{value!r} is no number")
    return int(number) if number.is_integer() else number


def _rows(text: str) -> list[dict[str, Any]]:
    """Return the rows of a CSV text that has a header; cells that are plain numbers become numbers."""
    return [
        {
            name: _number(value) if isinstance(value, str) and _CELL_NUMBER.fullmatch(value) else value
            for name, value in row.items()
        }
        for row in csv.DictReader(text.strip().splitlines())
    ]


def _date(value: Any) -> date:
    """Return a day that is written as ``2026-03-05`` or ``5 March 2026``."""
    if isinstance(value, date):
        return value
    # Of a date with a time the day counts.
    day = parse_date(str(value)) or parse_date(str(value)[: len("2026-03-05")])
    if day is None:
        raise ValueError(f"{value!r} is no date such as '2026-03-05' or '5 March 2026'")
    return day


def _long_date(value: Any) -> str:
    return long_date(_date(value))


def _money(value: float, digits: int = 2) -> str:
    return f"{value:,.{_require_digits(digits)}f}"


def _fixed(value: float, digits: int) -> str:
    return f"{value:.{_require_digits(digits)}f}"


def _require_digits(digits: int) -> int:
    if not 0 <= digits <= _MOST_DIGITS:
        raise ResultTemplateError(f"a number has 0 to {_MOST_DIGITS} digits after the point, not {digits}")
    return digits


def _join(values: Sequence[Any]) -> str:
    """Return ``A, B and C``."""
    *first, last = [str(value) for value in values]
    return f"{', '.join(first)} and {last}" if first else last


_FILTERS = {
    "csv": _rows,
    "date": _date,
    "defined": _defined,
    "find": _find,
    "find_all": _find_all,
    "fixed": _fixed,
    "listed": _join,
    "long_date": _long_date,
    "money": _money,
    "number": _number,
}
