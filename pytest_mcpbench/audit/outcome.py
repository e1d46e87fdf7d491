"""Outcomes of mutants, and their totals."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pytest_mcpbench.audit import mutants, right
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Scorecard
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.world import WorldRecord
from pytest_mcpbench.metrics.world_state.bookkeeping import DEFAULT_BOOKKEEPING
from pytest_mcpbench.metrics.world_state.effects import match_effects
from pytest_mcpbench.reporting.forms.display_text import one_line

Fate = Literal["killed", "survived", "equivalent", "passed", "failed", "unscored", "error"]
"""Of a wrong attempt: ``killed`` if a floor was missed, as it should be; ``survived`` if it passed; ``equivalent`` if
it passed and had the same effect as the reference. Of a right one: ``passed`` or ``failed``. Of both: ``unscored``
without a verdict, and ``error`` if the attempt could not be made."""

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
    """killed, failed: the metrics that fell below their floors; unscored: those without a value."""
    detail: str = ""
    """error: its message; survived, failed: the calls or the answer that did; failed: with the reason."""


@dataclass(frozen=True)
class AuditReport:
    """The outcomes of all mutants of a suite."""

    suite: str
    outcomes: tuple[MutantOutcome, ...]
    unplayable: tuple[tuple[str, str], ...] = ()
    """Tasks whose reference attempt does not pass, with the reason; they have no mutants."""
    is_right: bool = False
    """True if the attempts are right variants, which must pass."""

    @property
    def totals(self) -> Counter[Fate]:
        """Number of mutants by fate."""
        return Counter(outcome.fate for outcome in self.outcomes)

    @property
    def scored_as_meant(self) -> float | None:
        """Share of wrong attempts that fail, or of right ones that pass; those without a verdict do neither."""
        totals = self.totals
        good = totals["passed"] if self.is_right else totals["killed"]
        return good / self.whole if self.whole else None

    @property
    def whole(self) -> int:
        """Number of attempts that should fail, or pass: all but the equivalent ones and errors."""
        return sum(self.totals[fate] for fate in ("killed", "survived", "passed", "failed", "unscored"))

    def of_kind(self, kind: str) -> "AuditReport":
        """Return the report with the attempts of one kind only."""
        return replace(self, outcomes=tuple(outcome for outcome in self.outcomes if outcome.kind == kind))

    def of_task(self, task_id: str) -> "AuditReport":
        """Return the report with the attempts at one task only."""
        return replace(self, outcomes=tuple(outcome for outcome in self.outcomes if outcome.task_id == task_id))

    @property
    def misjudged(self) -> tuple[MutantOutcome, ...]:
        """The wrong attempts that passed, or the right ones that failed."""
        return tuple(outcome for outcome in self.outcomes if outcome.fate in ("survived", "failed"))

    def by_metric(self, fate: Fate) -> Counter[str]:
        """Number of attempts with a fate by the metric behind it; an attempt may count for several."""
        return Counter(metric for outcome in self.outcomes if outcome.fate == fate for metric in outcome.metrics)


def fate_of_right(card: Scorecard) -> tuple[Fate, tuple[str, ...]]:
    """Return the fate of an attempt that should pass, and the metrics behind it."""
    if card.shortfalls:
        return "failed", tuple(card.shortfalls)
    return ("unscored", tuple(card.unscored)) if card.unscored else ("passed", ())


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
    if _changes(mutant.worlds) == _changes(reference.worlds):
        has_same_changes = True
    elif task.expected.effects is None:
        has_same_changes = False
    else:
        matching = match_effects(task.expected.effects, mutant.worlds, DEFAULT_BOOKKEEPING)
        # A title is left open: a judge has accepted the one of an attempt that passes.
        dictated = [each for each in matching.wordings if not each.is_title]
        has_same_changes = not (matching.missing or matching.extra or dictated)
    has_same_effect = has_same_changes and mutant.answer == reference.answer
    judges_calls = bool(_JUDGING_CALLS & card.floors.keys())
    if has_same_effect and (not judges_calls or _results(mutant) >= _results(reference)):
        return "equivalent", ()
    return "survived", ()


def _changes(worlds: tuple[WorldRecord, ...]) -> dict[str, list[str]]:
    return {world.name: sorted(change.model_dump_json() for change in world.changes) for world in worlds}


def _results(evidence: AttemptEvidence) -> frozenset[tuple[str, str]]:
    return frozenset((call.called, call.result.text.casefold() if call.result else "") for call in evidence.calls)


# Text of an audit: tables by kind and by task, the metrics that killed, then the survivors.

_FATES_OF_WRONG: Sequence[Fate] = ("killed", "survived", "unscored", "equivalent", "error")
_FATES_OF_RIGHT: Sequence[Fate] = ("passed", "failed", "unscored", "error")
_KIND_WIDTH = 24
_WIDTH = 11
_DETAIL_CHARACTERS = 200


def report_lines(report: AuditReport, *, by_task: bool = False) -> Iterator[str]:
    """Yield the lines that a person reads: totals, tables, misjudged attempts, errors and unplayable tasks."""
    kinds = right.KINDS if report.is_right else mutants.KINDS
    # The unscored attempts are among those that should fail or pass.
    totals, whole = report.totals, report.whole
    named = [(totals["failed"] + totals["killed"], "fail"), (totals["passed"] + totals["survived"], "pass")]
    if report.is_right:
        named.reverse()
    named.append((totals["unscored"], "are unscored"))
    shares = ", ".join(f"{count:,} {word}{f' ({count / whole:.1%})' if whole else ''}" for count, word in named)
    rest = ((totals["equivalent"], "equivalent"), (totals["error"], "not played"))
    others = ", ".join(f"{count:,} {word}" for count, word in rest if count)
    kind = "right" if report.is_right else "wrong"
    yield f"{report.suite}: of {whole:,} {kind} attempts {shares}" + (f"; {others}" if others else "")
    yield from _totals_table("kind", report, ((kind, report.of_kind(kind).totals) for kind in kinds))
    if by_task:
        tasks = dict.fromkeys(outcome.task_id for outcome in report.outcomes)
        yield from _totals_table("task", report, ((task, report.of_task(task).totals) for task in tasks))
    yield ""
    if report.is_right:
        yield f"failed by: {_counts(report.by_metric('failed'))}"
    else:
        yield f"killed by: {_counts(report.by_metric('killed'))}"
    yield f"unscored by: {_counts(report.by_metric('unscored'))}"
    yield from _list_outcomes("wrong attempts that passed", report, "survived")
    yield from _list_outcomes("right attempts that failed", report, "failed")
    yield from _list_outcomes("attempts that could not be played", report, "error")
    if report.unplayable:
        yield ""
        yield "tasks whose reference attempt does not pass:"
        yield from (f"  {task_id}: {one_line(problem)}" for task_id, problem in report.unplayable)


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "-"


def _totals_table(title: str, report: AuditReport, rows: Iterable[tuple[str, Counter[Fate]]]) -> Iterator[str]:
    """Yield a table with a column for each fate; rows without an attempt are left out."""
    fates = _FATES_OF_RIGHT if report.is_right else _FATES_OF_WRONG
    filled = [(name, totals) for name, totals in rows if totals]
    width = max([_KIND_WIDTH, *(len(name) + 2 for name, _ in filled)])
    yield ""
    yield f"{title:{width}}" + "".join(f"{fate:>{_WIDTH}}" for fate in fates)
    for name, totals in filled:
        yield f"{name:{width}}" + "".join(f"{totals[fate] or '':>{_WIDTH}}" for fate in fates)


def _list_outcomes(title: str, report: AuditReport, fate: Fate) -> Iterator[str]:
    outcomes = [outcome for outcome in report.outcomes if outcome.fate == fate]
    if outcomes:
        yield ""
        yield f"{title}:"
    for outcome in outcomes:
        detail = f": {one_line(outcome.detail, _DETAIL_CHARACTERS)}" if outcome.detail else ""
        yield f"  {outcome.task_id}  {outcome.kind}  {one_line(outcome.description)}{detail}"
