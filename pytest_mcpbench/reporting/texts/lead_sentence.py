"""The sentence that a page begins with and a run ends with: the best model, and which others cannot be told from it."""

from collections.abc import Sequence

from pytest_mcpbench.core.model_names import AGENTS_WITHOUT_MODEL, LEXICAL, NOOP, ORACLE, is_competitor
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.aggregates.standings import Standing, is_decided, standings
from pytest_mcpbench.reporting.aggregates.unscored import no_verdict_reason
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.number_formats import quantity
from pytest_mcpbench.text.words import shortened_list

_MOST_NAMED = 3
"""Models that a sentence names."""


def lead_sentence(report: Report) -> str:
    """Return which model passes most, by how much, and which others cannot be told from it."""
    every = standings(report.entries)
    if not every:
        return "The run has no attempt." if not report.entries else "The run compares arms: see its gates."
    if not any(each.rate.verdicts for each in every):
        reason = no_verdict_reason(report.entries)
        return f"No verdict: {reason.removesuffix('.')}." if reason else f"No attempt has a verdict{_left_out(every)}."
    if not is_competitor(every[0].model):
        return baseline_sentence(every)
    best, others = every[0], [each for each in every[1:] if each.rate.range is not None]
    suites = list(dict.fromkeys(entry.series for entry in best.entries))
    tasks = quantity(best.tasks, "task")
    where = f"{tasks} of {suites[0] if len(suites) == 1 else f'{len(suites)} suites'}"
    if not others:
        return f"{best.model} passes {best.rate.text} of {where}{_interval(best)}{_left_out(every)}."
    if not is_decided(every):
        rates = "; ".join(f"{each.model} {each.rate.bounds_text}" for each in every[:_MOST_NAMED])
        return f"Too few attempts are decided to say which model is best: {rates}{_left_out(every)}."
    ties = [each for each in others if each.rate.range == best.rate.range]
    equal = [each for each in others if each.significance != "significant" and each not in ties]
    names = ", ".join(each.model for each in (best, *ties))
    lead = f"{names} {'pass' if ties else 'passes'} most: {best.rate.bounds_text} of {where}{_interval(best)}"
    if len(ties) == len(others):
        return f"{lead}{_left_out(every)}."
    if not equal:
        second = others[len(ties)]
        return f"{lead}, significantly more than {second.model} ({second.rate.bounds_text}){_left_out(every)}."
    told = (f"{each.model} ({each.rate.bounds_text}{_price(each, best)})" for each in equal)
    return f"{lead}. Not significantly less: {shortened_list(told, _MOST_NAMED)}{_left_out(every)}."


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
        return f"{told}: {'each of these tasks' if is_whole else 'what has a verdict'} is solvable as scored"
    if standing.model == NOOP:
        return f"{told}: {'some pass' if passed else 'none passes'} without a call or an answer"
    return told


def _left_out(every: Sequence[Standing]) -> str:
    with_errors = [each for each in every if each.errors]
    if not with_errors:
        return ""
    errors = quantity(sum(each.errors for each in with_errors), "error")
    models = shortened_list((each.model for each in with_errors), _MOST_NAMED)
    return f"; not counted: {errors}{f' of {models}' if len(every) > 1 else ''}"
