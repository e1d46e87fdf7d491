"""Lock file ``tools.lock.json``: everything that a client sees of one server, with hashes and sizes."""

import hashlib
import json
import re
from typing import Any, Literal

from pydantic import Field, ValidationError

from pytest_mcpbench.core.definition_tokens import definition_tokens
from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.format_versions import newer_version
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition, canonical_json, canonical_tool
from pytest_mcpbench.definitions.schema_structure import without_texts
from pytest_mcpbench.definitions.texts import texts_of
from pytest_mcpbench.text.json_reading import read_json
from pytest_mcpbench.text.token_estimate import estimate_tokens

LOCK_ENDING = "tools.lock.json"
"""End of the name of every lock file."""
_HASHED_APART = frozenset({"name", "title", "description", "inputSchema", "outputSchema", "annotations"})


class Hashes(FrozenModel):
    """Digests of the parts of a definition, which change for different reasons."""

    text: str
    """What an agent reads: titles, descriptions, examples."""
    interface: str = Field(alias="schema")
    """What a call must look like, and its result: the schemas without their texts."""
    annotations: str
    """Everything else: hints for clients, ``_meta``, icons."""


class LockedTool(FrozenModel):
    """One tool, as its server listed it."""

    definition: dict[str, Any]
    hashes: Hashes
    tokens: int
    """Estimated tokens of name, description and input schema, which are sent with every model call."""

    @property
    def tool(self) -> ToolDefinition:
        return ToolDefinition(canonical_tool(self.definition))


class Lock(FrozenModel):
    """Content of a lock file."""

    lock_version: Literal[1] = 1
    server: str
    """Name of the server in the configuration."""
    file: str | None = None
    """Name of the first file beside the lock that defines the server, which tells servers of one name apart."""
    implementation: str | None = None
    """Name that the server gives itself."""
    protocol: str | None = None
    instructions: str = ""
    tokens: int
    """Sum over the tools, with the instructions."""
    tools: tuple[LockedTool, ...]
    """In the server's order."""

    @property
    def definition(self) -> ServerDefinition:
        """Return the server as it was when it was locked."""
        return ServerDefinition(
            name=self.server,
            tools=tuple(locked.tool for locked in self.tools),
            instructions=self.instructions,
            implementation=self.implementation,
            protocol=self.protocol,
        )

    @property
    def edited_tools(self) -> tuple[str, ...]:
        """Return the tools whose hashes do not belong to their definitions, because someone edited the file."""
        return tuple(locked.tool.name for locked in self.tools if locked.hashes != hashes_of(locked.tool))


def make_lock(server: ServerDefinition) -> Lock:
    """Return the lock of a server as it is now."""
    tools: list[LockedTool] = []
    for tool in server.tools:
        tokens = definition_tokens([tool.spec("")]).total
        tools.append(LockedTool(definition=dict(tool.canonical), hashes=hashes_of(tool), tokens=tokens))
    return Lock(
        server=server.name,
        implementation=server.implementation,
        protocol=server.protocol,
        instructions=server.instructions,
        tokens=sum(tool.tokens for tool in tools) + estimate_tokens(server.instructions),
        tools=tuple(tools),
    )


_CONFLICT = re.compile(r"^<<<<<<< ", re.MULTILINE)


def server_and_file_of(text: str) -> tuple[str | None, str | None]:
    """Return the server and the file that the text of a lock names first, also one with conflicts of a merge."""
    server, file = (
        re.search(rf'^  "{member}": ("(?:[^"\\]|\\.)*")', text, re.MULTILINE) for member in ("server", "file")
    )
    return server and str(json.loads(server[1])), file and str(json.loads(file[1]))


def server_of_conflicted_lock(text: str) -> str | None:
    """Return the server that a lock file with conflicts of a merge names first; ``None`` for any other file."""
    return server_and_file_of(text)[0] if _CONFLICT.search(text) else None


def read_lock(text: str, file: str) -> Lock:
    """Return the content of a lock file. Raises :class:`TaskError` that says what is wrong with the file."""
    conflict = _CONFLICT.search(text)
    if conflict is not None:
        place = SourceLocation(file, line=text.count("\n", 0, conflict.start()) + 1)
        accept = "`mcpbench lock --accept` writes the file as the server is now."
        raise TaskError("conflicts of a merge.", place, remedy=accept)
    remedy = "Restore the file, or delete it: `mcpbench lock` writes a new one."
    try:
        return Lock.model_validate(read_json(text))
    except ValidationError as error:
        problem = newer_version(text, Lock, field="lock_version")
        if problem is not None:
            raise TaskError(problem, SourceLocation(file)) from None
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise TaskError(f"{first['msg']}.", SourceLocation(file), field=field or None, remedy=remedy) from None
    except ValueError as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise TaskError(f"not valid JSON: {error}.", SourceLocation(file, line=line), remedy=remedy) from None


def lock_text(lock: Lock) -> str:
    """Return the content of the lock file: one member a line, so that a review shows what changed."""
    content = lock.model_dump(mode="json", exclude_none=True)
    if not lock.instructions:
        del content["instructions"]
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def hashes_of(tool: ToolDefinition) -> Hashes:
    """Return the digests of a tool's texts, schemas and everything else."""
    schemas = {name: without_texts(tool.canonical.get(name)) for name in ("inputSchema", "outputSchema")}
    others = {name: value for name, value in tool.canonical.items() if name not in _HASHED_APART}
    hints = {name: value for name, value in tool.annotations.items() if name != "title"}
    texts = {"/".join(place): text for place, text in texts_of(tool).items()}
    return Hashes(
        text=_digest(texts),
        interface=_digest({"name": tool.name, **schemas}),
        annotations=_digest({**others, "annotations": hints}),
    )


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()[:16]
