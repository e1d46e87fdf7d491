"""Metrics ``tool_precision``, ``tool_recall`` and ``tool_f1``: called against expected tools (FinMCP-Bench 3.2).

Names are compared as multisets: hits = sum over tools of min(times called, times expected). Arguments, order and
results do not matter. Over tasks the headline is micro: pool ``hits``, ``called`` and ``expected`` of ``Score.counts``.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.simulated_user import USER_ANSWERS
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.statistics.groups import ToolCounts

Semantics = Literal["multiset", "set"]
"""``multiset`` as in the authors' code; ``set``, the paper's word, counts each tool once."""


@dataclass(frozen=True)
class ToolPrecision:
    """hits / calls; 1 if nothing was called or expected, 0 if only one of them is empty."""

    semantics: Semantics = "multiset"

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        names = _conversation(task, evidence, self.semantics)
        return names.score(names.counts.precision)


@dataclass(frozen=True)
class ToolRecall:
    """hits / expected calls; 1 if nothing was called or expected, 0 if only one of them is empty."""

    semantics: Semantics = "multiset"

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        names = _conversation(task, evidence, self.semantics)
        return names.score(names.counts.recall)


@dataclass(frozen=True)
class ToolF1:
    """Harmonic mean of precision and recall of one conversation."""

    semantics: Semantics = "multiset"

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        names = _conversation(task, evidence, self.semantics)
        return names.score(names.counts.f1)


@dataclass(frozen=True)
class ToolF1Turn:
    """Mean over the user turns of the F1 of each; counts are pooled over the turns."""

    semantics: Semantics = "multiset"

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if task.user is not None:
            return Score.not_applicable(USER_ANSWERS)
        turns: list[_Names] = []
        for turn in range(len(task.turns)):
            shared = shared_names(task, evidence)
            steps = (step for step in evidence.trajectory.steps if step.turn == turn)
            groups = (group for group in task.expected.calls if group.turn == turn)
            called = (name_of_call(call, shared) for step in steps for call in step.calls)
            expected = (name_of_expected(call, shared) for group in groups for call in group.calls)
            turns.append(_Names.of(called, expected, self.semantics))
        value = sum(names.counts.f1 for names in turns) / len(turns)
        reasons = [f"turn {turn + 1}: {reason}" for turn, names in enumerate(turns) for reason in names.reasons]
        pooled = ToolCounts.pool(names.counts.as_mapping() for names in turns)
        return Score.of(value, reasons, **pooled.as_mapping())


@dataclass(frozen=True)
class _Names:
    """Names called and expected in a conversation or in one of its turns."""

    called: Counter[str]
    expected: Counter[str]

    @classmethod
    def of(cls, called: Iterable[str], expected: Iterable[str], semantics: Semantics) -> "_Names":
        if semantics == "set":
            return cls(Counter(set(called)), Counter(set(expected)))
        return cls(Counter(called), Counter(expected))

    @property
    def counts(self) -> ToolCounts:
        return ToolCounts.of(self.called, self.expected)

    @property
    def reasons(self) -> tuple[str, ...]:
        counts = self.counts
        among = f", {counts.hits:g} of them expected" if counts.called else ""
        return (
            f"{_calls(counts.called)} made{among}; {_calls(counts.expected)} expected",
            *(f"not called: {_times(name, times)}" for name, times in (self.expected - self.called).items()),
            *(f"not expected: {_times(name, times)}" for name, times in (self.called - self.expected).items()),
        )

    def score(self, value: float) -> Score:
        return Score.of(value, self.reasons, **self.counts.as_mapping())


def name_of_call(call: CallRecord, shared: frozenset[str]) -> str:
    """Return the tool's own name, with its server's where several servers have a tool of that name."""
    return f"{call.server}:{call.called}" if call.called in shared and call.server else call.called


def name_of_expected(call: ExpectedCall, shared: frozenset[str]) -> str:
    """Return the name of a reference call, like :func:`name_of_call`."""
    return f"{call.server}:{call.tool}" if call.tool in shared and call.server else call.tool


def shared_names(task: Task, evidence: AttemptEvidence) -> frozenset[str]:
    """Return names of tools that several servers have, if the reference states which server it means.

    These servers are those that expose a tool of that name, and the one that the reference states: a dispatcher or a
    limited exposure may leave only another server's tool.
    """
    exposed = {(tool.tool, tool.server) for tool in evidence.tools}
    stated = {(call.tool, call.server) for call in task.expected.flat_calls if call.server}
    times = Counter(name for name, _ in exposed | stated)
    return frozenset(name for name, _ in stated if times[name] > 1) if exposed else frozenset()


def _conversation(task: Task, evidence: AttemptEvidence, semantics: Semantics) -> _Names:
    shared = shared_names(task, evidence)
    called = (name_of_call(call, shared) for call in evidence.calls)
    expected = (name_of_expected(call, shared) for call in task.expected.flat_calls)
    return _Names.of(called, expected, semantics)


def _times(name: str, times: int) -> str:
    return name if times == 1 else f"{name} ×{times}"


def _calls(count: float) -> str:
    """Return ``no call was``, ``1 call was`` or ``2 calls were``."""
    return f"{'no' if count == 0 else '1'} call was" if count in (0, 1) else f"{count:g} calls were"
