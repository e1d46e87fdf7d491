"""Settings of the proxies of an attempt, and what a program must know of them."""

from dataclasses import dataclass, field
from typing import Literal

Transport = Literal["http", "stdio"]
ToolNames = Literal["own", "exposed"]
HOST = "127.0.0.1"


@dataclass(frozen=True)
class ProxySettings:
    """Form in which the proxies offer the servers of an attempt."""

    transport: Transport = "http"
    tool_names: ToolNames = "exposed"
    """``own``: the servers' names, for programs that add a prefix for the server; ``exposed``: unique names."""
    result_characters: int | None = None
    """Length at which a tool result is cut; the trajectory keeps the full text."""
    port: int = 0
    """Port of the proxies; 0: a free one."""


@dataclass(frozen=True)
class ProxiedServer:
    """Address of one proxy: a URL, or a command that connects its stdin and stdout to the proxy."""

    name: str
    """Name of the server, of letters, digits, ``_`` and ``-``."""
    tools: tuple[str, ...]
    """Names of the tools that the proxy lists."""
    url: str | None = None
    command: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def configuration(self) -> dict[str, object]:
        """Return the entry of the server in an ``mcp.json``."""
        if self.url is not None:
            return {"type": "http", "url": self.url}
        program, *arguments = self.command
        return {"type": "stdio", "command": program, "args": arguments, "env": self.environment}
