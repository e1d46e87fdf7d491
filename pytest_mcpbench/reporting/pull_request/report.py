"""Comment that reports a run: verdicts, pass rates, the most telling tasks, and folded tables."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from pytest_mcpbench.core.arm import is_fresh
from pytest_mcpbench.core.gate.result import GateResult
from pytest_mcpbench.core.model_names import compared_models
from pytest_mcpbench.core.record import Outcome
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.aggregates.failure_causes import group_causes
from pytest_mcpbench.reporting.aggregates.model_comparison import PASSED, compare_entries
from pytest_mcpbench.reporting.aggregates.run_end import (
    FAILED_KINDS,
    damage_sentence,
    end_sentence,
    failed_tests,
    joined_runs,
    restarts_sentence,
)
from pytest_mcpbench.reporting.aggregates.spending import spending
from pytest_mcpbench.reporting.aggregates.standings import (
    DifferingTask,
    Standing,
    differing_tasks,
    standings,
)
from pytest_mcpbench.reporting.aggregates.telling_tasks import (
    TellingTask,
    failing_tasks,
    gate_tasks,
    is_failing,
    passes_text,
    reason_of,
)
from pytest_mcpbench.reporting.aggregates.unscored import failing_unscored, no_verdict_reason
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.forms.number_formats import quantity
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
from pytest_mcpbench.reporting.tables.failures import error_table, message_pattern
from pytest_mcpbench.reporting.tables.judge_panels import same_family_sentences
from pytest_mcpbench.reporting.tables.markdown import escape
from pytest_mcpbench.reporting.tables.report_tables import main_tables
from pytest_mcpbench.reporting.tables.standings import (
    common_tasks,
    cost_of_pass,
    other_scorings,
    points,
    reference_text,
    suite_columns,
)
from pytest_mcpbench.reporting.tables.table import Column, Table, model_name, table_of
from pytest_mcpbench.reporting.texts.gate import details, gate_tables
from pytest_mcpbench.reporting.texts.gate import headline as verdict_of_gate
from pytest_mcpbench.reporting.texts.result_sentences import client_sentences
from pytest_mcpbench.statistics.groups import group_by

_MOST_ROWS = 10
_MOST_SUITES = 9
_MOST_DIFFERING = 5
_MOST_TESTS = 5
_MOST_DETAILS = 3
_EXIT_CODES = {
    2: "interrupted",
    3: "an error of pytest or of a plugin",
    4: "pytest was called in a wrong way",
    5: "no test was selected",
}
_TITLES: Mapping[Outcome, str] = {"error": "Errors", "failed": "Failed", "unscored": "Unscored"}


def text(report: Report) -> str:
    """Return the report as Markdown, for a comment on a pull request."""
    failing = failing_tasks(report.entries)
    changed = [task for gate in report.gates for task in gate_tasks(gate, report.entries)]
    every = standings(report.entries)
    errors = error_table(report)
    divided = spending(report)
    folded_tasks: list[CommentPart] = []
    by_outcome = group_by(failing, lambda task: task.entry.outcome)
    for outcome, title in _TITLES.items():
        tasks = by_outcome.get(outcome, [])
        if tasks:
            folded_tasks.append(
                folded_table(
                    task_table(f"{title}: {quantity(len(tasks), 'task')}", tasks, report.entries, are_changes=False)
                )
            )
    parts = [
        CommentPart(f"{comment_parts.REPORT}\n## mcpbench"),
        CommentPart("\n".join(_verdict(report))),
        *_pass_rates(report.entries, every),
        *_telling(changed, failing, report.entries, every),
        *_folded_causes(report.entries),
        *folded_tasks,
        *folded_group("Verdicts in detail", (part for gate in report.gates for part in _folded_gate(gate))),
        *([CommentPart(escape(divided.sentence))] if divided is not None else []),
        *(CommentPart(escape(sentence)) for sentence in client_sentences(report)),
        *(CommentPart(escape(sentence)) for sentence in same_family_sentences(report)),
        *folded_group("Tables", map(folded_table, (*main_tables(report), *([errors] if errors.rows else [])))),
    ]
    return join_parts(parts)


def _verdict(report: Report) -> Iterator[str]:
    """Yield whether the run passed, a line for all that decides its exit code, and the counts of attempts.

    A run whose exit code is not known, as it was killed or is older, has the verdict of what it recorded.
    """
    codes = [run["exit_code"] for run in (report.facts, *joined_runs(report)) if isinstance(run.get("exit_code"), int)]
    tests = [f"* **{escape(kind)}:** {escape(told)}" for kind, told in _tests(report)]
    failing = _gates([gate for gate in report.gates if gate.fails], report.entries)
    reasons = [f"* **{escape(kind)}:** {escape(told)}" for kind, told in _reasons(report)]
    deciding = [*tests, *failing, *reasons]
    remarks = [f"* **{escape(told)}**" for told in (damage_sentence(report), restarts_sentence(report)) if told]
    counts = _counts(report.entries)
    # pytest may have ended with 0 all the same, if another plugin failed while it handled the interruption.
    if any(codes) or (not codes and deciding) or end_sentence(report) is not None:
        code = next(filter(None, codes), 0)
        told = "" if deciding else f": {_EXIT_CODES.get(code, 'for a reason outside of these tasks')}"
        yield f"✗ **The run failed** (exit code {code}{told})." if code else "✗ **The run failed.**"
        # The counts stand last: what failed the run need not be one of the attempts.
        yield from (*deciding, *remarks, f"* {counts}")
    else:
        yield f"{'✓ **The run passed.** ' if report.entries else ''}{counts}"
        yield from (*deciding, *remarks)
    yield from _gates([gate for gate in report.gates if not gate.fails], report.entries)


def _tests(report: Report) -> Iterator[tuple[str, str]]:
    """Yield the tests that failed beside attempts and gates, those of a kind together."""
    by_kind = group_by(failed_tests(report), lambda test: test.kind)
    for kind, tests in sorted(by_kind.items(), key=lambda pair: FAILED_KINDS.index(pair[0])):
        yield from ((kind, f"{test.name}: {test.reason}") for test in tests[:_MOST_TESTS])
        if len(tests) > _MOST_TESTS:
            yield kind, f"and {len(tests) - _MOST_TESTS} more"


def _reasons(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what else fails a run: its end, errors, missing verdicts and failed attempts."""
    end = end_sentence(report)
    counted = [entry for entry in report.entries if not entry.arm]
    errors = [entry for entry in report.entries if entry.outcome == "error"]
    has_verdict = any(entry.outcome in ("passed", "failed") for entry in counted)
    reason = no_verdict_reason(counted) or "no attempt has one"
    if counted and not has_verdict and end is not None and f" ({reason})" in end:
        yield "no verdict", f"{reason} ({end.replace(f' ({reason})', '')})"
        return
    if end is not None:
        yield "not complete", end
    if counted and not has_verdict:
        yield "no verdict", f"{reason} ({quantity(len(counted), 'attempt')})"
        return
    if errors:
        alike = sorted(group_by(map(reason_of, errors), message_pattern).values(), key=len, reverse=True)
        parts = ", ".join(f"{reasons[0]}{_repeated(reasons)}" for reasons in alike[:2])
        yield quantity(len(errors), "error"), parts + (" …" if len(alike) > 2 else "")
    failed = [entry for entry in counted if entry.outcome == "failed" and not entry.is_xfail]
    models = compared_models(entry.model for entry in counted)
    of_models = sum(entry.model in models for entry in failed)
    if of_models:
        made = quantity(sum(entry.model in models for entry in counted), "attempt")
        yield "failed", f"{of_models:,} of {made}{_told_causes(failed)}"
    if len(failed) > of_models:
        names = ", ".join(dict.fromkeys(entry.model for entry in failed if entry.model not in models))
        yield "failed without a model", f"{quantity(len(failed) - of_models, 'attempt')} of {names}"
    unscored = failing_unscored(report)
    if unscored:
        yield "unscored", f"{quantity(unscored, 'attempt')} (--mcpbench-unscored=fail)"


