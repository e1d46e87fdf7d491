"""What connections to one server have found out, so that the next need not work it out again.

Attempts open the same server in this process hundreds of times. What it says of itself and of its tools is read each
time; what follows from it (the negotiation, our own values, the digest, compiled schemas) only where it has changed.
"""

from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp import Client

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.servers.results import tool_spec, tools_hash

_VALIDATORS = "_tool_output_validators"
"""Where a session of mcp keeps the compiled output schemas by tool: private, and so only used where it is a dict."""


@dataclass
class ServerCache:
    """Of one server reference, on one event loop."""

    discovered: types.DiscoverResult | None = None
    """What the last connection in this process was told, where no handshake was needed; a server made by the same
    factory with the same settings is not asked again."""
    version: str | None = None
    """The version of the protocol that came of it."""
    listed: list[types.Tool] = field(default_factory=list)
    tools: tuple[ToolSpec, ...] = ()
    tools_hash: str = ""
    resources: frozenset[str] | None = None
    """Addresses; ``None`` while nobody has asked for them."""
    _validators: dict[str, Any] = field(default_factory=dict)
    """Tool -> its compiled output schema."""

    def take(self, ref: ServerRef, client: Client, listed: list[types.Tool]) -> None:
        """Take note of a new connection and what it has listed."""
        if ref.transport == "in_process" and (discovered := client.session.discover_result) is not None:
            self.discovered, self.version = discovered, client.protocol_version
        if not self.tools_hash or listed != self.listed:
            self.listed = listed
            self.tools = tuple(tool_spec(ref.name, tool) for tool in listed)
            self.tools_hash = tools_hash(self.tools)
            self._validators = {}
        if (compiled := _compiled(client)) is not None:
            compiled.update(self._validators)

    def keep_compiled(self, client: Client) -> None:
        """Keep what the connection has compiled of these very schemas; compiling takes longer than a call."""
        schemas = {tool.name: tool.output_schema for tool in self.listed}
        for name, validator in (_compiled(client) or {}).items():
            if name not in self._validators and validator.schema == schemas.get(name):
                self._validators[name] = validator


def _compiled(client: Client) -> dict[str, Any] | None:
    compiled = getattr(client.session, _VALIDATORS, None)
    return compiled if isinstance(compiled, dict) else None
