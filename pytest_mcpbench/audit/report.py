"""Text of an audit: tables by kind and by task, the metrics that killed, then the survivors."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from pytest_mcpbench.audit.mutants import KINDS
from pytest_mcpbench.audit.outcome import AuditReport, Fate
from pytest_mcpbench.reporting.display_text import one_line

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
