"""Agents of the Agent Client Protocol: one process, and one session for the turns of an attempt.

Source: https://agentclientprotocol.com, version 1 of the protocol.
"""

import json
import re
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import acp
import anyio
from acp import schema
from pydantic import ValidationError

from pytest_mcpbench.agents.programs.external_agent import (
    MOST_OUTPUT,
    ExternalAgent,
    ProgramProcess,
    ProgramWorker,
)
from pytest_mcpbench.agents.programs.program import ProgramReport, Workplace
from pytest_mcpbench.agents.programs.proxy_settings import ProxiedServer
from pytest_mcpbench.core.errors import AgentError
from pytest_mcpbench.core.secrets import NO_SECRETS
from pytest_mcpbench.core.trajectory import PROGRAM, StopReason
from pytest_mcpbench.core.usage import Usage

Answer = TypeVar("Answer")
_STOPS: Mapping[str, StopReason] = {
    "max_tokens": "output_too_long",
    "max_turn_requests": "round_limit",
    "refusal": "declined",
}
_AUTHENTICATION_REQUIRED = -32000
_LONGEST_NAME = 80


@dataclass(frozen=True)
class AcpAgent(ExternalAgent):
    """Program that speaks the Agent Client Protocol on its stdin and stdout."""

    authentication: str = ""
    """Method by which it logs in; empty: it needs none."""

    def worker(self, notes: dict[str, str]) -> "_AcpWorker":
        return _AcpWorker(self, notes)


class _AcpWorker(ProgramWorker):
    """Session that answers the turns of one attempt."""

    def __init__(self, agent: AcpAgent, notes: dict[str, str]) -> None:
        super().__init__(agent)
        self._authentication = agent.authentication
        self._methods: tuple[str, ...] = ()
        self._notes = notes
        self._exits = AsyncExitStack()
        self._session: str | None = None

    @property
    def has_sessions(self) -> bool:
        return True

    async def work(self, workplace: Workplace) -> ProgramReport:
        """Send the prompt to the session of the turn before, or to a new one of a new process."""
        try:
            if self._session is None or workplace.session != self._session:
                await self.close()
                await self._open(workplace)
            return self._priced(await self._prompt(workplace.whole_prompt))
        except BaseException:
            # A turn that is cancelled at a limit would go on in the program.
            await self.close()
            raise

    async def close(self) -> None:
        """End the process, and the session with it."""
        self._session = None
        with anyio.CancelScope(shield=True):
            await self._exits.aclose()

    async def _open(self, workplace: Workplace) -> None:
        launch = self._agent.program.launch(workplace)
        self._process = process = self._new_process(launch, workplace)
        try:
            await self._exits.enter_async_context(process)
        except OSError as error:
            raise AgentError(f"cannot be started: {error.strerror or error}", self.name) from None
        self._client = _Client(workplace.servers)
        self._connection = acp.connect_to_agent(cast(Any, self._client), _Lines(process))
        self._exits.push_async_callback(self._connection.close)
        # Neither files nor terminals: by default a client has none.
        hello = self._connection.initialize(
            protocol_version=acp.PROTOCOL_VERSION, client_capabilities=schema.ClientCapabilities()
        )
        program = await self._answer("initialize", hello)
        if program.protocol_version != acp.PROTOCOL_VERSION:
            versions = f"version {program.protocol_version} of the protocol, and pytest-mcpbench {acp.PROTOCOL_VERSION}"
            raise AgentError(f"speaks {versions}; use a release of the agent that speaks it too", self.name)
        if program.agent_info is not None:
            self._notes[PROGRAM] = f"{program.agent_info.name} {program.agent_info.version}"
        capabilities = program.agent_capabilities and program.agent_capabilities.mcp_capabilities
        if self._agent.program.transport == "http" and not (capabilities and capabilities.http):
            problem = "takes no servers over HTTP (mcpCapabilities.http); leave `transport` out of its table"
            raise AgentError(problem, self.name)
        self._methods = tuple(each.id for each in program.auth_methods or () if each.id)
        if self._authentication:
            login = self._connection.authenticate(method_id=self._authentication)
            await self._answer("authenticate", login)
        servers = [_mcp_server(server) for server in workplace.servers]
        new = self._connection.new_session(cwd=str(workplace.directory.resolve()), mcp_servers=servers)
        self._session = (await self._answer("session/new", new)).session_id

    async def _prompt(self, text: str) -> ProgramReport:
        assert self._session is not None, "a session is open"
        self._client.start_turn()
        sent = self._connection.prompt(session_id=self._session, prompt=[acp.text_block(text)])
        response = await self._answer("session/prompt", sent)
        if response.stop_reason == "cancelled":
            raise AgentError("cancelled the turn by itself", self.name, self.stderr)
        return ProgramReport(
            answer=self._client.message,
            usage=_usage(response.usage, self._client.turn_cost_usd),
            session=self._session,
            own_calls=tuple(self._client.own_calls),
            stop=_STOPS.get(response.stop_reason),
        )

    async def _answer(self, method: str, request: Awaitable[Answer]) -> Answer:
        """Return the answer to a request. Raises AgentError if there is none that can be used."""
        try:
            return await request
        except acp.RequestError as error:
            details = f" ({NO_SECRETS.shorten(json.dumps(error.data), 500)})" if error.data else ""
            problem = f"answered {method} with error {error.code}: {error}{details}"
            if error.code == _AUTHENTICATION_REQUIRED:
                problem += "; give it the key of its provider in `environment`"
                if self._methods:
                    methods = ", ".join(map(repr, self._methods))
                    problem += f", and `authentication`, one of {methods}, if it has to be told"
                problem += " ([tool.mcpbench.agents])"
            raise AgentError(problem, self.name, self.stderr) from None
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"]))
            raise AgentError(f"its answer to {method} has no usable {field!r}: {first['msg']}", self.name) from None
        except ConnectionError:
            assert self._process is not None, "it was started"
            if self._process.is_flooded:
                raise AgentError(f"wrote a message of more than {MOST_OUTPUT // 2**20} MB", self.name) from None
            code = await self._process.exit_code()
            how = "closed its stdout" if code is None else f"ended with exit code {code}"
            raise AgentError(f"{how} before it answered {method}", self.name, self._process.stderr) from None


