"""Traces: recorded calls of a real server with its initial state."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, JsonValue, PlainSerializer, field_validator

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.tool import Content, ToolResult

ROOT = "{root}"
"""Placeholder for the server's directory in arguments and results."""


def from_wire_result(value: Any) -> Any:
    """Convert a result in MCP's form (``structuredContent``, ``isError``), or a text, to a tool result."""
    if isinstance(value, str):
        return ToolResult.of_text(value)
    if not isinstance(value, Mapping):
        return value
    is_error = bool(value.get("isError"))
    content = []
    for block in value.get("content") or ():
        if not isinstance(block, Mapping):
            raise ValueError("a block of content is an object with a type")
        inner = block["resource"] if isinstance(block.get("resource"), Mapping) else block
        content.append(
            Content(
                type=block.get("type", "text"),
                text=inner.get("text"),
                mime_type=inner.get("mimeType"),
                data=inner.get("blob", inner.get("data")),
                uri=inner.get("uri"),
            )
        )
    return ToolResult(
        content=tuple(content),
        structured=value.get("structuredContent"),
        is_error=is_error,
        error_kind="tool" if is_error else None,
    )


def to_wire_result(result: ToolResult) -> dict[str, Any]:
    """Return the result as MCP writes it."""
    blocks = []
    for block in result.content:
        is_resource = block.type == "resource"
        data = "blob" if is_resource else "data"
        fields = {"text": block.text, "mimeType": block.mime_type, data: block.data, "uri": block.uri}
        present = {name: value for name, value in fields.items() if value is not None}
        blocks.append({"type": block.type, "resource": present} if is_resource else {"type": block.type, **present})
    written: dict[str, Any] = {"content": blocks}
    if result.structured is not None:
        written["structuredContent"] = result.structured
    return written | ({"isError": True} if result.is_error else {})


WireResult = Annotated[ToolResult, BeforeValidator(from_wire_result), PlainSerializer(to_wire_result)]


class TracedCall(FrozenModel):
    """Call with the real server's result."""

    tool: str
    """The server's own name of it."""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    result: WireResult | None = None
    """``None`` if it is still to be recorded."""
    success: bool | None = None
    """Label for the success of the real server; ``None`` means that the rule decides."""


class Trace(FrozenModel):
    """Ordered calls with the state before them, which a simulation can start from."""

    id: str = ""
    world: JsonValue = None
    """Initial tree of the simulation or the name of one of its seeds; ``None`` means its default."""
    files: dict[str, str] = Field(default_factory=dict)
    """Path, relative to the server's directory -> text; a path that ends in ``/`` is an empty directory."""
    now: str | None = None
    """The simulation's frozen clock, ISO 8601."""
    given: tuple[TracedCall, ...] = ()
    """Setup calls that bring both servers into the same state; their results are not compared."""
    calls: tuple[TracedCall, ...] = Field(min_length=1)

    @field_validator("files")
    @classmethod
    def _stay_inside(cls, files: dict[str, str]) -> dict[str, str]:
        for path in files:
            if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
                raise ValueError(f"{path!r} leads out of the server's directory; write a path relative to it")
        return files


def replace_text(value: Any, old: str, new: str) -> Any:
    """Return a JSON value in which a text is replaced wherever it occurs."""
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, dict):
        return {key: replace_text(part, old, new) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [replace_text(part, old, new) for part in value]
    return value
