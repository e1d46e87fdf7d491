"""Regular expressions in task files that texts are searched for."""

from typing import Annotated

from pydantic import AfterValidator

from pytest_mcpbench.text.bounded_pattern import BoundedPattern


def _compiled(pattern: str) -> str:
    BoundedPattern(pattern)
    return pattern


SearchPattern = Annotated[str, AfterValidator(_compiled)]
"""Regular expression that is refused when it is read, and not at the first search, if it cannot be compiled."""
