"""Model whose tool format is determined by a small request in each format; the result is remembered."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.model_identity import identity_digest
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.trajectory import ToolFormat
from pytest_mcpbench.files.atomic_file import replace_file
from pytest_mcpbench.models.model import Model
from pytest_mcpbench.models.provider_error import REJECTED

ORDER: tuple[ToolFormat, ...] = ("native", "json", "react")
"""Formats in the order in which they are tried."""
WITHOUT_ANY: ToolFormat = "json"
"""Format of a model that calls the tool in none of them; its failures are its own."""
_WITHOUT_TOOLS = REJECTED | {500}
"""Statuses of servers that do not know tools; llama.cpp without ``--jinja`` answers 500."""
_NUMBER = 7
_TOOL = ToolSpec(
    name="report_number",
    server="probe",
    tool="report_number",
    description="Report a number.",
    input_schema={"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
)
_REQUEST = (ChatMessage("user", f"Call the tool report_number with the number {_NUMBER}."),)


@dataclass(frozen=True)
class FormatMemory:
    """Tool formats that were determined for models, one file for each model."""

    directory: Path | None
    """``None``: nothing is remembered."""

    def read(self, identity: str) -> ToolFormat | None:
        """Return the format of a model; ``None`` if it is not known."""
        if self.directory is None:
            return None
        try:
            stored = json.loads(self._path(self.directory, identity).read_bytes())
            return next((each for each in ORDER if stored["tools"] == each), None)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, identity: str, tool_format: ToolFormat) -> None:
        """Remember a format; a directory that cannot be written to costs one more probe in the next run."""
        if self.directory is None:
            return
        with suppress(OSError):
            self.directory.mkdir(parents=True, exist_ok=True)
            replace_file(self._path(self.directory, identity), json.dumps({"tools": tool_format}).encode())

    @staticmethod
    def _path(directory: Path, identity: str) -> Path:
        return directory / f"{identity_digest(identity)}.json"


class ProbedModel:
    """Model that tries the tool formats one after the other before its first request with tools."""

    def __init__(
        self, identity: str, in_format: Callable[[ToolFormat], Model], memory: FormatMemory, *, name: str
    ) -> None:
        self.name = name
        self._identity = identity
        self._models: Mapping[ToolFormat, Model] = {each: in_format(each) for each in ORDER}
        self._memory = memory
        self._found: ToolFormat | None = None
        self._is_probed = False
        self._lock: anyio.Lock | None = None

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        """Return the model's next message, see :class:`~pytest_mcpbench.models.model.Model`."""
        chosen = await self.find_format(settings) or WITHOUT_ANY if tools else "native"
        return await self._models[chosen].complete(messages, tools, settings)

    async def find_format(self, settings: ModelSettings) -> ToolFormat | None:
        """Return the format in which the model calls a tool; ``None``, which is not remembered, if there is none.

        Raises:
            ModelError: the provider fails.
        """
        if self._lock is None:
            # Created on first use, because a lock belongs to the event loop in which it is created.
            self._lock = anyio.Lock()
        async with self._lock:
            if not self._is_probed:
                self._found = self._memory.read(self._identity) or await self._probe(settings)
                self._is_probed = True
        return self._found

    async def _probe(self, settings: ModelSettings) -> ToolFormat | None:
        for tool_format in ORDER:
            try:
                reply = await self._models[tool_format].complete(_REQUEST, (_TOOL,), settings)
            except ModelError as error:
                if error.status not in (_WITHOUT_TOOLS if tool_format == "native" else REJECTED):
                    raise
                continue
            if any(call.name == _TOOL.name and call.arguments == {"number": _NUMBER} for call in reply.calls):
                self._memory.write(self._identity, tool_format)
                return tool_format
        return None