def _repeated(reasons: Sequence[str]) -> str:
    """Return how many reasons there are beside the first of those that differ only in names and numbers."""
    more = len(reasons) - 1
    alike = f" ({len(reasons):,} times)" if len(set(reasons)) == 1 else f" (and {more:,} like it)"
    return alike if more else ""


def _told_causes(failed: Sequence[Entry]) -> str:
    models = compared_models(entry.model for entry in failed)
    causes = group_causes(entry for entry in failed if entry.model in models)
    return f": {', '.join(f'{group.attempts:,} {group.kind}' for group in causes[:_MOST_DETAILS])}" if causes else ""


def _counts(entries: Sequence[Entry]) -> str:
    """Return the attempts of models by outcome, without fresh trials; those of other agents if no model ran."""
    models = compared_models(entry.model for entry in entries)
    outcomes = Counter(entry.outcome for entry in entries if entry.model in models and not is_fresh(entry.arm))
    if not outcomes:
        return "No attempt was made."
    others = [(outcomes["failed"], "failed"), (outcomes["error"], "with an error"), (outcomes["unscored"], "unscored")]
    told = "".join(f", {count:,} {name}" for count, name in others if count)
    return f"{outcomes['passed']:,} of {quantity(outcomes.total(), 'attempt')} passed{told}."


