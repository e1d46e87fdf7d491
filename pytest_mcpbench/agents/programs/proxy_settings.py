"""Settings of the proxies of an attempt, and what a program must know of them."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pytest_mcpbench.agents.programs import bridge

Transport = Literal["http", "stdio"]
ToolNames = Literal["own", "exposed"]
Answering = Literal["user", "program"]
HOST = "127.0.0.1"
# Isolated and without site: nothing of the environment can change what it does.
BRIDGE = (sys.executable, "-I", "-S", str(Path(bridge.__file__)))
"""Command line of the program that connects its stdin and stdout to a proxy."""


@dataclass(frozen=True)
class ProxySettings:
    """Form in which the proxies offer the servers of an attempt."""

    transport: Transport = "http"
    tool_names: ToolNames = "exposed"
    """``own``: the servers' names, for programs that add a prefix for the server; ``exposed``: unique names."""
    result_characters: int | None = None
    """Length at which a tool result is cut; the trajectory keeps the full text."""
    answering: Answering = "user"
    """Who answers the questions of servers: the task's user, or the program, as far as its client can."""
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
