"""Recorded calls of a real server, with the state in which they were made."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, JsonValue, PlainSerializer, field_validator

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.tool import Content, ToolResult

ROOT = "{root}"
"""Stands in arguments and results for the directory in which the server worked."""


def from_wire_result(value: Any) -> Any:
    """Return a result as MCP writes it (``structuredContent``, ``isError``), or its text alone, as our own value."""
    if isinstance(value, str):
        return ToolResult.of_text(value)
    if not isinstance(value, Mapping):
        return value
    is_error = bool(value.get("isError"))
    return ToolResult(
        content=tuple(_content(block) for block in value.get("content") or ()),
        structured=value.get("structuredContent"),
        is_error=is_error,
        error_kind="tool" if is_error else None,
    )


def to_wire_result(result: ToolResult) -> dict[str, Any]:
    """Return the result as MCP writes it."""
    written: dict[str, Any] = {"content": [_block(block) for block in result.content]}
    if result.structured is not None:
        written["structuredContent"] = result.structured
    return written | ({"isError": True} if result.is_error else {})


WireResult = Annotated[ToolResult, BeforeValidator(from_wire_result), PlainSerializer(to_wire_result)]


class TracedCall(FrozenModel):
    """A call and what the real server gave back."""

    tool: str
    """The server's own name of it."""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    result: WireResult | None = None
    """``None`` where it is still to be recorded."""
    success: bool | None = None
    """True if the real server did what was asked, where somebody has said so; ``None``: decided by rule."""


class Trace(FrozenModel):
    """Calls in order, and the state before them: what a simulation needs to be in the same one."""

    id: str = ""
    world: JsonValue = None
    """The tree with which the simulation begins, or the name of a seed that it knows; ``None``: its own."""
    files: dict[str, str] = Field(default_factory=dict)
    """Path, relative to the server's directory -> text; a path that ends in ``/`` is an empty directory."""
    now: str | None = None
    """The simulation's frozen clock, ISO 8601."""
    given: tuple[TracedCall, ...] = ()
    """Calls that bring either server into the state; they are made and not compared."""
    calls: tuple[TracedCall, ...] = Field(min_length=1)

    @field_validator("files")
    @classmethod
    def _stay_inside(cls, files: dict[str, str]) -> dict[str, str]:
        for path in files:
            if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
                raise ValueError(f"{path!r} leads out of the server's directory; write a path relative to it")
        return files


def replace_text(value: Any, old: str, new: str) -> Any:
    """Return a JSON value with a text replaced in every text of it."""
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, dict):
        return {key: replace_text(part, old, new) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [replace_text(part, old, new) for part in value]
    return value


def _content(block: Any) -> Content:
    if not isinstance(block, Mapping):
        raise ValueError("a block of content is an object with a type")
    inner = block["resource"] if isinstance(block.get("resource"), Mapping) else block
    return Content(
        type=block.get("type", "text"),
        text=inner.get("text"),
        mime_type=inner.get("mimeType"),
        data=inner.get("blob", inner.get("data")),
        uri=inner.get("uri"),
    )


def _block(content: Content) -> dict[str, Any]:
    data = "blob" if content.type == "resource" else "data"
    fields = {"text": content.text, "mimeType": content.mime_type, data: content.data, "uri": content.uri}
    written = {name: value for name, value in fields.items() if value is not None}
    return (
        {"type": content.type, "resource": written} if content.type == "resource" else {"type": content.type, **written}
    )
