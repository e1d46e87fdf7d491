"""Text of an audit: a table by kind and by metric, then the survivors."""

from collections.abc import Iterator, Sequence
from typing import get_args

from pytest_mcpbench.audit.mutants import KINDS
from pytest_mcpbench.audit.outcome import AuditReport, Fate
from pytest_mcpbench.reporting.display_text import one_line

_FATES: Sequence[Fate] = get_args(Fate)
_KIND_WIDTH = 24
_WIDTH = 11
_DETAIL_CHARACTERS = 200


def report_lines(report: AuditReport) -> Iterator[str]:
    """Yield the lines that a person reads: totals, tables, survivors, errors and tasks without a reference attempt."""
    yield _headline(report)
    yield ""
    yield f"{'kind':{_KIND_WIDTH}}" + "".join(f"{fate:>{_WIDTH}}" for fate in _FATES)
    for kind in KINDS:
        totals = report.of_kind(kind).totals
        if totals:
            yield f"{kind:{_KIND_WIDTH}}" + "".join(f"{totals[fate] or '':>{_WIDTH}}" for fate in _FATES)
    yield ""
    yield "killed by: " + (", ".join(f"{name} {count}" for name, count in report.kills_by_metric.most_common()) or "-")
    yield from _list_outcomes("wrong attempts that passed", report, "survived")
    yield from _list_outcomes("mutants that could not be played", report, "error")
    if report.unplayable:
        yield ""
        yield "tasks whose reference attempt does not pass:"
        yield from (f"  {task_id}: {one_line(problem)}" for task_id, problem in report.unplayable)


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