def _gates(gates: Sequence[GateResult], entries: Sequence[Entry]) -> list[str]:
    """Return a line for each gate: its verdict, with the pass rates of both arms."""
    lines: list[str] = []
    for gate in gates[: comparison.MOST]:
        own = (entry for entry in entries if (entry.suite, entry.model) == (gate.suite, gate.model))
        arms = group_by(own, lambda entry: entry.arm)
        before, after = arms.get(gate.baseline, []), arms.get(gate.candidate, [])
        pair = compare_entries(gate.suite, PASSED, before, after) if before and after else None
        numbers = f"; first trials: {comparison.headline(pair, comparison.cost_change(before, after))}" if pair else ""
        unscored = f"; {escape(pair.unscored_difference)}" if pair and pair.unscored_difference else ""
        lines.append(f"* **{escape(verdict_of_gate(gate))}**{numbers}{unscored}")
    more = len(gates) - comparison.MOST
    return [*lines, f"* … and {more} more verdicts, folded below"] if more > 0 else lines


def _pass_rates(entries: Sequence[Entry], every: Sequence[Standing]) -> Iterator[CommentPart]:
    """Yield the pass rates with a row for each model and a column for each suite."""
    losses = Counter(entry.series for each in every for entry in each.entries if entry.outcome != "passed")
    suites = suite_columns(every)
    most_lost = sorted(suites, key=lambda column: -losses[column.heading])[:_MOST_SUITES]
    columns: tuple[Column[Standing], ...] = (
        Column("model", lambda each: model_name(each.model), is_words=True),
        Column("all" if suites else "pass rate", lambda each: each.rate.bounds_text),
        Column("95 % interval", lambda each: number_formats.percent_interval(each.rate.interval)),
        *([Column("to the best", _difference)] if len(every) > 1 else []),
        *(column for column in suites if column in most_lost),
        *other_scorings(every),
        Column("unscored", lambda each: number_formats.count(each.rate.unscored), is_optional=True),
        Column("errors", lambda each: str(each.errors), is_optional=True),
        Column("cost a pass", lambda each: " ".join(cost_of_pass(each)).strip("–")),
    )
    table = table_of("Pass rates", columns, every[:_MOST_ROWS])
    if table.rows:
        yield open_table(table)
    without = reference_text(entries)
    if without:
        yield CommentPart(f"Without a model: {escape(without)}.")
    left_out = [
        f"{len(names) - most} more {what}"
        for names, most, what in ((every, _MOST_ROWS, "models"), (suites, _MOST_SUITES, "suites"))
        if len(names) > most
    ]
    if left_out:
        yield CommentPart(f"… and {' and '.join(left_out)}, folded below.")


def _difference(standing: Standing) -> str:
    if standing.to_best is None:
        return points(standing)
    return f"{points(standing)} ({', '.join(filter(None, (standing.significance, common_tasks(standing))))})"


def _telling(
    changed: Sequence[TellingTask],
    failing: Sequence[TellingTask],
    entries: Sequence[Entry],
    every: Sequence[Standing],
) -> Iterator[CommentPart]:
    """Yield the tasks that changed between arms or in which models differ most; otherwise the most telling failures."""
    differing = [] if changed else differing_tasks(every)
    if differing:
        yield open_table(_differing_table(differing[:_MOST_DIFFERING], [each.model for each in every[:_MOST_ROWS]]))
    elif changed or failing:
        yield open_table(telling_table(changed or failing, entries, are_changes=bool(changed)))


def _differing_table(tasks: Sequence[DifferingTask], models: Sequence[str]) -> Table:
    def of_model(model: str) -> Callable[[DifferingTask], str]:
        return lambda task: passes_text(task.trials.get(model, ()))

    columns: tuple[Column[DifferingTask], ...] = (
        Column("suite", lambda task: one_line(task.suite, 60), is_words=True),
        Column("task where models differ", lambda task: one_line(task.task, 80), is_words=True),
        *(Column(model_name(model), of_model(model)) for model in models),
    )
    return table_of("Tasks where models differ", columns, tasks)


def _folded_causes(entries: Sequence[Entry]) -> Iterator[CommentPart]:
    failing = [entry for entry in entries if is_failing(entry)]
    models = compared_models(entry.model for entry in failing)
    rows = tuple(
        (
            group.kind,
            ", ".join(f"{detail} ({count})" for detail, count in group.details[:_MOST_DETAILS]),
            str(group.attempts),
        )
        for group in group_causes(entry for entry in failing if entry.model in models)
    )
    if rows:
        yield folded_table(Table("Causes", ("cause", "most frequent", "attempts"), rows, 2))


def _folded_gate(gate: GateResult) -> Iterator[CommentPart]:
    subject = f"{gate.suite}, {gate.model}"
    yield folded_list(f"{subject}: {gate.verdict}", details(gate))
    yield from (folded_table(table, f"{subject}: {table.title}") for table in gate_tables(gate))
