"""Outcomes of mutants, and their totals."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Scorecard
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.world import WorldRecord
from pytest_mcpbench.metrics.world_state.bookkeeping import DEFAULT_BOOKKEEPING
from pytest_mcpbench.metrics.world_state.effects import match_effects

Fate = Literal["killed", "survived", "equivalent", "unscored", "error"]
"""``killed``: a floor was missed, as it should be. ``survived``: the wrong attempt passed. ``equivalent``: it passed
and had the same effect as the reference. ``unscored``: no verdict. ``error``: the attempt could not be made."""

_JUDGING_CALLS = frozenset(
    {
        *("ast", "ast_calls", "bfcl", "dag_leaf", "dag_strict", "dag_node_f1", "dag_last_name", "dtsr"),
        *("emr", "emr_flat", "emr_turn", "operation", "route"),
        *("tool_f1", "tool_f1_turn", "tool_precision", "tool_recall", "tool_success"),
    }
)
"""Metrics that judge how an attempt proceeds, not only what it achieves."""


@dataclass(frozen=True)
class MutantOutcome:
    """One wrong attempt with its fate."""

    task_id: str
    kind: str
    description: str
    fate: Fate
    metrics: tuple[str, ...] = ()
    """killed: the metrics that fell below their floors; unscored: those without a value."""
    detail: str = ""
    """error: its message; survived: the calls or the answer that passed."""


@dataclass(frozen=True)
class AuditReport:
    """The outcomes of all mutants of a suite."""

    suite: str
    outcomes: tuple[MutantOutcome, ...]
    unplayable: tuple[tuple[str, str], ...] = ()
    """Tasks whose reference attempt does not pass, with the reason; they have no mutants."""

    @property
    def totals(self) -> Counter[Fate]:
        """Number of mutants by fate."""
        return Counter(outcome.fate for outcome in self.outcomes)

    @property
    def killed_share(self) -> float | None:
        """Share of killed mutants among those that should have failed and were decided; ``None`` if there are none."""
        totals = self.totals
        decided = totals["killed"] + totals["survived"]
        return totals["killed"] / decided if decided else None

    def of_kind(self, kind: str) -> "AuditReport":
        """Return the report with the mutants of one kind only."""
        return AuditReport(self.suite, tuple(outcome for outcome in self.outcomes if outcome.kind == kind))

    def of_task(self, task_id: str) -> "AuditReport":
        """Return the report with the mutants of one task only."""
        return AuditReport(self.suite, tuple(outcome for outcome in self.outcomes if outcome.task_id == task_id))

    @property
    def survivors(self) -> tuple[MutantOutcome, ...]:
        """The wrong attempts that passed."""
        return tuple(outcome for outcome in self.outcomes if outcome.fate == "survived")

    @property
    def kills_by_metric(self) -> Counter[str]:
        """Number of mutants that each metric killed; a mutant may count for several."""
        return Counter(metric for outcome in self.outcomes if outcome.fate == "killed" for metric in outcome.metrics)


def fate_of(
    task: Task, card: Scorecard, mutant: AttemptEvidence, reference: AttemptEvidence
) -> tuple[Fate, tuple[str, ...]]:
    """Return a mutant's fate and the metrics behind it.

    A passing mutant is equivalent if it changed the worlds as the reference did, apart from what the task leaves open,
    and gave the same answer, and if either no floor judges how it proceeded or it obtained every result that the
    reference obtained.
    """
    if card.shortfalls:
        return "killed", tuple(card.shortfalls)
    if card.unscored:
        return "unscored", tuple(card.unscored)
    has_same_effect = _has_same_changes(task, mutant, reference) and mutant.answer == reference.answer
    judges_calls = bool(_JUDGING_CALLS & card.floors.keys())
    if has_same_effect and (not judges_calls or _results(mutant) >= _results(reference)):
        return "equivalent", ()
    return "survived", ()


def _has_same_changes(task: Task, mutant: AttemptEvidence, reference: AttemptEvidence) -> bool:
    if _changes(mutant.worlds) == _changes(reference.worlds):
        return True
    if task.expected.effects is None:
        return False
    matching = match_effects(task.expected.effects, mutant.worlds, DEFAULT_BOOKKEEPING)
    return not (matching.missing or matching.extra or matching.wordings)


def _changes(worlds: tuple[WorldRecord, ...]) -> dict[str, list[str]]:
    return {world.name: sorted(change.model_dump_json() for change in world.changes) for world in worlds}


def _results(evidence: AttemptEvidence) -> frozenset[tuple[str, str]]:
    return frozenset((call.called, call.result.text.casefold() if call.result else "") for call in evidence.calls)
