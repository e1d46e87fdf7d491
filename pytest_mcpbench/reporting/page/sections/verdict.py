"""Section with the verdict: one sentence, those of the gates, and what the run cost, took and was based on."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from pytest_mcpbench.core.record import series
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.aggregates.conditions import real_servers, unusual_conditions
from pytest_mcpbench.reporting.aggregates.run_end import (
    FAILED_KINDS,
    damage_sentence,
    end_sentence,
    failed_tests,
    restarts_sentence,
    wall_seconds,
)
from pytest_mcpbench.reporting.aggregates.spending import spending
from pytest_mcpbench.reporting.aggregates.summary import KnownSum, UsageSum
from pytest_mcpbench.reporting.aggregates.unscored import failing_unscored, undecided_sentence
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
from pytest_mcpbench.reporting.tables.published import published_table
from pytest_mcpbench.reporting.tables.report_tables import run_table
from pytest_mcpbench.reporting.tables.results import condition_table, oracle_table, results_tables
from pytest_mcpbench.reporting.tables.section import Section, plain, sentence, table_markup
from pytest_mcpbench.reporting.tables.standings import arms_table
from pytest_mcpbench.reporting.tables.table import without_zeros
from pytest_mcpbench.reporting.texts.gate import details, gate_tables, headline
from pytest_mcpbench.reporting.texts.lead_sentence import lead_sentence
from pytest_mcpbench.reporting.texts.result_sentences import client_sentences

_UNKNOWN = "unknown"
_MOST_TESTS = 5


def verdict_section(report: Report, results: Sequence[SuiteResults]) -> Section:
    """Return the verdict: that of a gate before everything else, then the models; all else about the run is folded."""
    every = [summary for each in results for summary in each.summaries]
    lead, published = lead_sentence(report), published_table(report)
    body = Markup().join(
        [
            *_failed_tests(report),
            *_end(report),
            *_gates(report),
            paragraph(lead, "verdict"),
            standings_markup(report.entries),
            *([table_markup(arms)] if (arms := arms_table(report.entries)) else []),
            *_undecided(report, lead),
            *(paragraph(sentence) for sentence in client_sentences(report)),
            *(paragraph(sentence) for sentence in same_family_sentences(report)),
            *([table_markup(published)] if published.rows else []),
            _facts(brief_facts(report)),
            folded("Costs, conditions and records", _facts(facts(report))),
            folded_tables(
                [
                    *(
                        without_zeros(table, "tokens", "cost", "judge tokens", "judge cost")
                        for table in results_tables(every)
                    ),
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


def _undecided(report: Report, lead: str) -> Iterator[Markup]:
    """Yield what would decide the attempts that no rule could decide, unless the verdict says it."""
    undecided = undecided_sentence(report.entries)
    if undecided and undecided not in lead:
        yield paragraph(f"{undecided[0].upper()}{undecided[1:]}.")


def brief_facts(report: Report) -> Iterator[tuple[str, str]]:
    """Yield how much was run, what it cost, and how long it took by the clock. Arms are no suites of their own."""
    tasks = {(series(entry.suite, entry.test), entry.task_id) for entry in report.entries}
    counts = (
        quantity(len({suite for suite, _ in tasks}), "suite"),
        quantity(len(tasks), "task"),
        quantity(len({entry.model for entry in report.entries}), "agent"),
    )
    yield "attempts", f"{len(report.entries):,} ({', '.join(counts)})"
    used = UsageSum.of(entry.usage for entry in report.entries)
    if _is_told(used.cost_usd):
        yield "cost", _cost(used)
    wall = wall_seconds(report)
    yield "wall time", _UNKNOWN if wall is None else f"{number_formats.seconds(wall)} (first to last attempt)"


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
    real = [f"{suite}: {server} ({program})" for suite, server, program in real_servers(report.facts)]
    if real:
        yield "real servers", "; ".join(real)
    if report.gates:
        yield "baseline", "; ".join(dict.fromkeys(gate.baseline for gate in report.gates))
    if report.directory:
        yield "records", report.directory


def _failed_tests(report: Report) -> Iterator[Markup]:
    """Yield what failed the run beside its attempts, so that no rate of passes hides it."""
    tests = sorted(failed_tests(report), key=lambda test: FAILED_KINDS.index(test.kind))
    for test in tests[:_MOST_TESTS]:
        told = test.kind if "error" in test.kind else f"{test.kind} failed"
        yield paragraph(f"{told.capitalize()}: {test.name}: {test.reason}", "verdict gate failed")
    if len(tests) > _MOST_TESTS:
        yield paragraph(f"{len(tests) - _MOST_TESTS} more tests failed.", "verdict gate failed")
    unscored = failing_unscored(report)
    if unscored:
        told = f"The run fails with unscored attempts: {unscored:,} (--mcpbench-unscored=fail)."
        yield paragraph(told, "verdict gate failed")


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
    for gate in sorted(report.gates, key=lambda each: not each.fails):
        colour = "failed" if gate.fails else "unscored" if gate.verdict == "UNDECIDED" else "passed"
        yield paragraph(headline(gate), f"verdict gate {colour}")
    for gate in report.gates:
        tables = (folded(table.title, table_markup(table), is_open=gate.fails) for table in gate_tables(gate))
        lines = details(gate)
        items = Markup().join(Markup("<li>{}</li>").format(sentence(line)) for line in lines)
        body = Markup().join((Markup("<ul>{}</ul>").format(items) if lines else Markup(), *tables))
        # Of several gates all verdicts are in view, and the details of one are a click away.
        yield folded(f"{gate.suite}, {gate.model}: {gate.verdict}", body, is_open=len(report.gates) == 1)


def _facts(pairs: Iterator[tuple[str, str]]) -> Markup:
    items = (Markup("<div><dt>{}</dt><dd>{}</dd></div>").format(plain(name), sentence(value)) for name, value in pairs)
    return Markup('<dl class="facts">{}</dl>').format(Markup().join(items))


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
