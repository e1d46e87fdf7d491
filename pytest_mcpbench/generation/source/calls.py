"""Reference calls as they are written in source files: ``tool: {argument: value}``."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, JsonValue, model_validator

from pytest_mcpbench.generation.source.files import SourceValue


class ReferenceCall(SourceValue):
    """One reference call; its arguments may refer to results of earlier calls."""

    tool: str
    arguments: Mapping[str, JsonValue]

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, value: Any) -> Any:
        if not isinstance(value, dict) or {*value} == {"tool", "arguments"}:
            return value
        if len(value) != 1:
            raise ValueError(f"a call is `tool: {{argument: value}}`, not a mapping of {len(value)} keys")
        ((tool, arguments),) = value.items()
        return {"tool": tool, "arguments": arguments or {}}


def _parallel_calls(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


Step = Annotated[tuple[ReferenceCall, ...], BeforeValidator(_parallel_calls)]
"""Calls that can be made in parallel: a list of calls, or a single one."""
