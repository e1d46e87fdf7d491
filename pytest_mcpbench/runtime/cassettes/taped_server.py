"""Connections to servers whose results are recorded on a tape, or come from one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ToolResult, ToolSpec
from pytest_mcpbench.runtime.cassettes.lines import CallLine, ResourceLine, ServerLine
from pytest_mcpbench.runtime.cassettes.recording import RecordingTape
from pytest_mcpbench.runtime.cassettes.replaying import ReplayingTape
from pytest_mcpbench.runtime.servers.server_connection import ServerConnection


class RecordedServer:
    """Connection that records what the attempt reads through it."""

    def __init__(self, connection: ServerConnection, tape: RecordingTape) -> None:
        self._connection = connection
        self._tape = tape
        tape.add(
            ServerLine(
                server=self.ref.name, facts=connection.facts, tools=connection.tools, warnings=connection.warnings
            )
        )

    @property
    def ref(self) -> ServerRef:
        return self._connection.ref

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        return self._connection.tools

    @property
    def facts(self) -> ServerFacts:
        return self._connection.facts

    @property
    def instructions(self) -> str:
        return self._connection.instructions

    @property
    def warnings(self) -> tuple[str, ...]:
        return self._connection.warnings

    @property
    def pid(self) -> int | None:
        return self._connection.pid

    @property
    def directory(self) -> Path | None:
        return self._connection.directory

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        """Call the tool and record the result."""
        result = await self._connection.call(tool, arguments)
        self._tape.add(CallLine(server=self.ref.name, tool=tool, arguments=arguments, result=result))
        return result

    async def has_resource(self, uri: str) -> bool:
        return await self._connection.has_resource(uri)

    async def read_text(self, uri: str) -> str | None:
        """Read the resource and record its text."""
        text = await self._connection.read_text(uri)
        self._tape.add(ResourceLine(server=self.ref.name, uri=uri, text=text))
        return text


@dataclass(frozen=True)
class ReplayedServer:
    """Connection to a server that is not started."""

    ref: ServerRef
    recorded: ServerLine
    tape: ReplayingTape
    instructions: str = ""
    pid: None = None
    directory: None = None

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        return self.recorded.tools

    @property
    def facts(self) -> ServerFacts:
        return self.recorded.facts

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.recorded.warnings

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        """Return the recorded result. Raises CassetteError if there is none."""
        return self.tape.result(self.ref.name, tool, arguments)

    async def has_resource(self, uri: str) -> bool:
        return self.tape.has_resource(self.ref.name, uri)

    async def read_text(self, uri: str) -> str | None:
        """Return the text of the next recorded read; ``None`` if the resource was never read."""
        line = self.tape.resource(self.ref.name, uri)
        return line.text if line is not None else None
