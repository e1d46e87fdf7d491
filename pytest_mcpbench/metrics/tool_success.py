"""Metric ``tool_success``: share of the calls that returned a good result (MCPToolBench++ 4.1.2)."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_mcpbench.core.call_text import format_call
from pytest_mcpbench.core.evidence import REPLAYED, AttemptEvidence
from pytest_mcpbench.core.root_causes import NOT_COUNTED, RootCause, root_cause
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import CallRecord


@dataclass(frozen=True)
class ToolSuccess:
    """Successful calls / calls; it does not apply where no call counts.

    Calls to a server that replays a recording do not count.

    ``counts`` hold ``part`` and ``whole``, ``empty`` (calls that came back with nothing), and for each tool
    ``calls:<server>/<tool>`` and ``successes:<server>/<tool>``, from which rates by tool and by server are pooled.
    """

    empty_is_failure: bool = True
    """True if an empty result is no success; the authors' code and the paper's figure 6 say so."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:  # noqa: ARG002  # the attempt alone decides
        replayed = evidence.replayed_servers
        if replayed and len(replayed) == len(evidence.servers):
            return Score.not_applicable(REPLAYED, "replayed")
        causes = [(call, root_cause(call)) for call in evidence.calls if call.server not in replayed]
        counted = [(call, cause) for call, cause in causes if cause not in NOT_COUNTED]
        if not counted:
            if any(call.server in replayed for call in evidence.calls):
                return Score.not_applicable(REPLAYED, "replayed")
            return Score.not_applicable("no tool call reached a server" if evidence.calls else "no tool was called")
        good = [call for call, cause in counted if self._is_success(cause)]
        counts = {
            "part": len(good),
            "whole": len(counted),
            "empty": sum(cause == "empty_result" for _, cause in counted),
            **_by_tool("calls", (call for call, _ in counted)),
            **_by_tool("successes", good),
        }
        reasons = [
            f"call {number}, {format_call(call)}: {cause}{' (not counted)' if cause in NOT_COUNTED else ''}"
            for number, (call, cause) in enumerate(causes, 1)
            if not self._is_success(cause)
        ]
        return Score.of(len(good) / len(counted), reasons, **counts)

    def _is_success(self, cause: RootCause | None) -> bool:
        return cause is None or (cause == "empty_result" and not self.empty_is_failure)


def _by_tool(word: str, calls: Iterable[CallRecord]) -> dict[str, float]:
    names = Counter(f"{word}:{call.server or 'unknown'}/{call.called}" for call in calls)
    return {name: float(count) for name, count in sorted(names.items())}
