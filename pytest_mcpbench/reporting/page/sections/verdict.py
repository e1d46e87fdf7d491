"""Section with the verdict: one sentence, those of the gates, and what the run cost, took and was based on."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from pytest_mcpbench.core.model_names import AGENTS_WITHOUT_MODEL, LEXICAL, NOOP, ORACLE, is_competitor
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.aggregates.conditions import unusual_conditions
from pytest_mcpbench.reporting.aggregates.run_end import damage_sentence, end_sentence, restarts_sentence, wall_seconds
from pytest_mcpbench.reporting.aggregates.spending import spending
from pytest_mcpbench.reporting.aggregates.standings import Standing, is_decided, no_verdict_reason, standings
from pytest_mcpbench.reporting.aggregates.summary import KnownSum, UsageSum
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.reporting.page.sections.layout import folded, folded_tables, paragraph
from pytest_mcpbench.reporting.page.sections.standings import standings_markup
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
_MOST_NAMED = 3
"""Models that a sentence names."""


def verdict_section(report: Report, results: Sequence[SuiteResults]) -> Section:
    """Return the verdict: that of a gate before everything else, then the models; all else about the run is folded."""
    every = [summary for each in results for summary in each.summaries]
    body = Markup().join(
        [
            *_end(report),
            *_gates(report),
            paragraph(lead_sentence(report), "verdict"),
            standings_markup(report.entries),
            *(paragraph(sentence) for sentence in same_family_sentences(report)),
            _facts(brief_facts(report, results)),
            folded("Costs, conditions and records", _facts(facts(report))),
            folded_tables(
                [
                    without_zeros(results_table(every), "tokens", "cost", "judge tokens", "judge cost"),
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


def lead_sentence(report: Report) -> str:
    """Return which model passes most, by how much, and which others cannot be told from it."""
    every = standings(report.entries)
    if not every:
        return "The run has no attempt." if not report.entries else "The run compares arms: see its gates."
    if not is_competitor(every[0].model):
        return baseline_sentence(every)
    best, others = every[0], every[1:]
    if not any(each.rate.verdicts for each in every):
        reason = no_verdict_reason(report.entries)
        return f"No verdict: {reason}" if reason else f"No attempt has a verdict{_left_out(every)}."
    where = _where(best)
    if not others:
        return f"{best.model} passes {best.rate.text} of {where}{_interval(best)}{_left_out(every)}."
    if not is_decided(every):
        rates = "; ".join(f"{each.model} {each.rate.text}" for each in every[:_MOST_NAMED])
        return f"Too few attempts are decided to say which model is best: {rates}{_left_out(every)}."
    ties = [each for each in others if each.rate.range == best.rate.range]
    equal = [each for each in others if each.significance != "significant" and each not in ties]
    names = ", ".join(each.model for each in (best, *ties))
    lead = f"{names} {'pass' if ties else 'passes'} most: {best.rate.text} of {where}{_interval(best)}"
    if len(ties) == len(others):
        return f"{lead}{_left_out(every)}."
    if not equal:
        second = others[len(ties)]
        return f"{lead}, significantly more than {second.model} ({second.rate.text}){_left_out(every)}."
    named = ", ".join(f"{each.model} ({each.rate.text}{_price(each, best)})" for each in equal[:_MOST_NAMED])
    more = f" and {len(equal) - _MOST_NAMED} more" if len(equal) > _MOST_NAMED else ""
    return f"{lead}. Not significantly less: {named}{more}{_left_out(every)}."


def _where(standing: Standing) -> str:
    suites = list(dict.fromkeys(entry.series for entry in standing.entries))
    tasks = quantity(standing.tasks, "task")
    return f"{tasks} of {suites[0] if len(suites) == 1 else f'{len(suites)} suites'}"


def _interval(standing: Standing) -> str:
    bounds = standing.rate.interval
    return f" (95 % interval {number_formats.percent_range(bounds)})" if bounds is not None else ""


def _price(standing: Standing, best: Standing) -> str:
    """Return the cost of an attempt beside that of the best model, where both are known and differ."""
    own, other = standing.cost_of_attempt, best.cost_of_attempt
    if not own or not other or 0.9 < own / other < 1.1:
        return ""
    return f" at {own / other:.2g} × its cost"


def baseline_sentence(every: Sequence[Standing]) -> str:
    """Return the passes of each agent without a model, with what those of ``oracle`` and ``noop`` show."""
    parts = [_agent(each) for agent in (ORACLE, NOOP, LEXICAL) for each in every if each.model == agent]
    parts += [f"{each.model} passed {each.rate.text}" for each in every if each.model not in AGENTS_WITHOUT_MODEL]
    return f"No model took part. {'; '.join(parts)}."


def _agent(standing: Standing) -> str:
    """Return the passes of one agent, and their meaning where they have one."""
    passed, verdicts = standing.rate.passed, standing.rate.verdicts
    told = f"{standing.model} passed {passed:,} of {quantity(verdicts, 'attempt')}"
    if not verdicts:
        return told
    if standing.model == ORACLE:
        if passed < verdicts:
            return f"{told}: the others are not solvable as scored"
        is_whole = verdicts == len(standing.entries)
        return f"{told}: {'every task' if is_whole else 'what has a verdict'} is solvable as scored"
    if standing.model == NOOP:
        return f"{told}: {'some pass' if passed else 'none passes'} without a call or an answer"
    return told


def brief_facts(report: Report, results: Sequence[SuiteResults]) -> Iterator[tuple[str, str]]:
    """Yield how much was run, what it cost, and how long it took by the clock."""
    tasks = sum(len({entry.task_id for entry in each.entries}) for each in results)
    models = {entry.model for entry in report.entries}
    suites = quantity(len(results), "suite")
    yield "attempts", f"{len(report.entries):,} ({suites}, {quantity(tasks, 'task')}, {quantity(len(models), 'agent')})"
    used = UsageSum.of(entry.usage for entry in report.entries)
    if _is_told(used.cost_usd):
        yield "cost", _cost(used)
    wall = wall_seconds(report)
    yield "wall time", _UNKNOWN if wall is None else number_formats.seconds(wall)


def facts(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what the run cost and took in detail, and under which conditions."""
    entries = report.entries
    used = UsageSum.of(entry.usage for entry in entries)
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
    yield "time of all attempts (sum)", number_formats.seconds(sum(entry.seconds for entry in entries))
    unusual = [f"{suite}: {name} {value}" for suite, name, value in unusual_conditions(report.facts)]
    yield "conditions", "; ".join(unusual) or ("as usual" if report.facts.get("suites") else _UNKNOWN)
    if report.gates:
        yield "baseline", "; ".join(dict.fromkeys(gate.baseline for gate in report.gates))
    if report.directory:
        yield "records", report.directory


def _end(report: Report) -> Iterator[Markup]:
    sentence = end_sentence(report)
    if sentence is not None:
        yield paragraph(f"The run is not complete: {sentence}.", "verdict")
    damage = damage_sentence(report)
    if damage is not None:
        yield paragraph(f"The records are damaged: {damage}.", "verdict")
    restarts = restarts_sentence(report)
    if restarts is not None:
        yield paragraph(f"{restarts[0].upper()}{restarts[1:]}.", "verdict")


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


def _left_out(every: Sequence[Standing]) -> str:
    errors = sum(each.errors for each in every)
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
