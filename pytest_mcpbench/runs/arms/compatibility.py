"""Comparison of an arm's definitions with the server as it is now: what agents see, and whether their calls fit."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_mcpbench.core.arm import LIVE, Arm
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition, canonical_tool
from pytest_mcpbench.definitions.compatibility import DefinitionChange, calls_broken_by, compare_servers
from pytest_mcpbench.text.natural_order import natural_key

_SHOWN = 5


@dataclass(frozen=True)
class ArmChanges:
    """Changes from the definitions of an arm to those of the server as it is now."""

    changes: tuple[DefinitionChange, ...]
    """Of all servers of which the arm has definitions."""
    is_same: bool
    """Whether agents see the same in both, so that there is nothing to measure."""


def changes_of(arm: Arm, now: Mapping[str, ServerDefinition]) -> ArmChanges:
    """Return the changes of what agents see: names, descriptions, input schemas and their order, instructions.

    Args:
        arm: Arm with definitions.
        now: Definitions of the servers as they are now; a server that does not start is missing.

    Raises:
        UsageError: the definitions of a server belong to another one.
    """
    changes: list[DefinitionChange] = []
    before, after = visible_definitions(arm, now), visible_definitions(LIVE, now)
    for server in arm.shown_tools:
        if server in now:
            shown, live = ({tool.name for tool in side[server].tools} for side in (before, after))
            if shown and live and not shown & live:
                raise UsageError(
                    f"{arm.source}: the definitions are of another server: {before[server].name!r} has none of their "
                    f"tools ({', '.join(sorted(shown, key=natural_key)[:_SHOWN])})."
                )
            changes += compare_servers(before[server], after[server])
    is_same = not arm.servers and all(
        server in now
        and before[server].instructions == after[server].instructions
        and _texts(tools) == _texts(tool.spec(server) for tool in now[server].tools)
        for server, tools in arm.shown_tools.items()
    )
    return ArmChanges(tuple(changes), is_same)


def require_fitting_calls(changes: ArmChanges) -> None:
    """Raise UsageError if calls that are right by the arm's definitions may fail on the server as it is now."""
    broken = calls_broken_by(changes.changes)
    if broken:
        more = f" and {len(broken) - _SHOWN} more" if len(broken) > _SHOWN else ""
        raise UsageError(
            "calls that follow the earlier definitions would fail on the server as it is now "
            f"({'; '.join(map(str, broken[:_SHOWN]))}{more}). Use --mcpbench-route, which executes no call, or run the "
            'earlier server with --mcpbench-baseline=server:"COMMAND".'
        )


def visible_definitions(arm: Arm, now: Mapping[str, ServerDefinition]) -> dict[str, ServerDefinition]:
    """Return the definitions that agents see in an arm, by server."""
    return {
        server: visible_definition(
            server,
            arm.shown_tools.get(server, [tool.spec(server) for tool in live.tools]),
            arm.shown_instructions.get(server, live.instructions),
        )
        for server, live in now.items()
    }


def changes_between_arms(
    before: Mapping[str, ServerDefinition], after: Mapping[str, ServerDefinition]
) -> tuple[DefinitionChange, ...]:
    """Return the changes from the definitions of one arm to those of another, for the servers that both have."""
    return tuple(change for name in before if name in after for change in compare_servers(before[name], after[name]))


def visible_definition(server: str, tools: Iterable[ToolSpec], instructions: str = "") -> ServerDefinition:
    """Return a definition with the parts that agents see and no others."""
    parts = ({"name": tool.tool, "description": tool.description, "inputSchema": tool.input_schema} for tool in tools)
    return ServerDefinition(server, tuple(ToolDefinition(canonical_tool(each)) for each in parts), instructions)


def _texts(tools: Iterable[ToolSpec]) -> list[str]:
    """Return what agents see as text; the order of parameters counts."""
    return [tool.model_dump_json(include={"tool", "description", "input_schema"}) for tool in tools]
