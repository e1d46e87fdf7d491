"""Index of the exposed tools, which decides whether a call went to a referenced tool."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_mcpbench.core.task import ExpectedCall, SimilarTool
from pytest_mcpbench.core.tool import CallRecord, ToolSpec
from pytest_mcpbench.text.search import Field
from pytest_mcpbench.text.words import terms


@dataclass(frozen=True)
class ToolIndex:
    """Tools by exposed name, and by the servers' own names; make it with :meth:`of`."""

    by_exposed_name: dict[str, ToolSpec]
    by_own_name: dict[str, tuple[ToolSpec, ...]]

    @classmethod
    def of(cls, tools: Iterable[ToolSpec]) -> "ToolIndex":
        exposed: dict[str, ToolSpec] = {}
        own: defaultdict[str, list[ToolSpec]] = defaultdict(list)
        for tool in tools:
            exposed.setdefault(tool.name, tool)
            own[tool.tool].append(tool)
        return cls(exposed, {name: tuple(found) for name, found in own.items()})

    def tool_of_call(self, call: CallRecord) -> ToolSpec | None:
        """Return the tool that a call went to; ``None`` where none was exposed under that name."""
        return self.by_exposed_name.get(call.name) or self.tool_of_reference(call.called, call.server)

    def tool_of_reference(self, tool: str, server: str | None) -> ToolSpec | None:
        """Return the tool that a reference means: by the server's own name or, failing that, by the exposed one."""
        found = self.by_own_name.get(tool, ())
        of_server = [spec for spec in found if server is None or spec.server == server]
        if of_server:
            return of_server[0]
        return found[0] if len(found) == 1 else self.by_exposed_name.get(tool)

    def is_call_of(self, call: CallRecord, wanted: ExpectedCall | SimilarTool) -> bool:
        """Return whether the call went to the tool, of its server if the reference specifies one.

        Without any exposed tool, the names of servers are not comparable, and the tool's name decides.
        """
        if wanted.tool != call.called:
            return wanted.tool == call.name
        return wanted.server in (None, call.server) or not self.by_exposed_name

    def similar_tool_of_call(self, call: CallRecord, expected: ExpectedCall) -> SimilarTool | None:
        """Return the similar tool that was called in place of the expected one, if any."""
        if self.is_call_of(call, expected):
            return None
        return next((similar for similar in expected.similar_tools if self.is_call_of(call, similar)), None)

    def accepts(self, call: CallRecord, expected: ExpectedCall) -> bool:
        """Return whether the call went to the expected tool or a similar tool."""
        return self.is_call_of(call, expected) or self.similar_tool_of_call(call, expected) is not None


# Documents about tools for a search index.

_NAME_WEIGHT, _FIRST_SENTENCE_WEIGHT, _DESCRIPTION_WEIGHT, _PARAMETERS_WEIGHT = 3.0, 2.0, 0.5, 0.3
"""Weights of a word by position: the first sentence states a tool's purpose, later ones mostly its exceptions."""
_SENTENCE_END = re.compile(r"[.!。]\s|\n\s*\n|。")


def tool_document(tool: ToolSpec) -> list[Field]:
    """Return the weighted terms of a tool's name, description and parameters."""
    parameters = [term for name in tool.properties for term in terms(name)]
    return [
        (terms(tool.tool), _NAME_WEIGHT),
        (terms(first_sentence(tool)), _FIRST_SENTENCE_WEIGHT),
        (terms(tool.description), _DESCRIPTION_WEIGHT),
        (parameters, _PARAMETERS_WEIGHT),
    ]


def first_sentence(tool: ToolSpec) -> str:
    """Return the first sentence of a tool's description."""
    return _SENTENCE_END.split(tool.description.strip(), maxsplit=1)[0]
