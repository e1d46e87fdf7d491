"""Interface of a program that works as an agent: how it is started for a turn, and what its output says."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pydantic import JsonValue

from pytest_mcpbench.agents.programs.proxy_settings import ProxiedServer, ToolNames, Transport
from pytest_mcpbench.core.conditions import Presentation
from pytest_mcpbench.core.task import Limits
from pytest_mcpbench.core.tool import ToolResult, ToolSpec
from pytest_mcpbench.core.trajectory import StopReason
from pytest_mcpbench.core.usage import Usage

START_SECONDS = 600
"""Time for which programs wait for the proxies, in place of their own few seconds, which a loaded machine exceeds."""
LOADED_MACHINE = (
    "On a loaded machine its time limit for starting servers may have run out: run fewer attempts at a time "
    "(--mcpbench-concurrency, -n), or raise the limit."
)
"""Advice if a program has not seen the tools of a server."""

CallTool = Callable[[str, dict[str, JsonValue]], Awaitable[ToolResult]]


@dataclass(frozen=True)
class Workplace:
    """Everything that a program may need to know of one turn of an attempt."""

    prompt: str
    """The user's message; before it the conversation so far, unless the program continues a session."""
    system: str
    """Instructions and the user's context; empty if there are none, or if the program continues a session."""
    servers: tuple[ProxiedServer, ...]
    directory: Path
    """Sandbox of the attempt."""
    home: Path
    """Private directory of the attempt for the program's settings and sessions."""
    mcp_config: Path
    """File with the ``mcpServers``."""
    session: str | None = None
    """Id of the session to continue."""
    model: str | None = None
    limits: Limits = field(default_factory=Limits)
    presentation: Presentation | None = None
    """How the program is to show tools to its model; ``None``: by its own default."""
    tools: tuple[ToolSpec, ...] = ()
    """Exposed tools, for agents in this process without a client of MCP."""
    call: CallTool | None = field(default=None, repr=False)
    """Coroutine function with which they call a tool by its name; the call is recorded as one through a proxy."""

    @property
    def whole_prompt(self) -> str:
        """The prompt after the instructions, for programs that have no other place for them."""
        return f"{self.system}\n\n{self.prompt}" if self.system else self.prompt


@dataclass(frozen=True)
class Launch:
    """Command of one run of a program."""

    arguments: tuple[str, ...]
    """Everything after the executable."""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables in addition to those of every program."""
    stdin: str = ""
    complete: Callable[["ProgramReport"], "ProgramReport"] | None = field(default=None, repr=False)
    """Adds to the report of the output what the program has left in its private directory."""


@dataclass(frozen=True)
class ReportedMessage:
    """Message of the program's model, with the names of the tools of servers that it called."""

    text: str = ""
    calls: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProgramReport:
    """Content of a program's output."""

    answer: str = ""
    usage: Usage = field(default_factory=Usage)
    session: str | None = None
    """Id by which a later run continues the conversation."""
    model: str | None = None
    """Model that answered, according to the program."""
    messages: tuple[ReportedMessage, ...] = ()
    """All messages in order, if the program reports them."""
    own_calls: tuple[str, ...] = ()
    """Names of the program's own tools that it used, which the proxies do not see."""
    own_offer: tuple[str, ...] = ()
    """Names of its own tools that it offered to its model, as far as it reports them."""
    own_skills: tuple[str, ...] = ()
    """Names of skills that it offered to its model, as far as it reports them."""
    date: str = ""
    """Date of today that it told its model; empty if it is not known to have told one."""
    stop: StopReason | None = None
    """Limit that the program itself has reached; ``declined``: it said that it refuses."""
    error: str = ""
    """Reason why the program could not work."""


class Program(Protocol):
    """Program that works as an agent."""

    @property
    def transport(self) -> Transport: ...

    @property
    def tool_names(self) -> ToolNames: ...

    @property
    def variables(self) -> tuple[str, ...]:
        """Environment variables that the program receives if they are set, such as those with its keys."""
        ...

    @property
    def has_sessions(self) -> bool:
        """Return whether a later turn continues the session of the one before."""
        ...

    @property
    def sums_session(self) -> bool:
        """Return whether a run that continues a session reports the tokens of the whole session."""
        ...

    @property
    def own_tools(self) -> str:
        """Describe what the program can do besides calling the task's servers."""
        ...

    @property
    def has_presentations(self) -> bool:
        """Return whether it can be told how to show tools to its model."""
        ...

    def launch(self, workplace: Workplace) -> Launch:
        """Write the program's settings below the private directory and return its command."""
        ...

    def report(self, output: str) -> ProgramReport:
        """Parse what the program wrote to stdout. Raises ValueError that says what is wrong with it."""
        ...
