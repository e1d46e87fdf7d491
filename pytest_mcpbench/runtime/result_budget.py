"""Bound on all results of one attempt, which are kept in memory and stored with its record."""

from dataclasses import dataclass

from pydantic import JsonValue

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.tool import ToolResult

MOST_CHARACTERS = 128 * 1024**2
"""Characters of all results of one attempt: twice the longest message of a server."""
_CHARACTERS_OF_VALUE = 8
"""Characters that a number, a truth value, a key or the brackets of a structured result count at least."""


@dataclass
class ResultBudget:
    """Characters that the results of one attempt may still have."""

    remaining: int = MOST_CHARACTERS

    def spend(self, result: ToolResult, server: str) -> None:
        """Count a result of a server.

        Raises:
            ServerError: the results of the attempt are larger than what is kept.
        """
        self.remaining -= _size(result)
        if self.remaining < 0:
            problem = f"the results of this attempt have more than {MOST_CHARACTERS:,} characters"
            raise ServerError(problem, server, "call")


def _size(result: ToolResult) -> int:
    blocks = sum(len(block.text or "") + len(block.data or "") + _CHARACTERS_OF_VALUE for block in result.content)
    return blocks + _size_of_value(result.structured)


def _size_of_value(value: JsonValue) -> int:
    size, rest = 0, [value]
    while rest:
        part = rest.pop()
        size += _CHARACTERS_OF_VALUE
        if isinstance(part, str):
            size += len(part)
        elif isinstance(part, list):
            rest += part
        elif isinstance(part, dict):
            size += sum(map(len, part))
            rest += part.values()
    return size
