"""Cache of facts about one server that its connections share, so that each is computed once.

The attempts of a process open the same server hundreds of times. Each connection lists the tools; the conversion to
our own values, their digest and the compiled schemas are computed again only if the list has changed.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp import Client

from pytest_mcpbench.core.bounded_schema import BoundedValidator
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.servers.results import tool_spec, tools_hash

_VALIDATORS = "_tool_output_validators"
"""Attribute in which a session of mcp stores the compiled output schema of each tool (private; tried with mcp 2.3)."""


@dataclass
class ServerCache:
    """Cache for one server reference on one event loop."""

    discovered: types.DiscoverResult | None = None
    """Result of the last discovery of a server in this process that needed no handshake; see :meth:`discovery`."""
    version: str | None = None
    """Protocol version that was negotiated together with :attr:`discovered`."""
    is_modern: bool | None = None
    """Whether the last connection was without a handshake; ``None`` before the first."""
    listed: list[types.Tool] = field(default_factory=list)
    tools: tuple[ToolSpec, ...] = ()
    tools_hash: str = ""
    resources: frozenset[str] | None = None
    """URIs of the server's resources; ``None`` until they are listed."""
    _validators: dict[str, Any] = field(default_factory=dict)
    """Compiled output schemas by tool."""

    def update(self, ref: ServerRef, client: Client, listed: list[types.Tool]) -> None:
        """Store the tools that a new connection has listed, and give the connection the compiled schemas."""
        self.is_modern = client.session.discover_result is not None
        if ref.transport == "in_process" and (discovered := client.session.discover_result) is not None:
            self.discovered, self.version = discovered, client.protocol_version
        if not self.tools_hash or listed != self.listed:
            self.listed = listed
            self.tools = tuple(tool_spec(ref.name, tool) for tool in listed)
            self.tools_hash = tools_hash(self.tools)
            self._validators = {tool.name: _BoundedOutput(tool) for tool in listed if _has_patterns(tool)}
        if (validators := _session_validators(client)) is not None:
            validators.update(self._validators)

    def discovery(self, target: Any) -> types.DiscoverResult | None:
        """Return the cached answer to discovery with the instructions of this server object; ``None`` if there is none.

        Objects that one factory makes with the same settings differ in their instructions at most, which may name the
        directory or the world of an attempt.
        """
        if self.discovered is None:
            return None
        return self.discovered.model_copy(update={"instructions": target.instructions})

    def store_validators(self, client: Client) -> None:
        """Store the output schemas that a connection has compiled; compiling one takes longer than a call."""
        schemas = {tool.name: tool.output_schema for tool in self.listed}
        for name, validator in (_session_validators(client) or {}).items():
            # Another connection may have listed changed tools in the meantime.
            if name not in self._validators and validator.schema == schemas.get(name):
                self._validators[name] = validator


def _has_patterns(tool: types.Tool) -> bool:
    return tool.output_schema is not None and "pattern" in json.dumps(tool.output_schema)


class _BoundedOutput:
    """Validator of an output schema with patterns, which a hostile server could make mcp search without end."""

    def __init__(self, tool: types.Tool) -> None:
        self.schema = tool.output_schema or {}
        self._name = tool.name

    def iter_errors(self, instance: Any) -> Iterator[Any]:
        """Return the violations. Raises RuntimeError for an invalid schema, like the session's own validator."""
        from jsonschema import SchemaError

        validator = BoundedValidator(self.schema)
        try:
            validator.check()
        except SchemaError as error:
            raise RuntimeError(f"Invalid schema for tool {self._name}: {error.message}") from error
        return validator.iter_errors(instance)


def _session_validators(client: Client) -> dict[str, Any] | None:
    # Without the attribute, or with one of another type, each session compiles for itself: slower, and still correct.
    validators = getattr(client.session, _VALIDATORS, None)
    return validators if isinstance(validators, dict) else None
