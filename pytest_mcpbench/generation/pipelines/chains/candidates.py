"""Candidates of the stages of the pipeline ``chains``."""

from pydantic import Field, JsonValue

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.generation.pipeline.candidates import Candidate

Arguments = dict[str, JsonValue]


class SampleCall(FrozenModel):
    """A call that returned a result."""

    server: str
    tool: str
    arguments: Arguments = Field(default_factory=dict)
    result: JsonValue = None


class SampleCandidate(Candidate):
    """One turn of a recorded conversation: a request that was met with calls."""

    scenario: str
    request: str
    steps: tuple[tuple[SampleCall, ...], ...]
    """The calls of each step were made at the same time."""


class Flow(FrozenModel):
    """A value that goes from a tool's result into another tool's arguments."""

    path: str
    """Path into the result, as in a placeholder: ``.items.0.id``; empty for the result itself."""
    parameter: str
    """Path into the arguments: ``order_id``, ``codes.0``."""


class Example(FrozenModel):
    """A request for a tool, and the arguments of the call that met it."""

    request: str
    arguments: Arguments = Field(default_factory=dict)


class Tool(FrozenModel):
    """A node of the tool dependency graph."""

    server: str
    tool: str
    examples: tuple[Example, ...] = ()
    """Requests that needed this tool alone stand first."""

    @property
    def key(self) -> tuple[str, str]:
        return self.server, self.tool


class EdgeCandidate(Candidate):
    """An edge of the graph: the second tool may depend on the first one."""

    first: Tool
    second: Tool
    scenarios: tuple[str, ...]
    """Scenarios whose samples have both tools in this order."""
    samples: int
    """Number of samples that have both tools in this order."""
    flows: tuple[Flow, ...] = ()
    """The most frequent flow into each argument."""


class ToolChain(Candidate):
    """A path through the graph, whose ends belong to one scenario."""

    scenario: str
    tools: tuple[Tool, ...]
    flows: tuple[tuple[Flow, ...], ...]
    """Flows of each edge; one entry fewer than there are tools."""


class ChainRequest(ToolChain):
    """A chain with a request that needs it."""

    request: str


class ChainCall(SampleCall):
    """A call of a reference, whose arguments may refer to results of earlier calls as ``<id_result.path>``."""

    id: str


class TrajectoryCandidate(ChainRequest):
    """A request with calls that meet it."""

    calls: tuple[tuple[ChainCall, ...], ...]
    """The calls of each step."""
