"""Tools as agents see them, with their calls and results."""

from typing import Any, Literal

from pydantic import Field, JsonValue

from pytest_mcpbench.core.elicitation import Elicitation
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.sampling import Sampling

CallProblem = Literal["malformed_arguments", "unknown_tool", "not_exposed", "not_loaded"]
ToolErrorKind = Literal["tool", "protocol", "timeout", "transport"]


class ToolSpec(FrozenModel):
    """One tool that a server offers."""

    name: str
    """Name under which the agent sees the tool: the server's own, or ``<server>_<tool>``."""
    server: str
    tool: str
    """Name that the server itself uses."""
    description: str = ""
    input_schema: dict[str, Any] = Field(default_factory=lambda: {"type": "object"})
    output_schema: dict[str, Any] | None = None
    annotations: dict[str, Any] = Field(default_factory=dict)
    listing: dict[str, Any] = Field(default_factory=dict, exclude=True, repr=False)
    """Title, annotations, icons and ``_meta`` as the server lists them, for programs; not stored."""
    is_deferred: bool = False
    """Whether the provider of the model keeps the definition back until the model has searched for it."""

    def __hash__(self) -> int:
        """Return a hash without the schemas, which are dictionaries, so that functions of a tool can be cached."""
        return hash((self.server, self.name, self.description))

    @property
    def properties(self) -> dict[str, Any]:
        """Return JSON schemas of the parameters, by name."""
        properties = self.input_schema.get("properties")
        return properties if isinstance(properties, dict) else {}

    @property
    def is_read_only(self) -> bool:
        """Return whether the server says that calls of the tool change nothing."""
        return self.annotations.get("readOnlyHint") is True

    @property
    def is_repeatable(self) -> bool:
        """Return whether the server says that a second call with the same arguments changes nothing."""
        return self.is_read_only or self.annotations.get("idempotentHint") is True

    @property
    def required(self) -> tuple[str, ...]:
        """Return the names of the required parameters."""
        return tuple(self.input_schema.get("required") or ())


class Content(FrozenModel):
    """Block of a tool's result; other content than text is stored as base64 data or a link."""

    type: Literal["text", "image", "audio", "resource", "resource_link"]
    text: str | None = None
    mime_type: str | None = None
    data: str | None = None
    uri: str | None = None
    listing: dict[str, JsonValue] = Field(default_factory=dict)
    """Rest of the block, for programs: ``annotations`` and ``_meta``, and of a link its ``name`` and ``title``, too."""

    @property
    def placeholder(self) -> str:
        """Return the block's text, or a description for models that accept only text."""
        if self.text is not None:
            return self.text
        size = f", {len(self.data) * 3 // 4} bytes" if self.data else ""
        return f"[{self.type}: {self.mime_type or self.uri or 'unknown type'}{size}]"


class ToolResult(FrozenModel):
    """Result of a call. Errors are results too, which the agent reads."""

    content: tuple[Content, ...] = ()
    structured: JsonValue = None
    is_error: bool = False
    error_kind: ToolErrorKind | None = None
    was_repeated: bool = False
    """True if the server was lost during the call, which was made once more."""
    elicitations: tuple[Elicitation, ...] = ()
    """What the server asked the user before it answered, in order."""
    samplings: tuple[Sampling, ...] = ()
    """Messages that the server asked the client's model for, with the replies."""
    refused_samplings: int = 0
    """Number of further messages that it asked for, and was refused."""
    progress: tuple[str, ...] = ()
    """What the server reported before it answered: the first hundred reports."""
    meta: dict[str, JsonValue] = Field(default_factory=dict)
    """``_meta`` of the result, for programs, without what belongs to the protocol."""
    relisted: tuple[ToolSpec, ...] | None = None
    """All tools of the server, if it has told that their list has changed."""

    @classmethod
    def of_text(cls, text: str) -> "ToolResult":
        return cls(content=(Content(type="text", text=text),))

    @classmethod
    def failure(cls, text: str, kind: ToolErrorKind) -> "ToolResult":
        return cls(content=(Content(type="text", text=text),), is_error=True, error_kind=kind)

    @property
    def news(self) -> tuple[str, ...]:
        """Return what the server told besides its answer, for people."""
        reported = tuple(f"the server reports: {report}" for report in self.progress)
        if self.relisted is None:
            return reported
        return (*reported, f"the server changes its tools: {', '.join(tool.tool for tool in self.relisted) or 'none'}")

    @property
    def text(self) -> str:
        """Return all blocks as the text that a model reads, one a line."""
        return "\n".join(block.placeholder for block in self.content)


class Call(FrozenModel):
    """A call that an agent asked for."""

    id: str
    name: str
    """The tool's name as the agent wrote it."""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    raw_arguments: str | None = None
    """The arguments as the model wrote them, if they are not a JSON object."""


class CallRecord(Call):
    """Call with its target and result."""

    tool: str | None = None
    """The server's own name of the tool; ``None`` if no exposed tool has the name."""
    server: str | None = None
    problem: CallProblem | None = None
    result: ToolResult | None = None
    """``None`` if the call was never sent (a limit was reached, or it has a problem)."""
    seconds: float = 0.0

    @property
    def is_error(self) -> bool:
        """Return whether the call was refused, or has no result or an error as its result."""
        return self.problem is not None or self.result is None or self.result.is_error

    @property
    def called(self) -> str:
        """Return the server's own name of the tool, or the name that the agent wrote if there is none."""
        return self.tool or self.name

    @property
    def names(self) -> frozenset[str]:
        """Return the names by which a task may refer to the tool that was called."""
        prefixed = () if self.server is None else (f"{self.server}_{self.called}",)
        return frozenset((self.name, self.called, *prefixed))


ContextMethod = Literal["resources/list", "resources/templates/list", "resources/read", "prompts/list", "prompts/get"]
"""Request of a client to a server about its resources and prompts."""


class ContextRead(Call):
    """Use of a tool of the client that lists or reads resources or prompts, or loads a skill; no call of the task."""

    kind: ContextMethod | Literal["skill"]
    target: str = ""
    """URI, or name of a prompt or a skill; empty for a list."""
    server: str | None = None
    result: ToolResult | None = None
    """``None`` if a limit was reached before."""

    @property
    def is_error(self) -> bool:
        """Return whether nothing was read."""
        return self.result is None or self.result.is_error


class ToolSearch(Call):
    """Search of a model for tools, which is no call of the task."""

    found: tuple[str, ...] | None = None
    """Names under which the agent sees the tools found, best first; ``None`` if the search was not made."""
    problem: str = ""
    """Reason, as the model reads it, why the search was not made."""
    by_provider: bool = False
    """Whether the provider of the model made it, while the model wrote its reply."""

    @property
    def query(self) -> str:
        """Return the text searched for; empty if the model wrote none."""
        query = self.arguments.get("query")
        return query if isinstance(query, str) else ""
