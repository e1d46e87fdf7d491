"""Reuse of what the package ``mcp`` builds anew for each connection and each server, although it is always the same.

An attempt has connections and in-process servers of its own. Of the processor time of a short attempt, a sixth went
into validators and schemas that an earlier attempt had already built.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import mcp.client.session
from mcp.server.mcpserver.tools import Tool

_PLAIN = (str, int, float, bool, type(None))
_MOST_TOOLS = 2_000
_PASSED_ON = ("title", "annotations", "icons", "meta")
"""Arguments of ``Tool.from_function`` that it stores as they are."""

_build_adapter = getattr(mcp.client.session, "_build_call_tool_adapter", None)
_adapters: dict[Any, Any] = {}
_tools: dict[Any, tuple[Tool, str]] = {}
"""Tools without their functions, which hold what their factory made for one attempt; and their schemas as JSON."""


def reuse_adapters() -> None:
    """Let all clients with the same extensions share one validator of results, which takes 1 ms to build."""
    if _build_adapter is not None:
        mcp.client.session._build_call_tool_adapter = _adapter


def _adapter(active: Mapping[str, Any]) -> Any:
    assert _build_adapter is not None, "the function is replaced only if it exists"
    key = tuple((tag, claim.model) for tag, claim in active.items())
    if key not in _adapters:
        _adapters[key] = _build_adapter(active)
    return _adapters[key]


@contextmanager
def reused_tools() -> Iterator[None]:
    """Share schemas and validators among the tools that a factory makes of the same functions in this block."""
    found = vars(Tool)["from_function"]

    def from_function(cls: type[Tool], fn: Any, name: str | None = None, *more: Any, **options: Any) -> Tool:
        key = _key(cls, fn, name, options) if not more else None
        if key is None:
            return found.__func__(cls, fn, name, *more, **options)  # type: ignore[no-any-return]
        return _tool(key, fn, options, make=lambda: found.__func__(cls, fn, name, **options))

    Tool.from_function = classmethod(from_function)  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        Tool.from_function = found  # type: ignore[method-assign]


def _tool(key: Any, fn: Any, options: Mapping[str, Any], make: Callable[[], Tool]) -> Tool:
    """Return the tool of a function, a copy of the one with the same key."""
    known = _tools.get(key)
    if known is None:
        if len(_tools) >= _MOST_TOOLS:
            _tools.clear()
        made = make()
        try:
            schemas = json.dumps([made.parameters, made.fn_metadata.output_schema])
        except TypeError:  # a schema with a value of the author's that JSON has not
            return made
        known = _tools[key] = made.model_copy(update={"fn": None, **dict.fromkeys(_PASSED_ON)}), schemas
    tool, schemas = known
    # The author may change the schemas of this one. Reading JSON is the fastest copy.
    parameters, output_schema = json.loads(schemas)
    own = {
        "parameters": parameters,
        "fn_metadata": tool.fn_metadata.model_copy(update={"output_schema": output_schema}),
    }
    return tool.model_copy(update={"fn": fn, **own, **{option: options.get(option) for option in _PASSED_ON}})


def _key(cls: type[Tool], fn: Any, name: str | None, options: Mapping[str, Any]) -> Any:
    """Return what determines the tool of a function; ``None`` if that cannot be told."""
    # Attributes may lead to another signature, as those of functools.wraps do.
    if not isinstance(fn, FunctionType) or fn.__dict__:
        return None
    # Classes and metadata that a factory makes anew are never seen again.
    if any(isinstance(each, type) and "<locals>" in each.__qualname__ for each in fn.__annotations__.values()):
        return None
    if any(hasattr(each, "__metadata__") for each in fn.__annotations__.values()):
        return None
    defaults = (*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values())
    if any(type(default) not in _PLAIN for default in defaults):
        return None
    key = (
        *(cls, fn.__code__, fn.__module__, name, fn.__name__, fn.__doc__),
        *(tuple(fn.__annotations__.items()), tuple(fn.__kwdefaults__ or ())),
        *((type(default), default) for default in defaults),
        *((option, value) for option, value in options.items() if option not in _PASSED_ON),
    )
    try:
        hash(key)
    except TypeError:
        return None
    return key
