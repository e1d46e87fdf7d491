"""Comment that reports a run: verdicts, pass rates, the most telling tasks, and folded tables."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pytest_mcpbench.core.gate.result import GateResult
from pytest_mcpbench.core.model_names import CONTROLS
from pytest_mcpbench.core.record import Outcome
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.aggregates.failure_causes import CauseGroup, group_causes
from pytest_mcpbench.reporting.aggregates.model_comparison import PASSED, compare_entries
from pytest_mcpbench.reporting.aggregates.run_end import damage_sentence, end_sentence
from pytest_mcpbench.reporting.aggregates.spending import spending
from pytest_mcpbench.reporting.aggregates.summary import Summary, summaries
from pytest_mcpbench.reporting.aggregates.telling_tasks import TellingTask, failing_tasks, gate_tasks, is_failing
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.pull_request import comment_parts, comparison
from pytest_mcpbench.reporting.pull_request.comment_parts import (
    CommentPart,
    folded_group,
    folded_list,
    folded_table,
    join_parts,
    open_table,
    task_table,
    telling_table,
)
from pytest_mcpbench.reporting.tables.judge_panels import same_family_sentences
from pytest_mcpbench.reporting.tables.markdown import escape
from pytest_mcpbench.reporting.tables.report_tables import detail_tables, main_tables
from pytest_mcpbench.reporting.tables.table import Table, filled_table, names
from pytest_mcpbench.reporting.texts.gate import details, gate_tables
from pytest_mcpbench.reporting.texts.gate import headline as verdict_of_gate
from pytest_mcpbench.statistics.groups import group_by

_MOST_ROWS = 10
_MOST_DETAILS = 3
_TITLES: Mapping[Outcome, str] = {"error": "Errors", "failed": "Failed", "unscored": "Unscored"}


def text(report: Report) -> str:
    """Return the report as Markdown, for a comment on a pull request."""
    failing = failing_tasks(report.entries)
    changed = [task for gate in report.gates for task in gate_tasks(gate, report.entries)]
    parts = [
        CommentPart(f"{comment_parts.REPORT}\n## mcpbench"),
        *_end(report),
        *_gates(report),
        CommentPart(_verdict(report)),
        *_pass_rates(summaries(report)),
        *_telling(changed, failing),
        *_folded_causes(report.entries),
        *_folded_tasks(failing),
        *folded_group("Verdicts in detail", (part for gate in report.gates for part in _folded_gate(gate))),
        *_spending(report),
        *(CommentPart(escape(sentence)) for sentence in same_family_sentences(report)),
        *folded_group("Tables", map(folded_table, (*main_tables(report), *detail_tables(report)))),
    ]
    return join_parts(parts)


def _end(report: Report) -> Iterator[CommentPart]:
    for sentence in filter(None, (end_sentence(report), damage_sentence(report))):
        yield CommentPart(f"**{escape(sentence)}**")


def _spending(report: Report) -> Iterator[CommentPart]:
    divided = spending(report)
    if divided is not None:
        yield CommentPart(escape(divided.sentence))


def _gates(report: Report) -> Iterator[CommentPart]:
    """Yield the verdicts of the gates, those that fail first."""
    ordered = sorted(report.gates, key=lambda gate: not gate.fails)
    lines = [_gate(gate, report.entries) for gate in ordered[: comparison.MOST]]
    if len(ordered) > comparison.MOST:
        lines.append(f"* … and {len(ordered) - comparison.MOST} more verdicts, folded below")
    if lines:
        yield CommentPart("\n".join(lines))


def _gate(gate: GateResult, entries: Sequence[Entry]) -> str:
    """Return the verdict of a gate, with the pass rates of both arms."""
    arms = group_by(
        (entry for entry in entries if (entry.suite, entry.model) == (gate.suite, gate.model)), lambda entry: entry.arm
    )
    before, after = arms.get(gate.baseline, []), arms.get(gate.candidate, [])
    pair = compare_entries(gate.suite, PASSED, before, after) if before and after else None
    numbers = f"; {comparison.headline(pair, comparison.cost_change(before, after))}" if pair else ""
    unscored = f"; {pair.unscored_difference}" if pair and pair.unscored_difference else ""
    return f"* **{escape(verdict_of_gate(gate))}**{numbers}{unscored}"


def _verdict(report: Report) -> str:
    """Return a sentence with the counts of passed, failed and other attempts, and the causes of failures."""
    outcomes = Counter(entry.outcome for entry in report.entries)
    counts = {"failed": outcomes["failed"], "errors": outcomes["error"], "unscored": outcomes["unscored"]}
    others = "".join(f", {count:,} {name}" for name, count in counts.items() if count or name == "failed")
    causes = [f"{group.attempts:,} {group.kind}" for group in _causes(report.entries)]
    more = f" ({', '.join(map(escape, causes[:_MOST_ROWS]))})" if len(causes) > 1 else ""
    return f"**{outcomes['passed']:,} of {len(report.entries):,} attempts passed**{others}{more}."


def _pass_rates(every: Sequence[Summary]) -> Iterator[CommentPart]:
    """Yield the pass rates of the five suites with the most attempts that did not pass."""
    rows = [_rate(summary) for summary in _shown(every)]
    if rows:
        headings = ("suite", "model", "pass rate", "95 % interval", "passed", "of", "errors", "unscored", "cost")
        yield open_table(filled_table("Pass rates", headings, rows, 2, ("errors", "unscored")))
    if len(rows) < len(every):
        yield CommentPart(f"… and {len(every) - len(rows)} more suites or models, folded below.")


def _shown(every: Sequence[Summary]) -> list[Summary]:
    """Return as many models of each of these suites, those with the most losses; ``oracle`` and ``noop`` come last."""
    losses = Counter({summary.suite: 0 for summary in every})
    for summary in every:
        losses[summary.suite] += _lost(summary)
    by_suite = group_by(every, lambda summary: summary.suite)
    suites = [by_suite[suite] for suite, _ in losses.most_common(comparison.MOST)]
    kept = [
        summary
        for suite in suites
        for summary in sorted(suite, key=lambda each: (each.model in CONTROLS, -_lost(each)))[
            : _MOST_ROWS // len(suites)
        ]
    ]
    return [summary for summary in every if summary in kept]


def _lost(summary: Summary) -> int:
    return summary.attempts - summary.passed


def _rate(summary: Summary) -> tuple[str, ...]:
    cost = summary.known_usage.cost_usd
    return (
        *names(summary),
        summary.rate.text,
        number_formats.percent_interval(summary.pass_interval),
        str(summary.passed),
        str(summary.verdicts),
        str(summary.errors),
        str(summary.unscored),
        number_formats.at_least(number_formats.money(cost.known), cost.unknown, cost.attempts),
    )


def _telling(changed: Sequence[TellingTask], failing: Sequence[TellingTask]) -> Iterator[CommentPart]:
    """Yield the most telling tasks: those that changed between arms or, in a run without arms, those that failed."""
    tasks = changed or failing
    if tasks:
        yield open_table(telling_table(tasks, are_changes=bool(changed)))


def _causes(entries: Sequence[Entry]) -> tuple[CauseGroup, ...]:
    return group_causes(entry for entry in entries if is_failing(entry))


def _folded_causes(entries: Sequence[Entry]) -> Iterator[CommentPart]:
    rows = tuple(
        (
            group.kind,
            ", ".join(f"{detail} ({count})" for detail, count in group.details[:_MOST_DETAILS]),
            str(group.attempts),
        )
        for group in _causes(entries)
    )
    if rows:
        yield folded_table(Table("Causes", ("cause", "most frequent", "attempts"), rows, 2))


def _folded_tasks(failing: Sequence[TellingTask]) -> Iterator[CommentPart]:
    """Yield the tasks without a result, those that failed, and those without a score, each under its own title."""
    by_outcome = group_by(failing, lambda task: task.entry.outcome)
    for outcome, title in _TITLES.items():
        tasks = by_outcome.get(outcome, [])
        if tasks:
            yield folded_table(task_table(f"{title}: {len(tasks)} tasks", tasks, are_changes=False))


def _folded_gate(gate: GateResult) -> Iterator[CommentPart]:
    subject = f"{gate.suite}, {gate.model}"
    yield folded_list(f"{subject}: {gate.verdict}", details(gate))
    yield from (folded_table(table, f"{subject}: {table.title}") for table in gate_tables(gate))
