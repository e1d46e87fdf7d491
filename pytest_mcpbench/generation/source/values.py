"""Values that a source file names, by expressions that can use the values before them."""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.result_templates import fill


def evaluate(expressions: Mapping[str, str], scope: Mapping[str, Any]) -> dict[str, Any]:
    """Return the named values, evaluated in order. Several names, separated by commas, take the items of a list.

    Raises ``ResultTemplateError``.
    """
    values: dict[str, Any] = {}
    for names, expression in expressions.items():
        value = fill(expression, {**scope, **values})
        separate = [name.strip() for name in names.split(",")]
        values.update(zip(separate, value, strict=True) if len(separate) > 1 else {names: value})
    return values
