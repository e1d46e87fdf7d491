"""Validation of the tables below ``[tool.mcpbench]``."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.loaders.field_errors import to_field_error

Table = TypeVar("Table", bound=BaseModel)


def validate_table(kind: type[Table], content: Any, place: str) -> Table:
    """Return the checked table.

    Args:
        kind: Type of the table.
        content: Table as the file has it.
        place: Name of the table, such as ``[tool.mcpbench.models].mine``.

    Raises:
        UsageError: the table is wrong; the message names its key and, for an unknown one, the keys that there are.
    """
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        wrong = to_field_error(error, kind)
        key = f".{wrong.field}" if wrong.field else ""
        remedy = f" {wrong.remedy}" if wrong.remedy else ""
        raise UsageError(f"{place}{key}: {wrong.problem}{remedy}") from None
