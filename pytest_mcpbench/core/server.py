"""Reference to an MCP server: how to start it or connect to it."""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, JsonValue, model_validator

from pytest_mcpbench.core.frozen import FrozenModel

TransportKind = Literal["in_process", "stdio", "http", "sse", "atlas"]
"""``atlas``: the REST interface of MCP-Atlas's container, of which the reference is one server."""


ServerKey = tuple[str, str, int]


class ServerTimeouts(FrozenModel):
    """Seconds that a server may take; ``call_seconds`` is for one tool call."""

    start_seconds: float = 120.0
    """A first start may download or compile the program."""
    list_seconds: float = 30.0
    call_seconds: float = 60.0


class ServerLimits(FrozenModel):
    """Resources that a stdio server, and each process that it starts, may use; ``None`` is no limit."""

    memory_mb: int | None = Field(4096, ge=1)
    """Writable memory."""
    file_mb: int | None = Field(1024, ge=1)
    """Size of a file that it writes."""
    open_files: int | None = Field(4096, ge=16)
    cpu_seconds: int | None = Field(None, ge=1)
    """Processor time."""


class ClientCredentials(FrozenModel):
    """OAuth client that gets its tokens without a user, as CI needs it (grant ``client_credentials``)."""

    client_id: str = Field(min_length=1)
    client_secret: str = Field(min_length=1, repr=False)
    issuer: str = Field(pattern=r"^https?://")
    """Authorization server to which the client belongs; no other one receives the secret."""


class ServerRef(FrozenModel):
    """Address and usage of a server; creating a reference starts nothing."""

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]+$")
    transport: TransportKind
    factory: Any = None
    """In process: ``package.module:attribute`` or the callable itself. It is called with the attempt's
    :class:`~pytest_mcpbench.core.sandbox.World` if it takes one; a server object is used as it is."""
    command: str | None = None
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = Field(default_factory=dict, repr=False)
    working_directory: str | None = None
    """Working directory of a stdio command; ``None``: the attempt's sandbox directory, or pytest's root if shared."""
    definition_directory: str | None = None
    """Directory from which its relative paths start, relative to the suite's; ``None``: the suite's."""
    roots: tuple[str, ...] | None = None
    """Directories in the answer to ``roots/list``, absolute or relative to the attempt's directory. ``None``: that
    directory; none if the connection is shared. Some servers permit only these, whatever their arguments say."""
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict, repr=False)
    """HTTP headers. If each attempt has its own connection, ``{sandbox}`` is replaced by the attempt's directory."""
    auth: Literal["oauth"] | ClientCredentials | None = None
    """``oauth``: send the tokens that ``mcpbench login`` has stored. A client: ask for tokens in each run."""
    state: Literal["shared", "per_task"] | None = None
    """``shared``: one connection serves many attempts; ``per_task``: fresh for each. Default: :attr:`is_shared`."""
    later_tools: tuple[str, ...] = ()
    """Tools that it offers only after other calls, so that references may name them."""
    capabilities: tuple[str, ...] | None = None
    """Capabilities that the client declares, such as ``elicitation.url``. ``None``: those of the suite's client."""
    mode: Literal["legacy", "auto", "modern"] | None = None
    """Era of the protocol: ``legacy`` up to 2025-11-25, ``modern`` since 2026-07-28, ``auto`` the modern one if the
    server speaks it. Default: ``auto`` in process and for streamable HTTP; elsewhere ``legacy``, or ``modern`` for a
    server that refuses the handshake."""
    fork: bool | tuple[str, ...] = False
    """stdio: whether its processes are forked from one that has imported the server, or these modules, beforehand."""
    sequential: bool = False
    """True if parallel calls of one turn must be made one after the other."""
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    """Keyword arguments for an in-process factory (a seed, a variant)."""
    timeouts: ServerTimeouts = ServerTimeouts()
    limits: ServerLimits = ServerLimits()
    network: bool = False
    """Whether a stdio server reaches the network even under ``--mcpbench-isolation``."""
    variables: dict[str, str] = Field(default_factory=dict, repr=False, exclude=True)
    """Environment variables that its definition takes the values of, for :mod:`pytest_mcpbench.core.secret_sources`."""
    problem: str | None = None
    """Why it cannot be started (an environment variable that is not set). Connecting to it is a
    :class:`~pytest_mcpbench.core.errors.ServerError` of the phase ``configure`` with this text; tasks on other servers
    run."""

    @model_validator(mode="after")
    def _has_an_address(self) -> "ServerRef":
        addresses = {"in_process": self.factory, "stdio": self.command}
        if not addresses.get(self.transport, self.url):
            raise ValueError(
                f"server {self.name!r} ({self.transport}) needs {_ADDRESS_OF.get(self.transport, 'a url')}"
            )
        if self.fork and (self.transport != "stdio" or self.is_shared):
            raise ValueError(f"server {self.name!r}: fork is for a command that is started for each task")
        return self

    @property
    def is_shared(self) -> bool:
        """Return whether one connection serves many attempts at once; by default only for servers with a URL."""
        if self.state is not None:
            return self.state == "shared"
        return self.transport in ("http", "sse", "atlas")


_ADDRESS_OF = {"in_process": "a factory", "stdio": "a command"}


def server_key(ref: ServerRef, suite_directory: Path) -> ServerKey:
    """Return a key that is equal for references to the same server."""
    # Not as JSON, which cannot have a directory whose name is not UTF-8.
    settings = repr(ref.model_dump(exclude={"factory"}))
    factory = ref.factory if isinstance(ref.factory, str) else ""
    # A factory that is a callable has no address; it is identified by its id, and kept alive by the suite.
    identity = 0 if factory or ref.factory is None else id(ref.factory)
    return f"{settings} {factory}", str(suite_directory), identity
