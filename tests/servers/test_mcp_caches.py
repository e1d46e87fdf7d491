"""Validators and schemas that connections and the servers of a factory share."""

import functools
import gc
import json
import weakref
from collections.abc import Callable
from typing import Annotated, Any

import mcp.client.session
import pytest
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from pydantic import Field

from pytest_mcpbench.servers import mcp_caches
from pytest_mcpbench.servers.mcp_caches import reuse_adapters, reused_tools
from pytest_mcpbench.servers.tool_tasks import TasksExtension


def _counter(start: int) -> Callable[..., Any]:
    def count(step: int = 1) -> int:
        """Count on."""
        return start + step

    return count


def _tool(fn: Callable[..., Any], **options: Any) -> Tool:
    with reused_tools():
        server = MCPServer("counters")
        server.add_tool(fn, **options)
    (tool,) = server._tool_manager.list_tools()
    return tool


def test_servers_of_a_factory_share_validators_and_run_their_own_functions() -> None:
    first, second = (_tool(_counter(start), annotations=ToolAnnotations(title=str(start))) for start in (1, 2))

    assert second.fn_metadata.arg_model is first.fn_metadata.arg_model
    assert [each.fn(step=5) for each in (first, second)] == [6, 7]
    assert [each.annotations and each.annotations.title for each in (first, second)] == ["1", "2"]
    assert second == Tool.from_function(second.fn, annotations=second.annotations).model_copy(
        update={"fn_metadata": second.fn_metadata}
    )


def test_a_schema_that_an_author_changes_is_that_of_one_server() -> None:
    first = _tool(_counter(1))
    first.parameters["properties"]["step"]["description"] = "changed"
    assert first.output_schema is not None
    first.output_schema["description"] = "changed"

    second = _tool(_counter(1))
    assert "description" not in second.parameters["properties"]["step"]
    assert second.output_schema is not None
    assert "description" not in second.output_schema


def test_what_a_function_holds_ends_with_its_server() -> None:
    class World:
        """State of an attempt."""

    def tool_of(world: World) -> Callable[..., Any]:
        def look() -> str:
            """Look at the world."""
            return repr(world)

        return look

    world = World()
    seen = weakref.ref(world)
    _tool(tool_of(world))
    del world
    gc.collect()

    assert seen() is None


def test_metadata_that_a_factory_makes_anew_is_not_kept() -> None:
    def described() -> Callable[..., Any]:
        def count(step: Annotated[int, Field(description="Size of a step.")]) -> int:
            return step

        return count

    before = len(mcp_caches._tools)
    assert _tool(described()).parameters["properties"]["step"]["description"] == "Size of a step."
    assert len(mcp_caches._tools) == before


def _with_default(default: Any) -> Callable[..., Any]:
    def count(step: Any = default) -> Any:
        return step

    return count


def _with_type(kind: Any) -> Callable[..., Any]:
    def count(step: kind) -> None:
        """Count on."""

    return count


def _wrapped(fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def wrapper(*arguments: Any, **options: Any) -> Any:
        return fn(*arguments, **options)

    return wrapper


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(_with_default(1), _with_default(2), id="default"),
        pytest.param(_with_default(1), _with_default(True), id="default of another type"),
        pytest.param(_with_default([1]), _with_default([2]), id="default without a hash"),
        pytest.param(_with_type(int), _with_type(str), id="annotation"),
        pytest.param(_wrapped(_with_type(int)), _wrapped(_with_type(str)), id="decorated"),
    ],
)
def test_functions_of_the_same_code_with_another_signature_have_tools_of_their_own(
    one: Callable[..., Any], other: Callable[..., Any]
) -> None:
    shared, built = ([json.dumps(make(fn).parameters) for fn in (one, other)] for make in (_tool, Tool.from_function))

    assert shared == built
    assert shared[0] != shared[1]


def test_connections_with_the_same_extensions_share_the_validator_of_results() -> None:
    reuse_adapters()
    claims = {claim.result_type: claim for claim in TasksExtension().claims()}

    build = mcp.client.session._build_call_tool_adapter
    assert build(claims) is build(dict(claims))
    assert build({}) is not build(claims)
