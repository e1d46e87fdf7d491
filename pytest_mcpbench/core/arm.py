"""Arms of a comparison: the same tasks on the same server, with other definitions of its tools."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_mcpbench.core.gate.decision import DroppedTask, GateTrials
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.statistics.exact_tests import TrialPair, Trials
from pytest_mcpbench.statistics.groups import group_by

BASELINE = "baseline"
CANDIDATE = "candidate"
"""The arm with the server as it is now."""

_FRESH = ", fresh"


def fresh_arm(name: str) -> str:
    """Return the name under which the fresh trials of an arm are recorded."""
    return f"{name}{_FRESH}"


def is_fresh(name: str) -> bool:
    """Return whether the name is that of the fresh trials of an arm."""
    return name.endswith(_FRESH)


@dataclass(frozen=True)
class Arm:
    """Differences between one arm of a suite and the server as it is now."""

    name: str
    shown_tools: Mapping[str, tuple[ToolSpec, ...]] = field(default_factory=dict)
    """Server -> tools that agents see in place of its own; calls go to the server all the same."""
    shown_instructions: Mapping[str, str] = field(default_factory=dict)
    """Server -> instructions that agents read in place of its own."""
    servers: Mapping[str, ServerRef] = field(default_factory=dict)
    """Servers that run in place of those of the suite."""
    source: str = ""
    """Origin of the definitions, for reports."""

    def suite(self, suite: SuiteManifest) -> SuiteManifest:
        """Return the suite as this arm attempts it."""
        if not self.shown_tools and not self.servers:
            return suite
        return suite.model_copy(
            update={
                "shown_tools": dict(self.shown_tools),
                "shown_instructions": dict(self.shown_instructions),
                "servers": {**suite.servers, **self.servers},
            }
        )


LIVE = Arm(CANDIDATE)
"""The server as it is now."""

# Trials of a gate from the outcomes of attempts.

_OF_THE_SERVER = frozenset({"task", "server"})
"""Kinds of errors for which the server or its tasks are to blame: a tool that is gone, a server that does not start."""


def first_trials(
    baseline: Iterable[Entry], candidate: Iterable[Entry], dropped: Mapping[str, str] | None = None
) -> GateTrials:
    """Return the first trials of the tasks of two arms, with the tasks that cannot be compared.

    A task that the candidate cannot run any more, because a tool is gone or the server broken, did not pass. A task
    whose baseline has an error, or that a provider did not answer, is dropped.
    So is one with an unscored attempt, which is not measured.
    """
    before, after = (group_by(entries, lambda entry: entry.task_id) for entries in (baseline, candidate))
    pairs: list[TrialPair] = []
    lost = [DroppedTask(task, reason) for task, reason in (dropped or {}).items()]
    for task in (task for task in before if task in after):
        pair = pair_of(task, before[task], after[task])
        if isinstance(pair, TrialPair):
            pairs.append(pair)
        else:
            lost.append(pair)
    return GateTrials(tuple(pairs), dropped=tuple(lost))


def fresh_pair(task: str, baseline: Sequence[Entry], candidate: Sequence[Entry]) -> TrialPair:
    """Return the fresh trials of a task, except those whose errors say nothing about the definitions."""
    before = [entry for entry in baseline if _reason_to_drop(entry, "baseline") is None]
    after = [entry for entry in candidate if _reason_to_drop(entry, "candidate") is None]
    return TrialPair(task, _trials(before), _trials(after))


def with_fresh_trials(trials: GateTrials, pairs: Sequence[TrialPair]) -> GateTrials:
    """Return the trials with the fresh ones added; a task is dropped if errors left an arm without fresh trials."""
    unknown = [pair.task for pair in pairs if not pair.baseline.made or not pair.candidate.made]
    dropped = [DroppedTask(task, "none of its fresh trials could be made") for task in unknown]
    return replace(trials, fresh=(*trials.fresh, *pairs), dropped=(*trials.dropped, *dropped))


def pair_of(task: str, baseline: Sequence[Entry], candidate: Sequence[Entry]) -> TrialPair | DroppedTask:
    """Return the trials of a task in both arms, or the reason why they cannot be compared."""
    for arm, entries in (("baseline", baseline), ("candidate", candidate)):
        reason = next((why for entry in entries if (why := _reason_to_drop(entry, arm))), None)
        if reason is not None:
            return DroppedTask(task, reason, any(entry.outcome == "unscored" for entry in (*baseline, *candidate)))
    return TrialPair(task, _trials(baseline), _trials(candidate))


def _reason_to_drop(entry: Entry, arm: str) -> str | None:
    """Return the reason why an attempt says nothing about the definitions; ``None`` if it passed or failed."""
    if entry.outcome == "error" and not (arm == "candidate" and entry.error_kind in _OF_THE_SERVER):
        return f"{arm}: {entry.error_kind or 'error'}: {(entry.error or 'unknown').partition(chr(10))[0]}"
    if entry.outcome == "unscored":
        return f"{arm}: unscored: {entry.why_unscored}"
    return None


def _trials(entries: Sequence[Entry]) -> Trials:
    return Trials(sum(entry.outcome == "passed" for entry in entries), len(entries))
