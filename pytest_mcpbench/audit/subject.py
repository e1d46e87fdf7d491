"""The task under audit together with its reference attempt."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.agents.script import Script, ScriptedCall
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.placeholders import payload
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import ToolSpec


@dataclass(frozen=True)
class Subject:
    """A task, the attempt of ``oracle`` at it, and calls that belong to other tasks."""

    task: Task
    evidence: AttemptEvidence
    donors: tuple[ScriptedCall, ...] = ()
    """Calls from reference attempts at other tasks of the suite; none of them is part of this task."""
    further_reads: tuple[ScriptedCall, ...] = ()
    """Calls of other tasks whose references change nothing."""
    reads: frozenset[str] = frozenset()
    """Exposed names of the tools that such references call."""
    floors: frozenset[str] = frozenset()
    """Names of the metrics that have a floor."""

    @property
    def script(self) -> Script:
        """Return the reference attempt as a script."""
        return Script.of(self.evidence.trajectory)

    @property
    def request(self) -> str:
        """Return every user message of the task."""
        return self.task.request

    def tool(self, call: ScriptedCall) -> ToolSpec | None:
        """Return the exposed tool that the call addresses."""
        return next((tool for tool in self.evidence.tools if tool.name == call.name), None)

    def reference(self, position: int, index: int) -> ExpectedCall | None:
        """Return the reference call that the call at an index of the script's step plays, if it is one of them."""
        number = sum(len(step.calls) for step in self.script.steps[:position]) + index
        references = self.task.expected.flat_calls
        return references[number] if number < len(references) else None

    def siblings(self, value: str) -> tuple[str, ...]:
        """Return other values that earlier results hold under the same key as ``value``, for example other ids."""
        found: dict[str, dict[str, None]] = {}
        for call in self.evidence.calls:
            for key, leaf in _string_leaves(
                payload(call.result) if call.result is not None and not call.is_error else None
            ):
                found.setdefault(key, {})[leaf] = None
        values = (leaves for leaves in found.values() if value in leaves)
        return tuple(dict.fromkeys(leaf for leaves in values for leaf in leaves if leaf != value))


def _string_leaves(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _string_leaves(part, str(name))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _string_leaves(part, key)
    elif isinstance(value, str) and key:
        yield key, value
