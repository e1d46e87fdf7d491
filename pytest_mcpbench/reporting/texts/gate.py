"""Verdicts of gates as lines of text, with the tables that explain them."""

from collections.abc import Iterator

from pytest_mcpbench.core.gate.decision import GateRules
from pytest_mcpbench.core.gate.plan import GatePlan
from pytest_mcpbench.core.gate.result import ArmTrials, GateResult
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.forms.number_formats import money, quantity
from pytest_mcpbench.reporting.tables.table import Table
from pytest_mcpbench.reporting.texts.explanation import explanation_lines, explanation_tables
from pytest_mcpbench.text.words import shortened_list

_SHOWN = 12


def headline(result: GateResult) -> str:
    """Return the verdict as one sentence."""
    subject = f"{result.verdict}: {result.suite}, {result.model}: "
    if result.note:
        return f"{subject}{result.note}"
    compared = quantity(result.tasks, "task")
    unmeasured = f"; {quantity(result.unscored, 'task')} not measured, because unscored" if result.unscored else ""
    if result.verdict == "NOT COMPARABLE" and not result.dropped:
        return f"{subject}none of {compared} passes in the {result.baseline}, so that none can get worse"
    if result.verdict == "NOT COMPARABLE":
        dropped = f"{len(result.dropped)} of {result.tasks + len(result.dropped)} tasks cannot be compared"
        return f"{subject}{dropped}{unmeasured}"
    if result.verdict == "NOT MEASURED":
        tools = quantity(len(result.unmeasured), "changed tool")
        named = shortened_list(result.unmeasured, _SHOWN)
        return f"{subject}no task that passes in either arm names {tools} ({named}){unmeasured}"
    confirmed = [each.task for each in result.confirmed]
    if result.verdict == "REGRESSED":
        lost = [each.task for each in result.changed if each.direction == "worse" and each.is_confirmed]
        what = (
            f"{len(lost)} of {compared} got worse ({shortened_list(lost, _SHOWN)})"
            if lost
            else f"several of {compared} got worse"
        )
        return f"{subject}{what}, confirmed by fresh trials{unmeasured}"
    if result.verdict == "IMPROVED":
        what = (
            f"{len(confirmed)} of {compared} got better ({shortened_list(confirmed, _SHOWN)})"
            if confirmed
            else f"several of {compared} got better"
        )
        return f"{subject}{what}, confirmed by fresh trials, and no loss is{unmeasured}"
    if result.verdict == "NOT WORSE":
        even = ", even if those that are not measured are lost" if result.unscored else ""
        return f"{subject}a loss of {_points(result.margin)} or more is excluded{even}; {compared}{unmeasured}"
    return f"{subject}no loss is confirmed, but {compared} cannot exclude one of {_points(result.margin)}{unmeasured}"


def result_lines(result: GateResult) -> list[str]:
    """Return the verdict, what it is about, and what it is based on."""
    return [headline(result), *(f"  {line}" for line in details(result))]


def details(result: GateResult) -> list[str]:
    """Return the lines below the verdict."""
    return list(_details(result))


def gate_tables(result: GateResult) -> tuple[Table, ...]:
    """Return the tables that explain the verdict."""
    return explanation_tables(result.explanation, result.baseline, result.candidate)


