"""Outcomes of mutants, and their totals."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pytest_mcpbench.audit.mutants import KINDS
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Scorecard
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.world import WorldRecord
from pytest_mcpbench.metrics.world_state.bookkeeping import DEFAULT_BOOKKEEPING
from pytest_mcpbench.metrics.world_state.effects import match_effects
from pytest_mcpbench.reporting.forms.display_text import one_line

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


# Text of an audit: tables by kind and by task, the metrics that killed, then the survivors.

_FATES: Sequence[Fate] = get_args(Fate)
_KIND_WIDTH = 24
_WIDTH = 11
_DETAIL_CHARACTERS = 200


def report_lines(report: AuditReport, *, by_task: bool = False) -> Iterator[str]:
    """Yield the lines that a person reads: totals, tables, survivors, errors and tasks without a reference attempt."""
    yield _headline(report)
    yield from _totals_table("kind", ((kind, report.of_kind(kind).totals) for kind in KINDS))
    if by_task:
        tasks = dict.fromkeys(outcome.task_id for outcome in report.outcomes)
        yield from _totals_table("task", ((task, report.of_task(task).totals) for task in tasks))
    yield ""
    yield "killed by: " + (", ".join(f"{name} {count}" for name, count in report.kills_by_metric.most_common()) or "-")
    yield from _list_outcomes("wrong attempts that passed", report, "survived")
    yield from _list_outcomes("mutants that could not be played", report, "error")
    if report.unplayable:
        yield ""
        yield "tasks whose reference attempt does not pass:"
        yield from (f"  {task_id}: {one_line(problem)}" for task_id, problem in report.unplayable)


def _totals_table(title: str, rows: Iterable[tuple[str, Counter[Fate]]]) -> Iterator[str]:
    """Yield a table with a column for each fate; rows without a mutant are left out."""
    filled = [(name, totals) for name, totals in rows if totals]
    width = max([_KIND_WIDTH, *(len(name) + 2 for name, _ in filled)])
    yield ""
    yield f"{title:{width}}" + "".join(f"{fate:>{_WIDTH}}" for fate in _FATES)
    for name, totals in filled:
        yield f"{name:{width}}" + "".join(f"{totals[fate] or '':>{_WIDTH}}" for fate in _FATES)


def _headline(report: AuditReport) -> str:
    totals = report.totals
    share = "-" if report.killed_share is None else f"{report.killed_share:.1%}"
    decided = totals["killed"] + totals["survived"]
    others = ", ".join(f"{totals[fate]} {fate}" for fate in ("equivalent", "unscored", "error") if totals[fate])
    return f"{report.suite}: {share} of {decided} wrong attempts fail" + (f"; {others}" if others else "")


def _list_outcomes(title: str, report: AuditReport, fate: Fate) -> Iterator[str]:
    outcomes = [outcome for outcome in report.outcomes if outcome.fate == fate]
    if outcomes:
        yield ""
        yield f"{title}:"
    for outcome in outcomes:
        detail = f": {one_line(outcome.detail, _DETAIL_CHARACTERS)}" if outcome.detail else ""
        yield f"  {outcome.task_id}  {outcome.kind}  {one_line(outcome.description)}{detail}"
