"""Section with the verdict: one sentence, those of the gates, and what the run cost, took and was based on."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from pytest_mcpbench.core.model_names import AGENTS_WITHOUT_MODEL, LEXICAL, NOOP, ORACLE
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.aggregates.conditions import unusual_conditions
from pytest_mcpbench.reporting.aggregates.run_end import damage_sentence, end_sentence, wall_seconds
from pytest_mcpbench.reporting.aggregates.spending import spending
from pytest_mcpbench.reporting.aggregates.summary import KnownSum, Summary, UsageSum
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.page.sections.layout import folded, folded_tables, paragraph, tables_markup
from pytest_mcpbench.reporting.page.sections.suite_results import SuiteResults
from pytest_mcpbench.reporting.tables.failures import error_table
from pytest_mcpbench.reporting.tables.judge_panels import (
    agreement_table,
    cascade_table,
    panel_table,
    same_family_sentences,
)
from pytest_mcpbench.reporting.tables.report_tables import run_table
from pytest_mcpbench.reporting.tables.results import condition_table, oracle_table, results_table
from pytest_mcpbench.reporting.tables.section import Section, plain, table_markup
from pytest_mcpbench.reporting.tables.table import without_zeros
from pytest_mcpbench.reporting.texts.gate import details, gate_tables, headline

_UNKNOWN = "unknown"


def verdict_section(report: Report, results: Sequence[SuiteResults]) -> Section:
    """Return the verdict; that of a gate stands before everything else."""
    every = [summary for each in results for summary in each.summaries]
    body = Markup().join(
        [
            *_end(report),
            *_gates(report),
            paragraph(lead_sentence(results), "verdict"),
            *(paragraph(sentence) for sentence in same_family_sentences(report)),
            _facts(facts(report, results)),
            tables_markup([without_zeros(results_table(every), "tokens", "cost", "judge tokens", "judge cost")]),
            folded_tables(
                [
                    run_table(report),
                    cascade_table(report),
                    panel_table(report),
                    agreement_table(report),
                    condition_table(report),
                    oracle_table(report),
                    error_table(report),
                ]
            ),
        ]
    )
    return Section("verdict", "Verdict", body)


def lead_sentence(results: Sequence[SuiteResults]) -> str:
    """Return the result of the run in one sentence."""
    if not results:
        return "The run has no attempt."
    if all(set(each.models) <= set(AGENTS_WITHOUT_MODEL) for each in results):
        return baseline_sentence(results)
    if len(results) == 1:
        return suite_sentence(results[0])
    leaders = [_leaders(each.summaries) for each in results]
    decided = [each for each in leaders if each]
    if not any(summary.verdicts for each in results for summary in each.summaries):
        return f"No attempt at the {len(results)} suites has a verdict."
    if not decided:
        return f"Too few attempts at the {len(results)} suites are decided to say which model is best."
    best = {summary.model for each in decided for summary in each}
    most = max(sorted(best), key=lambda model: sum(any(one.model == model for one in each) for each in decided))
    count = sum(any(summary.model == most for summary in each) for each in decided)
    if len({model for each in results for model in each.models}) == 1:
        return f"{most} attempted {len(results)} suites."
    everywhere = f"all {count}" if count == len(results) else f"{count} of {len(results)}"
    return f"{most} has the highest pass rate in {everywhere} suites."


def baseline_sentence(results: Sequence[SuiteResults]) -> str:
    """Return the passes of each agent without a model, with what those of ``oracle`` and ``noop`` show."""
    every = [summary for each in results for summary in each.summaries]
    agents = [agent for agent in (ORACLE, NOOP, LEXICAL) if any(summary.model == agent for summary in every)]
    parts = [_agent([summary for summary in every if summary.model == agent]) for agent in agents]
    return f"No model took part. {'; '.join(parts)}."


def _agent(summaries: Sequence[Summary]) -> str:
    """Return the passes of one agent, and their meaning where they have one."""
    passed, verdicts = sum(each.passed for each in summaries), sum(each.verdicts for each in summaries)
    told = f"{summaries[0].model} passed {passed:,} of {quantity(verdicts, 'attempt')}"
    if not verdicts:
        return told
    if summaries[0].model == ORACLE:
        if passed < verdicts:
            return f"{told}: the others are not solvable as scored"
        is_whole = verdicts == sum(each.attempts for each in summaries)
        return f"{told}: {'every task' if is_whole else 'what has a verdict'} is solvable as scored"
    if summaries[0].model == NOOP:
        return f"{told}: {'some pass' if passed else 'none passes'} without a call or an answer"
    return told


def suite_sentence(results: SuiteResults) -> str:
    """Return the pass rates of a suite in one sentence, the best model with its interval and denominator."""
    leaders = _leaders(results.summaries)
    left_out = _left_out(results.summaries)
    if not any(summary.verdicts for summary in results.summaries):
        return f"{results.suite}: no attempt has a verdict{left_out}."
    if not leaders:
        rates = "; ".join(f"{summary.model} {_rate(summary)}" for summary in results.summaries)
        return f"{results.suite}: too few attempts are decided to say which model is best: {rates}{left_out}."
    if len(results.summaries) == 1:
        return f"{results.suite}: {_passes(leaders[0])}{left_out}."
    others = [summary for summary in results.summaries if summary not in leaders]
    rest = "".join(f"; {summary.model} {_rate(summary)}" for summary in others)
    if len(leaders) > 1:
        names = ", ".join(summary.model for summary in leaders)
        return f"{results.suite}: {names} share the highest pass rate, {_rate(leaders[0])}{rest}{left_out}."
    return f"{results.suite}: {_passes(leaders[0])}{rest}{left_out}."


def facts(report: Report, results: Sequence[SuiteResults]) -> Iterator[tuple[str, str]]:
    """Yield names and values of the numbers beside the verdict."""
    entries = report.entries
    tasks = sum(len({entry.task_id for entry in each.entries}) for each in results)
    models = {entry.model for entry in entries}
    yield "attempts", f"{len(entries):,} ({quantity(tasks, 'task')}, {quantity(len(models), 'model')})"
    used = UsageSum.of(entry.usage for entry in entries)
    if _is_told(used.cost_usd):
        yield "cost", _cost(used)
    divided = spending(report)
    if divided is not None and _is_told(divided.whole_sum):
        yield "cost of this run, with judge and user", f"{divided.own_cost} ({quantity(len(divided.own), 'attempt')})"
        yield (
            "cost with what it took over",
            f"{divided.whole_cost} ({quantity(len(divided.taken_over), 'attempt')} taken over)",
        )
    elif divided is not None:
        yield "taken over from an earlier start", quantity(len(divided.taken_over), "attempt")
    for name, other in (
        ("cost of the judge", UsageSum.of(entry.judge_usage for entry in entries)),
        ("cost of the user", UsageSum.of(entry.user_usage for entry in entries)),
    ):
        if _is_told(other.cost_usd) or other.input_tokens.known:
            yield name, _cost(other)
    if _is_told(used.input_tokens) or _is_told(used.output_tokens):
        yield "tokens (read + written)", _tokens(used)
    wall = wall_seconds(report)
    yield "wall time", _UNKNOWN if wall is None else number_formats.seconds(wall)
    yield "time of all attempts (sum)", number_formats.seconds(sum(entry.seconds for entry in entries))
    unusual = [f"{suite}: {name} {value}" for suite, name, value in unusual_conditions(report.facts)]
    yield "conditions", "; ".join(unusual) or ("as usual" if report.facts.get("suites") else _UNKNOWN)
    yield "baseline", _baseline(report, results)
    if report.directory:
        yield "records", report.directory


def _end(report: Report) -> Iterator[Markup]:
    sentence = end_sentence(report)
    if sentence is not None:
        yield paragraph(f"The run is not complete: {sentence}.", "verdict")
    damage = damage_sentence(report)
    if damage is not None:
        yield paragraph(f"The records are damaged: {damage}.", "verdict")


def _gates(report: Report) -> Iterator[Markup]:
    for gate in report.gates:
        yield paragraph(headline(gate), f"verdict gate {'failed' if gate.fails else 'passed'}")
        yield _list(details(gate))
        for table in gate_tables(gate):
            yield folded(table.title, table_markup(table), is_open=gate.fails)


def _facts(pairs: Iterator[tuple[str, str]]) -> Markup:
    items = (Markup("<div><dt>{}</dt><dd>{}</dd></div>").format(plain(name), plain(value)) for name, value in pairs)
    return Markup('<dl class="facts">{}</dl>').format(Markup().join(items))


def _list(lines: Sequence[str]) -> Markup:
    items = Markup().join(Markup("<li>{}</li>").format(plain(line)) for line in lines)
    return Markup("<ul>{}</ul>").format(items) if lines else Markup()


def _leaders(summaries: Sequence[Summary]) -> list[Summary]:
    """Return the summaries that have the highest pass rate whatever the unscored attempts would get; often none."""
    ranges = [(summary, summary.rate.range) for summary in summaries]
    known = [(summary, bounds) for summary, bounds in ranges if bounds is not None]
    return [
        summary
        for summary, bounds in known
        if summary.verdicts and all(other.high <= bounds.low for each, other in known if each is not summary)
    ]


def _passes(summary: Summary) -> str:
    interval = number_formats.percent_interval(summary.pass_interval)
    passed = (
        f"{summary.passed:,} of {quantity(summary.verdicts, 'attempt')}, {number_formats.percent(summary.pass_rate)}"
    )
    return f"{summary.model} passed {summary.rate.text if summary.unscored else passed} (95 % interval {interval})"


def _rate(summary: Summary) -> str:
    return summary.rate.text if summary.verdicts else "without a verdict"


def _left_out(summaries: Sequence[Summary]) -> str:
    errors = sum(each.errors for each in summaries)
    return f"; not counted: {quantity(errors, 'error')}" if errors else ""


def _is_told(total: KnownSum) -> bool:
    """Return true unless the sum is 0 and every attempt knows it, as of agents without a model."""
    return bool(total.known or total.unknown)


def _cost(usage: UsageSum) -> str:
    cost = usage.cost_usd
    return number_formats.at_least(number_formats.money(cost.known), cost.unknown, cost.attempts, unknown_text=_UNKNOWN)


def _tokens(usage: UsageSum) -> str:
    known = f"{number_formats.tokens(usage.input_tokens.known)} + {number_formats.tokens(usage.output_tokens.known)}"
    unknown = max(usage.input_tokens.unknown, usage.output_tokens.unknown)
    return number_formats.at_least(known, unknown, usage.input_tokens.attempts, unknown_text=_UNKNOWN)


def _baseline(report: Report, results: Sequence[SuiteResults]) -> str:
    """Return what the results are compared with: the baseline of the gates, or the agents without a model."""
    if report.gates:
        return "; ".join(dict.fromkeys(gate.baseline for gate in report.gates))
    floors = [
        f"{summary.model} {_rate(summary)} at {each.suite}"
        for each in results
        if not set(each.models) <= set(AGENTS_WITHOUT_MODEL)
        for summary in each.summaries
        if summary.model in AGENTS_WITHOUT_MODEL
    ]
    return "agents without a model: " + "; ".join(floors) if floors else "none"
