"""Evidence of one attempt, which is all that metrics may look at."""

from pydantic import ConfigDict, Field, JsonValue, SerializerFunctionWrapHandler, model_serializer

from pytest_mcpbench.core.definition_tokens import Definitions
from pytest_mcpbench.core.dispatch import Dispatch
from pytest_mcpbench.core.elicitation import Elicitation
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.task import VerifyCheck
from pytest_mcpbench.core.tool import CallRecord, ToolResult, ToolSpec
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.core.usage import NO_USAGE, Usage
from pytest_mcpbench.core.world import WorldRecord

RECORDED_VERSION = "recorded"
"""Version that a server reports if it replays a recording."""

REPLAYED = "the servers replay a recording, which does not show whether a call would succeed"
"""Reason why the success of calls has no value in such an attempt."""


class AttemptNotes(FrozenModel):
    """Facts of an attempt, mostly for people; JSON has only those that are noted.

    Notes that other versions of this package have written are kept as they are.
    """

    model_config = ConfigDict(extra="allow")

    arena: tuple[str, ...] = ()
    """Sentences on the selection of the tools."""
    dispatcher: Dispatch | None = None
    """Result of the dispatcher, if one selected the tools."""
    offered_definitions: dict[str, Definitions] = Field(default_factory=dict)
    """Server -> size of all of its tool definitions; empty if all tools were exposed."""
    warnings: tuple[str, ...] = ()
    """Sentences for the author of the servers."""
    unread_fields: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Server -> fields of its public seed that it does not read."""
    restarts: dict[str, int] = Field(default_factory=dict)
    """Shared server -> number of its restarts; each is noted by one of the attempts that were in flight."""
    made_on: str = ""
    """Machine of a cluster that ran the attempt; empty for this one."""
    files: str = ""
    """Where the files of the sandbox are if they were too large to be sent back."""

    @model_serializer(mode="wrap")
    def _what_is_noted(self, serialize: SerializerFunctionWrapHandler) -> dict[str, JsonValue]:
        return {name: note for name, note in serialize(self).items() if note}


class ServerFacts(FrozenModel):
    """Facts that a server reported about itself."""

    name: str
    implementation: str | None = None
    version: str | None = None
    protocol: str | None = None
    tools_hash: str | None = None
    instructions: str = ""
    """Text for agents about the server as a whole."""
    capabilities: tuple[str, ...] = ()
    """What it declares to have, such as ``resources``."""

    @property
    def is_replayed(self) -> bool:
        """Return whether the server replays a recording."""
        return self.version == RECORDED_VERSION


class VerifyResult(FrozenModel):
    """Result of a real server's read tool after the attempt."""

    check: VerifyCheck
    result: ToolResult


class AttemptEvidence(FrozenModel):
    """One attempt of one model at one task."""

    task_id: str
    model: str
    trial: int = 1
    trajectory: Trajectory
    tools: tuple[ToolSpec, ...] = ()
    """The tools that were exposed."""
    worlds: tuple[WorldRecord, ...] = ()
    verified: tuple[VerifyResult, ...] = ()
    verdicts: dict[str, Verdict] = Field(default_factory=dict)
    """By :attr:`Question.key`."""
    servers: tuple[ServerFacts, ...] = ()
    unavailable_tools: tuple[str, ...] = ()
    """Tools that the task names and no server offers."""
    notes: AttemptNotes = AttemptNotes()

    def with_next_trial(self) -> "AttemptEvidence":
        """Return the evidence of a record of version 1, which counts trials from 0, with its trial counted from 1."""
        return self.model_copy(update={"trial": self.trial + 1 if "trial" in self.model_fields_set else 1})

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        return self.trajectory.calls

    @property
    def answer(self) -> str:
        return self.trajectory.answer

    @property
    def judge_usage(self) -> Usage:
        """Return the usage of the judge's verdicts, which is not part of the agent's usage."""
        return sum((verdict.usage for verdict in self.verdicts.values()), NO_USAGE)

    @property
    def user_usage(self) -> Usage:
        """Return the usage of the models that play the user and answer servers, which is not part of the agent's."""
        conversation = self.trajectory.conversation
        messages = conversation.usage if conversation is not None else NO_USAGE
        samplings = (sampled.usage for call in self.calls if call.result for sampled in call.result.samplings)
        return sum((*samplings, *(asked.usage for asked in self.elicitations)), messages)

    @property
    def elicitations(self) -> tuple[Elicitation, ...]:
        """Return what servers asked the user during the calls, in order."""
        return tuple(asked for call in self.calls if call.result for asked in call.result.elicitations)

    @property
    def replayed_servers(self) -> frozenset[str]:
        """Return the names of the servers that replay a recording."""
        return frozenset(server.name for server in self.servers if server.is_replayed)

    def tool(self, call: CallRecord) -> ToolSpec | None:
        """Return the exposed tool of a call, if any."""
        return next((tool for tool in self.tools if tool.name == call.name), None)

    def verdict(self, question: Question) -> Verdict | None:
        """Return the judge's verdict on a question; ``None`` if it was not asked."""
        return self.verdicts.get(question.key)
