"""Candidates of the stages of the pipeline ``traverse``."""

from typing import Literal

from pytest_mcpbench.core.fidelity.trace import Trace, TracedCall
from pytest_mcpbench.generation.pipeline.candidates import Candidate
from pytest_mcpbench.generation.pipelines.tools.candidates import Arguments, ToolCandidate

InvalidKind = Literal["type", "schema", "boundary", "semantic"]
"""What makes a call invalid (MCP-Persona 3.1.1): a value of a wrong type, a member that is missing or not declared, a
value beyond a limit, or arguments that contradict each other."""
Kind = Literal["valid"] | InvalidKind


class SeedCandidate(ToolCandidate):
    """A tool with calls that its server answers, and calls that fill the server first."""

    given: tuple[TracedCall, ...] = ()


class CallCandidate(Candidate):
    """A call that is to be made from a fresh state."""

    server: str
    tool: str
    arguments: Arguments
    given: tuple[TracedCall, ...] = ()
    """Calls that fill the server before it."""
    kind: Kind = "valid"
    violation: str = ""
    """What is wrong with an invalid call, in words."""
    parameter: str = ""
    """Parameter that an invalid call is about."""
    is_seed: bool = False
    """True for the call of a tool that its invalid calls are made of."""


class TraceCandidate(CallCandidate):
    """A call with the answer of the real server."""

    trace: Trace

    @property
    def answered(self) -> TracedCall:
        """Return the call with its result."""
        return self.trace.calls[0]


class FileCandidate(Candidate):
    """A file of what the pipeline makes."""

    path: str
    """Relative to the directory of the output."""
    text: str