def _details(result: GateResult) -> Iterator[str]:
    if result.is_noise_check:
        yield _noise(result)
    changed = [*result.changed]
    for task in changed[:_SHOWN]:
        fresh = f"; fresh trials {_arms(task.fresh)}" if task.fresh else ""
        p = f", p = {task.p_value:.2g}" if task.p_value is not None else ""
        state = "confirmed" if task.is_confirmed else "not confirmed"
        yield f"{task.direction}: {task.task}  {_arms(task.first)}{fresh}{p}  ({state})"
    if len(changed) > _SHOWN:
        yield f"… and {len(changed) - _SHOWN} more tasks that changed"
    if result.interval is not None and result.difference is not None:
        low, high = result.interval
        yield (
            f"difference of the pass rates: {_signed(result.difference)} points, 95 % interval {_signed(low)} to "
            f"{_signed(high)}, for tasks like these"
        )
    if result.verdict == "UNDECIDED" and not result.note:
        yield _remedies(result)
    if result.unmeasured:
        yield (
            f"not measured: {shortened_list(result.unmeasured, _SHOWN)}; write a task that needs the tool, or accept "
            "its text with `mcpbench lock --accept`"
        )
    for dropped in result.dropped[:_SHOWN]:
        yield f"not compared: {dropped.task}: {one_line(dropped.reason, 160)}"
    for change in result.definitions[:_SHOWN]:
        yield f"changed: {one_line(change, 160)}"
    yield from explanation_lines(result.explanation)
    if result.attempts or result.recorded:
        recorded = f", {result.recorded} more from the earlier run" if result.recorded else ""
        cost = money(result.usage.cost_usd)
        origin = f" ({result.candidate_source})" if result.candidate_source else ""
        arms = f"{result.baseline} ({result.source or 'now'}) against {result.candidate}{origin}"
        yield f"{arms}; {result.attempts} attempts, {cost}{recorded}"


def _noise(result: GateResult) -> str:
    flips = len(result.changed)
    return f"the server against itself: {flips} of {quantity(result.tasks, 'task')} changed by chance" + (
        f" ({shortened_list((each.task for each in result.changed), _SHOWN)})" if flips else ""
    )


def _remedies(result: GateResult) -> str:
    if result.unscored and result.interval is not None and result.interval[0] > -result.margin:
        return "would be decided by a judge that scores the tasks that are not measured (--mcpbench-judge=MODEL)"
    choices = []
    if result.needed_tasks is not None:
        more = result.needed_tasks - result.tasks
        choices.append(f"{quantity(more, 'more task')}{_price(result, 2 * more)}")
    if result.needed_trials is not None:
        attempts = 2 * result.tasks * result.needed_trials
        choices.append(f"--trials={result.needed_trials} ({attempts} attempts{_price(result, attempts, inside=True)})")
    if result.needed_margin is not None and result.needed_margin < 1:
        choices.append(f"--mcpbench-margin={result.needed_margin + 0.005:.2f}")
    return f"would be decided by {', or '.join(choices)}" if choices else "nothing reasonable would decide it"


def _price(result: GateResult, attempts: int, *, inside: bool = False) -> str:
    each = result.cost_per_attempt
    if not each:
        return "" if inside else f" ({attempts} attempts)"
    price = f"about {money(each * attempts)}"
    return f", {price}" if inside else f" ({attempts} attempts, {price})"


def _arms(trials: tuple[ArmTrials, ArmTrials]) -> str:
    before, after = trials
    return f"{before.passed}/{before.made} → {after.passed}/{after.made}"


def _points(share: float) -> str:
    return f"{share * 100:g} points"


def _signed(share: float) -> str:
    return f"{share * 100:+.1f}"


# Plan of a gate as text.


def plan_lines(plan: GatePlan, rules: GateRules) -> Iterator[str]:
    """Yield what the gate will cost and what it can see."""
    recorded = f", {plan.recorded} more are recorded" if plan.recorded else ""
    yield f"{plan.tasks} tasks; first trials: {plan.first} attempts{recorded}"
    yield (
        f"fresh trials of tasks that change: {rules.fresh_trials} in each arm; "
        f"about {plan.typical:.0f} attempts in all if nothing changed, at most {plan.most}"
    )
    if plan.cost_usd is None:
        cost = "unknown, because no earlier run with this model says what an attempt costs"
    elif not plan.cost_usd:
        cost = "$0"
    else:
        cost = f"about {money(plan.cost_usd * plan.typical)}, at most {money(plan.cost_usd * plan.most)}"
    yield f"cost: {cost}"
    yield f"false alarms: at most {rules.alpha * 100:g} %"
    for sight in plan.sights:
        yield f"sees {sight.loss}: {sight.probability * 100:.0f} %"
    if plan.needed_tasks is not None and plan.needed_tasks > plan.tasks:
        yield (
            f"cannot exclude a loss of {rules.margin * 100:g} points in all tasks: "
            f"that takes {plan.needed_tasks} tasks even if none changes"
        )
