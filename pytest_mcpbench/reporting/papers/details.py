"""Facts of a record that tables about a data set need and that entries do not have."""

import json
import re
import sys
from dataclasses import dataclass

from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.root_causes import NOT_COUNTED, root_cause
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.text.numbered_steps import split_steps

_CALLS = re.compile(r"(turn \d+: )?[\w.:/-]+\(")
"""Beginning of a line of :func:`~pytest_mcpbench.core.reference_lines.reference_lines` with a group of calls."""
_CHECKPOINT = re.compile(r"checkpoint \d+: ")
_MESSAGE = 200
"""Characters of a message of a failed call."""


@dataclass(frozen=True)
class ExposedTool:
    """A tool that an attempt was shown."""

    server: str
    name: str
    parameters: int
    definition: str = ""
    """JSON of the definition as OpenAI's API takes it, with ``\\uXXXX`` for what is not ASCII."""


@dataclass(frozen=True)
class FailedCall:
    """Why a call did not succeed, and what the server wrote."""

    cause: str
    message: str


@dataclass(frozen=True)
class Details:
    """Facts of one attempt and its task."""

    turns: int = 0
    """User messages of the task."""
    steps: int = 0
    """Groups of parallel reference calls."""
    reference_tools: tuple[str, ...] = ()
    """Tool of each reference call; unknown if the attempt ended with an error."""
    checkpoints: tuple[str, ...] = ()
    """Checkpoints that a judge reads (MCP-Persona), each step of a text with several for itself."""
    verdicts: tuple[Verdict, ...] = ()
    """Verdicts of the judge."""
    tools: frozenset[ExposedTool] = frozenset()
    failed_calls: tuple[FailedCall, ...] = ()

    @classmethod
    def of(cls, record: RunRecord) -> "Details":
        """Return the facts of a record."""
        evidence = record.evidence
        verdicts = tuple(evidence.verdicts.values()) if evidence else ()
        checkpoints: list[str] = []
        # A text that a judge has decided as a whole (``official``) is one step.
        judged = {verdict.statement for verdict in verdicts}
        for line in record.expected:
            if found := _CHECKPOINT.match(line):
                text = line[found.end() :]
                checkpoints.extend((text,) if text in judged else split_steps(text))
        failed_calls: list[FailedCall] = []
        for call in evidence.calls if evidence else ():
            cause = root_cause(call)
            if cause is not None and cause not in NOT_COUNTED:
                message = call.result.text if call.result else call.problem or ""
                failed_calls.append(FailedCall(cause, one_line(message, _MESSAGE)))
        tools = evidence.tools if evidence else ()
        exposed = frozenset(
            ExposedTool(tool.server, tool.tool, len(tool.input_schema.get("properties", ())), _definition(tool))
            for tool in tools
        )
        return cls(
            turns=len(record.turns),
            steps=sum(bool(_CALLS.match(line)) for line in record.expected),
            reference_tools=tuple(row.expected.partition("(")[0] for row in record.comparison if row.expected),
            checkpoints=tuple(checkpoints),
            verdicts=verdicts,
            tools=exposed,
            failed_calls=tuple(failed_calls),
        )


NO_DETAILS = Details()


def _definition(tool: ToolSpec) -> str:
    """Return the JSON of a definition; interned, because the attempts of a run share most of their tools.

    Table 1 of MCPToolBench++ follows from the definitions in its public files only if JSON escapes what is not ASCII:
    a Chinese character of the map servers then has several tokens.
    """
    function = {"name": tool.tool, "description": tool.description, "parameters": tool.input_schema}
    return sys.intern(json.dumps({"type": "function", "function": function}))