class _Lines:
    """Messages as lines of a process, in the form of ``Transport`` of the package."""

    def __init__(self, process: ProgramProcess) -> None:
        self._process = process

    async def send(self, message: dict[str, Any]) -> None:
        self._process.write(json.dumps(message) + "\n")

    async def receive(self) -> dict[str, Any] | None:
        """Return the next message; ``None`` at the end. Lines that are none, such as warnings, are left out."""
        while (line := await self._process.read_line()) is not None:
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(message, dict):
                return message
        return None

    async def close(self) -> None:
        """Do nothing: the process is ended by its own context."""


class _Client:
    """Client without files and terminals, which collects what an agent tells of a turn."""

    def __init__(self, servers: Sequence[ProxiedServer]) -> None:
        named = [(server.name, tool) for server in servers for tool in server.tools]
        self._bare_names = {_plain(tool) for _, tool in named}
        self._full_names = {
            _plain(before + server + tool) for server, tool in named for before in ("", "mcp", "tool", "mcptool")
        }
        self._calls: dict[str, dict[str, Any]] = {}
        self._cost_usd: float | None = None
        self._earlier_cost_usd = 0.0
        self.start_turn()

    def start_turn(self) -> None:
        """Forget the turn before, but for its calls and what it cost."""
        self.message = ""
        """Text of the agent's last message."""
        self.own_calls: list[str] = []
        """Titles of the calls that are not of the task's tools."""
        self._message_id: str | None = None
        if self._cost_usd is not None:
            self._earlier_cost_usd, self._cost_usd = self._cost_usd, None

    @property
    def turn_cost_usd(self) -> float | None:
        """Cost of the turn, from the sums of the session that agents report; ``None`` if it is unknown."""
        return None if self._cost_usd is None else self._cost_usd - self._earlier_cost_usd

    async def session_update(self, update: Any, **_: Any) -> None:
        if update.session_update == "agent_message_chunk":
            if update.message_id != self._message_id:
                self.message, self._message_id = "", update.message_id
            self.message += update.content.text if update.content.type == "text" else ""
        elif update.session_update == "tool_call":
            self.message = ""
            self._learn(update)
            if not self._is_of_task(update.tool_call_id):
                self.own_calls.append(NO_SECRETS.shorten(update.title, _LONGEST_NAME))
        elif update.session_update == "tool_call_update":
            self._learn(update)
        elif update.session_update == "usage_update" and update.cost is not None:
            self._cost_usd = update.cost.amount if update.cost.currency == "USD" else None

    async def request_permission(self, tool_call: Any, options: Sequence[Any], **_: Any) -> Any:
        """Allow a call of a tool of the task once, and refuse any other."""
        self._learn(tool_call)
        is_allowed = self._is_of_task(tool_call.tool_call_id)
        wanted = ("allow_once", "allow_always") if is_allowed else ("reject_once", "reject_always")
        for kind in wanted:
            for option in options:
                if option.kind == kind:
                    outcome = schema.AllowedOutcome(outcome="selected", option_id=option.option_id)
                    return schema.RequestPermissionResponse(outcome=outcome)
        return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))

    def _learn(self, call: Any) -> None:
        """Remember what is known of a call, whose parts arrive in several messages."""
        known = self._calls.setdefault(call.tool_call_id, {})
        known |= {name: value for name in ("title", "kind", "raw_input") if (value := getattr(call, name)) is not None}

    def _is_of_task(self, call_id: str) -> bool:
        """Return whether a call names a tool of the task's servers.

        Agents name it in the title, with or without the server: ``mcp__notes__read_note``, ``notes/read_note``. A plain
        name could also be that of a command or of a tool of the agent for files, so that the kind must not say so.
        """
        call = self._calls[call_id]
        name = _plain(call.get("title", ""))
        if name in self._bare_names:
            return call.get("kind", "other") not in ("edit", "delete", "move", "execute")
        return name in self._full_names


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _mcp_server(server: ProxiedServer) -> Any:
    """Return the entry of a proxy in ``mcpServers``."""
    if server.url is not None:
        return schema.HttpMcpServer(type="http", name=server.name, url=server.url, headers=[])
    variables = [schema.EnvVariable(name=name, value=value) for name, value in server.environment.items()]
    program, *arguments = server.command
    return schema.McpServerStdio(name=server.name, command=program, args=arguments, env=variables)


def _usage(usage: Any, cost_usd: float | None) -> Usage:
    """Return the tokens and the cost of a turn; a part that the agent does not report is unknown."""
    if usage is None:
        return Usage(cost_usd=cost_usd)
    # Some agents count what the cache holds among the input, some beside it; the total tells them apart.
    beside = (usage.cached_read_tokens or 0) + (usage.cached_write_tokens or 0)
    is_apart = usage.total_tokens >= usage.input_tokens + usage.output_tokens + beside
    return Usage(
        input_tokens=usage.input_tokens + (beside if is_apart else 0),
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cached_read_tokens,
        cache_write_tokens=usage.cached_write_tokens,
        cost_usd=cost_usd,
    )
